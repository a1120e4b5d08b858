"""Distances, and vectors made as long as 1."""

from __future__ import annotations

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

cosine_similarity = torch.cosine_similarity
pairwise_distance = torch.pairwise_distance
pdist = torch.pdist


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` divided by their `p`-norm, or by `eps` where that is smaller."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else torch.div(input, length, out=out)
