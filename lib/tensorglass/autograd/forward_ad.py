"""Forward mode: tangents go along with tensors, and come out as directional derivatives.

There are no formulas for tangents. A gradient is a linear function of the gradient that it begins with, ``g = Jᵀ·v``,
and the derivative of *that* function is ``J`` itself: two backward passes are one forward pass. So a dual tensor only
records its tangent in the graph, and `unpack_dual` computes the rest on demand.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorglass.autograd import engine
from tensorglass.autograd.backward import grad
from tensorglass.core.contexts import Context
from tensorglass.core.errors import explained
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.dual import DualNode, ends_behind
from tensorglass.graph.node import set_history
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.tensor import printing
from tensorglass.tensor.autograd_meta import meta_of, requires_grad
from tensorglass.tensor.grad_mode import enable_grad
from tensorglass.tensor.tensor import Tensor


class _State(threading.local):
    level = -1  #: the level that is open; -1 for none
    last = -1  #: the level that was opened last: each has a number of its own, so that old tangents do not come back


_state = _State()


class UnpackedDualTensor(NamedTuple):
    """A dual tensor taken apart."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Open a level, in which dual tensors can be made. Returns its number, always 0: there is only one at a time."""
    if _state.level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _state.last += 1
    _state.level = _state.last
    printing.tangent_of = _shown_tangent
    return 0


def _shown_tangent(tensor: Tensor) -> Tensor | None:
    return unpack_dual(tensor).tangent


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: its tensors have no tangents any more."""
    if _state.level < 0 and level is None:
        raise RuntimeError("Dual level must be a positive number.")
    if _state.level < 0 or level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    _state.level = -1


class dual_level(Context):
    """A level as a context: ``with dual_level(): …``."""

    def before(self) -> None:
        if _state.level >= 0:
            raise RuntimeError("Nested forward mode AD is not supported at the moment")

    def begin(self, _: None) -> int:
        return enter_dual_level()

    def end(self, _: None) -> None:
        _state.level = -1


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of `tensor` with a tangent of its size and dtype: the direction in which it moves."""
    if _state.level < 0 or (level is not None and level < 0):
        raise explained(
            RuntimeError(
                "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                "first."
            ),
            "Write it within `with torch.autograd.forward_ad.dual_level():`.",
        )
    if level:
        raise RuntimeError("Invalid level given to _make_dual")
    for name, part in (("primal", tensor), ("tangent", tangent)):
        if not (part.is_floating_point() or part.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {part.dtype}")
    node = None if tensor._meta is None else tensor._meta.grad_fn
    if isinstance(node, DualNode) and node.level == _state.level:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if ends_behind(tangent, _state.level).duals:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    if tensor._size != tangent._size:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor._size)} while the given forward gradient is of size "
            f"{list(tangent._size)}."
        )
    dual = tensor.detach()
    set_history(dual, DualNode(tensor, tangent, _state.level))
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A tensor's primal and tangent; the tangent is None if it does not depend on a dual tensor."""
    if _state.level < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    if level:
        raise RuntimeError("Invalid level given to _fw_primal")
    duals, others = ends_behind(tensor, _state.level)
    if not duals:
        return UnpackedDualTensor(tensor, None)
    is_itself = tensor._meta is not None and tensor._meta.grad_fn is duals[0]
    tangent = duals[0].tangent if is_itself else _pushed_forward(tensor, duals)
    if others:
        meta_of(tangent).is_tangent = True
        return UnpackedDualTensor(tensor, tangent)
    if not any(requires_grad(dual.tangent) for dual in duals):
        tangent = tangent if is_itself else tangent.detach()
    return UnpackedDualTensor(tensor.detach(), tangent)


def tangents_of(arguments: Sequence[Any]) -> list[UnpackedDualTensor] | None:
    """The tensors among the arguments, unpacked, with None for other arguments; None if no tensor has a tangent."""
    if _state.level < 0:
        return None
    duals = [
        unpack_dual(argument) if isinstance(argument, Tensor) else UnpackedDualTensor(argument, None)
        for argument in arguments
    ]
    return None if all(dual.tangent is None for dual in duals) else duals


def moving(output: Tensor, tangent: Tensor) -> None:
    """Give a tensor that a custom function returned the tangent `tangent`."""
    primal = unpack_dual(tangent).primal  # it may have been computed from dual tensors
    if requires_grad(primal):
        meta_of(primal).is_tangent = True
    set_history(output, DualNode(output, primal, _state.level))


def _pushed_forward(tensor: Tensor, duals: list[DualNode]) -> Tensor:
    with enable_grad():
        start = zeros_like(tensor.detach()).requires_grad_()
        gradients = engine.run(
            [gradient_edge(tensor)], [start], keep_graph=True, create_graph=True,
            wanted=[(dual, 0) for dual in duals], collect=False,
        )  # fmt: skip
        pairs = [
            (gradient, dual.tangent)
            for gradient, dual in zip(gradients, duals, strict=True)
            if gradient is not None and requires_grad(gradient)
        ]
        if not pairs:
            return zeros_like(tensor.detach())
        (tangent,) = grad(
            [gradient for gradient, _ in pairs], start, [given for _, given in pairs], create_graph=True,
            allow_unused=True,
        )  # fmt: skip
    return zeros_like(tensor.detach()) if tangent is None else tangent
