"""Where tangents come into the graph: the nodes behind dual tensors (`autograd/forward_ad`).

Users see no such node. What was computed from dual tensors alone is recorded, so that its tangent can be found, and
shows no `grad_fn` all the same: it requires no gradient.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from tensorglass.graph.accumulate_grad import gradient_edge, history
from tensorglass.graph.node import Gradients, Node
from tensorglass.tensor.autograd_meta import like
from tensorglass.tensor.tensor import Tensor


class _Made:
    dual_tensors = False  #: whether there ever was one: until then nobody need look for them


made = _Made()


class DualNode(Node):
    """Where a tangent came in: hands gradients on as they are."""

    __slots__ = ("is_wanted", "level", "tangent")

    def __init__(self, primal: Tensor, tangent: Tensor, level: int) -> None:
        super().__init__([gradient_edge(primal)])
        self.outputs = (like(primal),)
        self.tangent = tangent
        self.level = level
        self.is_wanted = False  #: whether the user asked for the dual tensor's gradient: `requires_grad_`
        made.dual_tensors = True

    def apply(self, gradients: list[Tensor | None], towards: Container[Node | None] | None = None) -> Gradients:
        return list(gradients)


class Ends(NamedTuple):
    """What a tensor was computed from."""

    duals: list[DualNode]  #: the dual tensors
    others: bool  #: whether there is something else that requires a gradient


def ends_behind(tensor: Tensor, level: int) -> Ends:
    """What a tensor was computed from, as far as the dual tensors of a level."""
    meta = tensor._meta
    if meta is None or meta.is_tangent:
        return Ends([], meta is not None)
    return _ends([history(tensor)], meta.requires_grad, level)


def is_dual_alone(tensor: Tensor) -> bool:
    """Whether a tensor has a history only because of tangents."""
    metas = [each._meta for each in (tensor, tensor._base) if each is not None and each._meta is not None]
    # A view's history is not found anew, which may be refused: what it may lead to, its base's does as well.
    found = _ends([meta.grad_fn for meta in metas], any(meta.requires_grad for meta in metas), None)
    return bool(found.duals) and not found.others


def _ends(waiting: list[Node | None], others: bool, level: int | None) -> Ends:
    """What lies behind these nodes; no farther than the dual tensors of a level, if one is given."""
    duals: list[DualNode] = []
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        behind = [each for each, _ in node.edges if each is not None]
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
