"""What an expression makes, as it prints, in either library."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def outcome(library: Any, expression: str) -> tuple[str, list[str]]:
    """What an expression prints (or how the refusal reads), and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(expression, {"torch": library, "np": np})
            text = f"{value!r} {value.stride() if isinstance(value, library.Tensor) else ''}"
        except Exception as error:
            text = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return text, [str(warning.message).split(" (Triggered")[0] for warning in caught]


def facts(library: Any, expression: str) -> tuple[Any, list[np.ndarray]]:
    """What there is to see of an expression's results, in words, and their elements; or how the refusal reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, {"torch": library, "np": np})
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}", []
    results = value if isinstance(value, tuple) else (value,)
    headers = [(str(result.dtype), tuple(result.shape), result.stride()) for result in results]
    return (type(value).__name__, headers), [result.detach().resolve_conj().numpy() for result in results]


def difference(expression: str, ours: Any, theirs: Any, *, close: float = 1e-6) -> str | None:
    """How an expression differs between two libraries, in words; None if it does not."""
    (mine, one), (other, two) = (facts(library, expression) for library in (ours, theirs))
    if mine != other:
        return f"{expression}: ours {mine}, PyTorch's {other}"
    for left, right in zip(one, two, strict=True):
        if not np.allclose(left, right, rtol=close, atol=close, equal_nan=True):
            return f"{expression}: ours {left}, PyTorch's {right}"
    return None
