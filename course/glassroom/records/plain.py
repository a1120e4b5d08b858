"""Records as JSON-ready data: what `as_dict` of snapshots and inspectors returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from glassroom.records.cells import Cells


def plain(value: Any) -> Any:
    """`value` as dicts, lists and scalars; numbers that JSON cannot represent become strings. A record, a dataclass or
    a named tuple, becomes a dict of its fields.
    """
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Cells):
        return [plain(item) for item in value]
    if isinstance(value, complex) or (isinstance(value, float) and not isfinite(value)):
        return str(value)
    return value
