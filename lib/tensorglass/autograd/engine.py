"""The engine: walks the graph backwards and hands each node the gradients of its outputs.

The one idea to keep in mind: a node runs once all gradients for it have arrived, that is, once every node that sends it
one has run. Which those are is counted before the backward pass begins; of the nodes that are ready, the one recorded
last comes first. There is no recursion: a chain of 100,000 operators is a loop.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Container, Sequence
from sys import getrefcount
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Backend
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import FLOATING
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.graph import anomaly
from tensorglass.graph.accumulate_grad import ONE_HOLDER, AccumulateGrad, Arrived, add_to_leaf, gradient_edge
from tensorglass.graph.hook_calls import call_hooks, call_posthooks, call_prehooks
from tensorglass.graph.node import Edge, Gradients, Node
from tensorglass.ops.declare.seams import seams
from tensorglass.tensor.autograd_meta import first_fitted, fitted, meta_of
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

_anomaly = anomaly.state


class Run:
    """One backward pass: which nodes still wait, which gradients have arrived, and which ones are returned."""

    callbacks: Sequence[Callable[[], object]] = ()  #: called at its end; a list once there are any

    def __init__(
        self, roots: Sequence[Edge], keep_graph: bool, create_graph: bool, wanted: Sequence[Edge] | None, collect: bool
    ) -> None:
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.caught: list[Tensor | None] = []
        #: for a node, pairs: the number of its output, and the place in `caught` where its gradient goes
        self._catch: dict[Node, list[tuple[int, int]]] = {}
        self._waiting: dict[Node, int] = {}  #: how many gradients each node still waits for
        self._arrived: dict[Node, Arrived] = {}
        self._ready: list[tuple[int, int, Node]] = []
        self._ticket = 0
        ends = set() if wanted is None else {node for node, _ in wanted if node is not None}
        last = ends if len(ends) == 1 and not collect else set()  # no gradient behind it is wanted
        self._count(roots, last)
        self._runs: set[Node] | None = None  #: the nodes to run, if not all
        self._reached: Container[Node] = self._waiting  #: those that gradients are sent to
        if wanted is not None:
            self._runs = self._leading_to(ends, roots, last)
            self._reached = self._runs | ends
            if collect:
                self._runs |= ends
            else:
                self.caught = [None] * len(wanted)
                for number, (node, nr) in enumerate(wanted):
                    if node is not None:
                        self._catch.setdefault(node, []).append((nr, number))

    def _count(self, roots: Sequence[Edge], last: set[Node]) -> None:
        """Count for every node how many others will send it a gradient; those in `last` send none."""
        waiting = self._waiting
        for root, _ in roots:
            if root is not None:
                waiting[root] = 0
        stack = list(waiting)
        while stack:
            sender = stack.pop()
            for node, _ in sender.edges if sender not in last else ():
                if node in waiting:
                    waiting[node] += 1
                elif node is not None:
                    waiting[node] = 1
                    stack.append(node)

    def _leading_to(self, ends: set[Node], roots: Sequence[Edge], last: set[Node]) -> set[Node]:
        """The nodes that send gradients on towards `ends`; those in `last` send none."""
        leading: set[Node] = set()
        seen = set(last)
        stack: list[tuple[Node, bool]] = [(node, False) for node, _ in roots if node is not None]
        while stack:
            node, is_done = stack.pop()
            if is_done:  # all nodes behind it are counted as well
                if any(behind in ends or behind in leading for behind, _ in node.edges):
                    leading.add(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(behind, False) for behind, _ in node.edges if behind is not None and behind not in seen]
        return leading

    @property
    def is_whole(self) -> bool:
        """Whether gradients go to all leaves, as in a backward pass without `inputs`."""
        return self._runs is None

    def reaches(self, node: Node) -> bool:
        """Whether a gradient will pass through `node`."""
        return node in self._waiting and node in self._reached

    def walk(self, roots: Sequence[Edge], gradients: Sequence[Any]) -> None:
        """Send `gradients` to `roots` and go on until nothing is left to run."""
        for (node, nr), gradient in zip(roots, gradients, strict=True):
            if node is not None:
                self._arrive(node, nr, first_fitted(gradient, node, nr))
        for node in dict.fromkeys([node for node, _ in roots]):
            if node is not None and not self._waiting[node] and (len(roots) == 1 or node in self._reached):
                self._push(node)
        while self._ready:
            node = heapq.heappop(self._ready)[2]
            while node is not None:
                node = self._send(node, self._visit(node))

    def _take(self, node: Node) -> Arrived:
        """The gradients that have arrived at a node."""
        return self._arrived.pop(node)

    def _push(self, node: Node) -> None:
        """Add a node to the queue of ready nodes."""
        self._ticket += 1
        heapq.heappush(self._ready, (-node.sequence_nr, self._ticket, node))  # the newest node first

    def _arrive(self, node: Node, nr: int, gradient: Any) -> None:
        """Record a gradient that has arrived at a node."""
        arrived: list[Any] | None = self._arrived.get(node)
        if arrived is None:
            arrived = self._arrived[node] = [None] * (len(node.outputs) or 1)
        if gradient is None:
            return
        if arrived[nr] is None:
            arrived[nr] = gradient
        else:
            self._add(node, nr, arrived, gradient)

    def _add(self, node: Node, nr: int, arrived: list[Any], gradient: Any) -> None:
        """Accumulate a gradient with the one that has already arrived at an output of a node."""
        if not self.create_graph and is_alone(arrived, nr):
            arrived[nr] += gradient  # in place: nobody else sees it
        else:
            arrived[nr] = arrived[nr] + gradient

    def _visit(self, node: Node) -> Gradients | None:
        """Run a node whose gradients have all arrived. Returns what it sends on; None if it sends nothing."""
        arrived = self._take(node)
        if self._runs is not None:
            runs = node in self._runs
            if not runs:
                call_tensor_hooks(node, arrived)
            for nr, number in self._catch.get(node, ()):
                self.caught[number] = arrived[nr]
            if not runs:
                return None
        if node.attachments is not None or type(node) is AccumulateGrad:
            return self._visit_with_hooks(node, arrived)
        gradients = self._run(node, arrived)
        if not self.keep_graph:
            node.release()
        return gradients

    def _visit_with_hooks(self, node: Node, arrived: Arrived) -> Gradients | None:
        """`_visit` for a leaf, whose hooks are on the tensor, and for a node on which users registered hooks."""
        call_tensor_hooks(node, arrived)
        attached = node.attachments
        if attached is not None:
            arrived = call_prehooks(attached.prehooks, arrived)
        given = tuple(arrived) if attached is not None and attached.hooks else None
        gradients: Gradients = []
        if isinstance(node, AccumulateGrad):
            add_to_leaf(node.variable, arrived, 0 if given is None else 1)
        else:
            gradients = self._run(node, arrived)
            if not self.keep_graph:
                node.release()
        arrived.clear()
        if attached is not None and given is not None:
            gradients += [None] * (len(node.edges) - len(gradients))
            for place, edge in enumerate(node.edges):
                gradients[place] = fitted(gradients[place], edge, node, place)
            gradients = call_posthooks(attached.hooks, gradients, list(given))
        return gradients

    def _run(self, node: Node, arrived: Arrived) -> Gradients:
        towards = None if self._runs is None else self._reached
        return node.apply(arrived, towards) if not _anomaly.enabled else anomaly.watched(node, arrived, towards)

    def _send(self, node: Node, gradients: list[Any] | None) -> Node | None:
        """Send the gradients that a node computed along its edges; `gradients` is emptied.

        Returns the node to visit next if there is only one candidate: along a chain the queue is not needed.
        """
        if gradients is None:
            return None
        waiting, reached = self._waiting, self._reached
        next_node = None
        edges = node.edges
        if len(gradients) < len(edges):
            gradients += [None] * (len(edges) - len(gradients))
        for place, edge in enumerate(edges):
            following, nr = edge
            if following is None:
                continue
            gradient, gradients[place] = gradients[place], None  # moved: the receiver may then be the only holder
            gradient = fitted(gradient, edge, node, place)
            left = waiting[following] = waiting[following] - 1
            if reached is not waiting and following not in reached:
                continue
            self._arrive(following, nr, gradient)
            if not left:
                if next_node is not None:
                    self._push(next_node)
                next_node = following
        if next_node is not None and self._ready:
            self._push(next_node)
            return None
        return next_node


def call_tensor_hooks(node: Node, arrived: Arrived) -> None:
    """Call the hooks of a node's output tensors with its gradients; `retain_grad` keeps what they return."""
    if isinstance(node, AccumulateGrad):  # its hooks are on the leaf, since the node may be dropped and made again
        hooks = meta_of(node.variable).hooks
        if hooks:
            arrived[0] = call_hooks(hooks, arrived[0])
    attached = node.attachments
    if attached is None:
        return
    for nr, registry in attached.tensor_hooks.items():
        arrived[nr] = call_hooks(registry, arrived[nr])
    for nr, retained in attached.retaining.items():
        gradient = arrived[nr]
        if gradient is not None:
            retained.keep(gradient)


def is_alone(arrived: Arrived, nr: int) -> bool:
    """Whether only this list holds the gradient, and only the gradient holds its memory."""
    if getrefcount(arrived[nr]) != ONE_HOLDER:
        return False
    gradient: Any = arrived[nr]
    return getrefcount(gradient._storage) == ONE_HOLDER and (
        gradient._contiguous or geometry.is_non_overlapping_and_dense(gradient._size, gradient._stride)
    )


class _Current(threading.local):
    walk: Any = None  #: the `Run` active in this thread, the innermost if a hook has started another
    kind: type[Run] | None = None  #: the class of backward passes while they are profiled


current = _Current()


def run(
    roots: Sequence[Edge],
    gradients: Sequence[Any],
    *,
    keep_graph: bool,
    create_graph: bool,
    wanted: Sequence[Edge] | None = None,
    collect: bool = True,
) -> list[Tensor | None]:
    """Walk backwards from `roots` to all leaves, or only to the edges `wanted`.

    Gradients that arrive are accumulated in `grad`, or else returned, with None where none arrived.
    """
    before = state.grad, current.walk
    state.grad = create_graph and not state.inference
    try:
        new_run: type[Run] = current.kind or seams.backward_pass or Run
        walk = current.walk = new_run(roots, keep_graph or state.keeps_graphs, create_graph, wanted, collect)
        walk.walk(roots, gradients)
        for callback in walk.callbacks:
            callback()
        return walk.caught
    finally:
        state.grad, current.walk = before


def one_for(size: tuple[int, ...], dtype: DType, device: Device, backend: Backend) -> Any:
    """The gradient of a scalar with respect to itself: the initial gradient if none is given."""
    if seams.one is not None and current.kind is None:
        ready = seams.one(size, dtype, device)
        if ready is not None:
            return ready
    count = geometry.numel(size) if size else 1
    if count != 1:
        raise explained(
            RuntimeError("grad can be implicitly created only for scalar outputs"),
            f"This tensor has {count} elements. Sum them, or say what gradient to begin with: "
            "y.backward(torch.ones_like(y)).",
            notebook="3/03 Gradient arguments",
        )
    if dtype.category != FLOATING:
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {dtype!r}")
    one = backend.empty(dtype, size)
    one[...] = 1
    return result_tensor(one, dtype, backend, device, size, geometry.contiguous_strides(size))


def backward_method(backward: Callable[..., None]) -> Callable[..., None]:
    """`Tensor.backward`: a single `run` for most calls; `backward` for all others."""

    def method(
        self: Tensor,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """`autograd.backward` of this tensor: adds the gradients of its leaves to their `grad`."""
        if gradient is None and inputs is None and not create_graph:
            edge = gradient_edge(self)
            if edge[0] is not None:
                storage = self._storage
                one = one_for(self._size, self._dtype, storage.device, storage.backend)
                run((edge,), (one,), keep_graph=bool(retain_graph), create_graph=False)
                return
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    method.__name__, method.__qualname__ = "backward", "Tensor.backward"
    return method
