"""Distances, and vectors scaled to length 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.tensor.tensor import Tensor

cosine_similarity = torch.cosine_similarity
pairwise_distance = torch.pairwise_distance
pdist = torch.pdist


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` divided by their `p`-norm, or by `eps` where the norm is smaller."""
    length = _lengths(input, p, dim, input.norm).clamp_min(eps).expand_as(input)
    return input / length if out is None else torch.div(input, length, out=out)


@parsed("linalg_vector_norm", "input", "p", "dim")
def _lengths(input: Tensor, p: float, dim: Any, norm: Callable[..., Tensor]) -> Tensor:
    return norm(p, dim, keepdim=True)
