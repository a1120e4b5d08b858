"""How an elementwise operator runs: dtype, size, output, kernel. One path for all of them.

The one idea to keep in mind: everything is checked before the kernel runs, so that an error leaves
nothing half-written.
`declaring` turns a kernel into an operator; here is what happens when the operator is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tensorglass import dtypes, geometry
from tensorglass.backends import Array, Backend
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import warn
from tensorglass.graph.derivative import derivative_of
from tensorglass.graph.inplace import check_inference
from tensorglass.graph.recording import Recorder, is_recorded, no_out_with_gradients
from tensorglass.making import result_tensor
from tensorglass.ops.one_device import storage_of_result
from tensorglass.ops.planning import Kind, plan
from tensorglass.ops.pointing import resize
from tensorglass.ops.promotion import DTypeRule, apply_rule, cannot_cast, refuse
from tensorglass.ops.scalars import number_array
from tensorglass.tensor import Tensor, array_of, header_of, raw_array

Rule = DTypeRule | Callable[..., DTypeRule]


class Kernel:
    """A kernel with what the path needs to know of it."""

    __slots__ = (
        "bounds",
        "calls",
        "check",
        "defaults",
        "direct",
        "error_name",
        "function",
        "inplace_check",
        "late_check",
        "name",
        "operands",
        "recorder",
        "rule",
        "takes_out",
        "ufunc",
    )

    def __init__(
        self,
        function: Callable[..., Any],
        rule: Rule,
        check: Callable[..., None] | None = None,
        error_name: str | None = None,
        ufunc: str | None = None,
        bounds: bool = False,
        late_check: Callable[..., None] | None = None,
        inplace_check: Callable[..., None] | None = None,
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.rule = rule
        self.check = check  #: called with the operands and parameters; raises what it refuses
        self.late_check = late_check  #: the same for what depends on values, once all else is found to be right
        self.inplace_check = inplace_check  #: called after `check` where the operator works in place
        self.error_name = error_name or f"{self.name}_cpu"
        self.ufunc = ufunc  #: the function of the array module that the kernel is, but for its parameters
        self.takes_out = "out" in inspect.signature(function).parameters
        self.bounds = bounds  #: whether numbers are mere parameters, as in clamp, and no operands
        self.operands: list[str] = []  #: their names
        self.defaults: dict[str, Any] = {}  #: the parameters' names, and values where they are left out
        self.recorder: Recorder | None = None  #: None: it has no derivative
        self.direct = self._direct_dtypes()
        self.calls: dict[Backend, Callable[..., Array]] = {}  #: the kernel as a function of arrays alone

    def takes(self, operands: Iterable[str], defaults: dict[str, Any]) -> None:
        """Say what the kernel is called with."""
        self.operands, self.defaults = list(operands), defaults
        derivative = derivative_of(self.function)
        if derivative is not None:
            self.recorder = Recorder(derivative, self.name, (*self.operands, *defaults))

    def values(self, operands: Sequence[Any], parameters: dict[str, Any]) -> Sequence[Any]:
        """A call's operands and parameters, in the order that its recorder expects."""
        if not self.defaults:
            return operands
        return *operands, *(parameters.get(name, default) for name, default in self.defaults.items())

    def record(self, operands: Sequence[Any], result: Tensor) -> Tensor:
        """Enter a call that has run, with its parameters left out, into the graph, if gradients flow."""
        recorder = self.recorder
        if recorder is not None and not recorder.derivative.in_place_only:
            node = recorder.begin((*operands, *self.defaults.values()) if self.defaults else operands)
            if node is not None:
                recorder.finish(node, result)
        return result

    def rule_for(self, parameters: dict[str, Any]) -> DTypeRule:
        """The rule for a call with these parameters."""
        return self.rule if isinstance(self.rule, DTypeRule) else self.rule(**parameters)

    def bind(self, backend: Backend) -> Callable[..., Array]:
        """The kernel as a function of arrays alone, its parameters left out, for `backend`."""
        bound = partial(self.function, backend.xp) if self.ufunc is None else backend.ufunc(self.ufunc)
        self.calls[backend] = bound
        return bound

    def _direct_dtypes(self) -> dict[DType, DType]:
        """Operands of these dtypes go to the kernel as they are, and what it returns has these: the fast path.

        Not where something is left to check, nor complex ones, whose elements may be conjugated when read.
        """
        direct = {}
        for dtype in dtypes.ALL:
            if dtype.is_complex or ((self.check or self.late_check) and not dtype.is_floating_point):
                continue
            try:
                rule = self.rule_for({})
                compute, result = apply_rule(rule, dtype)
                refuse(rule, rule.promoted(dtype), self.error_name)
            except NotImplementedError:
                continue
            if compute is dtype and result in (dtype, dtypes.bool):
                direct[dtype] = result
        return direct


def compute(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None = None,
    inplace: bool = False,
) -> Tensor:
    """Run `kernel` elementwise over `operands` (tensors, Python numbers, or None for one that is left out).

    With `out`, the result is written there: `out` is resized if it has another size, or, if `inplace`, refused.
    """
    present = [operand for operand in operands if operand is not None]
    kinds: list[Kind] = []
    tensors: list[Tensor] = []
    has_meta = False
    for operand in present:
        if isinstance(operand, Tensor):
            kinds.append((operand._dtype, operand._size, operand._stride))
            tensors.append(operand)
            has_meta = has_meta or operand._meta is not None
        else:
            kinds.append((dtypes.of_number(operand), None, None))
    run = partial(_compute, kernel, operands, kinds, tensors, parameters, out, inplace)
    if has_meta:
        if inplace and out is not None:
            check_inference(out)
        if is_recorded(tensors):
            return record_kernel(kernel, operands, parameters, out, inplace, run)
    return run()


def _compute(
    kernel: Kernel,
    operands: Sequence[Any],
    kinds: list[Kind],
    tensors: list[Tensor],
    parameters: dict[str, Any],
    out: Tensor | None,
    inplace: bool,
) -> Tensor:
    """`compute` for operands of these kinds, of which `tensors` are tensors, whether they are recorded or not."""
    if kernel.check is not None:
        kernel.check(operands, **parameters)
    if inplace and kernel.inplace_check is not None:
        kernel.inplace_check(operands, **parameters)
    like = storage_of_result(tensors)
    is_hazard = out is not None and refuse_overlapping_write(out, tensors)
    rule = kernel.rule_for(parameters)
    size, stride, order, promoted, compute_dtype, result_dtype = plan(
        rule,
        tuple(kinds),
        dtypes.get_default_dtype(),
        out._size if inplace and out is not None else None,
    )
    if out is not None and out._dtype is not result_dtype:
        if promoted.category in rule.exact or (kernel.bounds and len(tensors) == 1):
            names = {"out": out._dtype.scalar_type, "result": result_dtype.scalar_type}
            raise RuntimeError(rule.refusal.format_map(names))
        if not dtypes.can_cast(result_dtype, out._dtype):
            raise cannot_cast(result_dtype, out._dtype)
    if promoted.category in rule.refuses:
        refuse(rule, promoted, kernel.error_name)
    if kernel.late_check is not None:
        kernel.late_check(operands, **parameters)

    backend = like.backend
    run = (
        partial(kernel.function, backend.xp, **parameters)
        if parameters
        else kernel.calls.get(backend) or kernel.bind(backend)
    )
    if is_hazard and out is not None:
        arrays = [_as_is(backend, each, compute_dtype) for each in operands]
        dtypes_between = backend.array_dtype(compute_dtype), backend.array_dtype(result_dtype)
        backend.launch(_one_by_one, run, raw_array(out), arrays, *dtypes_between)
        out._written()
        return out
    arrays = [None if each is None else operand_array(backend, each, compute_dtype) for each in operands]
    # A kernel writes into the dtype that it returns; anything else is converted on its way.
    is_direct = kernel.takes_out and (result_dtype is compute_dtype or result_dtype is dtypes.bool)
    if out is None:
        made = backend.empty(result_dtype, size, order)
        backend.launch(_into if is_direct else _convert_into, run, arrays, made)
        return result_tensor(made, result_dtype, backend, like.device, size, stride, order is None)
    if out._size != size:
        resize_output(out, size)
    out._written()
    target = raw_array(out)
    if is_direct and out._dtype is result_dtype and not out._conj:
        backend.launch(_into, run, arrays, target)
    else:
        between = backend.array_dtype(result_dtype)
        backend.launch(_convert_into, run, arrays, target, between, out._conj)
    return out


def record_kernel(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None,
    inplace: bool,
    run: Callable[[], Tensor],
) -> Tensor:
    """Run the operator and enter it into the graph of gradients."""
    if out is not None and not inplace:
        raise no_out_with_gradients(kernel.name)
    recorder = kernel.recorder
    if recorder is None or (recorder.derivative.in_place_only and not inplace):
        return run()
    values = kernel.values(operands, parameters)
    if out is not None:
        result: Tensor = recorder.overwrite(values, out, run)
        return result
    result = run()
    node = recorder.begin(values)
    if node is not None:
        recorder.finish(node, result)
    return result


def _into(xp: Any, run: Callable[..., Array], arrays: list[Array], target: Array) -> None:
    """Let the kernel write its result to `target`, of its own dtype."""
    result = run(*arrays, out=target)
    if result is not target:
        target[...] = result


def _convert_into(
    xp: Any, run: Callable[..., Array], arrays: list[Array], target: Array, between: Any = None, conjugate: bool = False
) -> None:
    """Write the kernel's result to `target`, of another dtype, by way of the dtype `between`."""
    result = xp.asarray(run(*arrays))
    if between is not None:
        result = result.astype(between, copy=False)
    target[...] = xp.conj(result) if conjugate else result


def _one_by_one(
    xp: Any,
    run: Callable[..., Array],
    target: Array,
    arrays: list[Array | None],
    compute: Any,
    result: Any,
) -> None:
    """Write the kernel's results to `target` one element after the other, in the order in which they lie in memory.

    So an element that has been written is read in its new state: what PyTorch's loops over memory come to. There the
    outcome also depends on how many elements a vector instruction takes at once, and is called undefined.
    """
    order = sorted(range(target.ndim), key=lambda axis: -target.strides[axis])
    shape = target.shape
    views = [None if each is None else xp.broadcast_to(each, shape).transpose(order) for each in arrays]
    target = target.transpose(order)
    for place in range(target.size):
        index: list[Any] = [...]
        for length in reversed(target.shape):
            place, at = divmod(place, length)
            index.insert(0, at)
        here = tuple(index)
        operands = [None if view is None else view[here].astype(compute) for view in views]
        target[here] = run(*operands).astype(result)


def _as_is(backend: Backend, operand: Any, dtype: DType) -> Array:
    """The operand's own memory, not a converted copy: what is written meanwhile shows in it."""
    if operand is None or not isinstance(operand, Tensor):
        return None if operand is None else number_array(backend, operand, dtype)
    return array_of(operand)


def operand_array(backend: Backend, operand: Any, dtype: DType) -> Array:
    """An operand as the array of `dtype` that a kernel computes with."""
    if isinstance(operand, Tensor):
        if operand._storage.backend is not backend:  # a 0-dim one on the CPU goes along as a number
            return number_array(backend, operand.item(), dtype)
        array = array_of(operand)
        return array if operand._dtype is dtype else converted(backend, array, dtype)
    return number_array(backend, operand, dtype)


def converted(backend: Backend, array: Array, dtype: DType) -> Array:
    """The array's elements in `dtype`; itself if it has that dtype."""
    return backend.launch(_convert, array, backend.array_dtype(dtype))


def _convert(xp: Any, array: Array, array_dtype: Any) -> Array:
    return xp.asarray(array).astype(array_dtype, copy=False)


# --- outputs ---------------------------------------------------------------------------------------------------------


def refuse_overlapping_write(target: Tensor, sources: Iterable[Tensor] = ()) -> bool:
    """Raise if writing to `target` would write one cell twice, or partly over a source that is still to be read.

    Returns whether that happens all the same, in a layout that is too hard for PyTorch to tell: then the elements must
    be written one by one, in the order in which they lie in memory.
    """
    is_hazard = False
    if not target.is_contiguous():
        geometry.check_writable(target._size, target._stride)
        is_hazard = geometry.self_overlaps(target._size, target._stride)
    for source in sources:
        if source is target or source._storage is not target._storage:
            continue
        written, read = header_of(target), header_of(source)
        geometry.check_no_partial_overlap(written, target._dtype.itemsize, read, source._dtype.itemsize)
        if written != read or source._dtype is not target._dtype:
            is_hazard = is_hazard or target._backend.share_memory(raw_array(target), raw_array(source))
    return is_hazard


def resize_output(out: Tensor, size: tuple[int, ...]) -> None:
    """Give the tensor passed as ``out=`` the result's size, with PyTorch's warning if it held elements."""
    if out.numel() != 0:
        warn(
            f"An output with one or more elements was resized since it had shape {list(out._size)}, which does not "
            f"match the required output shape {list(size)}. This behavior is deprecated, and in a future PyTorch "
            "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
        )
    resize(out, size, geometry.contiguous_strides(size))
