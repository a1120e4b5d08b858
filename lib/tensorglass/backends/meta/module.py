"""The meta device's array module: NumPy's functions, of which only the size and the dtype of the answer are found.

Kernels call it by the name `xp`. `rules` knows the functions; one that has no rule there is refused by its name.
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
        found = getattr(self._functions, name)
        answer: Any = found  # dtypes, constants
        if isinstance(found, ModuleType):
            answer = MetaModule(found, f"{self._prefix}{name}.")
        elif callable(found) and not isinstance(found, type):
            answer = MetaFunction(f"{self._prefix}{name}", found)
        setattr(self, name, answer)  # found directly from now on
        return answer

    def asserted(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """What a kernel finds to refuse among elements: nothing, where there are none."""


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
