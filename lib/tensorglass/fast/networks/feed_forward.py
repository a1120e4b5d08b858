"""The shortcut of a Transformer's feed-forward part: two linear layers, with ReLU and dropout between, as one node.

The hidden matrix between the layers is by far the largest. Bias, ReLU and dropout are applied to it in place, and so
are their derivatives to its gradient, a few rows at a time, which stay in the cache. Second derivatives use operators
on tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from tensorglass.autograd.backward import grad as gradients
from tensorglass.autograd.function import Function
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.networks.one_node import is_usual
from tensorglass.ops.kernels.activations import number
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.sum import ROWS, total
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import enable_grad, state
from tensorglass.tensor.tensor import Tensor, raw_array

Form = Callable[..., Any]
_MOST = 1 << 18  # bytes of rows that are worked on at a time


class FeedForward(Function):
    """Input (…, E), weight (H, E), bias (H), weight (D, H), bias (D) → (…, D)."""

    @staticmethod
    def forward(ctx: Any, noise: Any, *inputs: Tensor) -> Tensor:
        x, *parameters = inputs
        arrays = [None if tensor is None else raw_array(tensor) for tensor in (noise, *parameters)]
        hidden, output = HOST.launch(_forward, _rows(raw_array(x)), *arrays)
        ctx.save_for_backward(noise, _tensor(hidden, x), *inputs)
        return _tensor(output.reshape(*x._size[:-1], -1), x)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        noise, hidden, *inputs = ctx.saved_tensors
        wanted = ctx.needs_input_grad[1:]
        if state.grad:
            with enable_grad():
                output = _by_tensors(noise, *inputs)
            asked = [input for input, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
            of_inputs = iter(gradients((output,), asked, (grad,), create_graph=True))
            return None, *[next(of_inputs) if is_wanted else None for is_wanted in wanted]
        x, first, _, second, _ = inputs
        arrays = [_rows(raw_array(tensor)) for tensor in (grad, hidden, x)]
        kept_or_not = None if noise is None else raw_array(noise)
        answers = HOST.launch(_backward, *arrays, raw_array(first), raw_array(second), kept_or_not, wanted)
        if answers[0] is not None:
            answers[0] = answers[0].reshape(x._size)
        return None, *[None if array is None else _tensor(array, x) for array in answers]


def _by_tensors(noise: Any, x: Tensor, first: Tensor, bias: Tensor, second: Tensor, last: Tensor) -> Tensor:
    """The same by differentiable operators."""
    hidden = (x.reshape(-1, x._size[-1]) @ first.t() + bias).relu()
    if noise is not None:
        hidden = hidden * noise.view(hidden._size)
    output: Tensor = hidden @ second.t() + last
    return output.view(*x._size[:-1], output._size[1])


def of_feed_forward(form: Form) -> Form:
    """A shortcut before `form`, which takes an input, the parameters of both layers, and the dropout probability."""

    @wraps(form)
    def block_first(x: Any, first: Any, bias: Any, second: Any, last: Any, p: float) -> Any:
        inputs = (x, first, bias, second, last)
        if 0 <= p < 1 and is_usual(x, inputs[1:]) and _fits(*inputs):
            noise = None
            if p:
                noise = x.new_empty((*x._size[:-1], len(first))).bernoulli_(1 - p).div_(1 - p)
            return FeedForward.apply(noise, *inputs)
        return form(*inputs, p)

    return block_first


def _fits(x: Tensor, first: Tensor, bias: Tensor | None, second: Tensor, last: Tensor | None) -> bool:
    if (
        bias is None
        or last is None
        or len(x._size) < 2
        or not x._contiguous
        or not len(first._size) == 2 == len(second._size)
    ):
        return False
    (width, columns), (outer, inner) = first._size, second._size
    return x._size[-1] == columns and bias._size == (width,) and inner == width and last._size == (outer,)


def _tensor(array: Array, like: Tensor) -> Tensor:
    return from_array(array, like._dtype, like._storage)


# --- on arrays -------------------------------------------------------------------------------------------------------


def _rows(array: Array) -> Array:
    return array.reshape(-1, array.shape[-1])


def _product(one: Array, other: Array) -> Array:
    """The product, in pool memory if it is large."""
    return matrix_product(HOST.xp, one, other, HOST.empty(HOST.dtype_of(one), (len(one), other.shape[1])))


def _blocks(rows: Array) -> Iterator[slice]:
    step = min(max(1, _MOST // (rows.shape[1] * rows.itemsize)), ROWS)
    for start in range(0, len(rows), step):
        yield slice(start, start + step)


def _forward(
    xp: Any, x: Array, noise: Array | None, first: Array, bias: Array, second: Array, last: Array
) -> tuple[Array, Array]:
    """The hidden matrix, as the second layer gets it, and the output."""
    hidden = _product(x, first.T)
    xp.maximum(xp.add(hidden, bias, hidden), number(xp, 0, hidden.dtype), out=hidden)
    if noise is not None:
        xp.multiply(hidden, _rows(noise), hidden)
    output = _product(hidden, second.T)
    return hidden, xp.add(output, last, output)


def _backward(
    xp: Any, grad: Array, hidden: Array, x: Array, first: Array, second: Array, noise: Array | None,
    wanted: Sequence[bool],
) -> list[Array | None]:  # fmt: skip
    """The wanted gradients of input, weights and biases."""
    answers: list[Array | None] = [None] * 5
    if wanted[3]:
        answers[3] = matrix_product(xp, grad.T, hidden)
    if wanted[4]:
        answers[4] = total(xp, grad, (0,)).reshape(-1)
    if not any(wanted[:3]):
        return answers
    towards, bits = _product(grad, second), f"u{grad.itemsize}"
    of_bias, ones = xp.zeros(len(first), grad.dtype), xp.ones(ROWS, grad.dtype)
    for block in _blocks(towards):
        part = towards[block]  # infinity times 0 would be NaN, so the bits are multiplied, as integers
        xp.multiply(part.view(bits), xp.not_equal(hidden[block], 0), part.view(bits))
        if noise is not None:
            xp.multiply(part, _rows(noise)[block], part)
        if wanted[2]:
            xp.add(of_bias, ones[: len(part)].dot(part), of_bias)
    if wanted[0]:
        answers[0] = matrix_product(xp, towards, first)
    if wanted[1]:
        answers[1] = matrix_product(xp, towards.T, x)
    answers[2] = of_bias if wanted[2] else None
    return answers
