"""Where tangents come into the graph: the nodes behind dual tensors (`autograd/forward_ad`).

Users do not see these nodes. A result computed only from dual tensors is recorded so that its tangent can be found; it
shows no `grad_fn`, since it requires no gradient.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from tensorglass.graph.accumulate_grad import gradient_edge, history
from tensorglass.graph.node import Gradients, Node
from tensorglass.tensor.autograd_meta import like
from tensorglass.tensor.tensor import Tensor

#: The ids of the nodes of dual tensors that there are. While there are none, nothing need be checked.
alive: set[int] = set()


class DualNode(Node):
    """The node of a dual tensor: passes gradients on unchanged."""

    __slots__ = ("is_wanted", "level", "tangent")

    def __init__(self, primal: Tensor, tangent: Tensor, level: int) -> None:
        super().__init__([gradient_edge(primal)])
        self.outputs = (like(primal),)
        self.tangent = tangent
        self.level = level
        self.is_wanted = False  #: whether the user asked for the dual tensor's gradient: `requires_grad_`
        alive.add(id(self))

    def __del__(self) -> None:
        alive.discard(id(self))

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        return list(gradients)


class Ends(NamedTuple):
    """What a tensor was computed from."""

    duals: list[DualNode]  #: the dual tensors
    others: bool  #: whether anything else requires a gradient


def ends_behind(tensor: Tensor, level: int) -> Ends:
    """What a tensor was computed from, searched back to the dual tensors of a level."""
    meta = tensor._meta
    if meta is None or meta.is_tangent:
        return Ends([], meta is not None)
    return _ends([history(tensor)], meta.requires_grad, level)


def is_dual_alone(tensor: Tensor) -> bool:
    """Whether a tensor has a history only because of tangents."""
    metas = [either._meta for either in (tensor, tensor._base) if either is not None and either._meta is not None]
    # The view's own history is not regenerated, since that may raise: its base's history leads to the same ends.
    ends = _ends([meta.grad_fn for meta in metas], any(meta.requires_grad for meta in metas), None)
    return bool(ends.duals) and not ends.others


def _ends(waiting: list[Node | None], others: bool, level: int | None) -> Ends:
    """What these nodes were computed from; the search stops at the dual tensors of a level, if one is given."""
    duals: list[DualNode] = []
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        behind = [beyond for beyond, _ in node.edges if beyond is not None]
        if isinstance(node, DualNode) and level in (None, node.level):
            duals.append(node)
            others = others or node.is_wanted
            if level is not None:
                others = others or bool(behind)
                continue
        elif not behind and not isinstance(node, DualNode):
            others = True
        waiting += behind
    return Ends(duals, others)
