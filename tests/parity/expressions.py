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
    return text, [str(each.message).split(" (Triggered")[0] for each in caught]
