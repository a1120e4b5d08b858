"""`LKJCholesky`: correlation matrices, by their Cholesky factors.

They are drawn row by row, as points of half a ball: Lewandowski, Kurowicka and Joe, "Generating random correlation
matrices based on vines and extended onion method" (2009).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.distribution import Distribution, Value, broadcast_all
from tensorglass.distributions.gamma_family import Beta
from tensorglass.tensor.tensor import Tensor


class LKJCholesky(Distribution):
    """Cholesky factors L of correlation matrices ``L @ L.T``, with a density proportional to ``det(L @
    L.T)^(concentration - 1)``.

    With a `concentration` of 1, all correlation matrices with `dim` rows are equally likely.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Value = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        before = (torch.arange(dim, device=self.concentration.device).to(self.concentration.dtype) - 1).clamp(min=0)
        whole = self.concentration + 0.5 * (dim - 2)
        # The squared length of each row's part below the diagonal. As in PyTorch, the first parameter grows by 1 from
        # row to row; in the paper it grows by 1/2, so the two agree only for matrices of two rows.
        self._beta = Beta(before + 0.5, whole.unsqueeze(-1) - 0.5 * before)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, self._get_checked_instance(LKJCholesky, _instance))
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return new

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        with torch.no_grad():
            squares = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            directions = torch.randn(shape, dtype=squares.dtype, device=squares.device).tril(-1)
            directions[..., 1:, :] /= directions[..., 1:, :].norm(dim=-1, keepdim=True)
            below = squares.sqrt() * directions
            left = 1 - (below**2).sum(-1)
            return below + left.clamp(min=torch.finfo(left.dtype).tiny).sqrt().diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        count = self.dim - 1
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        powers = torch.arange(count, device=self.concentration.device).flip(0)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + powers
        half = self.concentration + 0.5 * count
        volume = 0.5 * count * math.log(math.pi) + torch.mvlgamma(half - 0.5, count) - torch.lgamma(half) * count
        return (powers * diagonal.log()).sum(-1) - volume
