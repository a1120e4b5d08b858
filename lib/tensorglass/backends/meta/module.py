"""The meta device's array module: NumPy's functions, which only compute the size and dtype of the result.

Kernels call it by the name `xp`. `rules` has the functions; a function without a rule raises an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy

from tensorglass.backends.meta import rules
from tensorglass.backends.meta.array import MetaArray


class MetaModule:
    """``xp`` of the meta device, or one of its modules, `functions` (`numpy.linalg`, `scipy.special`)."""

    ndarray = MetaArray

    def __init__(self, functions: Any = numpy, prefix: str = "") -> None:
        self._functions = functions
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._functions, name)
        answer: Any = function  # dtypes, constants
        if isinstance(function, ModuleType):
            answer = MetaModule(function, f"{self._prefix}{name}.")
        elif callable(function) and not isinstance(function, type):
            answer = MetaFunction(f"{self._prefix}{name}", function)
        setattr(self, name, answer)  # cached as an attribute
        return answer

    def asserted(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """A kernel's check of elements. There are no elements, so nothing is refused."""


class MetaFunction:
    """A function of NumPy."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name = name
        self._function = function
        self._rule = partial(rules.call, name, function)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._rule(*arguments, **keywords)

    def __getattr__(self, name: str) -> MetaFunction:
        """A ufunc's own functions: ``xp.add.reduce``."""
        return MetaFunction(f"{self._name}.{name}", getattr(self._function, name))


MetaArray.call = staticmethod(rules.call)
