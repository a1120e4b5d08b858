"""The Transformer: blocks of attention and of two linear layers, each with a residual connection.

Vaswani and others, "Attention Is All You Need" (2017); Xiong and others, "On Layer Normalization in the Transformer
Architecture" (2020), for `norm_first`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.nn import functional as F
from tensorglass.nn import init
from tensorglass.nn.modules.activation import GELU, ReLU
from tensorglass.nn.modules.attention import MultiheadAttention
from tensorglass.nn.modules.container import ModuleList
from tensorglass.nn.modules.dropout import Dropout
from tensorglass.nn.modules.linear import Linear
from tensorglass.nn.modules.module import Module
from tensorglass.nn.modules.module.hooks import has_hooks
from tensorglass.nn.modules.module.inherited import named_after_subclass
from tensorglass.nn.modules.normalization import LayerNorm
from tensorglass.ops.declare.seams import has_shortcut

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Any], Any]


@named_after_subclass("__init__")
class _Layer(Module):
    """The base class of encoder and decoder layers: attention, two linear layers, and a dropout and a norm for each."""

    __constants__ = ("norm_first",)
    _attentions: tuple[str, ...]  #: the names of the attention modules

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        options: dict[str, Any] = {"dropout": dropout, "batch_first": batch_first, "bias": bias, **place}
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, **options))
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **place)
        self.norm_first = norm_first
        parts = range(1, len(self._attentions) + 2)
        for part in parts:
            setattr(self, f"norm{part}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place))
        for part in parts:
            setattr(self, f"dropout{part}", Dropout(dropout))
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation
        if len(self._attentions) == 1:  # PyTorch's encoder layers have it, and copies of its `forward` read it
            self.activation_relu_or_gelu = _number(self.activation)

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        attended, _ = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )
        return self.dropout1(attended)


class TransformerEncoderLayer(_Layer):
    """Attention among the elements of a sequence, then two linear layers for each: (S, batch, E) → (S, batch, E)::

        x = norm1(x + attention(x))        # with norm_first: x + attention(norm1(x))
        x = norm2(x + feed_forward(x))

    The linear layers go to `dim_feedforward` features and back, with an activation ("relu", "gelu" or a function)
    between them. With `batch_first` the batch is the first dimension.
    """

    _attentions = ("self_attn",)

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """The formula of the class; masks as in `MultiheadAttention`."""
        src_key_padding_mask = F._canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(src_mask), "src_mask", src.dtype
        )
        src_mask = F._canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(_feed_forward(self, x))


def _number(activation: Any) -> int:
    """1 for relu, 2 for gelu, 0 for anything else."""
    for number, (function, module) in enumerate(((F.relu, ReLU), (F.gelu, GELU)), 1):
        if activation is function or isinstance(activation, module):
            return number
    return 0


def _feed_forward(layer: Any, x: Any) -> Any:
    """The two linear layers of a block, with activation and dropout between."""
    first, dropout, second = layer.linear1, layer.dropout, layer.linear2
    if layer.activation is F.relu and _is_plain(first, Linear) and _is_plain(dropout, Dropout) and (
        _is_plain(second, Linear)
    ):  # fmt: skip
        p = dropout.p if dropout.training else 0.0
        return _by_functions(x, first.weight, first.bias, second.weight, second.bias, p)
    return second(dropout(layer.activation(first(x))))


def _is_plain(module: Module, kind: type) -> bool:
    """Whether calling the module only calls the function of its class: no hooks and no overrides."""
    return type(module) is kind and "forward" not in vars(module) and not has_hooks(module)


@has_shortcut("feed_forward")
def _by_functions(x: Any, weight1: Any, bias1: Any, weight2: Any, bias2: Any, p: float) -> Any:
    """The same, for layers whose inputs and outputs no hook or override can observe."""
    return F.linear(F.dropout(F.relu(F.linear(x, weight1, bias1)), p), weight2, bias2)


class TransformerDecoderLayer(_Layer):
    """As the encoder's, with attention to the encoder's output between: (T, batch, E), (S, batch, E) → (T, batch, E)::

    x = norm1(x + attention(x))
    x = norm2(x + attention(x, memory))
    x = norm3(x + feed_forward(x))
    """

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """The formula of the class; masks as in `MultiheadAttention`."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        attended, _ = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )
        return self.dropout2(attended)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(_feed_forward(self, x))


class TransformerEncoder(Module):
    """`num_layers` copies of a layer in sequence, followed by `norm` if it is given.

    PyTorch skips padded elements where it can: in evaluation, without gradients, with padding at the ends of sequences.
    Their outputs are zeros then, as they are here. `enable_nested_tensor` allows it; `mask_check` is accepted and
    ignored: the padding is always checked.
    """

    __constants__ = ("norm",)

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        reason = _why_padding_is_computed(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        self.mask_check = mask_check
        if enable_nested_tensor and reason:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """The output of the last layer; masks as in `MultiheadAttention`. Without `is_causal`, it is detected from
        `mask`.
        """
        src_key_padding_mask = F._canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(mask), "mask", src.dtype
        )
        mask = F._canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, self.layers[0].self_attn.batch_first))
        is_padding_left_out = mask is None and self._leaves_out(src, src_key_padding_mask)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        if is_padding_left_out:
            src = src.masked_fill(src_key_padding_mask.bool().unsqueeze(-1), 0.0)
        return src if self.norm is None else self.norm(src)

    def _leaves_out(self, src: Any, padding: Any) -> bool:
        """Whether the outputs of padded elements are zeros."""
        if padding is None or src.dim() != 3 or not self.use_nested_tensor or self.layers[0].training:
            return False
        if padding.dim() != 2:
            raise RuntimeError("Padding mask should be 2D")
        if padding.shape != src.shape[:2]:
            raise RuntimeError("Mask size should match input size")
        if torch.is_autocast_enabled():
            return False
        if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (src, *self.layers[0].parameters())):
            return False
        return bool((padding.bool().int().diff(dim=1) >= 0).all())  # no element after a padded one


class TransformerDecoder(Module):
    """`num_layers` copies of a layer in sequence, followed by `norm` if it is given."""

    __constants__ = ("norm",)

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The output of the last layer; masks as in `MultiheadAttention`."""
        size = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, size)
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder: source (S, batch, E) and target (T, batch, E) → (T, batch, E), where E is `d_model`."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(*options, **place)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*options, **place)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The decoder's output for the target and the encoded source; masks as in `MultiheadAttention`."""
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """The causal mask (sz, sz): -inf above the diagonal, 0 elsewhere."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for param in self.parameters():
            if param.dim() > 1:
                init.xavier_uniform_(param)


def _why_padding_is_computed(layer: Module) -> str:
    """Why `TransformerEncoder` does not skip padded elements, in PyTorch's words; "" if it does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention, activation = layer.self_attn, layer.activation
    checks = {
        "norm_first was True": layer.norm_first,
        "self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        "self_attn was passed bias=False": attention.in_proj_bias is None,
        "activation_relu_or_gelu was not True": (
            activation not in (F.relu, F.gelu) and not isinstance(activation, ReLU | GELU)
        ),
        "norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "self_attn.num_heads is odd": attention.num_heads % 2,
    }
    return next((f"encoder_layer.{reason}" for reason, holds in checks.items() if holds), "")


def _get_clones(module: Module, N: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _get_activation_fn(activation: str) -> Callable[[Any], Any]:
    named = {"relu": F.relu, "gelu": F.gelu}
    if activation not in named:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return named[activation]


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
    return torch.triu(torch.full((sz, sz), -math.inf, dtype=dtype, device=device), diagonal=1)


def _get_seq_len(src: Any, batch_first: bool) -> int:
    return int(src.size(1 if src.dim() == 3 and batch_first else 0))


def _detect_is_causal_mask(mask: Any, is_causal: bool | None = None, size: int | None = None) -> bool:
    """What is said of the mask; if nothing is, whether it is the causal mask of this size."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(mask.size(-2) if size is None else size, mask.device, mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())
