"""Ready-made parametrizations: orthogonal matrices, weight normalization, spectral normalization."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.nn.modules.module import Module
from tensorglass.nn.utils import parametrize
from tensorglass.ops.nn.weight_norm import norm_except_dim, normalized
from tensorglass.tensor.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(matrix: Tensor) -> bool:
    rows, columns = matrix.size(-2), matrix.size(-1)
    identity = torch.eye(columns, dtype=matrix.dtype, device=matrix.device)
    return torch.allclose(matrix.mH @ matrix, identity, atol=10.0 * rows * torch.finfo(matrix.dtype).eps)


def _make_orthogonal(matrix: Tensor) -> Tensor:
    """The Q of the QR factorization whose R has a positive diagonal."""
    reflections, tau = torch.geqrf(matrix)
    orthogonal = torch.linalg.householder_product(reflections, tau)
    return orthogonal * reflections.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    """Maps any matrix to an orthogonal one (Lezcano-Casado 2019). `base` is the matrix that training begins at."""

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        rows, columns = X.size(-2), X.size(-1)
        is_wide = rows < columns
        if is_wide:
            X = X.mT
            rows, columns = columns, rows
        if self.orthogonal_map is _OrthMaps.householder:
            lower = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (lower * lower).sum(dim=-2))
            orthogonal = torch.linalg.householder_product(lower, tau)
            orthogonal = orthogonal * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            orthogonal = self._of_skew_symmetric(X.tril(), rows, columns)
        if "base" in self._buffers:
            orthogonal = self.base @ orthogonal
        return orthogonal.mT if is_wide else orthogonal

    def _of_skew_symmetric(self, lower: Tensor, rows: int, columns: int) -> Tensor:
        if rows != columns:
            zeros = lower.new_zeros(rows, rows - columns).expand(*lower.shape[:-2], -1, -1)
            lower = torch.cat([lower, zeros], dim=-1)
        skew = lower - lower.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            orthogonal = torch.matrix_exp(skew)
        else:  # Cayley's map
            identity = torch.eye(rows, dtype=skew.dtype, device=skew.device)
            orthogonal = torch.linalg.solve(identity - 0.5 * skew, identity + 0.5 * skew)
        return orthogonal if rows == columns else orthogonal[..., :columns]

    def right_inverse(self, Q: Tensor) -> Tensor:
        """The tensor that is mapped to `Q`, or to the orthogonal matrix nearest to it."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        with torch.no_grad():
            return self._inverse(Q)

    def _inverse(self, given: Tensor) -> Tensor:
        matrix = given
        rows, columns = matrix.size(-2), matrix.size(-1)
        is_wide = rows < columns
        if is_wide:
            matrix = matrix.mT
            rows, columns = columns, rows
        if "base" not in self._buffers:
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            reflections, tau = torch.geqrf(matrix)
            reflections.diagonal(dim1=-2, dim2=-1).sign_()
            reflections.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return reflections.mT if is_wide else reflections
        if rows == columns:
            self.base = matrix.clone() if _is_orthogonal(matrix) else _make_orthogonal(matrix)
        else:
            more = torch.randn(*(*matrix.size()[:-2], rows, rows - columns), dtype=matrix.dtype, device=matrix.device)
            self.base = _make_orthogonal(torch.cat([matrix, more], dim=-1))
        begin = torch.zeros_like(given)
        begin.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return begin


def _tensor_of(module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a matrix orthogonal: by "matrix_exp" (of a skew-symmetric matrix), "cayley" or "householder"."""
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        is_square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    chosen_map = getattr(_OrthMaps, orthogonal_map, None)
    if chosen_map is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, chosen_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, parametrization, unsafe=True)


class _WeightNorm(Module):
    """Maps a length `g` and a direction `v` to a weight."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normalized(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn lengths and directions separately (Salimans & Kingma 2016): one length for each index along `dim`."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def of_old_names(state_dict: Any, prefix: str, *_: Any) -> None:
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(g)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(v)

    module._register_load_state_dict_pre_hook(of_old_names)
    return module


class _SpectralNorm(Module):
    """Divides a matrix by its largest singular value, which power iteration approximates step by step."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._as_matrix(weight)
            rows, columns = matrix.size()
            u, v = (matrix.new_empty(length).normal_(0, 1) for length in (rows, columns))
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _as_matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with torch.no_grad():
            for _ in range(times):
                self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(torch.mv(matrix.H, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._as_matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the buffers change in place before gradients flow
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keep the largest singular value of a weight at 1 (Miyato et al. 2018)."""
    weight = _tensor_of(module, name)
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    parametrization = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, parametrization)
