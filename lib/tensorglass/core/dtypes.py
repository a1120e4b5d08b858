"""Element types, and which type the result of an operation has.

A dtype is a name, a width and a category. *Promotion*: the categories are ordered bool < integer < floating
point < complex, and operands matter in three ranks (tensors with dimensions, then 0-dim tensors, then Python numbers).
An operand of a lower rank changes the result's dtype only if its category is higher. The wide unsigned types are the
exception: PyTorch promotes them with nothing but floating-point types, and says so.

They print as PyTorch's do (``torch.float32``), since code is written ``import tensorglass as torch``.

Source of the rules: PyTorch's documentation, "Tensor Attributes", section "torch.dtype".
"""

from __future__ import annotations

import builtins
from numbers import Real
from typing import Any, Final

from tensorglass.core.errors import Named, explained, type_name

BOOL: Final = 0
INTEGER: Final = 1
FLOATING: Final = 2
COMPLEX: Final = 3


class dtype(metaclass=Named, pytorchs="torch.dtype"):
    """The type of a tensor's elements. The fifteen below are the only ones; compare them with ``is``.

    >>> torch.float16.itemsize, torch.float16.is_floating_point
    (2, True)
    """

    __slots__ = (
        "abbr",
        "category",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "name",
        "scalar_type",
    )

    name: str  #: "float32": also NumPy's name of the type
    scalar_type: str  #: "Float": the name in PyTorch's error messages and old constructors
    abbr: str  #: "f32": a letter for the category and the number of bits
    itemsize: builtins.int  #: bytes an element
    category: builtins.int  #: BOOL, INTEGER, FLOATING or COMPLEX, in the order of promotion
    is_floating_point: builtins.bool
    is_complex: builtins.bool
    is_signed: builtins.bool

    def __new__(cls, *args: Any, **kwargs: Any) -> dtype:
        raise TypeError("cannot create 'torch.dtype' instances")

    def to_real(self) -> dtype:
        """The floating-point type of the parts of this type: complex64 gives float32."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> dtype:
        """The complex type whose parts are of this type: float64 gives complex128.

        float16 gives complex64 where PyTorch gives its complex32, which tensorglass does not have.
        """
        if self.category < FLOATING:
            raise explained(
                RuntimeError(f"Unknown Complex ScalarType for {self.scalar_type}"),
                f"The parts of a complex number are floating-point numbers, and {self!r} is not.",
            )
        return complex128 if self in (float64, complex128) else complex64

    def __setattr__(self, name: str, value: object) -> None:
        if name not in dtype.__slots__:
            raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")
        raise AttributeError(f"attribute '{name}' of 'torch.dtype' objects is not writable")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


def _define(
    name: str,
    scalar_type: str,
    itemsize: builtins.int,
    category: builtins.int,
    is_signed: builtins.bool = True,
) -> dtype:
    new = object.__new__(dtype)
    facts = {
        "name": name,
        "scalar_type": scalar_type,
        "abbr": f"{'bf' if name == 'bfloat16' else name[0]}{8 * itemsize}",
        "itemsize": itemsize,
        "category": category,
        "is_floating_point": category == FLOATING,
        "is_complex": category == COMPLEX,
        "is_signed": is_signed,
    }
    for fact, value in facts.items():
        object.__setattr__(new, fact, value)
    return new


# `bool`, `int` and `float` are dtypes from here on, as in PyTorch; Python's own are spelled `builtins.int`.
bool = _define("bool", "Bool", 1, BOOL, is_signed=False)
uint8 = _define("uint8", "Byte", 1, INTEGER, is_signed=False)
int8 = _define("int8", "Char", 1, INTEGER)
int16 = short = _define("int16", "Short", 2, INTEGER)
int32 = int = _define("int32", "Int", 4, INTEGER)
int64 = long = _define("int64", "Long", 8, INTEGER)
uint16 = _define("uint16", "UInt16", 2, INTEGER, is_signed=False)
uint32 = _define("uint32", "UInt32", 4, INTEGER, is_signed=False)
uint64 = _define("uint64", "UInt64", 8, INTEGER, is_signed=False)
float16 = half = _define("float16", "Half", 2, FLOATING)
bfloat16 = _define("bfloat16", "BFloat16", 2, FLOATING)
float32 = float = _define("float32", "Float", 4, FLOATING)
float64 = double = _define("float64", "Double", 8, FLOATING)
complex64 = cfloat = _define("complex64", "ComplexFloat", 8, COMPLEX)
complex128 = cdouble = _define("complex128", "ComplexDouble", 16, COMPLEX)

ALL: Final = (
    bool, uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64,
    complex128,
)  # fmt: skip
#: The dtypes that PyTorch promotes only with floating-point dtypes.
WIDE_UNSIGNED: Final = frozenset((uint16, uint32, uint64))
#: C++'s names of the types, which some of PyTorch's messages use.
C_NAMES: Final = {
    bool: "bool", uint8: "unsigned char", int8: "signed char", int16: "short int", int32: "int", int64: "long int",
    uint16: "short unsigned int", uint32: "unsigned int", uint64: "long unsigned int", float16: "c10::Half",
    bfloat16: "c10::BFloat16", float32: "float", float64: "double",
    complex64: "c10::complex<float>", complex128: "c10::complex<double>",
}  # fmt: skip
BY_NAME: Final = {dtype.name: dtype for dtype in ALL}

OF_PYTHON_TYPE: Final = {
    builtins.bool: bool,
    builtins.int: int64,
    builtins.float: float64,
    complex: complex128,
}


def as_dtype(given: object, argument: str = "argument 'dtype'") -> dtype:
    """`given` as a dtype: itself, or the widest one for Python's `bool`, `int`, `float` and `complex`.

    Anything else is a TypeError that begins with `argument`, as in "zeros(): argument 'dtype'".
    """
    if isinstance(given, dtype):
        return given
    if isinstance(given, type) and given in OF_PYTHON_TYPE:
        return OF_PYTHON_TYPE[given]
    raise TypeError(f"{argument} must be torch.dtype, not {type_name(given)}")


# --- promotion ----------------------------------------------------------------------------------------------


def _promote(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that both convert to, by the rules; `promote_types` looks it up in a table."""
    low, high = sorted((a, b), key=lambda dtype: (dtype.category, dtype.itemsize))
    if low.category < high.category:
        wide_real = low.category == FLOATING and low.itemsize * 2 > high.itemsize
        return complex128 if wide_real else high
    if low is high or low.itemsize < high.itemsize:
        # A signed type of twice the width holds every uint8; other pairs of one category are simply ordered.
        return high
    if low.category == INTEGER:  # uint8 with int8
        return int16
    return float32  # float16 with bfloat16


class _Promoted(dict[tuple[dtype, dtype], dtype]):
    """What two dtypes promote to; PyTorch's error for pairs that are missing."""

    def __missing__(self, pair: tuple[dtype, dtype]) -> dtype:
        a, b = pair
        raise explained(
            RuntimeError(
                "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                f"{a.scalar_type} and {b.scalar_type}"
            ),
            "Convert one of the tensors first; tensorglass.array_api promotes them as the array API standard does.",
        )


def _is_promoted(a: dtype, b: dtype) -> builtins.bool:
    """Whether PyTorch promotes the two: wide unsigned types only with themselves and floating-point types."""
    return a is b or WIDE_UNSIGNED.isdisjoint((a, b)) or FLOATING in (a.category, b.category)


_PROMOTED: Final = _Promoted({(a, b): _promote(a, b) for a in ALL for b in ALL if _is_promoted(a, b)})


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The dtype of least size and category that is not smaller or of lower category than either.

    >>> torch.promote_types(torch.int32, torch.float32)
    torch.float32
    >>> torch.promote_types(torch.uint8, torch.int8)
    torch.int16
    """
    first = as_dtype(type1, "promote_types(): argument 'type1' (position 1)")
    second = as_dtype(type2, "promote_types(): argument 'type2' (position 2)")
    return _PROMOTED[first, second]


def combine_ranks(dimensioned: dtype | None, zero_dim: dtype | None, number: dtype | None) -> dtype:
    """The result's dtype, given the promoted dtype of each rank of operands (None where there are none).

    A lower rank counts only if its category is higher; then its category is taken at the default width.

    >>> combine_ranks(float32, float64, None)
    torch.float32
    >>> combine_ranks(int64, None, float32)
    torch.float32
    """
    result = _combine(dimensioned, _combine(zero_dim, number))
    if result is None:
        raise RuntimeError("result_type: at least one operand is needed")
    return result


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None or lower is None:
        return lower if higher is None else higher
    if lower.category <= higher.category:
        # An equal or lower category in a lower rank changes nothing, except bool with bool.
        return higher
    if higher.category == FLOATING:
        return higher.to_complex()
    if higher in WIDE_UNSIGNED and lower.is_complex:  # PyTorch refuses them only for operands of one rank
        return lower
    return _PROMOTED[higher, lower]


def of_number(value: object) -> dtype:
    """The dtype that a Python number stands for: bool, int64, the default dtype, or its complex type."""
    if isinstance(value, builtins.bool):
        return bool
    if isinstance(value, builtins.int):
        return int64
    if isinstance(value, builtins.float):
        return _default
    if isinstance(value, complex):
        return _default.to_complex()
    if hasattr(value, "item"):  # a NumPy scalar counts as the Python number that it holds
        return of_number(python_number(value))
    raise TypeError(f"{type(value).__name__} is not a number")


def python_number(scalar: Any) -> complex:
    """The Python number that a NumPy scalar holds; a long double is rounded, since Python has no such type."""
    number: complex = scalar.item()
    if type(number) is not type(scalar):
        return number
    return builtins.float(scalar) if isinstance(scalar, Real) else complex(scalar)


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether an in-place operator may write a result of dtype `from_` into a tensor of dtype `to`.

    Any width will do, a lower category will not.

    >>> torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    source = as_dtype(from_, "can_cast(): argument 'from_' (position 1)")
    target = as_dtype(to, "can_cast(): argument 'to' (position 2)")
    return source.category <= target.category


# --- the default dtype --------------------------------------------------------------------------------------

_default: dtype = float32


def get_default_dtype() -> dtype:
    """The floating-point dtype that Python floats become: float32 unless `set_default_dtype` changed it.

    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """Make `d`, a floating-point dtype, what Python floats become; complex numbers follow it.

    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor(0.5).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise explained(
            TypeError("only floating-point types are supported as the default type"),
            f"{d!r} is not a floating-point type; float16, bfloat16, float32 and float64 are.",
        )
    _default = d


def comparable(of: dtype) -> dtype:
    """The dtype in which array modules order the elements: half types are compared as float32."""
    return float32 if of.is_floating_point and of.itemsize == 2 else of
