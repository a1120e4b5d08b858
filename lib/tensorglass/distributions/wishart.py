"""`Wishart`: positive definite matrices, such as sample covariances.

They are drawn by Bartlett's decomposition (Odell and Feiveson, "A Numerical Procedure to Generate a Sample Covariance
Matrix", 1966): the Cholesky factor has roots of chi-square variables on its diagonal and normal variables below it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.continuous import MultivariateNormal
from tensorglass.distributions.distribution import ExponentialFamily, Value, lazy_property
from tensorglass.distributions.gamma_family import Chi2
from tensorglass.tensor.tensor import Tensor


class Wishart(ExponentialFamily):
    """Wishart's distribution of D × D matrices ``x @ x.T``, where x has `df` columns that are normal vectors.

    One of three matrices gives their covariance: itself, its inverse, or its Cholesky factor `scale_tril`. `df` need
    not be an integer, but is greater than D - 1.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:  # type: ignore[override]  # by the matrices' size
        """The constraint of `df` depends on the size of the matrices."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Value,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        named = {
            "scale_tril": scale_tril, "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix
        }  # fmt: skip
        given = {name: matrix for name, matrix in named.items() if matrix is not None}
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        count = matrix.size(-1)
        if not isinstance(df, Tensor):
            df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
        self.df = df.expand(batch_shape) if df.dim() else df
        if (self.df <= count - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {count - 1}.")
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if (self.df < count).any():
            warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        of_vectors = MultivariateNormal(matrix.new_zeros(count), validate_args=False, **given)
        self._unbroadcasted_scale_tril = of_vectors._unbroadcasted_scale_tril
        self._chi2 = self._of_diagonal()

    def _of_diagonal(self) -> Chi2:
        factor = self._unbroadcasted_scale_tril
        steps = torch.arange(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        return Chi2((self.df.unsqueeze(-1) - steps).expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, self._get_checked_instance(Wishart, _instance))
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand((*batch_shape, -1, -1))
        new._chi2 = new._of_diagonal()
        return new

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._of_all(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the normal vectors."""
        return self._of_all(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._of_all(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _of_all(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._extended_shape())

    def _per_matrix(self, number: Tensor) -> Tensor:
        return number.expand(self._batch_shape)[..., None, None]

    @property
    def mean(self) -> Tensor:
        return self._per_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._event_shape[-1] - 1
        return self._per_matrix(factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._per_matrix(self.df) * (covariance.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _drawn(self, sample_shape: Sequence[int]) -> Tensor:
        roots = self._chi2.rsample(sample_shape).sqrt()
        roots = roots.clamp(min=torch.finfo(roots.dtype).eps)
        below = torch.randn(self._extended_shape(sample_shape), dtype=roots.dtype, device=roots.device).tril(-1)
        factor = self._unbroadcasted_scale_tril @ (roots.diag_embed() + below)
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = Size(), max_try_correction: int | None = None) -> Tensor:
        """Draw samples through which gradients flow. A sample that rounding makes singular is drawn again.

        At most `max_try_correction` times, by default 10.
        """
        sample = self._drawn(sample_shape)
        for attempt in range(10 if max_try_correction is None else max_try_correction):
            is_singular = ~self.support.check(sample.detach())
            if not is_singular.any():
                break
            if attempt == 0:
                warn("Singular sample detected.")
            sample = torch.where(is_singular[..., None, None], self._drawn(sample_shape), sample)
        return sample

    def _half_log_det(self) -> Tensor:
        """Half of the logarithm of the determinant of twice the covariance."""
        diagonal = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1)
        half: Tensor = self._event_shape[-1] * math.log(2) / 2 + diagonal.log().sum(-1)
        return half

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        count = self._event_shape[-1]
        log_det = torch.linalg.slogdet(value).logabsdet
        trace = torch.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        volume = self.df * self._half_log_det() + torch.mvlgamma(self.df / 2, count)
        return (self.df - count - 1) / 2 * log_det - trace / 2 - volume

    def entropy(self) -> Tensor:
        count = self._event_shape[-1]
        halves = torch.arange(count, dtype=self.df.dtype, device=self.df.device) / 2
        digammas = torch.digamma((self.df / 2).unsqueeze(-1) - halves).sum(-1)
        volume = (count + 1) * self._half_log_det() + torch.mvlgamma(self.df / 2, count)
        return volume - (self.df - count - 1) / 2 * digammas + self.df * count / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural: Tensor) -> Tensor:
        x, y = natural
        count = self._event_shape[-1]
        half = y + (count + 1) / 2
        return half * (count * math.log(2) - torch.linalg.slogdet(-2 * x).logabsdet) + torch.mvlgamma(half, count)
