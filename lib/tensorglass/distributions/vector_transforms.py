"""Transforms to constrained vectors and matrices: probabilities that sum to 1, and factors of positive definite
matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorglass as torch
from tensorglass.distributions import constraints
from tensorglass.distributions.transform import Fixed, Transform, check_dims
from tensorglass.nn.functional import logsigmoid, pad, softplus
from tensorglass.tensor.tensor import Tensor


def clipped_sigmoid(x: Tensor) -> Tensor:
    """The sigmoid, clamped to be neither 0 nor 1."""
    limits = torch.finfo(x.dtype)
    return torch.sigmoid(x).clamp(min=limits.tiny, max=1.0 - limits.eps)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of matrices on and below the diagonal `diag`, row by row, as vectors."""
    count = mat.shape[-1]
    if not -count <= diag < count:
        raise ValueError(f"diag ({diag}) provided is outside [{-count}, {count - 1}].")
    return mat[..., _up_to(count, diag, mat)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The matrices whose elements on and below the diagonal `diag` are these, row by row."""
    length = vec.shape[-1]
    # A matrix of n rows has n (n + 1) / 2 elements up to its main diagonal; each diagonal more or less has one less.
    beyond = abs(diag) * (diag + 1)
    rows = (math.sqrt((1 + 2 * diag) ** 2 + 8 * length + 4 * beyond) - (1 + 2 * diag)) / 2
    if round(rows) - rows > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    count = round(rows)
    matrix = vec.new_zeros((*vec.shape[:-1], count, count))
    matrix[..., _up_to(count, diag, vec)] = vec
    return matrix


def _up_to(count: int, diag: int, like: Tensor) -> Tensor:
    return torch.ones(count, count, dtype=torch.bool, device=like.device).tril(diag)


class SoftmaxTransform(Fixed):
    """The softmax of vectors. A constant added to all elements is lost: the inverse returns the logarithms."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        powers = (x - x.max(-1, True)[0]).exp()
        return powers / powers.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_dims(shape, 1)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_dims(shape, 1)
        return shape


class StickBreakingTransform(Fixed):
    """Vectors of n numbers as n + 1 probabilities that sum to 1: each number breaks its share off the rest of a stick.

    The numbers are shifted so that zeros give equal probabilities: Stan's reference manual, "Unit simplex".
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _moved_by(like: Tensor) -> Tensor:
        """The logarithm of the number of pieces still to come, for each but the last."""
        return torch.arange(like.shape[-1], 0, -1, dtype=like.dtype, device=like.device).log()

    def _call(self, x: Tensor) -> Tensor:
        share = clipped_sigmoid(x - self._moved_by(x))
        left = (1 - share).cumprod(-1)
        return pad(share, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        broken = y[..., :-1]
        left = (1 - broken.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return broken.log() - left.log() + self._moved_by(broken)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        moved = x - self._moved_by(x)
        return (y[..., :-1].log() + logsigmoid(moved) - moved).sum(-1)  # 1 - sigmoid(x) = exp(-x) sigmoid(x)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_dims(shape, 1)
        return torch.Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_dims(shape, 1)
        return torch.Size((*shape[:-1], shape[-1] - 1))


class CorrCholeskyTransform(Transform):
    """Vectors of D (D - 1) / 2 numbers as Cholesky factors of correlation matrices with D rows.

    The tanh of each number is the share that its element takes of the rest of its row's length, 1 at first; the
    diagonal takes what is left. Stan's reference manual, "Cholesky factors of correlation matrices".
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = torch.finfo(x.dtype).eps
        share = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - share**2).sqrt().cumprod(-1)  # the rest of the length, after each element
        whole = share + torch.eye(share.shape[-1], dtype=share.dtype, device=share.device)
        return whole * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        share = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (share.log1p() - share.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        """That from the vector to the elements below the diagonal. `intermediates` is not used, as in PyTorch."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_dims(shape, 1)
        count = shape[-1]
        rows = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if rows * (rows - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return torch.Size((*shape[:-1], rows, rows))

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        check_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return torch.Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class LowerCholeskyTransform(Fixed):
    """Square matrices as lower triangular ones with a positive diagonal: their lower part, with the exponential of the
    diagonal.
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Fixed):
    """Square matrices as positive definite ones: ``L @ L.T``, where L is the result of `LowerCholeskyTransform`."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))
