"""How variables vary together: cov and corrcoef, of rows of observations."""

from __future__ import annotations

from tensorglass.core import dtypes
from tensorglass.core.errors import warn
from tensorglass.ops.arg_parser.checks import holds_somewhere
from tensorglass.ops.creation.fill import zeros_like
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.pointwise.complex import complex
from tensorglass.tensor.tensor import Tensor


def _check_weights(which: str, weights: Tensor, count: int) -> None:
    if len(weights._size) > 1:
        raise RuntimeError(
            f"cov(): expected {which} to have one or fewer dimensions but got {which} with {len(weights._size)} "
            "dimensions"
        )
    wanted = "integral" if which == "fweights" else "floating point"
    fits = weights._dtype.category == dtypes.INTEGER if which == "fweights" else weights._dtype.is_floating_point
    if not fits:
        raise RuntimeError(
            f"cov(): expected {which} to have {wanted} dtype but got {which} with {weights._dtype.scalar_type} dtype"
        )
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {which} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {count}"
        )
    if count and holds_somewhere(weights < 0):
        raise RuntimeError(f"cov(): {which} cannot be negative")


@operator("reduction of rows")
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances of the rows, each of which holds one variable's observations.

    `fweights` says how often each observation was made, `aweights` how much it counts; the sum is divided by the
    number of observations less `correction`.
    """
    if len(input._size) > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {len(input._size)} dimensions"
        )
    if input._dtype is dtypes.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.view(1, -1) if len(input._size) < 2 else input
    count = rows._size[1]
    weights = None
    if fweights is not None:
        _check_weights("fweights", fweights, count)
        weights = fweights
    if aweights is not None:
        _check_weights("aweights", aweights, count)
        weights = aweights if weights is None else weights * aweights
    total: Tensor = tensor(count, dtype=dtypes.int64, device=input.device)
    if weights is not None:
        total = weights.sum()
        if bool(total == 0):
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
        mean = (rows * weights).sum(1) / total
    else:
        mean = rows.sum(1) / count if count else rows.sum(1) / total
    if correction != 0 and aweights is not None and weights is not None:
        total = total - (weights * aweights).sum() * correction / total
    elif correction != 0:
        total = total - correction
    if not total.is_meta and not bool(total > 0):
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        total.zero_()
    apart = rows - mean.unsqueeze(1)
    product = apart @ (apart if weights is None else apart * weights).t().conj()
    if product._dtype.is_complex and product.numel() == 1:  # a variance, which is real
        product = complex(product.real, zeros_like(product.real))
    return (product / total).squeeze()


@operator("reduction of rows")
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of the rows: their covariances, divided by both deviations."""
    if len(input._size) > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{len(input._size)} dimensions"
        )
    covariance = cov(input)
    if not covariance._size:
        return covariance / covariance
    deviation = covariance.diagonal().real.sqrt() if covariance._dtype.is_complex else covariance.diagonal().sqrt()
    covariance = covariance / deviation.view(-1, 1) / deviation.view(1, -1)
    if covariance._dtype.is_complex:
        return complex(covariance.real.clip(-1, 1), covariance.imag.clip(-1, 1))
    return covariance.clip(-1, 1)
