"""Reading the arguments of an elementwise operator, and PyTorch's words for those that do not fit.

An operator whose operands may be numbers is several functions in PyTorch, one a combination of tensors and numbers; its
error lists them all. The others, with one signature, say exactly which argument is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import NoneType
from typing import Any

from tensorglass.ops.arguments import invalid_combination
from tensorglass.ops.calls import refusal
from tensorglass.ops.scalars import NUMBERS
from tensorglass.tensor import Tensor

# NumPy's names of arguments, which PyTorch accepts too.
_NUMPY_NAMES = {"x": "input", "a": "input", "x1": "input", "x2": "other"}
# These have one signature all the same: PyTorch makes 0-dim tensors of numbers for them.
_NUMBERS_BECOME_TENSORS = ("add", "sub", "mul", "div", "true_divide", "floor_divide")
_REALS = tuple(kind for kind in NUMBERS if kind is not complex)
_OF_ANNOTATION: dict[str, Any] = {"complex": NUMBERS, "int": int, "float | None": (*_REALS, Tensor, NoneType)}

Parameter = inspect.Parameter


class CallSignature:
    """The signature of an operator that is declared by its kernel."""

    __slots__ = (
        "_is_overloaded",
        "_optional",
        "_positional",
        "_types",
        "defaults",
        "has_out",
        "name",
        "numbers",
        "operands",
        "public",
    )

    def __init__(self, kernel: Callable[..., Any], has_out: bool = True) -> None:
        given = list(inspect.signature(kernel).parameters.values())[1:]  # without xp
        if not has_out:
            given = [each for each in given if each.name != "out"]
        self.name = kernel.__name__
        #: the names of the operands, in order; those in `numbers` may be Python numbers
        self.operands = [each.name for each in given if each.annotation in ("Array", "Operand") and each.name != "out"]
        self.numbers = {each.name for each in given if each.annotation == "Operand"}
        self._optional = {each.name for each in given if each.name in self.operands and each.default is None}
        self.has_out = any(each.name == "out" for each in given)
        #: the parameters, and their values where they are left out
        self.defaults = {
            each.name: each.default for each in given if each.name not in self.operands and each.name != "out"
        }
        self._positional = [each.name for each in given if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        self._types = {
            each.name: _OF_ANNOTATION[each.annotation] for each in given if each.annotation in _OF_ANNOTATION
        }
        self._is_overloaded = bool(self.numbers) and self.name not in _NUMBERS_BECOME_TENSORS
        self.public = inspect.Signature([_shown(each, each.name in self.numbers) for each in given])

    def in_place(self) -> inspect.Signature:
        """The public signature of the in-place form."""
        return self.public.replace(parameters=[each for each in self.public.parameters.values() if each.name != "out"])

    def read(
        self,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        is_method: bool = False,
        is_in_place: bool = False,
    ) -> tuple[list[Any], dict[str, Any], Tensor | None]:
        """The operands (None where an optional one is left out), the parameters that were given, and ``out``."""
        values = dict(zip(self._positional, arguments, strict=False))
        out = None
        wrong = len(arguments) > len(self._positional)
        for key, value in keywords.items():
            name = key if key in self.defaults or key in self.operands else _NUMPY_NAMES.get(key, key)
            if key == "out" and self.has_out and not is_in_place:
                out = value
            elif name in values or (name not in self.operands and name not in self.defaults):
                wrong = True
            else:
                values[name] = value
        operands = [values.pop(name, None) for name in self.operands]
        if not wrong:
            for name, value in zip(self.operands, operands, strict=True):
                if not isinstance(value, Tensor) and not (value is None and name in self._optional):
                    wrong = wrong or not self._accepts_number(name, value)
            for name, value in values.items():
                wrong = wrong or (name in self._types and not isinstance(value, self._types[name]))
            if self._is_overloaded and not wrong:
                wrong = not any(isinstance(value, Tensor) for value in operands)
            wrong = wrong or (out is not None and not isinstance(out, Tensor))
        if wrong:
            raise self._error(arguments, keywords, is_method, is_in_place)
        return operands, values, out

    def _accepts_number(self, name: str, value: Any) -> bool:
        return name in self.numbers and isinstance(value, NUMBERS)

    def _error(
        self,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        is_method: bool,
        is_in_place: bool,
    ) -> TypeError:
        name = f"{self.name}_" if is_in_place else self.name
        given = arguments[1:] if is_method else arguments
        own = self.in_place() if is_in_place else self.public
        found = refusal(name, given, keywords, is_method=is_method, own=own)
        return found or invalid_combination(name, given, keywords=keywords)


def _shown(parameter: Parameter, may_be_number: bool) -> Parameter:
    """A parameter of a kernel as the public signature shows it."""
    annotation = parameter.annotation
    if annotation in ("Array", "Operand"):
        annotation = "Tensor | complex" if may_be_number else "Tensor"
        if parameter.default is None:
            annotation += " | None"
    return parameter.replace(annotation=annotation)
