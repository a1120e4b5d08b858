"""Programs of one line: steps with ``;;`` between them, run with either library as `torch`, and all that can be seen.

Every step that is an expression is seen: tensors with printed form, dtype, size, stride, offset, bytes of the storage,
version and whether they are views; all else with its type and printed form; errors with class and first line. When the
steps are done, the tensors that have names are seen once more, and which of them share a storage.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")


def disagreement(program: str) -> str | None:
    """Where the two libraries see different things, in words; None if they agree."""
    ours, theirs = seen(program, tensorglass), seen(program, torch)
    for one, other in zip(ours, theirs, strict=True):
        if one != other:
            return f"{program}\n  ours      {one}\n  PyTorch's {other}"
    return None


def lines(text: str) -> list[str]:
    """The programs in a text, one a line."""
    return [line for line in text.splitlines() if line.strip()]


def seen(program: str, library: Any) -> list[Any]:
    """What `library` shows of a program, step by step, and its tensors in the end."""
    names: dict[str, Any] = {"torch": library, "np": np, "copy": copy, "pickle": pickle, "math": math}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = [_step(step.strip(), names, library) for step in program.split(";;")]
    library.set_default_device(None)
    tensors = {name: value for name, value in names.items() if isinstance(value, library.Tensor)}
    shown.append({name: _facts(value, library) for name, value in tensors.items()})
    shown.append([pair for pair in combinations(sorted(tensors), 2) if _share(*(tensors[name] for name in pair))])
    return shown


def _step(step: str, names: dict[str, Any], library: Any) -> Any:
    try:
        try:
            code = compile(step, "<step>", "eval")
        except SyntaxError:
            exec(step, names)
            return None
        return _facts(eval(code, names), library)
    except Exception as error:  # whatever it is, the other library must raise the same
        return type(error).__name__, (str(error).splitlines() or [""])[0]


def _share(one: Any, other: Any) -> bool:
    addresses = [tensor.untyped_storage().data_ptr() for tensor in (one, other)]
    return addresses[0] == addresses[1] != 0


def _facts(thing: Any, library: Any) -> Any:
    if isinstance(thing, library.Tensor):
        return {
            "text": repr(thing), "dtype": str(thing.dtype), "size": tuple(thing.shape), "stride": thing.stride(),
            "offset": thing.storage_offset(), "bytes": thing.untyped_storage().nbytes(), "is_view": thing._is_view(),
            "version": thing._version, "conj": thing.is_conj(),
        }  # fmt: skip
    if isinstance(thing, list | tuple):
        return type(thing).__name__, [_facts(item, library) for item in thing]
    if isinstance(thing, np.ndarray):
        return repr(thing), thing.strides, thing.flags.writeable
    if isinstance(thing, type):
        return f"class {thing.__name__}"
    return type(thing).__name__, re.sub(r"0x[0-9a-f]+", "0x", repr(thing))
