"""Switches of libraries that PyTorch calls: ``torch.backends.cudnn.benchmark`` and its kin.

None of those libraries is called here. A switch is kept and told, so that programs which
set it run; results do not depend on it.
"""

from __future__ import annotations

from typing import Any

from tensorglass.core.naming import type_name


def check_bool(name: str, value: Any) -> None:
    """Raise PyTorch's error of the setter `name` unless `value` is a bool."""
    if not isinstance(value, bool):
        raise RuntimeError(f"{name} expects a bool, but got {type_name(value)}")


class Switch:
    """A bool as an attribute of a module or an object of which there is one; `setter` is its name in errors."""

    def __init__(self, value: bool, setter: str) -> None:
        self.value = value
        self.setter = setter

    def __get__(self, owner: object, kind: type | None = None) -> bool:
        return self.value

    def __set__(self, owner: object, value: bool) -> None:
        check_bool(self.setter, value)
        self.value = value


class MatmulPrecision:
    """How exact products of float32 matrices have to be. Two switches turn it: this one and cuBLAS's."""

    now = "highest"
