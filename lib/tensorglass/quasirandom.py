"""``torch.quasirandom``: points of Sobol's sequences, which fill a cube more evenly than random ones.

Points are numbered by Gray code: from one to the next a single direction number is added, bit by bit without carry, so
that point n is the sum of those whose bits are 1 in ``n ^ (n >> 1)`` (Antonov and Saleev 1979). The direction numbers
are those of Joe and Kuo (2008), from SciPy's table; Owen's scrambling (1998) multiplies them by random matrices.
"""

from __future__ import annotations

import tensorglass as torch
from tensorglass.backends.sobol_numbers import sobol_numbers
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.refusing import refusing
from tensorglass.tensor.tensor import Tensor

__all__ = ["SobolEngine"]

__getattr__ = refusing("quasirandom")


class SobolEngine:
    """Draws the points of a Sobol sequence in the unit cube of `dimension` dimensions, from the first one on.

    With `scramble` the sequence is one of many that are as even: that of `seed`, or of the default generator.

    >>> torch.quasirandom.SobolEngine(dimension=3).draw(3)
    tensor([[0.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.5000],
            [0.7500, 0.2500, 0.2500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = _directions(dimension, self.MAXBIT)  #: (dimension, MAXBIT), int64
        self.shift = torch.zeros(dimension, dtype=torch.long)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()  #: the last point, as integers
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next `n` points: (n, dimension)."""
        dtype = torch.get_default_dtype() if dtype is None else dtype
        if dtype not in (torch.float32, torch.float64):
            raise NotImplementedError(f"\"_sobol_engine_draw\" not implemented for '{dtype.scalar_type}'")
        parts = [] if self.num_generated else [self._first_point.to(dtype)]
        count = n - len(parts)
        if count or not parts:
            points = self._after(torch.arange(1, count + 1))
            self.quasi = points[-1].clone() if count else self.quasi
            parts.append(points.to(dtype) * 2.0**-self.MAXBIT)
        result = torch.cat(parts, dim=-2) if len(parts) > 1 else parts[0]
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next 2**m points. ValueError if their number is no power of 2 with those drawn before."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points "
                f"have been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to "
                "do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Begin with the first point again."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave `n` points out."""
        steps = n if self.num_generated else n - 1
        if steps > 0:
            self.quasi = self._after(torch.tensor([steps]))[0]
        self.num_generated += n
        return self

    def _after(self, steps: Tensor) -> Tensor:
        """The points `steps` steps after the last one, as integers: (steps, dimension)."""
        last = max(self.num_generated - 1, 0)
        changed = _gray(steps + last) ^ (last ^ (last >> 1))
        points = self.quasi.repeat(len(steps), 1)
        for bit in range(self.MAXBIT):
            points ^= torch.where((changed >> bit & 1).bool()[:, None], self.sobolstate[:, bit], 0)
        return points

    def _scramble(self) -> None:
        generator = None if self.seed is None else torch.Generator().manual_seed(self.seed)
        bits, powers = self.MAXBIT, torch.arange(self.MAXBIT)
        shifts = torch.randint(2, (self.dimension, bits), generator=generator)
        self.shift = torch.mv(shifts, torch.pow(2, powers))
        matrices = torch.randint(2, (self.dimension, bits, bits), generator=generator).tril()
        matrices.diagonal(0, -2, -1).fill_(1)
        falling = powers.flip(0)
        digits = self.sobolstate[:, None, :] >> falling[:, None] & 1  # (dimension, bit, direction), the first bit first
        products = torch.bmm(matrices.float(), digits.float()).long() & 1
        self.sobolstate = (products << falling[:, None]).sum(1)

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"


def _gray(number: Tensor) -> Tensor:
    return number ^ (number >> 1)


def _directions(dimension: int, bits: int) -> Tensor:
    """The direction numbers as fractions of 2**bits: (dimension, bits), by the recurrence of Bratley and Fox (1988)."""
    polynomials, first = (torch.from_numpy(numbers[:dimension]) for numbers in sobol_numbers())
    numbers = torch.zeros(dimension, bits, dtype=torch.long)
    width = min(first.shape[1], bits)
    numbers[:, :width] = first[:, :width]
    numbers[0] = 1  # the first dimension has no polynomial: it is van der Corput's sequence
    degrees = torch.zeros(dimension, dtype=torch.long)
    for degree in range(1, width + 1):
        degrees += polynomials >> degree > 0
    for degree in range(1, int(degrees.max()) + 1):
        rows = (degrees == degree).nonzero().flatten()
        chosen, polynomial = numbers[rows], polynomials[rows]
        for place in range(degree, bits):
            number = chosen[:, place - degree].clone()
            for back in range(1, degree + 1):
                has_term = polynomial >> (degree - back) & 1
                number ^= has_term * (chosen[:, place - back] << back)
            chosen[:, place] = number
        numbers[rows] = chosen
    return numbers << torch.arange(bits - 1, -1, -1)
