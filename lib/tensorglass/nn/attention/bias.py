"""Causal masks for `nn.functional.scaled_dot_product_attention`: a query attends to the keys up to its own position."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import disabled_torch_function

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Which corner the triangle is aligned with, if the numbers of queries and keys differ."""

    UPPER_LEFT = auto()  #: the first query attends to the first key only
    LOWER_RIGHT = auto()  #: the last query attends to every key


class CausalBias(Tensor):
    """A causal bool mask of size (`seq_len_q`, `seq_len_kv`) and its `variant`. Results computed with it are plain
    tensors.
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        shift = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        return torch.ones(seq_len_q, seq_len_kv, dtype=torch.bool).tril(shift).as_subclass(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")

    __torch_function__ = classmethod(disabled_torch_function)

    def __repr__(self) -> str:  # type: ignore[override]  # as a plain tensor
        return repr(self.as_subclass(Tensor))


def causal_upper_left(*size: int) -> CausalBias:
    """The mask in which query i attends to keys 0 to i."""
    return _of_size(CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask in which the last query attends to all keys, and each query before it to one key fewer."""
    return _of_size(CausalVariant.LOWER_RIGHT, size)


def _of_size(variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"causal_{variant.name.lower()} only supports 2D tensors")
    return CausalBias(variant, *size)
