"""A backward pass whose small gradients are bare arrays, as long as nobody can see them.

That is so without hooks, without `create_graph`, without anomaly detection, and while memory is not measured. Whatever
is out of the ordinary is run as `engine.Run` runs it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from tensorglass import geometry, memory
from tensorglass.autograd import engine
from tensorglass.autograd.engine import Run, call_tensor_hooks
from tensorglass.backends import Backend
from tensorglass.core.devices import CPU
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.dtypes import float32, float64
from tensorglass.fast.array_derivatives import apply_to_arrays, gradients_of, learn
from tensorglass.fast.bare_arrays import XP, BareArray, in_quiet, is_spread, tensor_of
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
    """One backward pass."""

    def __init__(
        self,
        roots: Sequence[Edge],
        keep_graph: bool,
        create_graph: bool,
        wanted: Sequence[Edge] | None,
        collect: bool,
    ) -> None:
        super().__init__(roots, keep_graph, create_graph, wanted, collect)
        self._written: dict[Node, int] = {}  #: how often something was added in place to a bare array that arrived
        #: whether gradients may be bare arrays on their way
        self._may_be_bare = (
            wanted is None and not create_graph and not anomaly.state.enabled and not memory.is_measured()
        )

    def walk(self, roots: Sequence[Edge], gradients: Sequence[Any]) -> None:
        for (node, nr), gradient in zip(roots, gradients, strict=True):
            if node is not None:
                if type(gradient) is not BareArray:
                    gradient = first_fitted(gradient, node, nr)
                elif type(node) is AccumulateGrad:
                    gradient = _first_fitted_array(gradient, node, nr)
                self._arrive(node, nr, gradient)
        for node in dict.fromkeys([node for node, _ in roots]):
            if node is not None and not self._waiting[node] and (len(roots) == 1 or node in self._reached):
                self._push(node)
        ready, is_whole, keep_graph = self._ready, self.is_whole, self.keep_graph
        may_be_bare = self._may_be_bare
        while ready:
            node = heapq.heappop(ready)[2]
            while node is not None:
                if may_be_bare and isinstance(node, FormulaNode):
                    node = in_quiet(self._along_arrays, node)
                    if node is None:
                        break
                if not is_whole or node.attachments is not None or _anomaly.enabled:
                    node = self._send(node, self._visit(node))
                elif type(node) is AccumulateGrad:  # from here on what `_visit` does, without its calls
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

    def _along_arrays(self, node: Any) -> Node | None:
        """Run a node and those that come after it, as long as nobody can see what goes from one to the next.

        Returns the node that is to be run by tensors; None if nothing is left.
        """
        waiting, all_arrived, keep_graph, ready = self._waiting, self._arrived, self.keep_graph, self._ready
        arrived: Any = all_arrived.pop(node)
        while isinstance(node, FormulaNode):
            known = node.blueprint.fast or learn(node.blueprint)
            if node.attachments is not None or not known.steps:
                break
            sent = None if arrived[0] is None else gradients_of(node, arrived[0])
            if sent is None:
                break
            arrived = None  # what was sent on as it came is then held by its receivers alone
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
                outputs = following.outputs
                wanted: Any = outputs[nr]
                if not (is_elementwise and wanted.size is own.size and wanted.dtype is own.dtype):
                    gradient = fitted_array(gradient, edge, node, place)
                left = waiting[following] = waiting[following] - 1
                held: Any = all_arrived.get(following)
                only = None
                if held is not None and type(gradient) is BareArray is type(held[nr]) and len(outputs) == 1:
                    try:
                        _add(held[0], gradient, out=held[0])  # in place: nobody else sees it
                        self._written[following] = self._written.get(following, 0) + 1
                    except ValueError:  # it was spread, and may not be written to
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
                        self._push(next_node, arrived)
                    next_node, arrived = following, only
            if ready:  # then which comes first has to be found out
                if next_node is not None:
                    self._push(next_node, arrived)
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
                    settled._written()  # as the copy that `add_to_leaf` would have to make
                else:
                    settled = self._settled(node, nr, gradient)
                arrived[nr] = settled
        return arrived

    def _settled(self, node: Node, nr: int, array: Any) -> Tensor:
        """The tensor of the bare array that arrived at an output, with the version that it has in PyTorch."""
        tensor = tensor_of(array, node.outputs[nr].dtype)  # type: ignore[union-attr]  # it has the output
        tensor._storage.version = self._written.get(node, 0)
        return tensor

    def _push(self, node: Node, arrived: Any = None) -> None:
        """Put a node among those that are ready; `arrived` are its gradients, if they are not noted yet."""
        if arrived is not None:
            self._arrived[node] = arrived
        super()._push(node)

    def _arrive(self, node: Node, nr: int, gradient: Any) -> None:
        """Add a gradient to those that have arrived at a node; of two the one that was a bare array is a tensor now."""
        arrived: list[Any] | None = self._arrived.get(node)
        if arrived is not None and arrived[nr] is not None and gradient is not None:
            if type(gradient) is BareArray:
                gradient = tensor_of(gradient, node.outputs[nr].dtype)  # type: ignore[union-attr]  # it has the output
            if type(arrived[nr]) is BareArray:
                arrived[nr] = self._settled(node, nr, arrived[nr])
        super()._arrive(node, nr, gradient)

    def _run(self, node: Node, arrived: Arrived) -> Gradients:
        if isinstance(node, FormulaNode) and not state.grad and arrived[0] is not None and not _anomaly.enabled:
            towards = None if self._runs is None else self._reached
            found = apply_to_arrays(node, arrived[0], towards)
            if found is not None:
                return found
        return super()._run(node, arrived)


def fitted_array(gradient: Any, edge: Edge, node: Node, nr: int) -> Any:
    """`fitted`, in which a bare array that is right stays one, and so does one that is summed, as that of a bias is."""
    following, output_nr = edge
    wanted = None if following is None else following.outputs[output_nr]
    if type(gradient) is BareArray:
        dtype = node.outputs[0].dtype  # type: ignore[union-attr]  # which it had a gradient of
        if wanted is not None and dtype is wanted.dtype:
            if gradient.shape == wanted.size:
                return gradient
            axes = geometry.summed_dims(gradient.shape, wanted.size)
            if axes and wanted.size:
                return total(XP, gradient, axes).reshape(wanted.size)
        gradient = tensor_of(gradient, dtype)
    return fitted(gradient, edge, node, nr)


def _first_fitted_array(gradient: Any, node: AccumulateGrad, nr: int) -> Any:
    """A bare array to begin with, of the dtype that the leaf's gradient is to have."""
    own, wanted = node.variable._dtype, node.outputs[nr]
    if wanted is None or wanted.dtype is own:
        return gradient
    return first_fitted(tensor_of(gradient, own), node, nr)


def becomes_grad(node: AccumulateGrad, gradient: Any) -> bool:
    """Make a bare array the `grad` of a leaf, in the usual case: it has none yet, no hooks, and no gaps."""
    leaf = node.variable
    wanted: Any = node.outputs[0]  # a leaf has one
    meta = meta_of(leaf)
    if (
        type(gradient) is not BareArray
        or node.attachments is not None
        or meta.grad is not None
        or meta.hooks
        or meta.post_accumulate
        or not meta.requires_grad
        or leaf._size is not wanted.size  # other `data` since
        or leaf._stride != CONTIGUOUS_STRIDES[leaf._size]
        or is_spread(gradient)
    ):
        return False
    found = tensor_of(gradient, wanted.dtype)
    collecting.run(_collect_first, meta, found)
    return True


def _collect_first(meta: Meta, found: Tensor) -> None:
    if meta.grad is None:
        meta.grad = found
    else:  # another thread was first
        meta.grad += found


def _is_copied_in_order(leaf: Tensor) -> bool:
    """Whether `add_to_leaf` would copy a gradient with strides of 0 in row-major order, and nobody sees it before."""
    return leaf._stride == CONTIGUOUS_STRIDES[leaf._size] and not meta_of(leaf).hooks


_ONES = {float32: XP.ones((), "float32"), float64: XP.ones((), "float64")}
_one_for_others = engine.one_for


def one_for(size: tuple[int, ...], dtype: DType, device: Device, backend: Backend) -> Any:
    """The gradient of a scalar with respect to itself, as a bare array."""
    if device is CPU and not size and dtype in _ONES:
        return _ONES[dtype].copy()
    return _one_for_others(size, dtype, device, backend)
