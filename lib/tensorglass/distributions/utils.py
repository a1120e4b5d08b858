"""PyTorch's module of this name: what programs with distributions of their own import from it."""

from __future__ import annotations

from typing import Any

import tensorglass as torch
from tensorglass.distributions.discrete import clamp_probs
from tensorglass.distributions.distribution import broadcast_all, lazy_property
from tensorglass.distributions.distribution import sum_rightmost as _sum_rightmost
from tensorglass.distributions.vector_transforms import tril_matrix_to_vec, vec_to_tril_matrix
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "_standard_normal", "_sum_rightmost", "broadcast_all", "clamp_probs", "euler_constant", "lazy_property",
    "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix",
]  # fmt: skip

euler_constant = 0.57721566490153286060


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Numbers of the standard normal distribution."""
    return torch.randn(shape, dtype=dtype, device=device)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of logits along the last dimension; with `is_binary`, each logit is the logarithm of odds."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits of probabilities, which are kept within 0 and 1; with `is_binary`, the logarithm of their odds."""
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)
