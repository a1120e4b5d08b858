"""The engine: walks the graph backwards and hands each node the gradients of its outputs.

The one idea to keep in mind: a node runs once all gradients for it have arrived, that is, once every node that sends it
one has run. Which those are is counted before the walk begins; of the nodes that are ready, the one recorded last comes
first. There is no recursion: a chain of 100,000 operators is a loop.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Sequence

from tensorglass import layout
from tensorglass.errors import explained
from tensorglass.graph import anomaly
from tensorglass.graph.fields import Retained
from tensorglass.graph.hooks import Hooks
from tensorglass.graph.meta import meta_of
from tensorglass.graph.modes import state
from tensorglass.graph.node import AccumulateGrad, Edge, Node, OutputLike
from tensorglass.tensor import Tensor

Arrived = list["Tensor | None"]


class Run:
    """One walk: which nodes are waited for, what has arrived where, and what is to be caught on the way."""

    def __init__(
        self,
        roots: Sequence[Edge],
        keep_graph: bool,
        create_graph: bool,
        catch: Sequence[Edge] | None,
        accumulate: bool,
    ) -> None:
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.accumulate = accumulate  #: whether leaves collect: always, but for `autograd.grad`
        self.caught: list[Tensor | None] = [] if catch is None else [None] * len(catch)
        self._catch: dict[Node, list[tuple[int, int]]] = {}  #: for a node, which output is caught as which number
        for number, (node, output_nr) in enumerate(catch or ()):
            if node is not None:
                self._catch.setdefault(node, []).append((output_nr, number))
        self._waiting: dict[Node, int] = {}  #: how many gradients each node still waits for
        self._arrived: dict[Node, Arrived] = {}
        self._ready: list[tuple[int, int, Node]] = []
        self._ticket = 0
        self._count(roots)
        self._needed = None if catch is None else self._leading_to(roots)

    def _count(self, roots: Sequence[Edge]) -> None:
        """Count for every node how many others will send it a gradient."""
        seen = {edge.node for edge in roots if edge.node is not None}
        stack = list(seen)
        waiting = self._waiting
        while stack:
            for node, _ in stack.pop().next_functions:
                if node is None:
                    continue
                waiting[node] = waiting.get(node, 0) + 1
                if node not in seen:
                    seen.add(node)
                    stack.append(node)

    def _leading_to(self, roots: Sequence[Edge]) -> set[Node]:
        """The nodes on the way to something that is to be caught."""
        order: list[Node] = []
        seen: set[Node] = set()
        stack: list[tuple[Node, bool]] = [(edge.node, False) for edge in roots if edge.node is not None]
        while stack:
            node, is_done = stack.pop()
            if is_done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(each, False) for each, _ in node.next_functions if each is not None and each not in seen]
        needed = set(self._catch)
        for node in order:
            if any(each in needed for each, _ in node.next_functions):
                needed.add(node)
        return needed

    def walk(self, roots: Sequence[Edge], gradients: Sequence[Tensor]) -> None:
        """Send `gradients` to `roots` and go on until nothing is left to run."""
        for edge, gradient in zip(roots, gradients, strict=True):
            self._send(edge, gradient)
        for node in dict.fromkeys(edge.node for edge in roots):
            if node is not None and not self._waiting.get(node):
                self._push(node)
        while self._ready:
            node = heapq.heappop(self._ready)[2]
            self._visit(node, self._arrived.pop(node))

    def _push(self, node: Node) -> None:
        self._ticket += 1
        heapq.heappush(self._ready, (-node.sequence_nr, self._ticket, node))

    def _send(self, edge: Edge, gradient: Tensor | None) -> None:
        """Add a gradient to those that have arrived at an edge."""
        node, output_nr = edge
        if node is None:
            return
        arrived = self._arrived.get(node)
        if arrived is None:
            arrived = self._arrived[node] = [None] * max(1, len(node.outputs))
        if gradient is None:
            return
        before = arrived[output_nr]
        arrived[output_nr] = gradient if before is None else before + gradient

    def _visit(self, node: Node, arrived: Arrived) -> None:
        self._call_tensor_hooks(node, arrived)
        for output_nr, number in self._catch.get(node, ()):
            self.caught[number] = arrived[output_nr]
        if self._needed is not None and not self._runs(node):
            return
        arrived = _call_prehooks(node, arrived)
        if isinstance(node, AccumulateGrad):
            found: list[Tensor | None] = []
            if arrived[0] is not None:
                accumulate(node.variable, arrived[0], self.create_graph)
            _call_hooks(node, [], arrived)
        else:
            found = self._run(node, arrived)
        for edge, gradient in zip(node.next_functions, found, strict=True):
            if edge.node is None:
                continue
            if self._needed is None or edge.node in self._needed:
                self._send(edge, gradient)
            self._waiting[edge.node] -= 1
            if not self._waiting[edge.node] and edge.node in self._arrived:
                self._push(edge.node)

    def _runs(self, node: Node) -> bool:
        """Whether a node is run although only some are: it leads to one that is caught, or is a leaf to collect in."""
        if isinstance(node, AccumulateGrad):
            return self.accumulate and node in self._catch
        return self._needed is not None and any(edge.node in self._needed for edge in node.next_functions)

    def _run(self, node: Node, arrived: Arrived) -> list[Tensor | None]:
        found = list(anomaly.watched(node, arrived) if anomaly.state.enabled else node.apply(arrived))
        if not self.keep_graph:
            node.release()
        if len(found) < len(node.next_functions):
            found += [None] * (len(node.next_functions) - len(found))
        for nr, (edge, gradient) in enumerate(zip(node.next_functions, found, strict=False)):
            if gradient is not None:
                found[nr] = None if edge.node is None else fitted(gradient, edge.node.outputs[edge.output_nr], node, nr)
        return _call_hooks(node, found, arrived)

    def _call_tensor_hooks(self, node: Node, arrived: Arrived) -> None:
        if isinstance(node, AccumulateGrad):
            hooks = {0: meta_of(node.variable).hooks or {}}
        else:
            hooks = node._tensor_hooks or {}
        for output_nr, registry in hooks.items():
            gradient = arrived[output_nr]
            if gradient is not None:
                arrived[output_nr] = call_hooks(registry, gradient)


def call_hooks(hooks: Hooks, gradient: Tensor) -> Tensor:
    """The gradient after all hooks of a tensor."""
    for hook in sorted(hooks.values(), key=lambda hook: isinstance(hook, Retained)):
        answer = hook(gradient)
        if answer is not None:
            if not isinstance(answer, Tensor):
                raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
            if answer._size != gradient._size:
                raise RuntimeError("hook '" + getattr(hook, "__name__", repr(hook)) + "' has changed the size of value")
            gradient = answer
    return gradient


def _call_prehooks(node: Node, arrived: Arrived) -> Arrived:
    for hook in list((node._prehooks or {}).values()):
        answer = hook(tuple(arrived))
        if answer is not None:
            arrived = list(answer) if isinstance(answer, (tuple, list)) else [answer]
    return arrived


def _call_hooks(node: Node, found: list[Tensor | None], arrived: Arrived) -> list[Tensor | None]:
    for hook in list((node._hooks or {}).values()):
        answer = hook(tuple(found), tuple(arrived))
        if answer is not None:
            found = list(answer) if isinstance(answer, (tuple, list)) else [answer]
    return found


def fitted(gradient: Tensor, wanted: OutputLike | None, node: Node, nr: int) -> Tensor:
    """The gradient with the size and dtype of what it is the gradient of: summed over what was broadcast."""
    if wanted is None:
        return gradient
    if gradient._size != wanted.size:
        if layout.summed_dims(gradient._size, wanted.size) is None:
            raise explained(
                RuntimeError(
                    f"Function {node.name()} returned an invalid gradient at index {nr} - got {list(gradient._size)} "
                    f"but expected shape compatible with {list(wanted.size)}"
                )
            )
        gradient = gradient.sum_to_size(wanted.size)
    if gradient._dtype is not wanted.dtype:
        if gradient._dtype.is_complex and not wanted.dtype.is_complex:
            gradient = gradient.real
        gradient = gradient.to(wanted.dtype)
    return gradient


# --- leaves ----------------------------------------------------------------------------------------------------------


def accumulate(leaf: Tensor, gradient: Tensor, create_graph: bool) -> None:
    """Add a gradient to a leaf's `grad`, in place unless it is recorded, and call the hooks that wait for that."""
    meta = meta_of(leaf)
    before = meta.grad
    if before is None:
        meta.grad = _own(gradient, leaf) if not create_graph else gradient
    elif create_graph:
        meta.grad = before + gradient
    else:
        before += gradient
        meta.grad = before
    for hook in list((meta.post_accumulate or {}).values()):
        hook(leaf)


# References to a gradient that nobody else uses: the two lists that hold what arrived, three calls' arguments and
# locals, and that of `getrefcount`. One more, and its memory is somebody's.
_REFERENCES = 5


def _own(gradient: Tensor, leaf: Tensor) -> Tensor:
    """The gradient itself if its memory is nobody else's and laid out like the leaf's, else a copy."""
    is_alone = (
        sys.getrefcount(gradient) <= _REFERENCES
        and gradient._base is None
        and not gradient._conj
        and len(gradient._storage.headers()) == 1
        and gradient._storage.nbytes() == gradient.numel() * gradient._dtype.itemsize
        and gradient._stride == layout.preserved_strides(leaf._size, leaf._stride)
    )
    if is_alone and gradient._meta is None:
        return gradient
    copy = gradient.detach().new_empty_strided(leaf._size, layout.preserved_strides(leaf._size, leaf._stride))
    copy.copy_(gradient.detach())
    copy._storage.version = 0
    return copy


def run(
    roots: Sequence[Edge],
    gradients: Sequence[Tensor],
    *,
    keep_graph: bool,
    create_graph: bool,
    catch: Sequence[Edge] | None = None,
    accumulate: bool = True,
) -> list[Tensor | None]:
    """Walk backwards from `roots`. Returns the gradients caught at the edges `catch`, None where none arrived."""
    before = state.grad
    state.grad = create_graph
    try:
        walk = Run(roots, keep_graph, create_graph, catch, accumulate)
        walk.walk(roots, gradients)
        return walk.caught
    finally:
        state.grad = before
