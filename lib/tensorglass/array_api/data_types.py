"""The standard's questions about dtypes, `astype`, and about the namespace itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorglass as torch
from tensorglass import backends
from tensorglass.array_api.promoting import promote_types
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU, with_index
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.tensor.tensor import Tensor

Kind = DType | str

_KINDS = {
    "bool": lambda dtype: dtype.category == dtypes.BOOL,
    "signed integer": lambda dtype: dtype.category == dtypes.INTEGER and dtype.is_signed,
    "unsigned integer": lambda dtype: dtype.category == dtypes.INTEGER and not dtype.is_signed,
    "integral": lambda dtype: dtype.category == dtypes.INTEGER,
    "real floating": lambda dtype: dtype.category == dtypes.FLOATING,
    "complex floating": lambda dtype: dtype.category == dtypes.COMPLEX,
    "numeric": lambda dtype: dtype.category > dtypes.BOOL,
}


class FloatInfo(NamedTuple):
    """What floating-point numbers of a dtype, or the parts of complex ones, can express."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    """What integers of a dtype can express."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(type: DType | Tensor) -> DType:
    return type._dtype if isinstance(type, Tensor) else type


def astype(x: Tensor, dtype: DType, /, *, copy: bool = True, device: Device | str | None = None) -> Tensor:
    """`x` converted to `dtype`. With `copy` False, `x` itself where nothing has to be converted."""
    return x.to(x.device if device is None else device, dtype, copy=copy)


def can_cast(from_: DType | Tensor, to: DType, /) -> bool:
    """Whether promotion would turn `from_` into `to`: no value changes but by rounding."""
    try:
        return promote_types(_dtype_of(from_), to) is to
    except RuntimeError:  # there is no dtype for both
        return False


def finfo(type: DType | Tensor, /) -> FloatInfo:
    """The limits of a floating-point dtype; of a complex one, those of its parts."""
    dtype = _dtype_of(type).to_real()
    limits = torch.finfo(dtype)
    return FloatInfo(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, dtype)


def iinfo(type: DType | Tensor, /) -> IntegerInfo:
    """The limits of an integer dtype."""
    dtype = _dtype_of(type)
    limits = torch.iinfo(dtype)
    return IntegerInfo(limits.bits, limits.max, limits.min, dtype)


def isdtype(dtype: DType, kind: Kind | tuple[Kind, ...]) -> bool:
    """Whether `dtype` is of a kind: another dtype, "bool", "integral", "real floating", …, or one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one_kind) for one_kind in kind)
    if isinstance(kind, DType):
        return dtype is kind
    if kind not in _KINDS:
        raise ValueError(f"unknown kind of dtype: {kind!r}. The kinds are {', '.join(_KINDS)}")
    return bool(_KINDS[kind](dtype))


# --- the namespace itself --------------------------------------------------------------------------------------------


#: The standard's dtypes.
STANDARD = (
    dtypes.bool, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
    dtypes.uint64, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128,
)  # fmt: skip


class Info:
    """The result of `__array_namespace_info__`: devices, dtypes, capabilities."""

    def capabilities(self) -> dict[str, Any]:
        """The standard's optional features, and whether they are supported; 64 dimensions is the limit of NumPy and
        CuPy."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Where arrays are made if nothing else is said."""
        device: Device = torch.get_default_device()
        return device

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, DType]:
        """The dtypes of arrays if nothing else is said."""
        floating = torch.get_default_dtype()
        return {
            "real floating": floating,
            "complex floating": floating.to_complex(),
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def devices(self) -> list[Device]:
        """The devices of this machine: the CPU, CUDA's, and the simulated ones once they are in use."""
        cuda = backends.family("cuda")
        gpus = [with_index("cuda", index) for index in range(cuda.count() if cuda else 0)]
        simulated: list[Any] = backends.of_type("sim")
        return [CPU, *gpus, *(backend.device for backend in simulated)]

    def dtypes(
        self, *, device: Device | str | None = None, kind: Kind | tuple[Kind, ...] | None = None
    ) -> dict[str, DType]:
        """The standard's dtypes that a device has, by name; those of a kind alone if there is one."""
        return {dtype.name: dtype for dtype in STANDARD if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> Info:
    """What is in this namespace: devices, dtypes, capabilities."""
    return Info()
