"""The shortcut of scaled dot-product attention: scores, softmax and weighted values as one node of the graph.

Scores become weights in place, a few batch items at a time, which stay in the cache; the weights are kept for backward.
Inputs may be strided, such as views of heads. Second derivatives run the plain way again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from tensorglass.autograd.backward import grad as gradients
from tensorglass.autograd.function import Function
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.fast.networks.one_node import is_usual
from tensorglass.geometry.strides import contiguous_strides, dim_order
from tensorglass.ops.nn.arguments import as_query_lies
from tensorglass.tensor.construct import from_array, result_tensor
from tensorglass.tensor.grad_mode import enable_grad, state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Any]
XP = HOST.xp
_MOST = 1 << 18  # bytes of scores that are processed at a time
_LEAST_SUM, _MOST_SUM = 1e-8, 1e26  # sums of exponentials from which all quotients are exact, down to 1e-29


def of_attention(form: Form) -> Form:
    """A shortcut before `form`: attention of (…, L, E), (…, S, E) and (…, S, Ev), with or without a mask."""

    class ScaledDotProductAttention(Function):
        """Query, key and value, with the same number of dimensions."""

        @staticmethod
        def forward(ctx: Any, mask: Any, added: Any, options: Any, *inputs: Tensor) -> Tensor:
            ctx.mask, ctx.options = mask, options
            query, key, value = [_as_images(raw_array(tensor)) for tensor in inputs]
            weights = HOST.empty(inputs[0]._dtype, (*query.shape[:3], key.shape[2]))
            size, wanted_stride = (*inputs[0]._size[:-1], value.shape[3]), as_query_lies(*inputs)
            ctx.in_blocks, stride = wanted_stride is not None, wanted_stride or contiguous_strides(size)
            output = HOST.empty(inputs[0]._dtype, size, dim_order(size, stride))
            HOST.launch(_forward, query, key, value, weights, _as_images(output), added, options["scale"])
            kept = from_array(weights, inputs[0]._dtype, inputs[0]._storage)
            is_contiguous = stride == contiguous_strides(size)
            result = result_tensor(output, inputs[0]._dtype, HOST, CPU, size, stride, is_contiguous)
            ctx.save_for_backward(kept, result, *inputs)
            return result

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            weights, output, *inputs = ctx.saved_tensors
            wanted = ctx.needs_input_grad[3:]
            if state.grad:
                with enable_grad():  # as views, since one tensor may be several of the inputs
                    inputs = [tensor.view_as(tensor) for tensor in inputs]
                    again = form(*inputs, ctx.mask, **ctx.options)
                asked = [input for input, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
                of_inputs = iter(gradients((again,), asked, (grad,), create_graph=True))
                return None, None, None, *[next(of_inputs) if is_wanted else None for is_wanted in wanted]
            arrays = [_as_images(raw_array(tensor)) for tensor in (grad, output, *inputs)]
            answers = HOST.launch(_backward, raw_array(weights), *arrays, ctx.options["scale"], wanted, ctx.in_blocks)
            of_inputs = [
                None if array is None else _gradient(array, like) for array, like in zip(answers, inputs, strict=True)
            ]
            return None, None, None, *of_inputs

    @wraps(form)
    def attention_first(
        query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
        scale: float | None = None, enable_gqa: bool = False,
    ) -> Any:  # fmt: skip
        is_usual = not (dropout_p or enable_gqa or (is_causal and attn_mask is not None))
        if is_usual and (scale is None or type(scale) is float) and _takes(query, key, value):
            added = _added(attn_mask, is_causal, query, key._size[-2])
            if added is not None or (attn_mask is None and not is_causal):
                options = {"is_causal": is_causal, "scale": 1 / math.sqrt(query._size[-1]) if scale is None else scale}
                return ScaledDotProductAttention.apply(attn_mask, added, options, query, key, value)
        return form(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)

    return attention_first


def _takes(query: Any, key: Any, value: Any) -> bool:
    """Whether this shortcut applies: sizes that fit without broadcasting."""
    if not is_usual(query, (key, value)):
        return False
    size: tuple[int, ...] = query._size
    return (
        len(size) in (3, 4) and key._size[:-2] == size[:-2] == value._size[:-2] and key._size[-1] == size[-1]
        and value._size[-2] == key._size[-2]
    )  # fmt: skip


def _gradient(array: Array, like: Tensor) -> Tensor:
    """A gradient in four dimensions as a tensor with the input's dimensions and the same layout."""
    array = array if len(like._size) == 4 else array[:, 0]
    stride = tuple([step // array.itemsize for step in array.strides])
    return result_tensor(array, like._dtype, HOST, CPU, like._size, stride, bool(array.flags.c_contiguous))


def _as_images(array: Array) -> Array:
    return array if array.ndim == 4 else array[:, None]


def _added(mask: Any, is_causal: bool, query: Tensor, span: int) -> Array | None:
    """The additive mask in four dimensions; None if there is no mask, or one of another kind."""
    length, number = query._size[-2], raw_array(query).dtype.type
    if is_causal:
        return XP.triu(XP.full((1, 1, length, span), -XP.inf, number), 1)
    if (
        type(mask) not in PLAIN_TYPES
        or mask._dtype not in (dtypes.bool, query._dtype)
        or mask._storage.device is not CPU
    ):
        return None
    scores = (*query._size[:-1], span)
    size = (1,) * (len(scores) - len(mask._size)) + mask._size
    if mask.requires_grad or any(one not in (1, other) for one, other in zip(size, scores, strict=False)):
        return None
    if len(size) != len(scores):
        return None
    array = raw_array(mask).reshape(size)
    if mask._dtype is dtypes.bool:
        array = XP.where(array, number(0), number(-XP.inf))
    return _as_images(array)


# --- on arrays -------------------------------------------------------------------------------------------------------


def blocks(scores: tuple[int, ...], itemsize: int) -> Iterator[slice]:
    """Blocks of batch items whose scores, of size (batch, heads, L, S), fit in the cache: at least one item."""
    step = max(1, _MOST // (math.prod(scores[1:]) * itemsize))
    for start in range(0, scores[0], step):
        yield slice(start, start + step)


def turned(array: Array, factor: Any) -> Array:
    """Matrices times a number, transposed into a copy: BLAS multiplies a copy faster than a view."""
    product = XP.empty((*array.shape[:-2], array.shape[-1], array.shape[-2]), array.dtype)
    return XP.multiply(array.swapaxes(-1, -2), factor, product)


def weights_of(query: Array, key: Array, mask: Array | None, out: Array) -> Array:
    """The softmax of ``query @ key + mask`` in the last dimension, in `out`; zeros for a query with all keys masked.

    The maximum of each row is subtracted only if a sum of exponentials shows overflow, underflow or a value close to
    it.
    """
    scores = _scores(query, key, mask, out)
    ones = XP.ones(scores.shape[-1], scores.dtype)
    sums = XP.exp(scores, scores).dot(ones)
    if not (sums.min() > _LEAST_SUM and sums.max() < _MOST_SUM):
        _scores(query, key, mask, out)
        largest = scores.max(-1, keepdims=True)
        if mask is not None:
            largest[largest == -XP.inf] = 0
        XP.subtract(scores, largest, scores)
        sums = XP.exp(scores, scores).dot(ones)
        if mask is not None:
            sums[sums == 0] = 1
    return XP.multiply(scores, XP.divide(1, sums, sums)[..., None], scores)


def _scores(query: Array, key: Array, mask: Array | None, out: Array) -> Array:
    scores = XP.matmul(query, key, out)
    return scores if mask is None else XP.add(scores, mask, scores)


def of_block(mask: Array | None, block: slice) -> Array | None:
    """The part of a mask for these batch items."""
    return mask if mask is None or len(mask) == 1 else mask[block]


def _forward(
    xp: Any, query: Array, key: Array, value: Array, weights: Array, output: Array, mask: Array | None, scale: float
) -> None:
    factor = weights.dtype.type(scale)
    for block in blocks(weights.shape, weights.itemsize):
        shares = weights_of(query[block], turned(key[block], factor), of_block(mask, block), weights[block])
        xp.matmul(shares, value[block], output[block])


def _backward(
    xp: Any, weights: Array, grad: Array, output: Array, query: Array, key: Array, value: Array, scale: float,
    wanted: Sequence[bool], in_blocks: bool,
) -> list[Array | None]:  # fmt: skip
    inputs = (query, key, value)
    orders = [(0, 2, 1, 3)] * 3 if in_blocks else [None, (0, 1, 3, 2), None]
    targets = [
        HOST.empty(HOST.dtype_of(array), array.shape, order) if is_wanted else None
        for array, order, is_wanted in zip(inputs, orders, wanted, strict=True)
    ]
    of_query, of_key, of_value = targets
    factor = weights.dtype.type(scale)
    for block in blocks(weights.shape, weights.itemsize):
        kept, towards = weights[block], xp.ascontiguousarray(grad[block])
        if of_value is not None:
            xp.matmul(kept.swapaxes(-1, -2), towards, of_value[block])
        of_scores = xp.matmul(towards, turned(value[block], factor))
        xp.subtract(of_scores, (xp.vecdot(towards, output[block]) * factor)[..., None], of_scores)
        xp.multiply(of_scores, kept, of_scores)
        if of_query is not None:
            xp.matmul(of_scores, key[block], of_query[block])
        if of_key is not None:
            xp.matmul(of_scores.swapaxes(-1, -2), query[block], of_key[block])
    return targets
