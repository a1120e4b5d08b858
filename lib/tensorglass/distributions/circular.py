"""`VonMises`: a distribution of angles.

Angles are drawn by Best and Fisher, "Efficient Simulation of the von Mises Distribution" (1979). The Bessel functions
of the densities are the polynomials 9.8.1 to 9.8.4 of Abramowitz and Stegun, "Handbook of Mathematical Functions".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import tensorglass as torch
from tensorglass.core.size import Size
from tensorglass.distributions import constraints
from tensorglass.distributions.distribution import Distribution, Value, broadcast_all, lazy_property
from tensorglass.tensor.tensor import Tensor

_BORDER = 3.75  # below it the polynomials are in (x / _BORDER)², above it in _BORDER / x
_BELOW = {
    0: (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
    1: (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
}
_ABOVE = {
    0: (0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633,
        0.00392377),
    1: (0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654,
        -0.00420059),
}  # fmt: skip


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    value: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = coefficient + x * value
    result: Tensor = value
    return result


def _log_bessel(x: Tensor, order: int) -> Tensor:
    """The logarithm of the modified Bessel function of order 0 or 1, of positive numbers."""
    below = _polynomial((x / _BORDER) ** 2, _BELOW[order])
    if order == 1:
        below = x * below
    above = x - 0.5 * x.log() + _polynomial(_BORDER / x, _ABOVE[order]).log()
    return torch.where(x < _BORDER, below.log(), above)


class VonMises(Distribution):
    """Von Mises' distribution of angles: ``exp(concentration cos(x - loc)) / (2π I₀(concentration))``.

    Angles are in radians, and may be any real number. Samples are from -π to π.
    """

    arg_constraints: ClassVar[constraints.Constraints] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support = constraints.real

    def __init__(self, loc: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        vars(new).pop("variance", None)
        return new

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance: 1 minus the length of the mean of ``(cos x, sin x)``."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        spread = math.log(2 * math.pi) + _log_bessel(self.concentration, 0)
        return self.concentration * torch.cos(value - self.loc) - spread

    def sample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Draw samples, in double precision: in float32, small concentrations would reject every try."""
        with torch.no_grad():
            kappa = self.concentration.double()
            tau = 1 + (1 + 4 * kappa**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
            r = torch.where(
                kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho)
            )  # the parameter of the envelope for rejection sampling
            shape = self._extended_shape(sample_shape)
            angle = torch.empty(shape, dtype=kappa.dtype, device=kappa.device)
            is_drawn = torch.zeros(shape, dtype=torch.bool, device=kappa.device)
            while not is_drawn.all():
                first, second, third = torch.rand((3, *shape), dtype=kappa.dtype, device=kappa.device).unbind()
                z = torch.cos(math.pi * first)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                is_taken = (c * (2 - c) > second) | ((c / second).log() + 1 >= c)
                angle = torch.where(is_taken, (third - 0.5).sign() * f.acos(), angle)
                is_drawn = is_drawn | is_taken
            turned = (angle + math.pi + self.loc.double()) % (2 * math.pi) - math.pi
            return turned.to(self.loc.dtype)
