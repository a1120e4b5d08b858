"""`torch.ops.aten`: operators by the names that PyTorch has for them inside, as ``aten.add.Tensor``.

Libraries keep tables of what to do for which operator, with these names as keys. An operator that is called so is the
function or method of that name.
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
        return self.overloadpacket(*arguments, **keywords)

    def __str__(self) -> str:
        return f"{self.overloadpacket}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"


class OpOverloadPacket(OperatorBase):
    """An operator with all of its signatures: ``aten.add``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, overload: str) -> OpOverload:
        if is_probed(overload):
            raise AttributeError(f"'OpOverloadPacket' object has no attribute '{overload}'")
        value = vars(self)[overload] = OpOverload(self, overload)
        return value

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return _public(self._name)(*arguments, **keywords)

    def __str__(self) -> str:
        return f"aten.{self._name}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class _OpNamespace:
    """The operators, by name."""

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if is_probed(name):
            raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
        value = vars(self)[name] = OpOverloadPacket(name)
        return value


aten = _OpNamespace()

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
