"""uint16, uint32 and uint64, with which the standard computes, and PyTorch hardly.

Operators refuse them as PyTorch's do. A function of the namespace calls its operator as it is, and only where that
refuses, once more with the refusals lifted; so arrays of all other dtypes pay for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from tensorglass.ops.arg_parser.missing_dtypes import EVERYTHING_WRITTEN

P = ParamSpec("P")
R = TypeVar("R")


def unrefused(operator: Callable[..., Any], *operands: Any) -> Any:
    """What `operator` makes of operands that it has refused as PyTorch would."""
    with EVERYTHING_WRITTEN:
        return operator(*operands)


def for_every_dtype(function: Callable[P, R]) -> Callable[P, R]:
    """The function of the namespace for arrays of uint16, uint32 and uint64 too."""

    @wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*arguments, **keywords)
        except NotImplementedError:
            with EVERYTHING_WRITTEN:
                return function(*arguments, **keywords)

    return call
