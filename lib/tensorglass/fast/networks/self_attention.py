"""The shortcut of self-attention: input projections, attention in each head, and the output projection.

It is one node of the graph. Queries, keys and values stay in the matrix that the projection made: heads are strided
views of it, and their gradients are written to one matrix of the same form, a few batch items at a time. Kept are this
matrix, the attention weights and the heads' outputs; scores become weights in place. Second derivatives use operators
on tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tensorglass.autograd.backward import grad as gradients
from tensorglass.autograd.function import Function
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.fast.networks.one_node import is_usual
from tensorglass.fast.networks.scaled_dot_product import blocks, of_block, turned, weights_of
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.reductions.softmax import softmax as softmax_of_tensor
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import enable_grad, no_grad, state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Any]
XP = HOST.xp


class SelfAttention(Function):
    """Input (L, batch, E), weight (3E, E), bias (3E), weight (E, E), bias (E) → (L, batch, E)."""

    @staticmethod
    def forward(ctx: Any, heads: int, mask: Any, noise: Any, *inputs: Tensor) -> Tensor:
        ctx.heads, ctx.mask = heads, mask
        arrays = [raw_array(tensor) for tensor in inputs]
        kept_or_not = None if noise is None else raw_array(noise)
        output, *kept = HOST.launch(_forward, *arrays, heads, mask, kept_or_not)
        ctx.save_for_backward(noise, *[_tensor(array, inputs[0]) for array in kept], *inputs)
        return _tensor(output, inputs[0])

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        noise, projected, weights, attended, *inputs = ctx.saved_tensors
        wanted = ctx.needs_input_grad[3:]
        if state.grad:
            with enable_grad():
                output = _by_tensors(ctx.heads, ctx.mask, noise, *inputs)
            asked = [input for input, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
            of_inputs = iter(gradients((output,), asked, (grad,), create_graph=True))
            return None, None, None, *[next(of_inputs) if is_wanted else None for is_wanted in wanted]
        x, weight, _, last, _ = inputs
        arrays = [raw_array(tensor) for tensor in (grad, projected, weights, attended, x, weight, last)]
        kept_or_not = None if noise is None else raw_array(noise)
        answers = HOST.launch(_backward, *arrays, ctx.heads, kept_or_not, wanted)
        return None, None, None, *[None if answer is None else _laid_out(answer, x) for answer in answers]


def _by_tensors(
    heads: int, mask: Any, noise: Any, x: Tensor, weight: Tensor, bias: Tensor, last: Tensor, last_bias: Tensor
) -> Tensor:
    """The same by differentiable operators."""
    length, batch, width = x._size
    parts = (x.reshape(-1, width) @ weight.t() + bias).view(length, batch, 3, heads, width // heads)
    query, key, value = parts.permute(2, 1, 3, 0, 4).unbind(0)
    scores = (query * math.sqrt(heads / width)) @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores + _tensor(mask, x)
        sees_none = (scores == -math.inf).all(-1, keepdim=True)
        shares = softmax_of_tensor(scores.masked_fill(sees_none, 0.0), -1).masked_fill(sees_none, 0.0)
    else:
        shares = softmax_of_tensor(scores, -1)
    attended = (shares if noise is None else shares * noise) @ value
    flat: Tensor = attended.permute(2, 0, 1, 3).reshape(-1, width) @ last.t() + last_bias
    return flat.view(length, batch, width)


def of_attention(form: Form) -> Form:
    """A shortcut before `form`, multi-head attention, if query, key and value are one tensor; returns no weights."""

    @wraps(form)
    def attention_first(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 13 and keywords.get("need_weights") is False:
            result = _attended(*arguments, **keywords)
            if result is not None:
                return result, None
        return form(*arguments, **keywords)

    return attention_first


def _attended(
    query: Any, key: Any, value: Any, width: int, heads: int, weight: Any, bias: Any, bias_k: Any, bias_v: Any,
    add_zero_attn: bool, dropout_p: float, last: Any, last_bias: Any, *, training: bool = True,
    key_padding_mask: Any = None, attn_mask: Any = None, use_separate_proj_weight: bool = False,
    is_causal: bool = False, **others: Any,
) -> Tensor | None:  # fmt: skip
    is_to_itself = query is key is value and bias_k is bias_v is None
    if not is_to_itself or add_zero_attn or use_separate_proj_weight or (is_causal and attn_mask is None):
        return None
    inputs = (query, weight, bias, last, last_bias)
    if bias is None or last_bias is None or not is_usual(query, inputs[1:]):
        return None
    size = query._size
    fits = len(size) == 3 and size[2] == width and width % heads == 0 and (
        weight._size == (3 * width, width) and bias._size == (3 * width,) and last._size == (width, width)
        and last_bias._size == (width,)
    )  # fmt: skip
    if not fits:
        return None
    mask = None
    if attn_mask is not None or key_padding_mask is not None:
        if is_causal and key_padding_mask is None:
            mask = XP.triu(XP.full((size[0], size[0]), -XP.inf, raw_array(query).dtype), 1)[None, None]
        else:
            mask = _added_mask(attn_mask, key_padding_mask, (size[1], heads, size[0]), query)
        if mask is None:
            return None
    noise = None
    if training and dropout_p > 0:
        if dropout_p >= 1:
            return None
        with no_grad():
            noise = query.new_empty((size[1], heads, size[0], size[0])).bernoulli_(1 - dropout_p).div_(1 - dropout_p)
    result: Tensor = SelfAttention.apply(heads, mask, noise, *inputs)
    return result


def _added_mask(mask: Any, padding: Any, size: tuple[int, int, int], like: Tensor) -> Array | None:
    """The sum of both additive masks: (batch or 1, heads or 1, L or 1, L). None for other kinds of masks."""
    batch, heads, length = size
    if mask is not None and padding is not None and mask._dtype is not padding._dtype:  # deprecated, with a warning
        return None
    sizes = {(length, length): (1, 1, length, length), (batch * heads, length, length): (batch, heads, length, length)}
    masks = []
    for tensor, known in ((mask, sizes), (padding, {(batch, length): (batch, 1, 1, length)})):
        if tensor is None:
            continue
        if (
            type(tensor) not in PLAIN_TYPES
            or tensor._dtype not in (dtypes.bool, like._dtype)
            or tensor._size not in known
        ):
            return None
        if tensor._storage.device is not CPU or (tensor._meta is not None and tensor.requires_grad):
            return None
        array = raw_array(tensor)
        if tensor._dtype is dtypes.bool:
            array = XP.where(array, raw_array(like).dtype.type(-XP.inf), raw_array(like).dtype.type(0))
        masks.append(array.reshape(known[tensor._size]))
    whole: Array = masks[0] + masks[1] if len(masks) == 2 else masks[0].copy()
    return whole


def _tensor(array: Array, like: Tensor) -> Tensor:
    return from_array(array, like._dtype, like._storage)


def _laid_out(array: Array, like: Tensor) -> Tensor:
    """A tensor on an array whose first two dimensions may be transposed in memory."""
    if array.ndim == 3 and not array.flags.c_contiguous:
        return _tensor(array.transpose(1, 0, 2), like).transpose(0, 1)
    return _tensor(array, like)


# --- on arrays -------------------------------------------------------------------------------------------------------


def _is_batch_first(x: Array) -> bool:
    return not x.flags.c_contiguous


def _as_rows(array: Array, is_batch_first: bool) -> Array:
    """(L, batch, E) as a matrix, in the order of the input's memory."""
    if is_batch_first:
        array = array.transpose(1, 0, 2)
    return array.reshape(-1, array.shape[2])


def _images(rows: Array, batch: int, is_batch_first: bool) -> Array:
    """Rows as (batch, L, columns)."""
    columns = rows.shape[1]
    return rows.reshape(batch, -1, columns) if is_batch_first else rows.reshape(-1, batch, columns).transpose(1, 0, 2)


def _in_heads(images: Array, parts: int, heads: int) -> list[Array]:
    """The columns split into parts of (batch, heads, L, E / heads), as views."""
    batch, length, columns = images.shape
    cut = images.reshape(batch, length, parts, heads, columns // (parts * heads))
    return [cut[:, :, number].transpose(0, 2, 1, 3) for number in range(parts)]


def _forward(
    xp: Any, x: Array, weight: Array, bias: Array, last: Array, last_bias: Array, heads: int, mask: Array | None,
    noise: Array | None,
) -> tuple[Array, ...]:  # fmt: skip
    """The output, and what is kept: queries, keys and values in one matrix, attention weights, the heads' outputs."""
    length, batch, width = x.shape
    is_batch_first, dtype = _is_batch_first(x), HOST.dtype_of(x)
    rows = _as_rows(x, is_batch_first)
    projected = matrix_product(xp, rows, weight.T, HOST.empty(dtype, (len(rows), 3 * width)))
    weights = HOST.empty(dtype, (batch, heads, length, length))
    attended = xp.empty(rows.shape, rows.dtype)
    images, of_images = (_images(array, batch, is_batch_first) for array in (projected, attended))
    (of_heads,), projections = _in_heads(of_images, 1, heads), _in_heads(images, 3, heads)
    scale = x.dtype.type(math.sqrt(heads / width))
    for block in blocks(weights.shape, weights.itemsize):
        xp.add(images[block], bias, images[block])
        query, key, value = [projection[block] for projection in projections]
        shares = weights_of(query, turned(key, scale), of_block(mask, block), weights[block])
        xp.matmul(shares if noise is None else shares * noise[block], value, of_heads[block])
    output = matrix_product(xp, attended, last.T)
    target = HOST.empty(dtype, (length, batch, width))
    xp.add(_images(output, batch, is_batch_first).transpose(1, 0, 2), last_bias, target)
    return target, projected, weights, attended


def _backward(
    xp: Any, grad: Array, projected: Array, weights: Array, attended: Array, x: Array, weight: Array, last: Array,
    heads: int, noise: Array | None, wanted: Sequence[bool],
) -> list[Array | None]:  # fmt: skip
    """The wanted gradients of input, weights and biases."""
    is_batch_first, batch, width = _is_batch_first(x), x.shape[1], x.shape[2]
    answers: list[Array | None] = [None] * 5
    rows = _as_rows(grad, is_batch_first)
    if wanted[3]:
        answers[3] = matrix_product(xp, rows.T, attended)
    if wanted[4]:
        answers[4] = total(xp, rows, (0,)).reshape(-1)
    if not any(wanted[:3]):
        return answers
    scale = x.dtype.type(math.sqrt(heads / width))
    towards = matrix_product(xp, rows, last)
    towards_projected = HOST.empty(HOST.dtype_of(x), projected.shape)
    of_bias = xp.zeros(3 * width, x.dtype)
    in_heads = (len(rows), heads, width // heads)
    shares = xp.vecdot(towards.reshape(in_heads), attended.reshape(in_heads)) * scale
    images, of_images, towards_images, shares = (
        _images(array, batch, is_batch_first) for array in (projected, towards_projected, towards, shares)
    )
    (towards_heads,), shares = _in_heads(towards_images, 1, heads), shares.transpose(0, 2, 1)[..., None]
    projections, of_projections = _in_heads(images, 3, heads), _in_heads(of_images, 3, heads)
    scratch: Array | None = None
    for block in blocks(weights.shape, weights.itemsize):
        kept, towards = weights[block], towards_heads[block]
        query, key, value = [projection[block] for projection in projections]
        of_query, of_key, of_value = [projection[block] for projection in of_projections]
        dropped = kept if noise is None else kept * noise[block]
        xp.matmul(dropped.swapaxes(-1, -2), towards, of_value)
        scratch = xp.empty(kept.shape, kept.dtype) if scratch is None else scratch[: len(kept)]
        of_scores = xp.matmul(towards, turned(value, scale), scratch)
        if noise is not None:
            xp.multiply(of_scores, noise[block], of_scores)
        xp.subtract(of_scores, shares[block], of_scores)
        xp.multiply(of_scores, kept, of_scores)
        xp.matmul(of_scores, key, of_query)
        xp.matmul(of_scores.swapaxes(-1, -2), query, of_key)
        if wanted[2]:
            xp.add(of_bias, total(xp, of_images[block], (0, 1)).reshape(-1), of_bias)
    if wanted[0]:
        answers[0] = _images(matrix_product(xp, towards_projected, weight), batch, is_batch_first).transpose(1, 0, 2)
    if wanted[1]:
        answers[1] = matrix_product(xp, towards_projected.T, _as_rows(x, is_batch_first))
    answers[2] = of_bias if wanted[2] else None
    return answers
