"""`LowRankMultivariateNormal`: normal vectors whose covariance has few parameters.

The covariance is ``W Wᵀ + D``, with a factor W of few columns and a diagonal D. Its inverse and its determinant need no
matrix larger than the capacitance ``C = 1 + Wᵀ D⁻¹ W``, by Woodbury's identity and the matrix determinant lemma
(Petersen and Pedersen, "The Matrix Cookbook").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.distribution import Distribution, lazy_property
from tensorglass.tensor.tensor import Tensor


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with mean `loc` and covariance ``cov_factor @ cov_factor.T + diag(cov_diag)``.

    `loc` and `cov_diag` have size (…, D), `cov_factor` (…, D, R).
    """

    arg_constraints: ClassVar[constraints.Constraints] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        event_shape = loc.shape[-1:]
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc = loc.expand((*batch_shape, -1))
        self.cov_factor = cov_factor.expand((*batch_shape, -1, -1))
        self.cov_diag = cov_diag.expand((*batch_shape, -1))
        # Kept before expansion, so that results are not computed again for each distribution of the batch.
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        weighted = cov_factor.mT / cov_diag.unsqueeze(-2)  # Wᵀ D⁻¹
        self._capacitance_tril = torch.linalg.cholesky(_plus_identity(weighted @ cov_factor))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, self._get_checked_instance(LowRankMultivariateNormal, _instance))
        for name in ("variance", "scale_tril", "covariance_matrix", "precision_matrix"):
            vars(new).pop(name, None)
        return new

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each element."""
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._extended_shape())

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance: ``D^½ L``, with ``L Lᵀ = 1 + D^-½ W Wᵀ D^-½``, which is far from 0."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._of_all(root * torch.linalg.cholesky(_plus_identity(scaled @ scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor, diagonal = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return self._of_all(factor @ factor.mT + diagonal.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance: ``D⁻¹ - D⁻¹ W C⁻¹ Wᵀ D⁻¹``."""
        part = self._solved(self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2))
        return self._of_all(self._unbroadcasted_cov_diag.reciprocal().diag_embed() - part.mT @ part)

    def _of_all(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._extended_shape() + self._event_shape)

    def _solved(self, right: Tensor) -> Tensor:
        """``L⁻¹`` times a matrix, where ``L Lᵀ = C``."""
        return torch.linalg.solve_triangular(self._capacitance_tril, right, upper=False)

    def _log_det(self) -> Tensor:
        """The logarithm of the covariance's determinant: the sum of those of C and D."""
        of_capacitance = 2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return of_capacitance + self._unbroadcasted_cov_diag.log().sum(-1)

    def _squared_distance(self, away: Tensor) -> Tensor:
        """The squared Mahalanobis distance of vectors from the mean: ``xᵀ (W Wᵀ + D)⁻¹ x``."""
        weighted = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        part = self._solved(weighted @ away.unsqueeze(-1)).squeeze(-1)
        return (away.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - part.pow(2).sum(-1)

    def _trace_of_precision_with(self, factor: Tensor) -> Tensor:
        """The trace of the precision times ``F Fᵀ``."""
        part = self._solved((self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)) @ factor)
        return (factor.pow(2) / self._unbroadcasted_cov_diag.unsqueeze(-1)).sum((-2, -1)) - part.pow(2).sum((-2, -1))

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        of_factor = self.loc.new_empty((*shape[:-1], self.cov_factor.size(-1))).normal_()
        of_diagonal = self.loc.new_empty(shape).normal_()
        along = (self._unbroadcasted_cov_factor @ of_factor.unsqueeze(-1)).squeeze(-1)
        return self.loc + along + self._unbroadcasted_cov_diag.sqrt() * of_diagonal

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        squared = self._squared_distance(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + squared)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


def _plus_identity(matrix: Tensor) -> Tensor:
    return matrix + torch.eye(matrix.size(-1), dtype=matrix.dtype, device=matrix.device)
