"""Exponentials that are divided by their sum, and the logarithm of such a sum: softmax and its siblings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.bool_arguments import StatedDims
from tensorglass.ops.declare.reduction import axes_of, check_is_dtype, reduce, write_out
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.type_promotion import as_floating, check_out_dtype
from tensorglass.ops.derivatives.shared import conj, restore_reduced_dims
from tensorglass.ops.kernels import activations as kernels
from tensorglass.ops.kernels import half
from tensorglass.ops.kernels.copy import assign
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.tensor import Tensor, array_of


def _is_converted(input: Any, dtype: DType | None) -> bool:
    """Whether gradients flow through a conversion first."""
    return isinstance(input, Tensor) and dtype not in (None, input._dtype) and requires_grad(input)


def _unless_converted(name: str) -> Callable[[Any, Any], str | None]:
    """The node's name; none if the input is converted first, which has a node of its own."""
    title = f"{name.title().replace('_', '')}Backward0"
    return lambda input, dtype: None if _is_converted(input, dtype) else title


def _run_softmax(
    name: str, kernel: Callable[..., None], input: Tensor, dim: int, dtype: DType | None, out: Tensor | None
) -> Tensor:
    result = input._dtype if dtype is None else dtype
    check_is_dtype(result)
    if input._dtype.is_complex and result.is_floating_point:
        input = input.to(result)  # warns about discarded imaginary parts
    axis = geometry.wrap_dim(dim, max(len(input._size), 1))
    check_out_dtype(out, result)
    if not result.is_floating_point:
        which = "lastdim_" if axis == max(len(input._size), 1) - 1 else ""
        if input.numel():
            raise NotImplementedError(f"\"{name}_{which}kernel_impl\" not implemented for '{result.scalar_type}'")
    backend = input._storage.backend
    wide = backend.array_dtype(dtypes.float32 if result.itemsize == 2 and result.is_floating_point else result)
    probabilities = backend.empty(result, input._size)
    if input.numel():
        backend.launch(_softmax_along, kernel, array_of(input), probabilities, wide, axis)
    return (
        from_array(probabilities, result, input._storage)
        if out is None
        else write_out(probabilities, input._size, out, result)
    )


def _softmax_along(
    xp: Any, kernel: Callable[..., None], array: Array, probabilities: Array, wide: Any, axis: int
) -> None:
    row = half.converted(array.reshape(array.shape or (1,)), wide)
    result = probabilities.reshape(row.shape) if probabilities.dtype == wide else xp.empty(row.shape, wide)
    kernel(xp, row, axis, result)
    if probabilities.dtype != wide:
        assign(xp, probabilities, result.reshape(probabilities.shape), False)


def _of_softmax(grad: Tensor, output: Tensor, dim: int) -> Tensor:
    return softmax_backward(grad, output, dim)


@recorded
@derivative(
    node="SoftmaxBackwardDataBackward0",
    grad_output=_of_softmax,
    output=lambda grad, grad_output, output, dim: (
        grad_output * grad - (output * grad_output).sum(dim, True) * grad - grad_output * (output * grad).sum(dim, True)
    ),
)
def softmax_backward(grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    """The derivatives, which are operators with derivatives of their own."""
    dtype, grad_output, output = grad_output._dtype, *_precise(grad_output, output)
    return ((grad_output - (grad_output * output).sum(dim, True)) * output).to(dtype)


def _precise(*tensors: Tensor) -> list[Tensor]:
    """Half types as float32, in which the whole is computed and rounded once."""
    return [tensor.float() if tensor._dtype.itemsize == 2 else tensor for tensor in tensors]


@recorded
@derivative(
    node="LogSoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
    output=lambda grad, grad_output, output, dim: -grad_output.sum(dim, True) * output.exp() * grad,
)
def log_softmax_backward(grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    dtype, grad_output, output = grad_output._dtype, *_precise(grad_output, output)
    return (grad_output - output.exp() * grad_output.sum(dim, True)).to(dtype)


@operator("cumulative", out=True, aliases=("special.softmax",))
@derivative(
    node=_unless_converted("softmax"),
    real_only="_softmax",
    input=lambda grad, result, dim: softmax_backward(grad, result, dim),
)
def softmax(input: Tensor, dim: int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """``exp(input)`` divided by its sum along `dim`: positive numbers that add up to 1."""
    if dtype is not None and _is_converted(input, dtype):
        return softmax(input.to(dtype), dim, out=out)
    return _run_softmax("softmax", kernels.softmax, input, dim, dtype, out)


@operator("cumulative", out=True, aliases=("special.log_softmax",))
@derivative(
    node=_unless_converted("log_softmax"),
    real_only="_log_softmax",
    input=lambda grad, result, dim: log_softmax_backward(grad, result, dim),
)
def log_softmax(input: Tensor, dim: int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`, exact where that is tiny."""
    if dtype is not None and _is_converted(input, dtype):
        return log_softmax(input.to(dtype), dim, out=out)
    return _run_softmax("log_softmax", kernels.log_softmax, input, dim, dtype, out)


@operator(
    "reduction",
    out=True,
    differs="an `out` of another dtype is written if it can be",
    aliases=("special.logsumexp",),
)
@derivative(
    input=lambda grad, input, result, dim, keepdim: (
        restore_reduced_dims(grad, input._size, dim, keepdim)
        * conj((input - restore_reduced_dims(result, input._size, dim, keepdim)).exp())
    )
)
def logsumexp(input: Tensor, dim: StatedDims, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """``log(sum(exp(input)))`` over dimensions `dim`, without overflow in between."""
    dtype = as_floating(input._dtype)
    return reduce(_logsumexp, input, axes_of(len(input._size), dim), keepdim, dtype, dtype, out)


def _logsumexp(xp: Any, input: Array, axes: tuple[int, ...]) -> Array:
    if not input.size:
        return xp.log(xp.add.reduce(input, axis=axes, keepdims=True))
    largest = xp.max(input.real, axis=axes, keepdims=True)
    largest = xp.where(xp.isinf(largest), xp.zeros_like(largest), largest)
    return largest + xp.log(xp.add.reduce(xp.exp(input - largest), axis=axes, keepdims=True))
