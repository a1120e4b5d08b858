"""`finfo` and `iinfo`: the limits of a dtype, worked out from its number of bits.

A binary floating-point type with p bits of precision (the leading one counted) and exponents up to emax has
numbers up to ``(2 - 2**(1-p)) * 2**emax``; its smallest normal number is ``2**(1-emax)``, and the gap after
1.0, `eps`, is ``2**(1-p)``. Source: IEEE 754-2019, section 3.3, and for bfloat16 the truncation of binary32.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.core import dtypes
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import Named, explained

_PRECISION_AND_EMAX = {
    dtypes.float16: (11, 15),
    dtypes.bfloat16: (8, 127),
    dtypes.float32: (24, 127),
    dtypes.float64: (53, 1023),
}


class _Limits(metaclass=Named):
    """Limits are immutable, and equal if all their fields are."""

    __slots__: tuple[str, ...] = ()

    def _say(self, **facts: Any) -> None:
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        kind = f"torch.{type(self).__name__}"
        if name in self.__slots__:
            raise AttributeError(f"attribute '{name}' of '{kind}' objects is not writable")
        raise AttributeError(f"'{kind}' object has no attribute '{name}'")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, self.__class__):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)


class finfo(_Limits, pytorchs="torch.finfo"):
    """The limits of a floating-point dtype; of a complex one, those of its parts.

    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    bits: int
    dtype: str
    eps: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    tiny: float

    def __init__(self, type: DType | None = None) -> None:
        argument = "finfo(): argument 'type' (position 1)"
        given = dtypes.get_default_dtype() if type is None else dtypes.as_dtype(type, argument)
        real = given.to_real()
        if real not in _PRECISION_AND_EMAX:
            # PyTorch puts the name of the class where it means the dtype.
            raise explained(
                TypeError(
                    "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
                ),
                f"{given!r} is not a floating-point type: ask torch.iinfo({given!r}).",
            )
        precision, emax = _PRECISION_AND_EMAX[real]
        eps, tiny = 2.0 ** (1 - precision), 2.0 ** (1 - emax)
        most = (2.0 - eps) * 2.0**emax
        self._say(
            bits=real.itemsize * 8, eps=eps, max=most, min=-most, tiny=tiny, smallest_normal=tiny,
            resolution=10.0 ** -math.floor((precision - 1) * math.log10(2)), dtype=real.name,
        )  # fmt: skip

    def __repr__(self) -> str:
        numbers = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in numbers)}, dtype={self.dtype})"


class iinfo(_Limits, pytorchs="torch.iinfo"):
    """The limits of an integer dtype.

    >>> torch.iinfo(torch.int8).max
    127
    """

    __slots__ = ("bits", "dtype", "max", "min")

    bits: int
    dtype: str
    max: int
    min: int

    def __init__(self, type: DType) -> None:
        given = dtypes.as_dtype(type, "iinfo(): argument 'type' (position 1)")
        if given.category > dtypes.INTEGER:
            # PyTorch puts the name of the class where it means the dtype.
            raise explained(
                TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"),
                f"{given!r} is not an integer type: ask torch.finfo({given!r}).",
            )
        if given is dtypes.bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        bits = given.itemsize * 8
        self._say(
            bits=bits, min=-(1 << (bits - 1)) if given.is_signed else 0, max=(1 << (bits - given.is_signed)) - 1,
            dtype=given.name,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
