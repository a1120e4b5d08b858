"""How an elementwise operator runs: dtype, size, output, kernel. One path for all of them.

The one idea to keep in mind: everything is checked before the kernel runs, so that an error leaves
nothing half-written.
`declaring` turns a kernel into an operator; here is what happens when the operator is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, Backend
from tensorglass.backends.host_threads import COSTLY, LEAST_SHARED, THREADS
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import warn
from tensorglass.fast.pointwise_parameters import computed_at_once, with_half_alpha
from tensorglass.graph.inplace import check, check_inference
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.ops.arg_parser.device_checks import storage_of_result
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.declare.kernel import Kernel
from tensorglass.ops.declare.result_layout import Kind, Plan, plan
from tensorglass.ops.declare.type_promotion import DTypeRule, cannot_cast, refuse
from tensorglass.ops.kernels import half as half_types
from tensorglass.ops.kernels.broadcast_rows import widened
from tensorglass.ops.kernels.overlapping_write import one_by_one
from tensorglass.ops.kernels.python_numbers import check_width, number_array
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.set_header import resize
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array


def compute_alike(
    kernel: Kernel,
    like: UntypedStorage,
    dtype: DType,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    order: tuple[int, ...] | None,
    *arrays: Array,
) -> Tensor:
    """A new result of arrays that the kernel takes as they are, wherever their elements lie, when all is checked."""
    backend = like.backend
    made = backend.empty(dtype, size, order)
    bound = kernel.calls.get(backend) or kernel.bind(backend)
    if dtype is dtypes.bool and made.size >= half_types.LARGE and backend is HOST and half_types.is_half(arrays[0]):
        backend.launch(half_types.compute, bound, arrays, made, kernel.takes_out)
    elif kernel.ufunc in COSTLY and THREADS.number > 1 and made.nbytes >= LEAST_SHARED and _is_one_run(arrays, made):
        THREADS.fill(bound, arrays, made)
    elif kernel.ufunc is not None and backend is HOST:  # 0.5 µs less than by `into`
        operands, place = widened(arrays, made)
        backend.run(bound, *operands, out=place)
    else:
        backend.launch(into if kernel.takes_out else _convert_into, bound, arrays, made)
    return result_tensor(made, dtype, backend, like.device, size, stride, order is None)


def _is_one_run(arrays: Sequence[Array], made: Array) -> bool:
    """Whether operands and result are NumPy's, of one size and without gaps."""
    return all(type(each) is HOST.xp.ndarray and each.flags.c_contiguous for each in (*arrays, made)) and all(
        each.shape == made.shape for each in arrays
    )


def compute_packed(
    kernel: Kernel, like: UntypedStorage, dtype: DType, size: tuple[int, ...], stride: tuple[int, ...], *arrays: Array
) -> Tensor:
    """`compute_alike` where the array that the kernel itself returns lies as the result should: row-major."""
    backend = like.backend
    try:
        made = backend.attempt(kernel.calls.get(backend) or kernel.bind(backend), *arrays)
    except (MemoryError, RuntimeError):  # of which the former is found again, and said as PyTorch does
        return compute_alike(kernel, like, dtype, size, stride, None, *arrays)
    return result_tensor(made, dtype, backend, like.device, size, stride)


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
    done = computed_at_once(kernel, operands, parameters, out, inplace)
    if done is not None:
        return done
    kinds: list[Kind] = []
    tensors: list[Tensor] = []
    has_meta = False
    for operand in operands:
        if isinstance(operand, Tensor):
            kinds.append((operand._dtype, operand._size, operand._stride))
            tensors.append(operand)
            has_meta = has_meta or operand._meta is not None
        elif operand is not None:
            kinds.append((dtypes.of_number(operand), None, None))
    if has_meta or (out is not None and out._meta is not None):
        if out is not None:
            check_inference(out)
        run = partial(_compute_beneath, kernel, operands, kinds, tensors, parameters, out, inplace)
        if is_recorded(tensors) or (out is not None and is_recorded((out,))):
            return record_kernel(kernel, operands, parameters, out, inplace, run)
        return run()
    return _compute(kernel, operands, kinds, tensors, parameters, out, inplace)


def _compute_beneath(
    kernel: Kernel,
    operands: Sequence[Any],
    kinds: list[Kind],
    tensors: list[Tensor],
    parameters: dict[str, Any],
    out: Tensor | None,
    inplace: bool,
) -> Tensor:
    """`_compute` beneath what records the operator, where gradients may flow."""
    done = computed_at_once(kernel, operands, parameters, out, inplace, has_meta=True)
    return _compute(kernel, operands, kinds, tensors, parameters, out, inplace) if done is None else done


def _compute(
    kernel: Kernel,
    operands: Sequence[Any],
    kinds: list[Kind],
    tensors: list[Tensor],
    parameters: dict[str, Any],
    out: Tensor | None,
    inplace: bool,
) -> Tensor:
    """`compute` for operands of these kinds, of which `tensors` are tensors, the long way."""
    if kernel.check is not None:
        kernel.check(operands, **parameters)
    if inplace and kernel.inplace_check is not None:
        kernel.inplace_check(operands, **parameters)
    like = storage_of_result(tensors)
    is_hazard = out is not None and refuse_overlapping_write(out, tensors)
    is_operand = inplace or any(out is each for each in tensors)  # then it keeps its size
    written_size = out._size if is_operand and out is not None else None
    rule = kernel.rule_for(parameters)
    found = plan(rule, tuple(kinds), dtypes.get_default_dtype(), written_size)
    if out is not None:
        _check_dtype_of_out(kernel, rule, found, out, len(tensors))
    if rule.lacks(found.promoted):
        refuse(rule, found.promoted, kernel.error_name)
    if kernel.lacks_unsigned and found.promoted in dtypes.WIDE_UNSIGNED:
        for number in (*operands, *parameters.values()):
            check_width(number)
        refuse_unwritten(kernel.error_name, found.promoted)
    if kernel.late_check is not None:
        kernel.late_check(operands, **parameters)

    backend = like.backend
    if rule.rounds_numbers and found.promoted.itemsize == 2 and found.promoted.is_floating_point:
        operands = [_rounded(backend, each, found) for each in operands]
        parameters = with_half_alpha(parameters, backend, found.promoted)
    run = (
        partial(kernel.function, backend.xp, **parameters)
        if parameters
        else kernel.calls.get(backend) or kernel.bind(backend)
    )
    if out is not None:
        _write(kernel, run, operands, found, out, is_hazard)
        return out
    size, stride, order, _, compute_dtype, result_dtype, _ = found
    made = backend.empty(result_dtype, size, order)
    if _goes_by_halves(backend, found):
        arrays = [_half_or_wide(kernel, each, found) for each in operands]
        function = kernel.function if len(operands) == 1 and not parameters else None
        backend.launch(half_types.compute, run, arrays, made, kernel.takes_out, function)
        return result_tensor(made, result_dtype, backend, like.device, size, stride, order is None)
    # One operand may be converted into the result's memory, in place of an array of its own: a quarter less time.
    free = made if kernel.ufunc is not None and not parameters and result_dtype is compute_dtype else None
    arrays = []
    for each in operands:
        array = None if each is None else operand_array(kernel, backend, each, compute_dtype, free)
        free = None if array is free else free
        arrays.append(array)
    backend.launch(into if _is_direct(kernel, found) else _convert_into, run, arrays, made)
    return result_tensor(made, result_dtype, backend, like.device, size, stride, order is None)


def _goes_by_halves(backend: Backend, found: Plan) -> bool:
    """Whether large operands of a half type are computed with block by block."""
    promoted = found.promoted
    is_half = promoted.itemsize == 2 and promoted.is_floating_point and found.result in (promoted, dtypes.bool)
    return is_half and backend is HOST and geometry.numel(found.size) >= half_types.LARGE


def _half_or_wide(kernel: Kernel, operand: Any, found: Plan) -> Array | None:
    """An operand of the half type as it is, another as the float32 that is computed with."""
    if isinstance(operand, Tensor) and operand._dtype is found.promoted:
        return raw_array(operand)
    return None if operand is None else operand_array(kernel, HOST, operand, dtypes.float32)


def _rounded(backend: Backend, operand: Any, found: Plan) -> Any:
    """A number, or a tensor of one, as the dtype of the other operand has it; other tensors as they are."""
    if isinstance(operand, Tensor) and not operand._size and operand._dtype is not found.promoted:
        operand = operand.item()
    if operand is None or isinstance(operand, Tensor):
        return operand
    return float(converted(backend, number_array(backend, operand, found.promoted), found.compute))


def _check_dtype_of_out(kernel: Kernel, rule: DTypeRule, found: Plan, out: Tensor, tensors: int) -> None:
    """Raise unless `out` can hold the result."""
    if kernel.name == "logical_not":  # whose kernel PyTorch chooses by `out`
        refuse_unwritten(kernel.error_name, out._dtype)
    if out._dtype is found.result:
        return
    if found.promoted.category in rule.exact or (kernel.bounds and tensors == 1):
        names = {"out": out._dtype.scalar_type, "result": found.result.scalar_type}
        raise RuntimeError(rule.refusal.format_map(names))
    if not dtypes.can_cast(found.result, out._dtype):
        raise cannot_cast(found.result, out._dtype)


def _is_direct(kernel: Kernel, found: Plan) -> bool:
    """Whether the kernel can write into its result: into the dtype that it returns; else that is converted."""
    return kernel.takes_out and (found.result is found.compute or found.result is dtypes.bool)


def _write(
    kernel: Kernel, run: Callable[..., Array], operands: Sequence[Any], found: Plan, out: Tensor, is_hazard: bool
) -> None:
    """Write the kernel's result to `out`."""
    backend = out._storage.backend
    between = backend.array_dtype(found.result)
    if is_hazard and out._size == found.size:
        arrays = [_as_is(backend, each, found.compute) for each in operands]
        backend.launch(one_by_one, run, raw_array(out), arrays, backend.array_dtype(found.compute), between)
        out._written()
        return
    goes_by_halves = _goes_by_halves(backend, found) and out._dtype is found.result
    if goes_by_halves:
        arrays = [_half_or_wide(kernel, each, found) for each in operands]
    else:
        arrays = [None if each is None else operand_array(kernel, backend, each, found.compute) for each in operands]
    if out._size != found.size:
        if is_hazard:  # the larger result may lie over what is still to be read
            arrays = [None if each is None else each.copy() for each in arrays]
        resize_output(out, found.size, found.out_stride)
    out._written()
    if goes_by_halves:
        backend.launch(half_types.compute, run, arrays, raw_array(out), kernel.takes_out)
        return
    if _is_direct(kernel, found) and out._dtype is found.result and not out._conj:
        backend.launch(into, run, arrays, raw_array(out))
    else:
        backend.launch(_convert_into, run, arrays, raw_array(out), between, out._conj)


#: Operators that PyTorch's autograd has no rule for: it looks at what they write to, and at nothing else.
_UNKNOWN_TO_AUTOGRAD = frozenset((
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift", "gcd",
    "lcm", "heaviside", "floor_divide",
))  # fmt: skip

#: Operators that are others in PyTorch, and refuse by their names.
_COMPOSED_OF = {"square": "pow", "float_power": "pow", "true_divide": "div"}


def record_kernel(
    kernel: Kernel,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    out: Tensor | None,
    inplace: bool,
    run: Callable[[], Tensor],
) -> Tensor:
    """Run the operator and enter it into the graph of gradients."""
    recorder = kernel.recorder
    if out is not None and kernel.name in _UNKNOWN_TO_AUTOGRAD:
        if inplace:
            check(out)
        elif requires_grad(out):
            raise no_out_with_gradients(f"aten::{kernel.name}")
        else:
            return run()
    if recorder is None or (recorder.derivative.in_place_only and not inplace):
        return run()
    if out is not None and not inplace:
        raise no_out_with_gradients(_COMPOSED_OF.get(kernel.name, kernel.name))
    values = kernel.values(operands, parameters)
    if out is not None:
        result: Tensor = recorder.overwrite(values, out, run)
        return result
    result = run()
    node = recorder.begin(values)
    if node is not None:
        recorder.finish(node, result)
    return result


def into(xp: Any, run: Callable[..., Array], arrays: Sequence[Array], target: Array) -> None:
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


def _as_is(backend: Backend, operand: Any, dtype: DType) -> Array:
    """The operand's own memory, not a converted copy: what is written meanwhile shows in it."""
    if operand is None or not isinstance(operand, Tensor):
        return None if operand is None else number_array(backend, operand, dtype)
    return array_of(operand)


def operand_array(kernel: Kernel, backend: Backend, operand: Any, dtype: DType, free: Array | None = None) -> Array:
    """An operand as the array of `dtype` that a kernel computes with: `free`, where it is converted and fits there."""
    if not isinstance(operand, Tensor):
        return kernel.array_of_number(backend, operand, dtype)
    if operand._storage.backend is not backend:  # a 0-dim one on the CPU goes along as a number
        return number_array(backend, operand.item(), dtype)
    array = operand._array
    if array is None or operand._conj:
        array = array_of(operand)
    if operand._dtype is dtype:
        return array
    if free is not None and free.shape == array.shape:
        backend.launch(_copy_into, free, array)
        return free
    return converted(backend, array, dtype)


def _copy_into(xp: Any, target: Array, source: Array) -> None:
    target[...] = source


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
    if not geometry.is_contiguous(target._size, target._stride):
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


def resize_output(out: Tensor, size: tuple[int, ...], stride: tuple[int, ...] | None = None) -> None:
    """Give the tensor passed as ``out=`` the result's size and stride, with PyTorch's warning if it held elements."""
    if out.numel() != 0:
        warn(
            f"An output with one or more elements was resized since it had shape {list(out._size)}, which does not "
            f"match the required output shape {list(size)}. This behavior is deprecated, and in a future PyTorch "
            "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
        )
    resize(out, size, geometry.contiguous_strides(size) if stride is None else stride)
