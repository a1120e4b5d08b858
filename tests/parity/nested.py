"""One call with nested results, made with tensorglass and with PyTorch, and compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from parity.agreement import torch

import tensorglass


def plain(result: Any) -> Any:
    """A result as nested tuples of values with their flags."""
    if isinstance(result, (tuple, list)):
        return type(result).__name__, [plain(item) for item in result]
    if isinstance(result, dict):
        return {key: plain(item) for key, item in result.items()}
    if not hasattr(result, "requires_grad"):
        return result
    flags = (tuple(result.shape), str(result.dtype), result.requires_grad)
    return flags, numpy.round(result.detach().numpy(), 9).tolist()


def outcome(library: Any, call: Callable[[Any], Any], words: bool = True) -> Any:
    """What a call returns, or the class of its refusal, and its `words` if they are asked for."""
    try:
        return plain(call(library))
    except (RuntimeError, TypeError, AssertionError, ValueError, IndexError) as error:
        said = str(error).splitlines()[0].replace("tensorglass.tensor.", "torch.")
        return type(error).__name__, said if words else ""


def same(call: Callable[[Any], Any], *, words: bool = True) -> None:
    """Make the call in both libraries and compare: values, how they are nested, flags, refusals word for word."""
    assert outcome(tensorglass, call, words) == outcome(torch, call, words)
