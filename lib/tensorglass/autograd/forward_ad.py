"""Forward mode: tangents go along with tensors, and come out as directional derivatives.

The one idea to keep in mind: there are no formulas for tangents. A gradient is a linear function of the gradient that
it begins with, ``g = Jᵀ·v``, and the derivative of *that* function is ``J`` itself: walking backwards twice is walking
forwards once. So a dual tensor only notes its tangent in the graph, and `unpack_dual` finds the rest when it is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Container
from typing import NamedTuple

from tensorglass.autograd import engine
from tensorglass.autograd.backward import grad
from tensorglass.errors import explained
from tensorglass.graph.meta import requires_grad
from tensorglass.graph.modes import enable_grad
from tensorglass.graph.node import Gradients, Node, gradient_edge, like, set_history
from tensorglass.ops.creation import zeros_like
from tensorglass.tensor import Tensor


class _State(threading.local):
    level = -1  #: the level that is open; -1 for none
    last = -1  #: the level that was opened last: each has a number of its own, so that old tangents do not come back


_state = _State()


class UnpackedDualTensor(NamedTuple):
    """A dual tensor taken apart."""

    primal: Tensor
    tangent: Tensor | None


class DualNode(Node):
    """Where a tangent came in: hands gradients on as they are."""

    __slots__ = ("level", "tangent")

    def __init__(self, primal: Tensor, tangent: Tensor, level: int) -> None:
        super().__init__([gradient_edge(primal)])
        self.outputs = (like(primal),)
        self.tangent = tangent
        self.level = level

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        return list(gradients)


def enter_dual_level() -> int:
    """Open a level, in which dual tensors can be made. Returns its number, which is 0: there is one at a time."""
    if _state.level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _state.last += 1
    _state.level = _state.last
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: its tensors have no tangents any more."""
    if _state.level < 0 and level is None:
        raise RuntimeError("Dual level must be a positive number.")
    if _state.level < 0 or level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    _state.level = -1


class dual_level:
    """A level as a context: ``with dual_level(): …``."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """`tensor`, in the same memory, with a tangent of its size and dtype: the direction in which it moves."""
    if _state.level < 0:
        raise explained(
            RuntimeError(
                "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                "first."
            ),
            "Write it within `with torch.autograd.forward_ad.dual_level():`.",
        )
    for name, each in (("primal", tensor), ("tangent", tangent)):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {each.dtype}")
    if isinstance(tensor.grad_fn, DualNode) and tensor.grad_fn.level == _state.level:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
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
    """A tensor and how it moves as the dual tensors move that it was computed from; None if there are none."""
    if not isinstance(tensor, Tensor) or _state.level < 0:
        return UnpackedDualTensor(tensor, None)
    duals = _duals_behind(tensor)
    if not duals:
        return UnpackedDualTensor(tensor, None)
    tangent = _pushed_forward(tensor, duals)
    if any(node is not None for dual in duals for node, _ in dual.edges):
        return UnpackedDualTensor(tensor, tangent)
    if not any(requires_grad(dual.tangent) for dual in duals):
        tangent = tangent.detach()
    return UnpackedDualTensor(tensor.detach(), tangent)


def _duals_behind(tensor: Tensor) -> list[DualNode]:
    """The dual tensors of this level that a tensor was computed from."""
    found: list[DualNode] = []
    waiting = [tensor.grad_fn]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if isinstance(node, DualNode) and node.level == _state.level:
            found.append(node)
        else:
            waiting += [behind for behind, _ in node.edges]
    return found


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
