"""What the caller's code has names for, and the tensors among it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.reading.places import tensors_at
from glassroom.records.printable import printable


def variables_of(frame: FrameType) -> dict[str, object]:
    """What the code of a frame has names for: its globals, and over them its locals."""
    held = frame.f_locals
    found = {**frame.f_globals, **held}
    # Before Python 3.13 a function's frame keeps the dict of its locals once it was asked for, and with it every tensor
    # in it, even after `del`. So it is emptied, unless somebody else holds it (frame, `held` and the call make three).
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and isinstance(held, dict) and sys.getrefcount(held) <= 3:
        held.clear()
    return found


def tensor_variables(frame: FrameType) -> dict[str, object]:
    """Every tensor that the code of a frame has a variable for, by name."""
    variables = {name: value for name, value in frame.f_locals.items() if not name.startswith("_")}
    return {name: value for name, value in variables.items() if adapter_for(value) is not None}


def named_tensors(variables: Mapping[str, object]) -> list[tuple[str, Any]]:
    """Tensors by the names that a reader knows them by: variables, and the paths from them into what they hold."""
    return list(tensors_at((printable(name), value) for name, value in variables.items() if name[:1] != "_"))
