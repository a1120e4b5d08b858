"""The autograd attributes of a tensor: requires_grad, is_leaf, grad_fn, grad, and hooks.

They read the tensor's `Meta`; a tensor without one takes no part in autograd. The class below is not a base class:
`attach` adds its members to Tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from tensorglass.core.dtypes import FLOATING
from tensorglass.core.errors import explained, type_name, warn
from tensorglass.graph import dual, inplace
from tensorglass.graph.accumulate_grad import history
from tensorglass.graph.node import Node, Retained
from tensorglass.tensor.autograd_meta import meta_of, requires_grad
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.hooks import Hooks, RemovableHandle, register
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import not_dispatching


class GradientFields:
    """The autograd members of Tensor."""

    @property
    def requires_grad(self: Tensor) -> bool:  # type: ignore[misc]  # `self` is what the members are attached to
        """Whether gradients flow to this tensor."""
        return requires_grad(self) and not _is_dual_alone(self)

    @requires_grad.setter
    def requires_grad(self: Tensor, wanted: bool) -> None:  # type: ignore[misc]  # as above
        if not isinstance(wanted, bool):
            raise RuntimeError("requires_grad must be a bool")
        if wanted and self.grad_fn is not None:
            raise explained(
                RuntimeError("you can only change requires_grad flags of leaf variables."),
                "This tensor was computed from tensors that require gradients: so does it.",
            )
        set_requires_grad(self, wanted)

    @property
    def is_leaf(self: Tensor) -> bool:  # type: ignore[misc]  # as above
        """Whether this tensor is a leaf: no recorded operator made it, and its gradient is kept in `grad`."""
        return self._meta is None or self.grad_fn is None

    @property
    def _history(self: Tensor) -> Node | None:  # type: ignore[misc]  # as above
        """The `grad_fn`, regenerated for a view whose base was written to."""
        meta = self._meta
        if meta is None:
            return None
        return meta.grad_fn if self._base is None else inplace.regenerate(self, meta)

    @property
    def grad_fn(self: Tensor) -> Node | None:  # type: ignore[misc]  # as above
        """The node that made this tensor; None for a leaf."""
        node = history(self)
        if node is None or _is_dual_alone(self):
            return None
        return node.named()

    @property
    def output_nr(self: Tensor) -> int:  # type: ignore[misc]  # as above
        """Which of its node's outputs this tensor is."""
        return 0 if self._meta is None else self._meta.output_nr

    @property
    def name(self: Tensor) -> None:  # type: ignore[misc]  # as above
        """PyTorch keeps a name of tensors in C++ that Python cannot give: always None."""
        return None

    @property
    def grad(self: Tensor) -> Tensor | None:  # type: ignore[misc]  # as above
        """The gradient that backward collected here; None before."""
        meta = self._meta
        if meta is None:
            return None
        if meta.grad is None and meta.grad_fn is not None and meta.retains is None and not _is_dual_alone(self):
            warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated for "
                "a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
                "mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
                "more information."
            )
        return meta.grad

    @grad.setter
    def grad(self: Tensor, gradient: Tensor | None) -> None:  # type: ignore[misc]  # as above
        if gradient is None:
            if self._meta is not None:
                self._meta.grad = None
            return
        _check_gradient(self, gradient)
        meta_of(self).grad = gradient

    @grad.deleter
    def grad(self: Tensor) -> None:
        if self._meta is not None:
            self._meta.grad = None

    _grad = grad  # its other name in PyTorch, by which programs give their gradients to shared parameters

    @property
    def volatile(self: Tensor) -> bool:  # type: ignore[misc]  # as above
        """False: `no_grad` took its place in PyTorch 0.4."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @volatile.setter
    def volatile(self: Tensor, value: object) -> None:  # type: ignore[misc]  # as above
        warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")

    @property
    def retains_grad(self: Tensor) -> bool:  # type: ignore[misc]  # as above
        """Whether `retain_grad` was called: backward keeps the gradient of this non-leaf."""
        return self._meta is not None and self._meta.retains is not None

    def retain_grad(self: Tensor) -> None:  # type: ignore[misc]  # as above
        """Keep the gradient in `grad` although this is not a leaf. On a leaf it changes nothing."""
        if not requires_grad(self):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if history(self) is None:
            return
        meta = meta_of(self)
        if meta.retains is None:
            meta.retains = Retained(self, history(self), self.output_nr)

    def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:  # type: ignore[misc]  # as above
        """Call ``hook(grad)`` when this tensor's gradient is computed; a tensor that it returns replaces it."""
        if not requires_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        meta = meta_of(self)
        node = history(self)
        if node is None:
            meta.hooks, handle = register(meta.hooks, hook)
        else:
            handle = hook_output(node, meta.output_nr, hook)
        return handle

    def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:  # type: ignore[misc]  # as above
        """Call ``hook(tensor)`` whenever backward has added to `grad`. Leaves only."""
        if not requires_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        meta = meta_of(self)
        meta.post_accumulate, handle = register(meta.post_accumulate, hook)
        return handle

    @property
    def _backward_hooks(self: Tensor) -> Hooks | None:  # type: ignore[misc]  # as above
        """The hooks of this tensor, None if it has none."""
        meta = self._meta
        if meta is None:
            return None
        node = history(self)
        return meta.hooks if node is None else node.attached().tensor_hooks.get(meta.output_nr)


def _is_dual_alone(tensor: Tensor) -> bool:
    return bool(dual.alive) and dual.is_dual_alone(tensor)


def attach() -> None:
    """Give the members to Tensor."""
    for name, member in vars(GradientFields).items():
        if not name.startswith("__"):
            if isinstance(member, FunctionType):
                member.__qualname__ = f"Tensor.{name}"  # Python names it in errors
            setattr(Tensor, name, member)
            not_dispatching.add(name)


def hook_output(node: Node, output_nr: int, hook: Callable[[Any], Any]) -> RemovableHandle:
    """Register a hook for the gradient of one output of a node."""
    hooks = node.attached().tensor_hooks
    hooks[output_nr], handle = register(hooks.get(output_nr), hook)
    return handle


def set_requires_grad(tensor: Tensor, wanted: bool, dtypes: str = "floating point and complex dtype") -> None:
    """Set a leaf's flag, or raise as PyTorch does."""
    meta = tensor._meta
    if meta is not None and not wanted and meta.grad_fn is not None:
        raise explained(
            RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            ),
            "This tensor was computed from tensors that require gradients.",
            notebook="3/04 Detach and no_grad",
        )
    if wanted and tensor._dtype.category < FLOATING:
        raise explained(
            RuntimeError(f"only Tensors of {dtypes} can require gradients"),
            f"This one is {tensor._dtype!r}; convert it first, as in x.float().requires_grad_().",
        )
    if meta is not None and meta.is_inference and wanted and not state.inference:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    if meta is None and not wanted:
        return
    if wanted and meta is not None and isinstance(meta.grad_fn, dual.DualNode):
        meta.grad_fn.is_wanted = True
    elif meta is None or meta.grad_fn is None:
        meta_of(tensor).requires_grad = wanted
        if wanted:
            inplace.mark_views(tensor)


def _check_gradient(tensor: Tensor, gradient: Any) -> None:
    if not isinstance(gradient, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type_name(gradient)}")
    if gradient is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    for what, wanted, given, alike in (
        ("dtype", tensor._dtype, gradient._dtype, "of the same dtype"),
        ("device type", tensor._storage.device.type, gradient._storage.device.type, "on the same device"),
        ("size", list(tensor._size), list(gradient._size), "the same size"),
    ):
        if given != wanted:
            raise RuntimeError(
                f"attempting to assign a gradient of {what} '{given}' to a tensor of {what} '{wanted}'. "
                f"Please ensure that the gradient and the tensor are {alike}"
            )
