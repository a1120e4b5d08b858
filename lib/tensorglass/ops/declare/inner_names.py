"""`torch.ops.aten`: operators by the names that PyTorch has for them inside, as ``aten.add.Tensor``.

Libraries keep tables of what to do for which operator, with these names as keys. An operator that is called so is the
function or method of that name. ``torch.ops.mylib`` has the operators that a program has declared with `torch.library`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from tensorglass.core.errors import explained
from tensorglass.core.left_out import LeftOut, left_out
from tensorglass.core.out_of_scope import is_probed
from tensorglass.ops.declare.lazy_loading import fetch
from tensorglass.ops.declare.registry import FUNCTIONS
from tensorglass.tensor.tensor import Tensor

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket", "OperatorBase", "ops"]

#: ``torch.ops``, which PyTorch's module has too.
ops = sys.modules[__name__.removesuffix(".declare.inner_names")]


class OperatorBase:
    """What the kinds of operators have in common: programs ask of a thing whether it is one."""


class HigherOrderOperator(OperatorBase, LeftOut):
    """An operator that takes functions. Compilers have these."""

    __module__ = "tensorglass._ops"


class OpOverload(OperatorBase):
    """An operator with one of its signatures: ``aten.add.Tensor``."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.overloadpacket = packet
        self._overloadname = overload

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return DECLARED.get(self.name(), self.overloadpacket)(*arguments, **keywords)

    def name(self) -> str:
        """The name with its namespace: "aten::add.Tensor"."""
        overload = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.overloadpacket._qualified_op_name}{overload}"

    @property
    def namespace(self) -> str:
        """The namespace: "aten"."""
        return self.overloadpacket._qualified_op_name.partition(":")[0]

    @property
    def _schema(self) -> str:
        return str(getattr(DECLARED[self.name()], "schema", self.name()))

    def __str__(self) -> str:
        return f"{self.overloadpacket}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"


class OpOverloadPacket(OperatorBase):
    """An operator with all of its signatures: ``aten.add``."""

    def __init__(self, name: str, namespace: str = "aten") -> None:
        self._name = name
        self._qualified_op_name = f"{namespace}::{name}"

    def overloads(self) -> list[str]:
        """The names of its signatures, of an operator that a program has declared."""
        names = [name.partition(".") for name in DECLARED]
        return [overload or "default" for name, _, overload in names if name == self._qualified_op_name]

    def __getattr__(self, overload: str) -> OpOverload:
        if is_probed(overload):
            raise AttributeError(f"'OpOverloadPacket' object has no attribute '{overload}'")
        if not self._qualified_op_name.startswith("aten::") and overload not in self.overloads():
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{overload}'")
        value = vars(self)[overload] = OpOverload(self, overload)
        return value

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self._qualified_op_name.startswith("aten::"):
            return _public(self._name)(*arguments, **keywords)
        full = self._qualified_op_name
        return DECLARED[full if full in DECLARED else f"{full}.{self.overloads()[0]}"](*arguments, **keywords)

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class _OpNamespace:
    """The operators of a namespace, by name. Those of "aten" are PyTorch's own."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> OpOverloadPacket:
        full = f"{self.name}::{name}"
        is_known = self.name == "aten" or any(each == full or each.startswith(f"{full}.") for each in DECLARED)
        if is_probed(name) or not is_known:
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
        value = vars(self)[name] = OpOverloadPacket(name, self.name)
        return value

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self.name}' from 'torch.ops'>"


@cache
def namespace(name: str) -> _OpNamespace:
    """``torch.ops.name``: a namespace, which may have no operators yet."""
    return _OpNamespace(name)


#: The operators that programs have declared, by their full names: "mylib::twice".
DECLARED: dict[str, Callable[..., Any]] = {}

aten = namespace("aten")

loaded_libraries: set[str] = set()


def load_library(path: str | os.PathLike[str]) -> NoReturn:
    """``torch.ops.load_library``: no library can be loaded, and the error is PyTorch's. Programs go on without it."""
    error = OSError(f"Could not load this library: {os.path.realpath(path)}")
    note = "Its operators are compiled for PyTorch's C++. Instead, declare them with torch.library.custom_op."
    raise explained(error, note)


@cache
def _public(name: str) -> Callable[..., Any]:
    for path in (name, name.replace("_", ".", 1)):  # linalg_det is linalg.det
        if path in FUNCTIONS or fetch(path):
            return FUNCTIONS[path]
    method: Callable[..., Any] | None = getattr(Tensor, name, None)
    return method or left_out(f"ops.aten.{name}")
