"""How an elementwise operator runs: dtype, size, output, kernel. One path for all of them.

`pointwise` turns a kernel into an operator; here is what happens when the operator is called:

* `compute` runs the call, and records it in the graph if gradients flow;
* `run` works out size, dtypes and strides (`result_layout.plan`), and refuses what PyTorch refuses;
* `read_operands` turns the operands into arrays, and `launch` lets the kernel write its result.

Everything is checked before the kernel runs, so that an error leaves nothing half-written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, Backend
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import warn
from tensorglass.graph.inplace import check, check_inference
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.ops.arg_parser.checks import on_two_devices, refuse_copy_across
from tensorglass.ops.declare.kernel import Call, Kernel
from tensorglass.ops.declare.result_layout import Kind, Plan, plan
from tensorglass.ops.declare.seams import seams
from tensorglass.ops.declare.type_promotion import DTypeRule, cannot_cast, refuse
from tensorglass.ops.kernels.python_numbers import number_array
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.set_header import resize
from tensorglass.tensor.tensor import Tensor, array_of, header_of, raw_array


def compute(call: Call) -> Tensor:
    """The result of a call, recorded in the graph if gradients flow.

    An `out` whose size differs from the result's is resized, or refused if the call is `inplace`.
    """
    for operand in call.operands:
        if isinstance(operand, Tensor) and operand._meta is not None:
            return _with_graph(call)
    if call.out is not None and call.out._meta is not None:
        return _with_graph(call)
    return run(call)


def run(call: Call) -> Tensor:
    """The result of a call, without recording it."""
    if seams.compute_small is not None:
        result = seams.compute_small(*call)
        if result is not None:
            return result
    kernel, operands, parameters, out, inplace = call
    kinds: list[Kind] = []
    tensors: list[Tensor] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            kinds.append((operand._dtype, operand._size, operand._stride))
            tensors.append(operand)
        elif operand is not None:
            kinds.append((dtypes.of_number(operand), None, None))
    if kernel.check is not None:
        kernel.check(operands, **parameters)
    if inplace and kernel.inplace_check is not None:
        kernel.inplace_check(operands, **parameters)
    like = storage_of_result(tensors)
    if out is not None:
        refuse_overlapping_write(out, tensors)
    is_operand = inplace or any(out is tensor for tensor in tensors)  # then its size cannot change
    written_size = out._size if is_operand and out is not None else None
    rule = kernel.rule if isinstance(kernel.rule, DTypeRule) else kernel.rule(**parameters)
    planned = plan(rule, tuple(kinds), dtypes._default, written_size)
    if out is not None:
        if not inplace:
            refuse_copy_across(like.device, out)
        _check_dtype_of_out(kernel, rule, planned, out, len(tensors))
    if planned.is_refused:
        refuse(rule, planned.promoted, kernel.error_name)
    if kernel.late_check is not None:
        kernel.late_check(operands, **parameters)

    backend = like.backend
    if rule.rounds_numbers and planned.promoted.itemsize == 2 and planned.promoted.is_floating_point:
        operands = [_rounded(backend, operand, planned) for operand in operands]
        parameters = with_half_alpha(parameters, backend, planned.promoted)
        call = Call(kernel, operands, parameters, out, inplace)
    if out is not None:
        _write(call, planned, out)
        return out
    new = backend.empty(planned.result, planned.size, planned.order)
    launch(call, planned, backend, read_operands(call, planned, backend, new), new)
    return result_tensor(new, planned.result, backend, like.device, planned.size, planned.stride, planned.order is None)


# --- the kernel ------------------------------------------------------------------------------------------------------


def read_operands(call: Call, plan: Plan, backend: Backend, target: Array | None = None) -> Sequence[Array | None]:
    """The operands as the arrays that the kernel computes with; `target` is the result's memory, if there is any."""
    if seams.read_operands is not None:
        arrays = seams.read_operands(call, plan, backend, target)
        if arrays is not None:
            return arrays
    kernel, dtype = call.kernel, plan.compute
    return [None if operand is None else operand_array(kernel, backend, operand, dtype) for operand in call.operands]


def launch(call: Call, plan: Plan, backend: Backend, arrays: Sequence[Array | None], target: Array) -> None:
    """Let the kernel write its result to `target`, an array of the result's dtype."""
    if seams.launch is not None and seams.launch(call, plan, backend, arrays, target):
        return
    kernel = call.kernel
    function = partial(kernel.function, backend.xp, **call.parameters)
    is_direct = kernel.takes_out and (plan.result is plan.compute or plan.result is dtypes.bool)
    backend.launch(_into if is_direct else _convert_into, function, arrays, target)


def _into(xp: Any, function: Callable[..., Array], arrays: Sequence[Array], target: Array) -> None:
    """Let the kernel write its result to `target`, of its own dtype."""
    result = function(*arrays, out=target)
    if result is not target:
        target[...] = result


def _convert_into(
    xp: Any, function: Callable[..., Array], arrays: Sequence[Array], target: Array, between: Any = None,
    conjugate: bool = False,
) -> None:  # fmt: skip
    """Write the kernel's result, of dtype `between`, to `target`, which has another dtype."""
    result = xp.asarray(function(*arrays))
    if between is not None:
        result = result.astype(between, copy=False)
    target[...] = xp.conj(result) if conjugate else result


# --- operands --------------------------------------------------------------------------------------------------------


def storage_of_result(tensors: Sequence[Tensor]) -> UntypedStorage:
    """A storage on the device where an elementwise operator on `tensors` runs; raises if the devices differ.

    A 0-dim tensor on the CPU may be combined with tensors on other devices, as a Python number may.
    """
    like = tensors[0]._storage
    for tensor in tensors[1:]:
        storage = tensor._storage
        if storage.device is like.device or storage.device == like.device:
            continue
        if like.device == CPU and not any(tensor._size for tensor in tensors if tensor._storage.device == CPU):
            like = storage
        elif storage.device != CPU or tensor._size:
            raise on_two_devices(like.device, storage.device)
    return like


def operand_array(kernel: Kernel, backend: Backend, operand: Any, dtype: DType) -> Array:
    """An operand as the array of `dtype` that a kernel computes with."""
    if not isinstance(operand, Tensor):
        return kernel.array_of_number(backend, operand, dtype)
    if operand._storage.backend is not backend:  # a 0-dim tensor on the CPU counts as a number
        return number_array(backend, operand.item(), dtype)
    array = operand._array
    if array is None or operand._conj:
        array = array_of(operand)
    return array if operand._dtype is dtype else converted(backend, array, dtype)


def converted(backend: Backend, array: Array, dtype: DType) -> Array:
    """The array converted to `dtype`; itself if it has that dtype."""
    return backend.launch(_convert, array, backend.array_dtype(dtype))


def _convert(xp: Any, array: Array, array_dtype: Any) -> Array:
    return xp.asarray(array).astype(array_dtype, copy=False)


def _rounded(backend: Backend, operand: Any, plan: Plan) -> Any:
    """A number, or a 0-dim tensor, rounded to the other operand's dtype; other tensors unchanged."""
    if isinstance(operand, Tensor) and not operand._size and operand._dtype is not plan.promoted:
        operand = operand.item()
    if operand is None or isinstance(operand, Tensor):
        return operand
    return float(converted(backend, number_array(backend, operand, plan.promoted), plan.compute))


def with_half_alpha(parameters: dict[str, Any], backend: Backend, dtype: DType) -> dict[str, Any]:
    """The parameters with `alpha` as a half-type array: then its product is rounded before it is added."""
    alpha = parameters.get("alpha", 1)
    return parameters if alpha == 1 else {**parameters, "alpha": number_array(backend, alpha, dtype)}


# --- outputs ---------------------------------------------------------------------------------------------------------


def _write(call: Call, plan: Plan, out: Tensor) -> None:
    """Write the result to `out`."""
    kernel, backend = call.kernel, out._storage.backend
    arrays = read_operands(call, plan, backend)
    if out._size != plan.size:
        if any(isinstance(operand, Tensor) and operand._storage is out._storage for operand in call.operands):
            # The larger result may overlap operands that are still to be read.
            arrays = [None if array is None else array.copy() for array in arrays]
        resize_output(out, plan.size, plan.out_stride)
    out._written()
    if out._dtype is plan.result and not out._conj:
        launch(call, plan, backend, arrays, raw_array(out))
    else:
        function = partial(kernel.function, backend.xp, **call.parameters)
        between = backend.array_dtype(plan.result)
        backend.launch(_convert_into, function, arrays, raw_array(out), between, out._conj)


def _check_dtype_of_out(kernel: Kernel, rule: DTypeRule, plan: Plan, out: Tensor, tensors: int) -> None:
    """Raise unless `out` can hold the result."""
    if out._dtype is plan.result:
        return
    if plan.promoted.category in rule.exact or (kernel.bounds and tensors == 1):
        names = {"out": out._dtype.scalar_type, "result": plan.result.scalar_type}
        raise RuntimeError(rule.refusal.format_map(names))
    if not dtypes.can_cast(plan.result, out._dtype):
        raise cannot_cast(plan.result, out._dtype)


def refuse_overlapping_write(target: Tensor, sources: Iterable[Tensor] = ()) -> None:
    """Raise if writing to `target` would write a cell twice, or would partly overwrite a source before it is read.

    If PyTorch's check cannot decide ("too hard"), the write goes ahead, and its result is undefined on an overlap.
    """
    if not geometry.is_contiguous(target._size, target._stride):
        geometry.check_writable(target._size, target._stride)
    for source in sources:
        if source is target or source._storage is not target._storage:
            continue
        written, read = header_of(target), header_of(source)
        geometry.check_no_partial_overlap(written, target._dtype.itemsize, read, source._dtype.itemsize)


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


# --- the graph of gradients ------------------------------------------------------------------------------------------

#: Operators without an autograd rule in PyTorch: only the tensor that they write to is checked.
_UNKNOWN_TO_AUTOGRAD = frozenset((
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift", "gcd",
    "lcm", "heaviside", "floor_divide",
))  # fmt: skip

#: Operators that call another one in PyTorch, whose name their errors show.
_COMPOSED_OF = {"square": "pow", "float_power": "pow", "true_divide": "div"}


def values_of(call: Call) -> Sequence[Any]:
    """A call's operands and all parameters, in the order that the kernel's recorder expects."""
    defaults = call.kernel.defaults
    if not defaults:
        return call.operands
    return *call.operands, *[call.parameters.get(name, default) for name, default in defaults.items()]


def _with_graph(call: Call) -> Tensor:
    """The result of a call in which some tensor has a `Meta`, recorded if gradients flow."""
    kernel, operands, _, out, inplace = call
    if out is not None:
        check_inference(out)
    if not is_recorded(operands) and (out is None or not is_recorded((out,))):
        return run(call)
    recorder = kernel.recorder
    if out is not None and kernel.name in _UNKNOWN_TO_AUTOGRAD:
        if inplace:
            check(out)
        elif requires_grad(out):
            raise no_out_with_gradients(f"aten::{kernel.name}")
        else:
            return run(call)
    if recorder is None or (recorder.derivative.in_place_only and not inplace):
        return run(call)
    if out is None:
        return recorder.enter(values_of(call), run(call))
    if not inplace:
        raise no_out_with_gradients(_COMPOSED_OF.get(kernel.name, kernel.name))
    return recorder.overwrite(values_of(call), out, partial(run, call))


# --- what is written must lie apart from what is read ----------------------------------------------------------------


def refuse_shared_cells(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write to a tensor that overlaps itself or an input."""
    refuse_overlapping_write(target, sources)
    refuse_read_cells(target, *sources)


def refuse_read_cells(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write to a tensor that overlaps an input."""
    for source in sources:
        if source._storage is target._storage:
            written, read = header_of(target), header_of(source)
            widths = target._dtype.itemsize, source._dtype.itemsize
            geometry.check_no_overlap(written, widths[0], read, widths[1], is_itself=source is target)


def refuse_partly_written(out: Tensor, size: tuple[int, ...], sources: Iterable[Tensor]) -> None:
    """Refuse to write a result of this size to `out` if, once resized, it partly overlaps an input."""
    stride = out._stride if out._size == size else geometry.contiguous_strides(size)
    for source in sources:
        if source._storage is out._storage:
            written, read = (size, stride, out._offset), header_of(source)
            geometry.check_no_partial_overlap(written, out._dtype.itemsize, read, source._dtype.itemsize)
