"""Named tuples that operators with several results return, printed as PyTorch prints them."""

from __future__ import annotations

from operator import itemgetter
from typing import Any


def _return_type(name: str, *fields: str) -> Any:
    def new(cls: type, *results: Any) -> Any:
        return tuple.__new__(
            cls, results[0] if len(results) == 1 and isinstance(results[0], (tuple, list)) else results
        )

    def show(self: Any) -> str:
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{lines})"

    members = {field: property(itemgetter(place)) for place, field in enumerate(fields)}
    made = type(name, (tuple,), {"__slots__": (), "__new__": new, "__repr__": show, "_fields": fields, **members})
    made.__module__ = __name__
    return made


max = _return_type("max", "values", "indices")
min = _return_type("min", "values", "indices")
aminmax = _return_type("aminmax", "min", "max")
sort = _return_type("sort", "values", "indices")
max_out = _return_type("max_out", "values", "indices")
min_out = _return_type("min_out", "values", "indices")
sort_out = _return_type("sort_out", "values", "indices")
