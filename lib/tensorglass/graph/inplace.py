"""In-place writes rewrite history: the tensor's own, and that of its base and its views.

The one idea to keep in mind: a write to a view is a write to a part of its base. The base gets a `CopySlices` node,
which hands the part's gradient to the operator that wrote it; every view finds its way to the base's new history when
it is next asked for its `grad_fn`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorglass.dtypes import FLOATING
from tensorglass.errors import explained
from tensorglass.graph.meta import Creation, Meta, meta_of, requires_grad
from tensorglass.graph.modes import state
from tensorglass.graph.node import Gradients, Node, OutputLike, gradient_edge, like, set_history
from tensorglass.layout import contiguous_strides
from tensorglass.making import empty_on
from tensorglass.tensor import Tensor, header_of

if TYPE_CHECKING:
    from tensorglass.layout import Header

_NOTEBOOK = "06 in-place and versions"


def zeros(output: OutputLike) -> Tensor:
    """Zeros in the form of a node's output."""
    made = empty_on(output.device, output.size, contiguous_strides(output.size), output.dtype)
    made.zero_()
    made._storage.version = 0
    return made


def check_inference(tensor: Tensor) -> None:
    """Refuse to write to a tensor that was made in inference mode, outside of it."""
    meta = tensor._meta
    if meta is not None and meta.is_inference and not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def check(tensor: Tensor) -> None:
    """Refuse an in-place write that would leave a history which cannot be followed."""
    if not requires_grad(tensor) and tensor._base is None:
        return
    if tensor._base is not None and tensor._meta is not None:
        _check_view(tensor, tensor._meta)
    if not requires_grad(tensor):
        return
    if tensor.is_leaf and tensor._base is None:
        raise explained(
            RuntimeError("a leaf Variable that requires grad is being used in an in-place operation."),
            "A leaf is where gradients are collected: overwriting it would lose what they are the gradients of. Update "
            "it within torch.no_grad(), or write to a copy, x.clone().",
            notebook=_NOTEBOOK,
        )
    base = tensor._base
    if base is not None and requires_grad(base) and base.is_leaf:
        raise explained(
            RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation."),
            "The view shares the leaf's memory: writing to it overwrites the leaf. Do it within torch.no_grad(), or "
            "write to a copy, x.clone().",
            notebook=_NOTEBOOK,
        )


def _check_view(tensor: Tensor, meta: Meta) -> None:
    creation = meta.creation
    if creation is Creation.RECORDED:
        return
    if creation in (Creation.NO_GRAD, Creation.INFERENCE):
        mode = "no_grad mode" if creation is Creation.NO_GRAD else "inference mode"
        where = "the no_grad block" if creation is Creation.NO_GRAD else "the inference_mode block"
        message = (
            f"A view was created in {mode} and is being modified inplace with grad mode enabled. Given that this use "
            "case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and "
            f"the inplace either both inside {where} (if you don't want the inplace to be tracked) or both outside "
            "(if you want the inplace to be tracked)."
        )
    else:
        node = meta.grad_fn
        name = "None" if node is None else node.name().removesuffix("0").removesuffix("Backward")
        what = (
            "This view is the output of a function that returns multiple views. Such functions do not allow the output "
            "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
            if creation is Creation.MULTI_OUTPUT
            else "This view was created inside a custom Function (or because an input was returned as-is) and the "
            "autograd logic to handle view+inplace would override the custom backward associated with the custom "
            "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
            "output of the custom Function."
        )
        message = f"Output {meta.output_nr} of {name} is a view and is being modified inplace. {what}"
    raise explained(RuntimeError(message), notebook=_NOTEBOOK)


class CopySlices(Node):
    """A write to a part of a tensor: the part's gradient goes to the operator that wrote it, the rest straight on."""

    __slots__ = ("_base", "_part", "_view", "_written_by")

    def __init__(self, base: Tensor, view: Tensor, written_by: Node) -> None:
        super().__init__((gradient_edge(base), *written_by.next_functions[1:]))
        self.outputs = (like(base),)
        self._base = header_of(base)
        self._view: Header = header_of(view)
        self._written_by = written_by

    def apply(self, gradients: list[Tensor | None]) -> Gradients:
        gradient = gradients[0]
        if gradient is None:
            return [None] * len(self.next_functions)
        size, stride, offset = self._view
        size_of_base, base_stride, base_offset = self._base
        whole = gradient.new_empty_strided(size_of_base, base_stride)
        whole.copy_(gradient)
        shift = offset - base_offset
        part = whole.as_strided(size, stride, shift)
        found = list(self._written_by.apply([part.clone()]))
        written = found[0]
        if written is None:
            part.zero_()
        else:
            part.copy_(written)
        found[0] = whole
        return found

    def release(self) -> None:
        self._written_by.release()


def rebase(tensor: Tensor, node: Node) -> None:
    """Make `node`, which has just overwritten `tensor`, its history."""
    base = tensor._base
    if base is None:
        _move_retained(tensor, node)
        set_history(tensor, node)
        mark_views(tensor)
        return
    history = CopySlices(base, tensor, node)
    _move_retained(base, history)
    set_history(base, history)
    mark_views(base)
    meta_of(tensor).attr_version = -1  # to be found anew, through the base


def _move_retained(tensor: Tensor, node: Node) -> None:
    """`retain_grad` is about what the tensor holds now: its hook goes over to the new node."""
    meta = tensor._meta
    if meta is not None and meta.retains is not None:
        meta.retains.move(node)


def mark_views(base: Tensor) -> None:
    """Let the views of a tensor that has come to require gradients know: each gets a `Meta`."""
    for header in base._storage.headers():
        if header._base is base and header._meta is None and header._dtype.category >= FLOATING:
            meta_of(header).attr_version = -1 if base._meta is not None and base._meta.grad_fn is not None else 0


def regenerate(view: Tensor, meta: Meta) -> Node | None:
    """The `grad_fn` of a view, made anew if the base was written to since."""
    base: Any = view._base
    if meta.grad_fn is None and not requires_grad(base):
        return None
    version = view._version
    if meta.attr_version == version:
        return meta.grad_fn
    if requires_grad(base) and (base._meta is None or base.grad_fn is None):  # a leaf's view, from before it was one
        return meta.grad_fn
    grad, state.grad = state.grad, True
    fresh = base.as_strided(view._size, view._stride, view._offset)
    state.grad = grad
    meta.grad_fn, meta.output_nr, meta.attr_version = fresh.grad_fn, 0, version
    return meta.grad_fn
