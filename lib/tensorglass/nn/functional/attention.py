"""Attention: each query gets the mean of the values, weighted by how well each key matches the query.

Vaswani and others, "Attention Is All You Need" (2017).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import tensorglass as torch
from tensorglass.core.dtypes import C_NAMES
from tensorglass.geometry.strides import dim_order
from tensorglass.nn.functional.dropout import dropout
from tensorglass.nn.functional.linear import linear
from tensorglass.ops.arg_parser.checks import check_tensors
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_lower_precision
from tensorglass.ops.declare.seams import has_shortcut
from tensorglass.ops.nn.arguments import as_query_lies
from tensorglass.ops.rearrange.pad import pad


@parsed("scaled_dot_product_attention")
@has_shortcut("scaled_dot_product_attention")
@in_lower_precision
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """``softmax(query @ keyᵀ * scale + mask) @ value``: (…, L, E), (…, S, E), (…, S, Ev) → (…, L, Ev).

    `scale` defaults to ``1 / √E``. `attn_mask` broadcasts to (…, L, S). A query does not attend to a key where a bool
    mask is False, or where another mask is -inf; a query without any key returns zeros. With `is_causal`, query i
    attends to keys 0 to i. `dropout_p` is always applied: pass 0 when not training. With `enable_gqa`, several heads of
    queries share one head of keys and values (dimension -3).
    """
    check_tensors("scaled_dot_product_attention", query=query, key=key, value=value)
    _check_inputs(query, key, value, attn_mask, dropout_p, is_causal)
    if enable_gqa:
        if query.size(-3) % key.size(-3) or query.size(-3) % value.size(-3):
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
        value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
    if scale is None:
        scale = 1 / math.sqrt(query.size(-1)) if query.size(-1) else math.inf
    scores = (query * scale) @ key.transpose(-2, -1)
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        scores = scores.masked_fill(~seen, -math.inf)
    if attn_mask is not None:
        masked = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -math.inf) if masked else (scores + attn_mask).to(query.dtype)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:  # the softmax of a row of -inf, and its gradient, would be NaN
        sees_none = (scores == -math.inf).all(-1, keepdim=True)
        weights = torch.softmax(scores.masked_fill(sees_none, 0.0), dim=-1).masked_fill(sees_none, 0.0)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    output = weights @ value
    stride = as_query_lies(query, key, value)
    is_learned = attn_mask is not None and attn_mask.requires_grad
    if stride in (None, output.stride()) or dropout_p > 0.0 or is_learned:
        return output
    order = dim_order(output.size(), stride)
    return output.permute(order).contiguous().permute([order.index(dim) for dim in range(4)])


def _check_inputs(query: Any, key: Any, value: Any, mask: Any, dropout_p: float, is_causal: bool) -> None:
    if not query.dtype == key.dtype == value.dtype:
        q, k, v = (C_NAMES[tensor.dtype] for tensor in (query, key, value))
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {q} key.dtype: {k} and "
            f"value.dtype: {v} instead."
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    is_fused = dropout_p == 0.0 and query.dim() == 4 and not (mask is not None and mask.requires_grad)
    if mask is not None and is_causal and not is_fused:  # PyTorch's fused kernel takes both
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if dropout_p > 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if mask is not None and mask.dtype not in (torch.bool, query.dtype) and mask.dtype != torch.float32:
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{C_NAMES[mask.dtype]} and  query.dtype: {C_NAMES[query.dtype]} instead."
        )


def _none_or_dtype(input: Any) -> Any:
    return None if input is None else input.dtype


def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    """A mask that is added to scores: -inf where a bool mask is True."""
    if mask is None:
        return None
    is_float = torch.is_floating_point(mask)
    if mask.dtype != torch.bool and not is_float:
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    return mask if is_float else torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _all_there(*weights: Any) -> tuple[Any, ...]:
    """The weights of query, key and value; raises if one is missing."""
    for letter, weight in zip("qkv", weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {letter}_proj_weight is None")
    return weights


@has_shortcut("multi_head_attention")
def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """The function of `nn.MultiheadAttention`: query (L, batch, E), key and value (S, batch, E) → (L, batch, E),
    weights.

    Query, key and value are projected to E features, `num_heads` heads side by side; attention runs in each head; one
    more projection joins the heads. The weights have size (batch, L, S), their mean over the heads, or (batch, heads,
    L, S), or are None.
    """
    is_batched = _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not is_batched:
        query, key, value = _with_batch(query, key, value)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, embed_dim = query.shape
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        is_causal = is_causal and key_padding_mask is None
    if embed_dim != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}")
    head_dim = embed_dim // num_heads
    if head_dim * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    _check_lengths(key, value, use_separate_proj_weight)
    if use_separate_proj_weight:
        weights = _all_there(q_proj_weight, k_proj_weight, v_proj_weight)
    elif in_proj_weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    else:
        weights = in_proj_weight.chunk(3)
    q, k, v = _projected(query, key, value, weights, in_proj_weight, in_proj_bias, use_separate_proj_weight)
    attn_mask = _mask_of_heads(attn_mask, length, key.size(0), batch * num_heads)

    if (bias_k is None) != (bias_v is None):
        there, missing = ("bias_k", "bias_v") if bias_v is None else ("bias_v", "bias_k")
        raise AssertionError(f"{there} is set but {missing} is None")
    if bias_k is not None:
        if static_k is not None or static_v is not None:
            raise AssertionError(f"bias cannot be added to static {'key' if static_k is not None else 'value'}.")
        k = torch.cat([k, bias_k.repeat(1, batch, 1)])
        v = torch.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    heads = batch * num_heads
    q = q.view(length, heads, head_dim).transpose(0, 1)
    k = _static(static_k, "static_k", heads, head_dim, k)
    v = _static(static_v, "static_v", heads, head_dim, v)
    if add_zero_attn:
        zeros = k.new_zeros((heads, 1, head_dim))
        k, v = torch.cat([k, zeros], dim=1), torch.cat([v, zeros], dim=1)
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    span = k.size(1)
    if key_padding_mask is not None:
        if key_padding_mask.shape != (batch, span):
            raise AssertionError(
                f"Expected key_padded_mask.shape[{int(key_padding_mask.size(0) == batch)}] to be "
                f"{batch if key_padding_mask.size(0) != batch else span}, but got "
                f"{key_padding_mask.size(int(key_padding_mask.size(0) == batch))}"
            )
        padding = key_padding_mask.view(batch, 1, 1, span).expand(-1, num_heads, -1, -1).reshape(heads, 1, span)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    if not training:
        dropout_p = 0.0

    if not need_weights:
        if attn_mask is not None:
            one_mask = attn_mask.size(0) == 1 and attn_mask.dim() == 3
            attn_mask = attn_mask.unsqueeze(0) if one_mask else attn_mask.view(batch, num_heads, -1, span)
        q, k, v = (part.reshape(batch, num_heads, part.size(1), head_dim) for part in (q, k, v))
        output = scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
        output = linear(output.permute(2, 0, 1, 3).reshape(batch * length, embed_dim), out_proj_weight, out_proj_bias)
        output = output.view(length, batch, output.size(1))
        return (output if is_batched else output.squeeze(1)), None
    scaled = q * math.sqrt(1.0 / head_dim)
    if attn_mask is None:
        scores = torch.bmm(scaled, k.transpose(-2, -1))
    else:
        scores = torch.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
    shares = torch.softmax(scores, dim=-1)
    if dropout_p > 0.0:
        shares = dropout(shares, dropout_p)
    output = torch.bmm(shares, v).transpose(0, 1).reshape(length * batch, embed_dim)
    output = linear(output, out_proj_weight, out_proj_bias)
    output = output.view(length, batch, output.size(1))
    shares = shares.view(batch, num_heads, length, span)
    if average_attn_weights:
        shares = shares.mean(dim=1)
    return (output, shares) if is_batched else (output.squeeze(1), shares.squeeze(0))


def _with_batch(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Add a batch dimension of 1; tensors that are the same object stay the same object."""
    batched = {id(tensor): tensor.unsqueeze(1) for tensor in (query, key, value)}
    return batched[id(query)], batched[id(key)], batched[id(value)]


def _projected(
    query: Any, key: Any, value: Any, weights: Any, packed: Any, bias: Any, separate: bool
) -> tuple[Any, Any, Any]:
    """The three projections, computed by a single product if query, key and value are the same tensor."""
    if key is value and not separate:
        if query is key:
            q, k, v = _together(query, packed, bias, 3)
            return q, k, v
        sizes = [query.size(-1), 2 * query.size(-1)]
        of_query, of_others = packed.split(sizes)
        bias_of_query, bias_of_others = (None, None) if bias is None else bias.split(sizes)
        return linear(query, of_query, bias_of_query), *_together(key, of_others, bias_of_others, 2)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    if separate:
        return _in_projection(query, key, value, *weights, *biases)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    return q, k, v


def _together(input: Any, weight: Any, bias: Any, count: int) -> list[Any]:
    """Several projections of (L, batch, E), computed by one product."""
    parts = linear(input, weight, bias).view(*input.shape[:-1], count, weight.size(0) // count)
    return [part.contiguous() for part in parts.unbind(-2)]


def _in_projection(
    q: Any, k: Any, v: Any, w_q: Any, w_k: Any, w_v: Any, b_q: Any = None, b_k: Any = None, b_v: Any = None
) -> tuple[Any, Any, Any]:
    """The projections of query, key and value by weights of their own."""
    for name, weight, tensor in (("query", w_q, q), ("key", w_k, k), ("value", w_v, v)):
        expected = (q.size(-1), tensor.size(-1))
        if weight.shape != expected:
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {weight.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(q: Any, k: Any, v: Any, w: Any, b: Any = None) -> tuple[Any, Any, Any]:
    """The same by one weight, whose thirds they are."""
    return _projected(q, k, v, w.chunk(3), w, b, separate=False)


def _mask_of_heads(mask: Any, length: int, span: int, heads: int) -> Any:
    if mask is None:
        return None
    wanted = {2: (length, span), 3: (heads, length, span)}
    if mask.dim() not in wanted:
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if mask.shape != wanted[mask.dim()]:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted[mask.dim()]}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _one_more(mask: Any) -> Any:
    """A mask with one more column, which every query attends to."""
    return None if mask is None else pad(mask, (0, 1))


def _static(static: Any, name: str, heads: int, head_dim: int, computed: Any) -> Any:
    if static is None:
        return computed.view(computed.shape[0], heads, head_dim).transpose(0, 1)
    for dim, wanted in ((0, heads), (2, head_dim)):
        if static.size(dim) != wanted:
            raise AssertionError(f"expecting {name}.size({dim}) of {wanted}, but got {static.size(dim)}")
    return static


def _check_lengths(key: Any, value: Any, separate: bool) -> None:
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _check_dims(query: Any, key: Any, value: Any, padding: Any, mask: Any, num_heads: int) -> bool:
    """Whether there is a batch dimension; raises if the tensors' sizes do not fit."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    dims = query.dim()
    form = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(
            f"For {form} `query`, expected `key` and `value` to be {dims}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if padding is not None and padding.dim() != dims - 1:
        raise AssertionError(
            f"For {form} `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but found "
            f"{padding.dim()}-D tensor instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {form} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    if dims == 2 and mask is not None and mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return dims == 3
