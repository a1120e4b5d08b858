"""`MultiheadAttention`: attention in several heads side by side."""

from __future__ import annotations

from typing import Any

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.nn import init
from tensorglass.nn.modules.linear import NonDynamicallyQuantizableLinear
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parameter import Parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Query (L, batch, E), key (S, batch, kdim), value (S, batch, vdim) → (L, batch, E) and the weights (batch, L, S).

    With `batch_first` the batch is the first dimension; inputs may also have no batch dimension. The E (`embed_dim`)
    features are divided among `num_heads` heads. `in_proj_weight` stacks the projections of query, key and value (three
    weights if `kdim` or `vdim` differ from E); `out_proj` is a linear layer. `add_bias_kv` adds a learned key and
    value, `add_zero_attn` a key and value of zeros.
    """

    __constants__ = ("batch_first",)

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def new_parameter(*size: int) -> Parameter:
            return Parameter(torch.empty(size, device=device, dtype=dtype))

        same = self._qkv_same_embed_dim
        if same:
            self.in_proj_weight = new_parameter(3 * embed_dim, embed_dim)
        widths = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        for name, width in widths.items():
            self.register_parameter(f"{name}_proj_weight", None if same else new_parameter(embed_dim, width))
        if not same:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", new_parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            self.bias_k: Any = new_parameter(1, 1, embed_dim)
            self.bias_v: Any = new_parameter(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        weights = (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        for weight in weights:
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.constant_(bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def merge_masks(self, attn_mask: Any, key_padding_mask: Any, query: Any) -> tuple[Any, int | None]:
        """One mask (batch, heads, L, S) of both, added, and 2; a padding mask alone as it is, and 1; no mask and None.

        The masks are those that `forward` computes with: numbers, of which -inf masks.
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """The outputs, and the weights if `need_weights`.

        A key is masked where `key_padding_mask` (batch, S) or `attn_mask` (L, S) or (batch * heads, L, S) is True or
        -inf. `is_causal` is a hint that `attn_mask` is the causal mask.
        """
        turned = self.batch_first and query.dim() == 3
        if turned:
            once = {id(tensor): tensor.transpose(1, 0) for tensor in (query, key, value)}
            query, key, value = once[id(query)], once[id(key)], once[id(value)]
        key_padding_mask = F._canonical_mask(
            key_padding_mask, "key_padding_mask", F._none_or_dtype(attn_mask), "attn_mask", query.dtype
        )
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(1, 0) if turned else output), weights
