"""Parsing the arguments of an elementwise operator, and PyTorch's errors for arguments that do not fit.

An operator whose operands may be numbers is several functions in PyTorch, one for each combination of tensors and
numbers, and its error lists them all. Operators with one signature say exactly which argument is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, Signature
from types import NoneType
from typing import Any, NamedTuple

from tensorglass.graph.derivative import defaults_of, parameters_of
from tensorglass.ops.arg_parser.checks import invalid_combination
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.tensor.tensor import Tensor

# NumPy's names of arguments, which PyTorch accepts too.
_NUMPY_NAMES = {"x": "input", "a": "input", "x1": "input", "x2": "other"}
# These still have one signature: PyTorch wraps numbers in 0-dim tensors for them.
_NUMBERS_BECOME_TENSORS = ("add", "sub", "mul", "div", "true_divide", "floor_divide")
_REALS = tuple(kind for kind in NUMBERS if kind is not complex)
_OF_ANNOTATION: dict[str, Any] = {
    "complex": NUMBERS,
    "int | None": int,
    "float | None": (*_REALS, NoneType),
    "str | None": (str, NoneType),
}
#: The annotation of operands in the public signature.
_SHOWN = {"Array": "Tensor", "Operand": "Tensor | complex"}


class _Places(NamedTuple):
    """The positions of a call's operands, parameters and ``out`` in the sequence of its arguments and keywords."""

    is_known: bool  #: whether there is such a call
    operands: list[tuple[str, int | None]]
    parameters: list[tuple[str, int, Any]]  #: with their types, if those are looked at
    out: int | None


class CallSignature:
    """The signature of an operator that is declared by its kernel."""

    __slots__ = (
        "_alike",
        "_is_overloaded",
        "_optional",
        "_places",
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
        self.name = kernel.__name__
        #: the names of the operands, in order; those in `numbers` may be Python numbers
        self.operands: list[str] = []
        self.numbers: set[str] = set()
        self._optional: set[str] = set()
        self.has_out = False
        self.defaults: dict[str, Any] = {}  #: the parameters, and their values where they are left out
        self._positional: list[str] = []
        self._types: dict[str, Any] = {}
        self._places: dict[tuple[Any, ...], _Places] = {}  #: cached by the form of the call
        annotations, by_place = kernel.__annotations__, kernel.__code__.co_argcount
        shown = []
        for place, (name, default) in enumerate(zip(parameters_of(kernel), defaults_of(kernel), strict=True)):
            if place == 0 or (name == "out" and not has_out):  # `xp` is not the caller's
                continue
            annotation = annotations.get(name, Parameter.empty)
            if name == "out":
                self.has_out = True
            elif annotation in _SHOWN:
                self.operands.append(name)
            else:
                self.defaults[name] = default
            if annotation == "Operand":
                self.numbers.add(name)
            if annotation in _OF_ANNOTATION:
                self._types[name] = _OF_ANNOTATION[annotation]
            if annotation in _SHOWN and default is None:
                self._optional.add(name)
                annotation = f"{_SHOWN[annotation]} | None"
            if place < by_place:
                self._positional.append(name)
            kind = Parameter.POSITIONAL_OR_KEYWORD if place < by_place else Parameter.KEYWORD_ONLY
            shown.append(Parameter(name, kind, default=default, annotation=_SHOWN.get(annotation, annotation)))
        #: positions of operands that must be all tensors or all numbers, such as bounds
        self._alike = [place for place, name in enumerate(self.operands) if name in self._optional & self.numbers]
        self._is_overloaded = bool(self.numbers) and self.name not in _NUMBERS_BECOME_TENSORS
        self.public = Signature(shown, __validate_parameters__=False)  # a function has no values to validate

    def in_place(self) -> Signature:
        """The public signature of the in-place form."""
        parameters = [parameter for parameter in self.public.parameters.values() if parameter.name != "out"]
        return Signature(parameters, __validate_parameters__=False)

    def read(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], is_method: bool = False, is_in_place: bool = False
    ) -> tuple[list[Any], dict[str, Any], Tensor | None]:
        """The operands (None where an optional one is left out), the parameters that were given, and ``out``."""
        form = (len(arguments), *keywords, is_method)
        places = self._places.get(form)
        if places is None:
            places = self._places[form] = self._placed(len(arguments), keywords, is_method)
        if not places.is_known:
            return self._read_again(arguments, keywords, is_method, is_in_place)
        given = (*arguments, *keywords.values()) if keywords else arguments
        operands: list[Any] = []
        is_tensor_there = False
        for name, place in places.operands:
            value = None if place is None else given[place]
            operands.append(value)
            if type(value) is Tensor or isinstance(value, Tensor):
                is_tensor_there = True
            elif not (value is None and name in self._optional) and not self._accepts_number(name, value):
                return self._read_again(arguments, keywords, is_method, is_in_place)
        values = {}
        for name, place, kind in places.parameters:
            values[name] = value = given[place]
            if kind is not None and not (isinstance(value, kind) and (kind is not int or type(value) is not bool)):
                return self._read_again(arguments, keywords, is_method, is_in_place)
        out = None if places.out is None else given[places.out]
        if not (out is None or isinstance(out, Tensor)) or not self.are_alike(operands):
            return self._read_again(arguments, keywords, is_method, is_in_place)
        if self._is_overloaded and not is_tensor_there:
            return self._read_again(arguments, keywords, is_method, is_in_place)
        return operands, values, out

    def are_alike(self, operands: Sequence[Any]) -> bool:
        """Whether the given operands are all tensors or all numbers, where they must be."""
        if not self._alike:
            return True
        given = [isinstance(operands[place], Tensor) for place in self._alike if operands[place] is not None]
        return all(given) or not any(given)

    def _placed(self, count: int, keywords: Iterable[str], is_method: bool) -> _Places:
        """The positions of operands and parameters in a call with this many arguments and these keywords."""
        places = dict(zip(self._positional, range(count), strict=False))
        is_known, out = count <= len(self._positional), None
        for place, key in enumerate(keywords, start=count):
            name = key if key in self.defaults or key in self.operands else _NUMPY_NAMES.get(key, key)
            if key == "out" and self.has_out and not is_method:
                out = place
            elif name in places or (name not in self.operands and name not in self.defaults):
                is_known = False
            else:
                places[name] = place
        operands = [(name, places.get(name)) for name in self.operands]
        parameters = [(name, place, self._types.get(name)) for name, place in places.items() if name in self.defaults]
        return _Places(is_known, operands, parameters, out)

    def _accepts_number(self, name: str, value: Any) -> bool:
        return name in self.numbers and isinstance(value, NUMBERS)

    def _read_again(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], is_method: bool, is_in_place: bool
    ) -> tuple[list[Any], dict[str, Any], Tensor | None]:
        """Parse a call that `read` could not parse, by PyTorch's other signatures; or raise PyTorch's TypeError."""
        name, before = f"{self.name}_" if is_in_place else self.name, int(is_method)
        own = self.in_place() if is_in_place else self.public
        from tensorglass.ops.arg_parser.signature import by_name  # when it is needed: imports should be quick

        named = by_name(name, arguments[before:], keywords, is_method=is_method, own=own)
        if len(arguments) == before and all(keywords.get(keyword) is value for keyword, value in named.items()):
            # this form of call failed before
            raise invalid_combination(name, arguments[before:], keywords=keywords)
        return self.read(arguments[:before], named, is_method, is_in_place)
