"""A backward pass whose small gradients are bare arrays as long as nobody can see them.

That is the case without hooks, `create_graph` and anomaly detection, and while memory is not measured. Everything else
runs as in `engine.Run`.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from tensorglass import geometry, memory
from tensorglass.autograd.engine import Run, call_tensor_hooks, is_alone
from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.dtypes import float32, float64
from tensorglass.fast.array_derivatives import KNOWN, apply_to_arrays, gradients_of, learn
from tensorglass.fast.bare_arrays import XP, BareArray, in_quiet, is_spread, shares_memory, tensor_of
from tensorglass.geometry import CONTIGUOUS_STRIDES
from tensorglass.graph import anomaly
from tensorglass.graph.accumulate_grad import AccumulateGrad, Arrived, add_to_leaf, collecting
from tensorglass.graph.formula_node import FormulaNode
from tensorglass.graph.node import Edge, Gradients, Node
from tensorglass.ops.kernels.sum import total
from tensorglass.tensor.autograd_meta import Meta, first_fitted, fitted, meta_of
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

_anomaly = anomaly.state
_add = XP.add


class ArrayRun(Run):
    """A backward pass in which small gradients are bare arrays. Its `walk` replaces the engine's."""

    _written: dict[Node, int]  #: how often a bare array that arrived was added to in place

    def walk(self, roots: Sequence[Edge], gradients: Sequence[Any]) -> None:
        self._written = {}
        is_whole, keep_graph = self.is_whole, self.keep_graph
        may_be_bare = is_whole and not (self.create_graph or _anomaly.enabled or memory.is_measured())
        if not may_be_bare:  # initial gradients are tensors, and held here, so that nothing is added to them in place
            gradients = [
                self._settled(node, nr, sent) if node is not None and type(sent) is BareArray else sent
                for (node, nr), sent in zip(roots, gradients, strict=True)
            ]
        for (node, nr), gradient in zip(roots, gradients, strict=True):
            if node is not None:
                if type(gradient) is not BareArray:
                    gradient = first_fitted(gradient, node, nr)
                self._arrive(node, nr, gradient)
        for node in dict.fromkeys([node for node, _ in roots]):
            if node is not None and not self._waiting[node] and (len(roots) == 1 or node in self._reached):
                self._push(node)
        ready = self._ready
        while ready:
            node = heapq.heappop(ready)[2]
            while node is not None:
                if may_be_bare and isinstance(node, FormulaNode):
                    node = in_quiet(self._along_arrays, node)
                    if node is None:
                        break
                if not is_whole or node.attachments is not None or _anomaly.enabled:
                    node = self._send(node, self._visit(node))
                elif type(node) is AccumulateGrad:  # from here on the same as `_visit`, inlined
                    arrived = self._take(node)
                    if meta_of(node.variable).hooks:
                        call_tensor_hooks(node, arrived)
                    add_to_leaf(node.variable, arrived)
                    node = None
                else:
                    sent = self._run(node, self._take(node))
                    if not keep_graph:
                        node.release()
                    node = self._send(node, sent)

    def _along_arrays(self, node: Any) -> Node | None:  # noqa: C901  # a call for each step would take time at every node
        """Run a node and its successors, as long as nobody can see the gradients between them.

        Returns the next node that must run on tensors; None if nothing is left.
        """
        waiting, all_arrived, keep_graph, ready = self._waiting, self._arrived, self.keep_graph, self._ready
        arrived: Any = all_arrived.pop(node)
        while isinstance(node, FormulaNode):
            known = KNOWN.get(node.blueprint) or learn(node.blueprint)
            if node.attachments is not None or not known.is_known:
                break
            receiver: Any = node.edges[0][0]
            if known.is_view and (waiting[receiver] != 1 or receiver in all_arrived):
                break  # views must be recognized, since nothing may be added to a view in place
            sent = None if arrived[0] is None else gradients_of(known, node, arrived[0])
            if sent is None:
                break
            if node in self._written or type(arrived[0]) is not BareArray:
                self._keep_version(node, arrived[0], sent)
            arrived = None  # a gradient that was sent on unchanged is then held only by its receivers
            if not keep_graph:
                node.release()
            own: Any = node.outputs[0]
            is_elementwise = known.is_elementwise
            next_node = None
            for place, edge in enumerate(node.edges):
                following, nr = edge
                if following is None:
                    continue
                gradient, sent[place] = sent[place], None
                left = waiting[following] = waiting[following] - 1
                outputs = following.outputs
                wanted: Any = outputs[nr]
                if not (is_elementwise and wanted.size is own.size and wanted.dtype is own.dtype):
                    gradient = fitted_array(gradient, edge, node, place, may_be_view=not left)
                held: Any = all_arrived.get(following)
                only = None
                if held is not None and type(gradient) is BareArray is type(held[nr]) and len(outputs) == 1:
                    try:
                        _add(held[0], gradient, out=held[0])  # in place: nobody else sees it
                        self._written[following] = self._written.get(following, 0) + 1
                    except ValueError:  # a spread array may not be written to
                        held[0] = _add(held[0], gradient, out=held[0].copy())
                elif held is not None or len(outputs) != 1:
                    self._arrive(following, nr, gradient)
                elif not left and type(following) is AccumulateGrad and becomes_grad(following, gradient):
                    continue
                else:
                    only = [gradient]
                    if left:
                        all_arrived[following] = only
                if not left:
                    if next_node is not None:
                        self._put_off(next_node, arrived)
                    next_node, arrived = following, only
            if ready:  # then the queue must decide which node comes first
                if next_node is not None:
                    self._put_off(next_node, arrived)
                next_node, arrived = heapq.heappop(ready)[2], None
            elif next_node is None:
                return None
            node = next_node
            if arrived is None:
                arrived = all_arrived.pop(node)
        all_arrived[node] = arrived
        return node

    def _take(self, node: Node) -> Arrived:
        """The gradients that have arrived at a node, as tensors."""
        arrived: list[Any] = self._arrived.pop(node)
        for nr, gradient in enumerate(arrived):
            if type(gradient) is BareArray:
                if is_spread(gradient) and type(node) is AccumulateGrad and _is_copied_in_order(node.variable):
                    settled = tensor_of(gradient.copy(), node.outputs[0].dtype)  # type: ignore[union-attr]  # has it
                    settled._written()  # in place of the copy that `add_to_leaf` would make
                else:
                    settled = self._settled(node, nr, gradient)
                arrived[nr] = settled
        return arrived

    def _settled(self, node: Node, nr: int, array: Any) -> Tensor:
        """The bare array that arrived at an output, as a tensor, with the version that it has in PyTorch."""
        tensor = tensor_of(array, node.outputs[nr].dtype)  # type: ignore[union-attr]  # it has the output
        tensor._storage.version = self._written.get(node, 0)
        return tensor

    def _keep_version(self, node: Node, given: Any, sent: list[Any]) -> None:
        """Give each gradient in `sent` that shares memory with `given`, the node's gradient, the same version."""
        is_bare = type(given) is BareArray
        version = self._written.get(node, 0) if is_bare else given._storage.version
        if not version:
            return
        array = given if is_bare else given._array
        for place, answer in enumerate(sent):
            if type(answer) is BareArray and shares_memory(answer, array):
                answer = sent[place] = tensor_of(answer, node.outputs[0].dtype)  # type: ignore[union-attr]  # it has one
                answer._storage.version = version
            elif is_bare and isinstance(answer, Tensor) and shares_memory(answer._array, array):  # two nodes get it
                answer._storage.version = version

    def _put_off(self, node: Node, arrived: Any) -> None:
        """Add a node to the ready queue; `arrived` are its gradients, None if they are recorded already."""
        if arrived is not None:
            self._arrived[node] = arrived
        self._push(node)

    def _add(self, node: Node, nr: int, arrived: list[Any], gradient: Any) -> None:
        if type(gradient) is BareArray:
            gradient = tensor_of(gradient, node.outputs[nr].dtype)  # type: ignore[union-attr]  # it has the output
        if type(arrived[nr]) is BareArray:
            arrived[nr] = self._settled(node, nr, arrived[nr])
        if arrived[nr].numel() == 1 and not self.create_graph and is_alone(arrived, nr):
            # PyTorch adds in place, which the version tells. Here a sum may have spread this number over its memory.
            version = arrived[nr]._storage.version + 1
            arrived[nr] = arrived[nr] + gradient
            arrived[nr]._storage.version = version
        else:
            super()._add(node, nr, arrived, gradient)

    def _run(self, node: Node, arrived: Arrived) -> Gradients:
        if isinstance(node, FormulaNode) and not state.grad and arrived[0] is not None and not _anomaly.enabled:
            towards = None if self._runs is None else self._reached
            answers = apply_to_arrays(node, arrived[0], towards)
            if answers is not None:
                return answers
        return super()._run(node, arrived)


def fitted_array(gradient: Any, edge: Edge, node: Node, nr: int, *, may_be_view: bool) -> Any:
    """As `fitted`, but a bare array of the right size and dtype stays one, and so does its sum, as for a bias.

    A sum that lost dimensions is a view. Nothing may be added to a view in place, so it stays a view only if no further
    gradient will arrive: with `may_be_view`.
    """
    following, output_nr = edge
    wanted = None if following is None else following.outputs[output_nr]
    if type(gradient) is BareArray:
        dtype = node.outputs[0].dtype  # type: ignore[union-attr]  # which it had a gradient of
        if wanted is not None and dtype is wanted.dtype:
            if gradient.shape == wanted.size:
                return gradient
            axes = geometry.summed_dims(gradient.shape, wanted.size)
            if axes and wanted.size and (may_be_view or len(wanted.size) == gradient.ndim):
                return total(XP, gradient, axes).reshape(wanted.size)
        gradient = tensor_of(gradient, dtype)
    return fitted(gradient, edge, node, nr)


def becomes_grad(node: AccumulateGrad, gradient: Any) -> bool:
    """Make a bare array the `grad` of a leaf in the usual case: the leaf has no `grad` yet, no hooks, and no gaps."""
    leaf = node.variable
    wanted: Any = node.outputs[0]  # a leaf has a `Meta`
    meta = meta_of(leaf)
    if (
        type(gradient) is not BareArray
        or node.attachments is not None
        or meta.grad is not None
        or meta.hooks
        or meta.post_accumulate
        or not meta.requires_grad
        or leaf._size is not wanted.size  # its `data` was replaced since
        or leaf._stride != CONTIGUOUS_STRIDES[leaf._size]
        or is_spread(gradient)
        or not gradient.flags.c_contiguous
    ):
        return False
    total = tensor_of(gradient, wanted.dtype)
    if meta.grad is None:  # tested and set with no call in between, so atomic for other threads
        meta.grad = total
    else:
        collecting.run(_collect, meta, total)
    return True


def _collect(meta: Meta, gradient: Tensor) -> None:
    meta.grad = gradient if meta.grad is None else meta.grad.add_(gradient)


def _is_copied_in_order(leaf: Tensor) -> bool:
    """Whether `add_to_leaf` would copy a gradient with strides of 0 into row-major order before anybody sees it."""
    return leaf._stride == CONTIGUOUS_STRIDES[leaf._size] and not meta_of(leaf).hooks


_ONES = {float32: XP.ones((), "float32"), float64: XP.ones((), "float64")}


def one(size: tuple[int, ...], dtype: DType, device: Device) -> BareArray | None:
    """The gradient of a scalar with respect to itself."""
    return _ONES[dtype].copy() if device is CPU and not size and dtype in _ONES else None
