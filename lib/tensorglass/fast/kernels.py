"""Facts that follow from an elementwise operator's declaration, worked out once; and quicker ways to run a kernel.

The shortcuts of `fast.pointwise` look at types and fields of a call's operands, and look everything else up here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, Backend
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.host_threads import COSTLY, LEAST_SHARED, THREADS
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.fast.recording import entering
from tensorglass.geometry import remembered
from tensorglass.ops.declare import run_pointwise
from tensorglass.ops.declare.kernel import Call, Kernel
from tensorglass.ops.declare.result_layout import Layout, Plan, result_layout
from tensorglass.ops.declare.type_promotion import DTypeRule, apply_rule
from tensorglass.ops.kernels import half
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

_FEW_RULES = 8  # most functions of parameters return fewer
_FEW = LEAST // 16  #: elements: too few for the pool, whatever their dtype
_LONG_ROW = 8192  # elements; beyond that a longer row gains nothing
_WORTH_WIDENING = 1 << 14


def _as_it_is(operands: tuple[Any, ...], result: Tensor) -> Tensor:
    return result


class Facts:
    """What the shortcuts know of a kernel."""

    __slots__ = (
        "_direct_by_rule",
        "calls",
        "checks",
        "complexes",
        "direct",
        "halves",
        "has_one_rule",
        "is_like_input",
        "kernel",
        "layout_of_numbers",
        "least_pooled",
        "on_host",
        "record",
        "rounds_numbers",
        "unchecked",
    )

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.has_one_rule = isinstance(kernel.rule, DTypeRule)  #: whatever its parameters
        self.checks = [check for check in (kernel.check, kernel.late_check) if check is not None]
        #: results of at least so many bytes are written into pool memory; smaller ones are the kernel's own array
        self.least_pooled = LEAST if kernel.takes_out else sys.maxsize
        #: records a finished call without parameters if gradients flow, and returns the result
        self.record: Callable[[tuple[Any, ...], Tensor], Tensor] = _as_it_is
        recorder = kernel.recorder
        if recorder is not None and not recorder.derivative.in_place_only:
            self.record = entering(recorder, tuple(kernel.defaults.values()), len(kernel.operands))
        self._direct_by_rule: dict[DTypeRule, dict[DType, DType]] = {}
        rule = kernel.rule_for({})
        #: maps operand dtypes to the result's: those that need no conversion, half types computed in float32, and
        #: complex dtypes, which need no conversion unless the conjugate bit is set
        self.direct, self.halves, self.complexes = _of_declared(rule)
        #: the dtypes that need no check: all of them, or the floating-point ones if there are `checks`
        self.unchecked = self.direct
        if self.checks:
            self.unchecked = {dtype: result for dtype, result in self.direct.items() if dtype.is_floating_point}
        self.rounds_numbers = rule.rounds_numbers  #: whether numbers beside half types are rounded to them
        self.is_like_input = rule.is_like_input  #: whether a new result has the layout of the first operand
        #: a number's contribution to the operand layouts that determine a new result's strides
        self.layout_of_numbers: tuple[Layout, ...] = (((), ()),) if rule.numbers_lie else ()
        self.calls: dict[Backend, Callable[..., Array]] = {}  #: the kernel as a function of arrays alone
        self.on_host = self.bind(HOST)  #: that of the CPU

    def bind(self, backend: Backend) -> Callable[..., Array]:
        """The kernel as a function of arrays alone, its parameters left out, for `backend`."""
        kernel = self.kernel
        bound = partial(kernel.function, backend.xp) if kernel.ufunc is None else backend.ufunc(kernel.ufunc)
        self.calls[backend] = bound
        return bound

    def direct_for(self, parameters: dict[str, Any]) -> dict[DType, DType]:
        """`direct` for a call with these parameters."""
        if self.has_one_rule or not parameters:
            return self.direct
        rule = self.kernel.rule_for(parameters)
        dtypes_by_kinds = self._direct_by_rule.get(rule)
        if dtypes_by_kinds is None:
            dtypes_by_kinds = {} if rule.is_like_input else _direct_dtypes(rule)
            if len(self._direct_by_rule) < _FEW_RULES:
                self._direct_by_rule[rule] = dtypes_by_kinds
        return dtypes_by_kinds


#: What is known of each elementwise operator's kernel.
FACTS: dict[Kernel, Facts] = {}


def _half_dtypes(rule: DTypeRule) -> dict[DType, DType]:
    """Maps half types that are computed in float32 to the result's dtype."""
    halves = {}
    for dtype in (dtypes.float16, dtypes.bfloat16):
        if not rule.lacks(rule.promoted(dtype)):
            compute, result = apply_rule(rule, dtype)
            if compute is dtypes.float32 and result in (dtype, dtypes.bool):
                halves[dtype] = result
    return halves


def _direct_dtypes(rule: DTypeRule, are_complex: bool = False) -> dict[DType, DType]:
    """Maps operand dtypes that go to the kernel unconverted to the dtypes of the kernel's results.

    Complex dtypes are separate, since their elements may have to be conjugated when read.
    """
    direct = {}
    for dtype in dtypes.ALL:
        if dtype.is_complex is not are_complex:
            continue
        try:
            compute, result = apply_rule(rule, dtype)
        except NotImplementedError:
            continue
        if not rule.lacks(rule.promoted(dtype)) and compute is dtype and result in (dtype, dtypes.bool):
            direct[dtype] = result
    return direct


@cache
def _of_declared(rule: DTypeRule) -> tuple[dict[DType, DType], ...]:
    """`Facts.direct`, `halves` and `complexes` for a rule that many declarations share."""
    complexes = _direct_dtypes(rule, are_complex=True)
    return _direct_dtypes(rule), _half_dtypes(rule), complexes


@remembered
def small_layout(layouts: tuple[Layout, ...]) -> tuple[tuple[int, ...], tuple[int, ...], str] | None:
    """Size and stride of a result, and the order in which NumPy can allocate it: "C" or "F".

    None for all others, including large and 0-dim ones.
    """
    size, stride, order = result_layout(layouts)
    if not size or 0 in size or geometry.numel(size) > _FEW:
        return None
    if order is None:
        return size, stride, "C"
    return (size, stride, "F") if order == tuple(range(len(size) - 1, -1, -1)) else None


# --- running a kernel that needs no plan -----------------------------------------------------------------------------


def compute_alike(
    facts: Facts,
    like: UntypedStorage,
    dtype: DType,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    order: tuple[int, ...] | None,
    *arrays: Array,
) -> Tensor:
    """A new result of checked arrays that need no conversion, whatever their strides."""
    backend, kernel = like.backend, facts.kernel
    target = backend.empty(dtype, size, order)
    bound = facts.calls.get(backend) or facts.bind(backend)
    if dtype is dtypes.bool and target.size >= half.LARGE and backend is HOST and half.is_half(arrays[0]):
        backend.launch(half.compute, bound, arrays, target, kernel.takes_out)
    elif (
        kernel.ufunc in COSTLY and THREADS.number > 1 and target.nbytes >= LEAST_SHARED and _is_one_run(arrays, target)
    ):
        THREADS.fill(bound, arrays, target)
    elif kernel.ufunc is not None and backend is HOST:  # quicker than by `into`
        operands, place = _widened(arrays, target)
        backend.run(bound, *operands, out=place)
    else:
        backend.launch(into if kernel.takes_out else _convert_into, bound, arrays, target)
    return result_tensor(target, dtype, backend, like.device, size, stride, order is None)


def _widened(arrays: tuple[Array, ...], target: Array) -> tuple[tuple[Array, ...], Array]:
    """Operands and result of an elementwise function, reshaped to wider rows if one operand is a row; else unchanged.

    The array module sets up its loop again for each row of a matrix. If the other operand is a row (a bias beside a
    batch), the row is repeated several times, so that as many rows of the matrix count as one.
    """
    if len(arrays) != 2 or target.size < _WORTH_WIDENING or target.ndim < 2 or not target.flags.c_contiguous:
        return arrays, target
    one, other = arrays
    length = target.shape[-1]
    matrix, row = (other, one) if one.size == length else (one, other)
    times = _repetitions(target.size // length, length)
    is_row = row.shape[-1:] == (length,) and row.size == length
    if not times or not is_row or matrix.shape != target.shape or not matrix.flags.c_contiguous:
        return arrays, target
    repeated = HOST.xp.empty((times, length), row.dtype)
    repeated[...] = row.reshape(length)
    wide, repeated = matrix.reshape(-1, times * length), repeated.reshape(-1)
    return (repeated, wide) if row is one else (wide, repeated), target.reshape(-1, times * length)


@remembered
def _repetitions(count: int, length: int) -> int:
    """How often to repeat a row of this length beside `count` rows; 0 if that gains nothing."""
    return next((times for times in range(min(_LONG_ROW // length, count), 1, -1) if count % times == 0), 0)


def _is_one_run(arrays: Sequence[Array], target: Array) -> bool:
    """Whether operands and result are NumPy arrays of one size without gaps."""
    return all(type(array) is HOST.xp.ndarray and array.flags.c_contiguous for array in (*arrays, target)) and all(
        array.shape == target.shape for array in arrays
    )


def compute_packed(
    facts: Facts, like: UntypedStorage, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], *arrays: Array
) -> Tensor:
    """`compute_alike` if the kernel's own array has the result's layout: row-major."""
    backend = like.backend
    try:
        array = backend.attempt(facts.calls.get(backend) or facts.bind(backend), *arrays)
    except (MemoryError, RuntimeError):  # `compute_alike` raises the error again, worded as PyTorch does
        return compute_alike(facts, like, dtype, size, stride, None, *arrays)
    return result_tensor(array, dtype, backend, like.device, size, stride)


def into(xp: Any, run: Callable[..., Array], arrays: Sequence[Array], target: Array) -> None:
    """Let the kernel write its result to `target`, of its own dtype."""
    result = run(*arrays, out=target)
    if result is not target:
        target[...] = result


def _convert_into(xp: Any, run: Callable[..., Array], arrays: Sequence[Array], target: Array) -> None:
    target[...] = xp.asarray(run(*arrays))


# --- running a kernel by a plan --------------------------------------------------------------------------------------


def _goes_by_blocks(call: Call, plan: Plan, backend: Backend) -> bool:
    """Whether large half-type operands are processed block by block."""
    promoted = plan.promoted
    if promoted.itemsize != 2:
        return False
    is_half = promoted.is_floating_point and plan.result in (promoted, dtypes.bool)
    is_large = is_half and backend is HOST and geometry.numel(plan.size) >= half.LARGE
    return is_large and (call.out is None or call.out._dtype is plan.result)


def read_operands(call: Call, plan: Plan, backend: Backend, target: Array | None) -> Sequence[Array | None] | None:
    """The operands' arrays; half-type operands that are processed block by block stay unconverted.

    Otherwise one operand may be converted into the result's memory instead of a new array.
    """
    kernel, promoted, dtype = call.kernel, plan.promoted, plan.compute
    if _goes_by_blocks(call, plan, backend):
        return [
            raw_array(operand)
            if isinstance(operand, Tensor) and operand._dtype is promoted
            else None
            if operand is None
            else run_pointwise.operand_array(kernel, HOST, operand, dtypes.float32)
            for operand in call.operands
        ]
    free = target if kernel.ufunc is not None and not call.parameters and plan.result is dtype else None
    if free is None:
        return None
    arrays: list[Array | None] = []
    for operand in call.operands:
        if free is not None and isinstance(operand, Tensor) and _fits(operand, dtype, free, backend):
            backend.launch(_copy_into, free, array_of(operand))
            arrays.append(free)
            free = None
        else:
            arrays.append(None if operand is None else run_pointwise.operand_array(kernel, backend, operand, dtype))
    return arrays


def _fits(operand: Tensor, dtype: DType, free: Array, backend: Backend) -> bool:
    """Whether an operand must be converted and has the result's size."""
    return operand._dtype is not dtype and operand._storage.backend is backend and operand._size == free.shape


def _copy_into(xp: Any, target: Array, source: Array) -> None:
    target[...] = source


def launch(call: Call, plan: Plan, backend: Backend, arrays: Sequence[Array | None], target: Array) -> bool:
    """Run the kernel bound for calls without parameters; block by block for large half-type arrays."""
    kernel = call.kernel
    facts = FACTS[kernel]
    if call.parameters:
        run: Callable[..., Array] = partial(kernel.function, backend.xp, **call.parameters)
    else:
        run = facts.calls.get(backend) or facts.bind(backend)
    if _goes_by_blocks(call, plan, backend):
        function = kernel.function if len(arrays) == 1 and not call.parameters and call.out is None else None
        backend.launch(half.compute, run, arrays, target, kernel.takes_out, function)
        return True
    is_direct = kernel.takes_out and (plan.result is plan.compute or plan.result is dtypes.bool)
    backend.launch(into if is_direct else _convert_into, run, arrays, target)
    return True
