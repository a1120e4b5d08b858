"""Convolution in one to three dimensions, and transposed: windows by strides, and one product.

Every result of a convolution is a sum over a window: ``y[n, o, p] = Σ x[n, c, p·stride + k·dilation] · w[o, c, k]``,
over channels `c` and places `k` in the window. All windows, a view by strides, are the columns of a matrix (im2col),
and the kernels are the rows of another. The product of the two is the convolution.

With a gradient, the sum has three factors: inputs x, weights w, and the gradient of the results, y.
`convolved` adds over c and k, `spread` over o and k: it is the gradient for x, and the transposed convolution.
`correlated` adds over n and p: the gradient for w. Each of the three has the other two as its gradients.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.errors import explained, warn
from tensorglass.core.memory_format import channels_last
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, not_implemented
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.derivatives.shared import conj
from tensorglass.ops.kernels.windows import Lengths, Windows, add_windows, padded, windows_of
from tensorglass.ops.nn.arguments import Ints, as_input_lies, for_each, like_channels_last, run_wide
from tensorglass.ops.rearrange.pad import constant_pad_nd
from tensorglass.tensor.tensor import Tensor

# --- the arithmetic --------------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """The arguments of the three sums besides their factors."""

    windows: Windows
    groups: int  #: into which channels are divided; each group of results sees one group of inputs
    lengths: Lengths  #: of the inputs x, without channels
    counts: Lengths  #: of the results y: how many windows there are in each dimension


#: Bytes of windows that are copied out at a time: as many images as fit, at least one.
_BLOCK = 1 << 22


def _blocks(batch: int, weights: Array, plan: Plan) -> Iterator[slice]:
    """Slices of images whose windows are copied out together, so that they stay in the cache and take little memory."""
    of_one = plan.groups * weights[0].nbytes * math.prod(plan.counts)
    step = max(1, _BLOCK // max(of_one, 1))
    for start in range(0, batch, step):
        yield slice(start, min(start + step, batch))


def _columns(xp: Any, inputs: Array, plan: Plan) -> Array:
    """The windows as columns: (N, groups, channels of a group and places in a window, windows)."""
    seen = windows_of(xp, padded(xp, inputs, plan.windows.padding), plan.windows, plan.counts)
    height = inputs.shape[1] // plan.groups * math.prod(plan.windows.size)
    return seen.reshape(len(inputs), plan.groups, height, math.prod(plan.counts))


def _as_rows(weights: Array, plan: Plan) -> Array:
    """The kernels of each group as the rows of a matrix."""
    return weights.reshape(plan.groups, weights.shape[0] // plan.groups, math.prod(weights.shape[1:]))


def _in_groups(results: Array, plan: Plan) -> Array:
    """Results as matrices: (N, groups, channels of a group, windows)."""
    return results.reshape(len(results), plan.groups, results.shape[1] // plan.groups, math.prod(plan.counts))


def convolve(xp: Any, inputs: Array, weights: Array, bias: Array | None, plan: Plan) -> Array:
    """The kernel of `convolved`: (N, C, *lengths), (O, C/groups, *size of a window) → (N, O, *counts)."""
    result = xp.empty((len(inputs), len(weights), *plan.counts), inputs.dtype)
    rows = _as_rows(weights, plan)
    for block in _blocks(len(inputs), weights, plan):
        xp.matmul(rows, _columns(xp, inputs[block], plan), out=_in_groups(result[block], plan))
    if bias is not None:
        xp.add(result, bias.reshape((-1, *[1] * len(plan.counts))), out=result)
    return result


def spread(xp: Any, results: Array, weights: Array, plan: Plan) -> Array:
    """The kernel of `spread_out`: (N, O, *counts), (O, C/groups, *size of a window) → (N, C, *lengths)."""
    channels = plan.groups * weights.shape[1]
    result = xp.empty((len(results), channels, *plan.lengths), results.dtype)
    columns = _as_rows(weights, plan).swapaxes(-1, -2)
    for block in _blocks(len(results), weights, plan):
        cells = xp.matmul(columns, _in_groups(results[block], plan))
        cells = cells.reshape(len(cells), channels, *plan.windows.size, *plan.counts)
        result[block] = add_windows(xp, cells, plan.windows, plan.lengths)
    return result


def correlate(xp: Any, inputs: Array, results: Array, like: Array, plan: Plan) -> Array:
    """The kernel of `correlated`: (N, C, *lengths), (N, O, *counts) → the size of the weights, which are `like`."""
    result = xp.zeros(_as_rows(like, plan).shape, inputs.dtype)
    for block in _blocks(len(inputs), like, plan):
        columns = _columns(xp, inputs[block], plan)
        result += xp.add.reduce(xp.matmul(_in_groups(results[block], plan), columns.swapaxes(-1, -2)), axis=0)
    return result.reshape(like.shape)


def _laid_out(result: Tensor, *factors: Tensor) -> Tensor:
    """The sum in PyTorch's memory format: channels last if a factor has it, except for volumes of float64.

    A sequence counts as an image of one row. It is made contiguous before, which leaves the strides of one channel or
    of one place as they are.
    """
    if len(result._size) == 3:
        return _row_of_pixels(result) if any(map(_is_row_of_pixels, factors)) else result
    return (
        result if len(result._size) == 5 and result._dtype is dtypes.float64 else like_channels_last(result, *factors)
    )


def _is_row_of_pixels(sequence: Tensor) -> bool:
    (batch, channels, length), (apart, plane, step) = sequence._size, sequence._stride
    is_last = geometry.suggests_channels_last((batch, channels, 1, length), (apart, plane, length * step, step))
    return is_last and geometry.is_contiguous(sequence._size, sequence._stride)


def _row_of_pixels(result: Tensor) -> Tensor:
    return result.unsqueeze(2).clone(memory_format=channels_last).squeeze(2)


# --- the three sums, each with the other two as its gradients --------------------------------------------------------


@derivative(
    node="ConvolutionBackwardBackward0",
    x=lambda grad, w, plan: spread_out(grad, conj(w), plan),
    w=lambda grad, x, w, plan: correlated(conj(x), grad, w.detach(), plan),
)
def _convolved(x: Tensor, w: Tensor, plan: Plan) -> Tensor:
    result = run_wide(convolve, x.contiguous(), w.contiguous(), None, plan=plan)
    return _laid_out(result, x, w)


@derivative(
    node="ConvolutionBackwardBackward0",
    y=lambda grad, w, plan: convolved(grad, conj(w), plan),
    w=lambda grad, y, w, plan: correlated(grad, conj(y), w.detach(), plan),
)
def _spread_out(y: Tensor, w: Tensor, plan: Plan) -> Tensor:
    result = run_wide(spread, y.contiguous(), w.contiguous(), plan=plan)
    return _laid_out(result, y, w)


@derivative(
    node="ConvolutionBackwardBackward0",
    x=lambda grad, y, plan: spread_out(conj(y), grad, plan),
    y=lambda grad, x, plan: convolved(conj(x), grad, plan),
)
def _correlated(x: Tensor, y: Tensor, like: Tensor, plan: Plan) -> Tensor:
    result = run_wide(correlate, x.contiguous(), y.contiguous(), like.contiguous(), plan=plan)
    return _laid_out(result, x, y)


#: ``Σ x·w`` over the window and its channels; ``Σ y·w``, where x was read; ``Σ x·y``, of the size of the weights.
convolved: Any = recorded(_convolved)
spread_out: Any = recorded(_spread_out)
correlated: Any = recorded(_correlated)


def _plan_of(
    input_size: Sequence[int],
    weight_size: Sequence[int],
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    transposed: bool,
    output_padding: Lengths,
    groups: int,
) -> Plan:
    """The plan of a call. A transposed convolution is given results y and computes inputs x."""
    rank = len(weight_size) - 2
    windows = Windows(tuple(weight_size[2:]), *[for_each(option, rank) for option in (stride, padding, dilation)])
    given = tuple(input_size[2:])
    if not transposed:
        return Plan(windows, groups, given, windows.counts(given))
    lengths = tuple([
        (count - 1) * step - 2 * before + apart * (size - 1) + more + 1
        for count, size, step, before, apart, more in zip(given, *windows, for_each(output_padding, rank), strict=True)
    ])  # fmt: skip
    return Plan(windows, groups, lengths, given)


def _input_gradient(
    grad: Tensor,
    input_size: Lengths,
    input_stride: Lengths,
    weight: Tensor,
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    transposed: bool,
    output_padding: Lengths,
    groups: int,
) -> Tensor:
    plan = _plan_of(input_size, weight._size, stride, padding, dilation, transposed, output_padding, groups)
    gradient: Tensor = (convolved if transposed else spread_out)(
        as_input_lies(grad, input_size, input_stride), conj(weight), plan
    )
    return gradient


def _weight_gradient(
    grad: Tensor,
    input: Tensor,
    weight: Tensor,
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    transposed: bool,
    output_padding: Lengths,
    groups: int,
) -> Tensor:
    plan = _plan_of(input._size, weight._size, stride, padding, dilation, transposed, output_padding, groups)
    inputs, results = (grad, conj(input)) if transposed else (conj(input), grad)
    gradient: Tensor = correlated(inputs, results, weight.detach(), plan)
    return gradient


def _bias_gradient(grad: Tensor) -> Tensor:
    gradient: Tensor = grad.sum([dim for dim in range(len(grad._size)) if dim != 1])
    return gradient


@operator("networks", method=False)
@derivative(input=_input_gradient, weight=_weight_gradient, bias=_bias_gradient)
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """The general convolution, which `conv2d`, `conv_transpose2d` and their siblings call.

    (N, C, *lengths), (O, C/groups, *size) → (N, O, *counts); transposed (N, C, …), (C, O/groups, *size) → (N, O, …).
    Raises RuntimeError where sizes do not fit.
    """
    rank = len(weight._size) - 2
    if rank < 1:
        raise RuntimeError("weight should have at least three dimensions")
    lengths = [
        _expanded(name, value, rank)
        for name, value in (
            ("stride", stride), ("padding", padding), ("dilation", dilation), ("output_padding", output_padding)
        )
    ]  # fmt: skip
    stride, padding, dilation, output_padding = lengths
    _check_convolution(input, weight, bias, stride, padding, dilation, output_padding, transposed, groups)
    plan = _plan_of(input._size, weight._size, stride, padding, dilation, transposed, output_padding, groups)
    _check_dtypes(input, weight, bias, transposed, rank)
    if rank > 3:
        raise RuntimeError("unsupported ConvNd parameters")
    if transposed:
        if min(plan.lengths) < 1:
            raise RuntimeError(
                f"Given input size per channel: ({_by(input._size[2:])}). Calculated output size per channel: "
                f"({_by(plan.lengths)}). Output size is too small"
            )
        result = run_wide(spread, input.contiguous(), weight.contiguous(), plan=plan)
        if bias is not None:
            result = result.add_(bias.reshape([-1, *[1] * rank]))
            result._storage.version = 0
    else:
        result = run_wide(convolve, input.contiguous(), weight.contiguous(), bias, plan=plan)
    return _laid_out(result, input, weight)


# --- checks ----------------------------------------------------------------------------------------------------------


def _expanded(name: str, value: Ints, rank: int) -> Lengths:
    lengths = for_each(value, rank)
    if len(lengths) != rank:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {rank} values to match the convolution "
            f"dimensions, but got {name}={list(lengths)}"
        )
    return lengths


def _check_convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    output_padding: Lengths,
    transposed: bool,
    groups: int,
) -> None:
    if min(padding, default=0) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding, default=0) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride, default=1) < 1:
        raise RuntimeError("non-positive stride is not supported")
    if groups < 1:
        raise RuntimeError("non-positive groups is not supported")
    if min(dilation, default=0) < 0:
        raise RuntimeError("dilation should be greater than zero")
    size, kernel = list(input._size), list(weight._size)
    if len(size) != len(kernel):
        raise RuntimeError(
            f"Expected {len(kernel)}-dimensional input for {len(kernel)}-dimensional weight {kernel}, but got "
            f"{len(size)}-dimensional input of size {size} instead"
        )
    if kernel[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{kernel} instead"
        )
    if kernel[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{kernel}] instead"
        )
    given = "transposed=1" if transposed else f"groups={groups}"
    channels = kernel[0] if transposed else kernel[1] * groups
    if size[1] != channels:
        raise explained(
            RuntimeError(
                f"Given {given}, weight of size {kernel}, expected input{size} to have {channels} channels, but got "
                f"{size[1]} channels instead"
            ),
            "The channels are dimension 1 of the input: (batch, channels, height, width).",
        )
    results = kernel[1] * groups if transposed else kernel[0]
    if bias is not None and tuple(bias._size) != (results,):
        head = "Given transposed=1, weight of size" if transposed else "Given weight of size"
        raise RuntimeError(
            f"{head} {kernel}, expected bias to be 1-dimensional with {results} elements, but got bias of size "
            f"{list(bias._size)} instead"
        )
    _check_kernel(kernel[2:])
    if transposed:
        _check_not_zero(dilation, transposed)
        if any(more >= max(step, apart) for more, step, apart in zip(output_padding, stride, dilation, strict=True)):
            raise _output_padding_too_large(output_padding, stride, dilation)
        return
    padded_size = [length + 2 * before for length, before in zip(size[2:], padding, strict=True)]
    reach = [apart * (length - 1) + 1 for length, apart in zip(kernel[2:], dilation, strict=True)]
    if any(have < need for have, need in zip(padded_size, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({_by(padded_size)}). Kernel size: ({_by(reach)}). "
            "Kernel size can't be greater than actual input size"
        )
    _check_not_zero(dilation, transposed)


def _check_not_zero(dilation: Lengths, transposed: bool) -> None:
    if 0 not in dilation:
        return
    # PyTorch's convolution in one dimension is one in two, of height 1.
    factors = (1, *dilation) if len(dilation) == 1 else dilation
    named = zip(_DIMENSIONS[len(factors)], factors, strict=True)
    told = ", ".join(f"dilation_{name}: {value}" for name, value in named) if transposed else str(list(factors))
    raise RuntimeError(f"dilation should be greater than zero, but got {told}")


def _check_kernel(kernel: Sequence[int]) -> None:
    if 0 in kernel:
        lengths = (1, *kernel) if len(kernel) == 1 else kernel
        told = (
            f" kernel_height: {lengths[0]} kernel_width: {lengths[1]}"
            if len(lengths) == 2
            else f": {_by(lengths)} (TxHxW)"
        )
        raise RuntimeError(f"kernel size should be greater than zero, but got{told}")


def _by(lengths: Sequence[int]) -> str:
    return " x ".join(str(length) for length in lengths)


_DIMENSIONS = {1: ("width",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def _output_padding_too_large(output_padding: Lengths, stride: Lengths, dilation: Lengths) -> RuntimeError:
    # PyTorch's convolution in one dimension is one in two, of height 1.
    if len(stride) == 1:
        output_padding, stride, dilation = (0, *output_padding), (1, *stride), (1, *dilation)
    names = _DIMENSIONS[len(stride)]
    text = " ".join(
        f"{what}_{name}: {value}"
        for what, lengths in (("output_padding", output_padding), ("stride", stride), ("dilation", dilation))
        for name, value in zip(names, lengths, strict=True)
    )
    return RuntimeError(f"output padding must be smaller than either stride or dilation, but got {text}")


def _check_bias_dtype(input: Tensor, bias: Tensor | None) -> None:
    if bias is not None and bias._dtype is not input._dtype:
        raise explained(
            RuntimeError(f"Input type ({_word(input)}) and bias type ({_word(bias)}) should be the same"),
            "Convert one of them, as in x.to(layer.weight.dtype).",
        )


def _check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool, rank: int) -> None:
    if not transposed:
        _check_bias_dtype(input, bias)
    parameters = [weight]
    if bias is not None and rank == 3:  # in fewer dimensions a transposed convolution adds and converts it
        parameters.append(bias)
    for parameter in parameters:
        if parameter._dtype is not input._dtype:
            raise RuntimeError(
                f"expected scalar type {input._dtype.scalar_type} but found {parameter._dtype.scalar_type}"
            )
    if input._dtype is dtypes.bool:
        kernel = "slow_conv3d_cpu" if rank == 3 else "slow_conv2d_cpu"
        raise not_implemented("slow_conv_transpose2d_cpu" if transposed else kernel, input._dtype)


#: The types of C++ that PyTorch names in this refusal.
_TYPES = {
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "uint8": "unsigned char",
    "int8": "signed char", "int16": "short int", "int32": "int", "int64": "long int",
}  # fmt: skip


def _word(tensor: Tensor) -> str:
    return _TYPES.get(tensor._dtype.name, tensor._dtype.name)


# --- in one, two and three dimensions --------------------------------------------------------------------------------


def _convolution(
    name: str,
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Ints,
    padding: Ints | str,
    dilation: Ints,
    groups: int,
    output_padding: Ints | None = None,
) -> Tensor:
    check_tensor(name, input)
    check_tensor(name, weight, "weight", 2)
    if output_padding is None and not isinstance(padding, str):
        _check_bias_dtype(input, bias)
    input, is_single = _with_batch(name, rank, input)
    if isinstance(padding, str):
        input, padding = _padded_by_name(input, weight, padding, for_each(stride, rank), for_each(dilation, rank))
    transposed, more = output_padding is not None, output_padding or 0
    step, around, apart = (for_each(option, rank) for option in (stride, padding, dilation))
    result: Tensor = convolution(input, weight, bias, step, around, apart, transposed, for_each(more, rank), groups)
    return result.squeeze(0) if is_single else result


def _with_batch(name: str, rank: int, input: Tensor) -> tuple[Tensor, bool]:
    """The input with a batch dimension, and whether it had none."""
    ndim = len(input._size)
    if ndim not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._size)}"
        )
    return (input.unsqueeze(0), True) if ndim == rank + 1 else (input, False)


def _padded_by_name(
    input: Tensor, weight: Tensor, padding: str, stride: Lengths, dilation: Lengths
) -> tuple[Tensor, Lengths]:
    """The input, and the padding that "valid" or "same" stands for: none, or as much as keeps the input's size."""
    if padding == "valid":
        return input, (0,)
    if padding != "same":
        raise explained(RuntimeError(f"Invalid padding string: '{padding}'"), 'There are "valid" and "same".')
    kernel, size = list(weight._size), list(input._size)
    if len(kernel) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(kernel) != len(size):
        raise RuntimeError(  # sic: without a space before the size
            f"Expected {len(kernel)}-dimensional input for {len(kernel)}-dimensional weight{kernel}, but got "
            f"{len(size)}-dimensional input of size {size} instead"
        )
    if any(factor < 0 for factor in dilation):
        raise RuntimeError("dilation should be greater than zero")
    if any(length != 1 for length in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    dilation = _expanded("dilation", dilation, len(weight._size) - 2)
    needed = [apart * (size - 1) for apart, size in zip(dilation, weight._size[2:], strict=True)]
    if any(length % 2 for length in needed):  # one more behind than before
        warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created"
        )
        input = constant_pad_nd(input, [length for more in reversed(needed) for length in (0, more % 2)])
    return input, tuple([length // 2 for length in needed])


@operator("networks", method=False)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of signals: (N, C, L), (O, C/groups, K) → (N, O, L'), or the same without N.

    ``L' = (L + 2·padding - dilation·(K - 1) - 1) // stride + 1``. `padding` may be "valid", none, or "same", as much
    as gives ``L' = L``. Raises RuntimeError where sizes do not fit.
    """
    return _convolution("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@operator("networks", method=False)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of images: (N, C, H, W), (O, C/groups, K, K) → (N, O, H', W'). See `conv1d`."""
    return _convolution("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@operator("networks", method=False)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of volumes: (N, C, D, H, W), (O, C/groups, K, K, K) → (N, O, D', H', W'). See `conv1d`."""
    return _convolution("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@operator("networks", method=False)
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """The gradient of a convolution for its input, as an operator: (N, C, L), (C, O/groups, K) → (N, O, L').

    ``L' = (L - 1)·stride - 2·padding + dilation·(K - 1) + output_padding + 1``: `output_padding` says which of several
    lengths is meant that a convolution with this stride brings to L. Raises RuntimeError where sizes do not fit.
    """
    return _convolution("conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, groups, output_padding)


@operator("networks", method=False)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """The same of images: (N, C, H, W), (C, O/groups, K, K) → (N, O, H', W'). See `conv_transpose1d`."""
    return _convolution("conv_transpose2d", 2, input, weight, bias, stride, padding, dilation, groups, output_padding)


@operator("networks", method=False)
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """The same of volumes: (N, C, D, H, W), (C, O/groups, K, K, K) → (N, O, D', H', W'). See `conv_transpose1d`."""
    return _convolution("conv_transpose3d", 3, input, weight, bias, stride, padding, dilation, groups, output_padding)
