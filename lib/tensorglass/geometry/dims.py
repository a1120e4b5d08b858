"""The words of this package: what a header is, and how a dimension is named.

A header is three things, `(size, stride, offset)`, and everything here is arithmetic on them. The element at index `(i,
j, …)` lies at storage cell `offset + i*stride[0] + j*stride[1]` and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import prod
from operator import index
from typing import ParamSpec, SupportsIndex, TypeAlias, TypeVar, cast

from tensorglass.core.errors import explained

Ints: TypeAlias = tuple[int, ...]
Header: TypeAlias = tuple[Ints, Ints, int]

INT64_MAX = 2**63 - 1

P = ParamSpec("P")
R = TypeVar("R")


def remembered(function: Callable[P, R], typed: bool = False) -> Callable[P, R]:
    """Let a function of tuples keep its latest 4096 results; `typed` keeps those for 1 and for 1.0 apart.

    Programs ask about the same few sizes in every operation.
    """
    return cast(Callable[P, R], lru_cache(4096, typed)(function))


def as_int(number: SupportsIndex) -> int:
    """Return `number` as an int. Raises TypeError for a bool, and for anything that is not an integer.

    An array of one element is refused too, although Python takes it for an integer.
    """
    if type(number) is int:
        return number
    if isinstance(number, bool):
        raise TypeError("must be int, not bool")
    if getattr(number, "ndim", 0):
        raise TypeError("must be int, not an array")
    return index(number)


def as_ints(given: SupportsIndex | Iterable[SupportsIndex]) -> Ints:
    """Return one int, or a list or tuple of them, as a tuple of ints."""
    if isinstance(given, list | tuple):
        return tuple(map(as_int, given))
    return (as_int(given),)  # type: ignore[arg-type]  # one number, or as_int refuses it


def wrap_dim(dim: int, ndim: int, *, wrap_scalar: bool = True) -> int:
    """Return `dim` counted from the front: `-1` is the last of `ndim` dimensions.

    A 0-dim tensor accepts 0 and -1, as if it had one dimension, unless `wrap_scalar` is False.
    Raises IndexError when there is no such dimension.
    """
    if type(dim) is not int:
        dim = as_int(dim)
    if 0 <= dim < ndim:
        return dim
    if -ndim <= dim < 0:
        return dim + ndim
    if ndim == 0:
        if not wrap_scalar:
            raise explained(
                IndexError(f"Dimension specified as {dim} but tensor has no dimensions"),
                "A 0-dim tensor is a single number: there is no dimension to name.",
                notebook="1/01 Header and storage",
            )
        if dim in (0, -1):
            return 0
    low, high = (-ndim, ndim - 1) if ndim else (-1, 0)
    raise explained(
        IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"),
        f"The tensor has {count(ndim, 'dimension')}: they are numbered from 0, or from the end with -1.",
        notebook="1/01 Header and storage",
    )


def wrap_distinct_dims(dims: Iterable[int], ndim: int) -> list[int]:
    """Return `dims` counted from the front, refusing a dimension that is named twice."""
    wrapped: list[int] = []
    for dim in dims:
        position = wrap_dim(dim, ndim)
        if position in wrapped:
            raise explained(
                RuntimeError(f"dim {position} appears multiple times in the list of dims"),
                f"A negative dimension counts from the end: here {position} and {position - max(ndim, 1)} "
                "are the same one.",
            )
        wrapped.append(position)
    return wrapped


def numel(size: Ints) -> int:
    """Return how many elements a tensor of this size has: the product, 1 for a 0-dim tensor."""
    return prod(size)


def checked_numel(size: Ints) -> int:
    """Return `numel(size)`, refusing what PyTorch's 64-bit count cannot hold (a negative size among it)."""
    product = 1
    for length in size:
        product *= length % 2**64
        if product >= 2**64:
            break
    if product > INT64_MAX:
        raise explained(
            RuntimeError("numel: integer multiplication overflow"),
            f"The size {list(size)} has a negative length, or more elements than 64 bits can count.",
        )
    return product


def count(number: int, thing: str) -> str:
    """Return `1 dimension`, `2 dimensions`: for messages."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
