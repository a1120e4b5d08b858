"""In-place writes rewrite history: the tensor's own, and that of its base and its views.

A write to a view is a write to a part of its base. The base gets a `CopySlices` node, which hands the part's gradient
to the operator that wrote it; every view finds its way to the base's new history when it is next asked for its
`grad_fn`.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any

from tensorglass.core.dtypes import FLOATING
from tensorglass.core.errors import explained
from tensorglass.core.memory_format import contiguous_format
from tensorglass.geometry import contiguous_strides
from tensorglass.graph.accumulate_grad import gradient_edge, history
from tensorglass.graph.node import NOWHERE, Gradients, Node, set_history, short_name
from tensorglass.graph.saved_tensor import second_time
from tensorglass.tensor.autograd_meta import Creation, Meta, OutputLike, like, meta_of, requires_grad
from tensorglass.tensor.construct import empty_on
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, header_of

if TYPE_CHECKING:
    from tensorglass.geometry import Header

_NOTEBOOK = "3/06 In-place and versions"


def zeros(output: OutputLike) -> Tensor:
    """Zeros in the form of a node's output."""
    return empty_on(output.device, output.size, contiguous_strides(output.size), output.dtype, zeroed=True)


def check_inference(tensor: Tensor) -> None:
    """Refuse a write, outside inference mode, to a tensor that was made in inference mode."""
    meta = tensor._meta
    if meta is not None and meta.is_inference and not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def check(tensor: Tensor) -> None:
    """Refuse a recorded in-place write whose history autograd could not follow."""
    base = tensor._base
    if base is not None:
        _check_view(tensor, "is being")
    if not requires_grad(tensor):
        return
    if base is not None and history(base) is None:
        raise explained(
            RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation."),
            "The view shares the leaf's memory: writing to it overwrites the leaf. Do it within torch.no_grad(), or "
            "write to a copy, x.clone().",
            notebook=_NOTEBOOK,
        )
    meta = tensor._meta
    if (history(tensor) if base is None else meta and meta.grad_fn) is None:
        raise explained(
            RuntimeError("a leaf Variable that requires grad is being used in an in-place operation."),
            "A leaf is where gradients are collected: overwriting it would lose what they are the gradients of. Update "
            "it within torch.no_grad(), or write to a copy, x.clone().",
            notebook=_NOTEBOOK,
        )


def _check_view(view: Tensor, how: str) -> None:
    """Refuse a write to a view or its base if autograd cannot follow the way in which the view was made."""
    creation = view._creation
    if creation is Creation.PLAIN:
        return
    meta = view._meta
    node = None if meta is None else meta.grad_fn
    is_of_mode = creation in (Creation.NO_GRAD, Creation.INFERENCE)
    mode = "inference" if creation is Creation.INFERENCE else "no_grad"
    where = (
        f"Output {0 if meta is None else meta.output_nr} of {'None' if node is None else short_name(node)} is a view"
    )
    if node is None:
        where = f"A view was created in {mode} mode"
    elif is_of_mode:
        where += f" of a view which was created in {mode} mode"
    what = f"{where} and {how} modified inplace"
    if creation is Creation.INFERENCE:
        what += " in normal mode"
    elif is_of_mode or node is None:
        what += " with grad mode enabled"
    raise explained(RuntimeError(f"{what}. {_WHY_NOT[creation]}"), notebook=_NOTEBOOK)


def _keep_together(block: str) -> str:
    return (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        f"both the view and the inplace either both inside the {block} block (if you don't want the inplace to be "
        "tracked) or both outside (if you want the inplace to be tracked)."
    )


_WHY_NOT = {
    Creation.NO_GRAD: _keep_together("no_grad"),
    Creation.INFERENCE: _keep_together("inference_mode"),
    Creation.MULTI_OUTPUT: "This view is the output of a function that returns multiple views. Such functions do not "
    "allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    Creation.CUSTOM_FUNCTION: "This view was created inside a custom Function (or because an input was returned as-is) "
    "and the autograd logic to handle view+inplace would override the custom backward associated with the custom "
    "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of "
    "the custom Function.",
}


class AsStridedBackward0(Node):
    """The node of a view whose base was detached since: its gradient goes nowhere."""

    __slots__ = ()

    def __init__(self, view: Tensor) -> None:
        super().__init__((NOWHERE,))
        self.outputs = (like(view),)

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        return [None]


class CopySlices(Node):
    """A write to a part of a tensor: the part's gradient goes to the operator that wrote it, the rest is passed on."""

    __slots__ = ("_base", "_is_complex", "_is_conjugated", "_view", "_written_by")

    def __init__(self, base: Tensor, view: Tensor, written_by: Node) -> None:
        super().__init__((gradient_edge(base), *written_by.edges[1:]))
        self.outputs = (like(base),)
        self._base = header_of(base)
        self._view: Header = header_of(view)
        #: how the view reads the elements, if differently from the base: as complex numbers, or as parts of them
        self._is_complex = None if view._dtype is base._dtype else view._dtype.is_complex
        self._is_conjugated = view._conj != base._conj
        self._written_by: Node | None = written_by

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        if self._written_by is None:
            raise second_time()
        gradient = gradients[0]
        if gradient is None:
            return [None] * len(self.edges)
        size_of_base, base_stride, _ = self._base
        whole = gradient.new_empty_strided(size_of_base, base_stride)
        whole.copy_(gradient)
        part = self._part_of(whole)
        answers = list(self._written_by.apply([part.clone(memory_format=contiguous_format)]))
        written = answers[0]
        if written is None:
            part.zero_()
        else:
            part.copy_(written)
        answers[0] = whole
        if towards is None:
            return answers
        pairs = zip(self.edges, answers, strict=True)
        return [gradient if node in towards else None for (node, _), gradient in pairs]

    def _part_of(self, whole: Tensor) -> Tensor:
        """The part of `whole`, which has the base's layout, that corresponds to the written view."""
        size, stride, offset = self._view
        start = self._base[2]
        if self._is_complex is None:
            part: Tensor = whole.as_strided(size, stride, offset - start)
        elif self._is_complex:
            part = reread[True](whole.as_strided(*_pairs(size, stride, 2 * offset - start)))
        else:
            part = reread[False](whole).as_strided(size, stride, offset - 2 * start)
        return part.conj() if self._is_conjugated else part

    def release(self) -> None:
        self._written_by = None  # saving its own result may have made it a node of the graph already


def rebase(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make `node`, which has just overwritten `tensor`, its history: the tensor is the node's output `output_nr`."""
    base = tensor._base
    if base is None:
        replace_history(tensor, node, output_nr)
        return
    replace_history(base, CopySlices(base, tensor, node))
    tensor._seen = -1  # a custom function may have asked for the history after the write, before it was recorded
    regenerate(tensor, meta_of(tensor))


def replace_history(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make `tensor` an output of `node`; its views regenerate their history when asked."""
    meta = meta_of(tensor)
    if meta.retains is not None:
        meta.retains.move(node, output_nr)
    set_history(tensor, node, output_nr)
    mark_views(tensor)


def _again(base: Tensor, view: Tensor) -> Tensor:
    """The view made again, in one step; in two if it also reads the elements as another dtype."""
    read = base
    if view._dtype.is_complex and not base._dtype.is_complex:
        is_of_pairs = bool(base._size) and base._size[-1] == 2
        read = reread[True](base if is_of_pairs else base.as_strided(*_pairs(*header_of(view)[:2], 2 * view._offset)))
    elif view._dtype is not base._dtype:
        read = reread[False](base)
    if view._conj != read._conj:
        read = read.conj()
    if read is not base and header_of(read) == header_of(view):
        return read
    return read.as_strided(view._size, view._stride, view._offset)


def _pairs(size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Header:
    """The header of the pairs of real numbers under complex numbers with this header."""
    return (*size, 2), (*[2 * step for step in stride], 1), offset


#: True: `view_as_complex`, False: `view_as_real`. `ops.views` supplies them.
reread: dict[bool, Callable[[Tensor], Tensor]] = {}


def mark_views(base: Tensor) -> None:
    """Give a `Meta` to each view of a tensor that has come to require gradients."""
    for header in base._storage.headers():
        if header._base is base and header._dtype.category >= FLOATING:
            meta_of(header)


def regenerate(view: Tensor, meta: Meta) -> Node | None:
    """The `grad_fn` of a view, regenerated if the base was written to since."""
    base: Any = view._base
    if meta.grad_fn is None and not requires_grad(base):
        return None
    version = base._storage.version if view._counter is None else view._counter.count
    if view._seen == version:
        return meta.grad_fn
    _check_view(view, "its base or another view of its base has been")
    before = state.grad, state.below
    state.grad, state.below = True, False
    fresh = _again(base, view)
    state.grad, state.below = before
    node = history(fresh) or AsStridedBackward0(view)
    if meta.retains is not None:
        meta.retains.move(node)
    meta.grad_fn, meta.output_nr, view._seen = node, 0, version
    return node
