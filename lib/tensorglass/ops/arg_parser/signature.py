"""The signatures of operators, and the parsing of a call's arguments against them, with PyTorch's messages.

This is done for calls that have failed: a program whose calls are right never imports this module. A call that fits
after all is translated to the operator's own names for arguments, with Python numbers in place of NumPy's. PyTorch's
signatures stand in ``signatures.txt``, under the name of the function, and under ``Tensor.<name>`` where those of the
method are not the function's without its first tensor; an in-place form's are the method's if it has none of its own.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from operator import index
from typing import Any, NamedTuple

from tensorglass.backends import numpy_values
from tensorglass.core import memory_format as formats
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import INTEGER, OF_PYTHON_TYPE, python_number
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.ops.arg_parser.checks import all_tensors, invalid_combination, type_name
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor

# NumPy's names of arguments, which PyTorch accepts too.
_NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}

# Their second operand may be a number as well: PyTorch makes a 0-dim tensor of it.
_NUMBERS_BECOME_TENSORS = frozenset((
    "add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide", "copy",
))  # fmt: skip

# How PyTorch names the kinds of arguments that our annotations name.
_KINDS = {
    "Tensor": "Tensor", "int": "int", "bool": "bool", "float": "float", "complex": "Number", "str": "str",
    "Sequence[int]": "tuple of ints", "int | Sequence[int]": "tuple of ints or int", "Sequence[Tensor]":
    "tuple of Tensors", "DType": "torch.dtype", "Device": "torch.device", "formats.memory_format":
    "torch.memory_format", "Generator": "torch.Generator",
}  # fmt: skip


def _is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value._size and value._dtype.category == INTEGER
    # a value that also has a length is an array, even one of a single element
    return not isinstance(value, bool) and hasattr(value, "__index__") and not hasattr(value, "__len__")


def _may_be_one_of_ints(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.numel() == 1 and value._dtype.category <= INTEGER
    return hasattr(value, "__index__") and not hasattr(value, "__len__")


_OVERFLOW = "Overflow when unpacking long long"


def _is_long(number: int) -> bool:
    return -(2**63) <= number < 2**63


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Tensor) and not value._size and not value.requires_grad


def _of_python(value: Any, kind: str) -> Any:
    """NumPy's numbers, alone or in a sequence, as Python's; so is a tensor where a number is wanted.

    A type of Python's numbers is the dtype that it stands for: ``x.sum(dtype=float)``.
    """
    if isinstance(value, numpy_values.number | numpy_values.bool_):
        return python_number(value)
    if kind in _NUMBER_KINDS and isinstance(value, Tensor):
        number = value.item()
        if kind == "float" and isinstance(number, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
        return number
    if kind == "torch.dtype" and isinstance(value, type):
        return OF_PYTHON_TYPE[value]
    if type(value) in (list, tuple) and any(isinstance(item, numpy_values.generic) for item in value):
        return type(value)([_of_python(item, "") for item in value])
    return value


def _is_real(value: Any) -> bool:
    return isinstance(value, NUMBERS) and not isinstance(value, complex)


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS) or _is_scalar(value)


_NUMBER_KINDS = frozenset(("int", "float", "Number"))

_FITS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "int": _is_int,
    "bool": lambda value: isinstance(value, bool),
    "float": lambda value: _is_real(value) or _is_scalar(value),
    "Number": lambda value: _is_number(value),
    "Tensor or Number": lambda value: isinstance(value, (*NUMBERS, Tensor)),
    "str": lambda value: isinstance(value, str),
    "tuple of ints": lambda value: isinstance(value, tuple | list) and (not value or _is_int(value[0])),
    "tuple of ints or int": lambda value: _is_int(value) or _FITS["tuple of ints"](value),
    "tuple of floats": lambda value: isinstance(value, tuple | list) and (not value or _is_real(value[0])),
    "tuple of floats or float": lambda value: _is_real(value) or _FITS["tuple of floats"](value),
    "tuple of Scalars": lambda value: isinstance(value, tuple | list) and all(map(_is_number, value)),
    "tuple of Tensors": lambda value: isinstance(value, tuple | list),
    "torch.dtype": lambda value: isinstance(value, DType) or (isinstance(value, type) and value in OF_PYTHON_TYPE),
    "torch.device": lambda value: isinstance(value, Device | str | int) and not isinstance(value, bool),
    "torch.layout": lambda value: isinstance(value, formats.layout),
    "torch.memory_format": lambda value: isinstance(value, formats.memory_format),
    "torch.Storage": lambda value: isinstance(value, UntypedStorage | TypedStorage),
    "torch.Generator": lambda value: isinstance(value, Generator),
}


class _Parameter(NamedTuple):
    name: str
    kind: str  #: the type's name in PyTorch's messages; "" for any value
    is_optional: bool
    is_nullable: bool  #: whether None means the same as omitting it
    is_keyword_only: bool
    is_varargs: bool  #: whether ints may be given one by one

    def fits(self, value: Any) -> bool:
        return not self.kind or (value is None and self.is_nullable) or _FITS[self.kind](value)

    def misfit(self, place: str, value: Any) -> str:
        kind = self.kind.partition(" or ")[0]
        if place and kind == "tuple of ints" and isinstance(value, tuple | list) and value:
            text = f"but found element of type {type_name(value[0])} at pos 0"
            return f"argument '{self.name}'{place} must be {kind}, {text}"
        return f"argument '{self.name}'{place} must be {kind}, not {type_name(value)}"


class Signature:
    """One signature of an operator, of which PyTorch's may have several."""

    def __init__(self, name: str, parameters: Sequence[_Parameter], is_deprecated: bool = False) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self._positional = sum(not parameter.is_keyword_only for parameter in self.parameters)
        self._required = sum(not parameter.is_optional for parameter in self.parameters)
        self.is_deprecated = is_deprecated
        #: whether its parameters have another order or other names than the operator's
        self.is_another = is_deprecated or any(parameter.name == "self" for parameter in self.parameters)
        # Separate ints are only possible for required arguments; for optional ones, the next value is another argument.
        first = self.parameters[0] if self._positional == 1 else None
        self._takes_varargs = first is not None and first.is_varargs and not first.is_optional

    @classmethod
    def of_python(cls, name: str, signature: inspect.Signature) -> Signature:
        """The signature given by a function's parameters and annotations."""
        return cls(name, [_of_parameter(parameter) for parameter in signature.parameters.values()])

    @classmethod
    def of_text(cls, name: str, text: str) -> Signature:
        """The signature in PyTorch's notation: ``(Tensor input, int dim = 0, *, bool flag = False)``."""
        parameters = []
        keyword_only = False
        for part in filter(None, text.removesuffix(DEPRECATED).strip("()").split(", ")):
            if part == "*":
                keyword_only = True
                continue
            declared, _, default = part.partition(" = ")
            kind, _, argument = declared.rpartition(" ")
            is_nullable = default == "None" or kind.endswith("?")
            kind = kind.removesuffix("?")
            if kind == "Tensor" and argument == "other" and name.removesuffix("_") in _NUMBERS_BECOME_TENSORS:
                kind = "Tensor or Number"
            is_varargs = kind.startswith("tuple of ints")
            parameters.append(_Parameter(argument, kind, bool(default), is_nullable, keyword_only, is_varargs))
        return cls(name, parameters, text.endswith(DEPRECATED))

    def as_method(self) -> Signature:
        """The signature without the tensor that the method is called on."""
        return Signature(self.name, self.parameters[1:])

    def may_take(self, count: int) -> bool:
        """Whether this many arguments could fit."""
        return self._required <= count <= len(self.parameters)

    def read(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments by position and by name in the operator's own terms. Raises PyTorch's TypeError."""
        rest = dict(keywords)
        values: list[Any] = []
        named: dict[str, Any] = {}
        if len(arguments) > self._positional and not (self._takes_varargs and _is_int(arguments[0])):
            raise self._too_many(len(arguments))
        for place, parameter in enumerate(self.parameters):
            if place < len(arguments) and not parameter.is_keyword_only:
                value, shown = arguments[place], f" (position {place + 1})"
                if self._takes_varargs and _is_int(value):
                    value = arguments
            else:
                key = next(
                    (name for name in (parameter.name, *_NUMPY_NAMES.get(parameter.name, ())) if name in rest), None
                )
                if key is None:
                    if not parameter.is_optional:
                        raise self._missing(place)
                    continue
                value, shown = rest.pop(key), ""
                if parameter.is_keyword_only or len(values) < place:
                    named[parameter.name] = value
            if not parameter.fits(value):
                raise TypeError(f"{self.name}(): {parameter.misfit(shown, value)}")
            if parameter.kind:
                value = _of_python(value, parameter.kind)
            if parameter.name in named:
                named[parameter.name] = value
            else:
                values.append(value)
        for key in rest:
            if any(parameter.name == key for parameter in self.parameters):
                raise TypeError(f"{self.name}() got multiple values for argument '{key}'")
            unexpected = TypeError(f"{self.name}() got an unexpected keyword argument '{key}'")
            if key == "requires_grad":
                raise explained(
                    unexpected,
                    "Functions that make a tensor take it. In one that is there, requires_grad_() turns the flag on.",
                )
            raise unexpected
        return values, named

    def checked(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The result of `read`, fully checked: `read` only looks at the first element of a sequence."""
        values, named = self.read(arguments, keywords)
        positional = zip([parameter.name for parameter in self.parameters], values, strict=False)
        kinds = {parameter.name: (place, parameter.kind) for place, parameter in enumerate(self.parameters)}
        for argument, given in chain(positional, named.items()):
            at, kind = kinds[argument]
            if kind == "tuple of Tensors" and isinstance(given, tuple | list):
                all_tensors(given, at=at)
            if kind in ("int", "tuple of ints or int") and isinstance(given, int) and not _is_long(given):
                raise ValueError(_OVERFLOW)
            if kind.startswith("tuple of ints") and isinstance(given, tuple | list):
                self._check_ints(argument, given)
        return values, named

    def _check_ints(self, argument: str, given: Sequence[Any]) -> None:
        for place, value in enumerate(given, 1):
            failed = f"{self.name}(): argument '{argument}' failed to unpack the object at pos {place} with error"
            if not _may_be_one_of_ints(value):
                raise TypeError(f'{failed} "type must be tuple of ints,but got {type_name(value)}"')
            if not isinstance(value, Tensor) and not _is_long(index(value)):
                raise TypeError(f'{failed} "{_OVERFLOW}')  # sic: PyTorch closes the quotes some lines below

    def by_name(self, values: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """What was read, under the operator's names."""
        given = dict(zip([parameter.name for parameter in self.parameters], values, strict=False)) | dict(named)
        return {"input" if name == "self" else name: value for name, value in given.items()}

    def _too_many(self, given: int) -> TypeError:
        most = self._positional
        least = self._required  # sic: of keyword-only ones too
        takes = f"{most} positional argument{'' if most == 1 else 's'}"
        if least != most:
            return TypeError(f"{self.name}() takes from {least} to {most} positional arguments but {given} were given")
        return TypeError(f"{self.name}() takes {takes} but {given} {'was' if given == 1 else 'were'} given")

    def _missing(self, place: int) -> TypeError:
        names = [f'"{parameter.name}"' for parameter in self.parameters[place:] if not parameter.is_optional]
        plural = "s" if len(names) == 1 else ""  # sic: PyTorch swaps the two
        return TypeError(f"{self.name}() missing {len(names)} required positional argument{plural}: {', '.join(names)}")


def _of_parameter(parameter: inspect.Parameter) -> _Parameter:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return _Parameter(parameter.name, "tuple of ints", False, False, False, True)
    annotation = "" if parameter.annotation is parameter.empty else str(parameter.annotation)
    kind = _KINDS.get(annotation.removesuffix(" | None"), "")
    has_default = parameter.default is not parameter.empty
    keyword_only = parameter.kind is parameter.KEYWORD_ONLY
    return _Parameter(parameter.name, kind, has_default, parameter.default is None, keyword_only, False)


def differ(given: Sequence[Any], read: Sequence[Any], keywords: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
    """Whether a parsed call differed from the operator's terms: in order, NumPy numbers, tensors for numbers, or types
    for dtypes.
    """
    if len(read) < len(given):
        return True
    pairs = [*zip(given, read, strict=False), *[(keywords.get(name, value), value) for name, value in named.items()]]
    kept = {id(value) for value in (*read, *named.values())}
    return any(id(value) not in kept for value in keywords.values()) or any(
        isinstance(one, numpy_values.generic) or (isinstance(one, list | tuple | Tensor | type) and one is not other)
        for one, other in pairs
    )


# --- PyTorch's signatures, as text -----------------------------------------------------------------------------------

_OUT = re.compile(r", (Tensor|tuple of Tensors) out = None")
#: What marks a signature that PyTorch still takes but no longer shows.
DEPRECATED = " deprecated"


@cache
def _of_file() -> dict[str, list[str]]:
    """The signatures by name."""
    by_line: dict[str, list[str]] = {}
    signatures: list[str] = []
    with open(os.path.join(os.path.dirname(__file__), "signatures.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith(" "):
            signatures.append(line.strip())
        else:
            signatures = by_line[line] = []
    return by_line


def signatures_of(name: str, *, is_method: bool) -> list[str]:
    """The signatures of ``torch.<name>`` or of ``Tensor.<name>``, as that is called; none where PyTorch's is Python."""
    known = _of_file()
    forms = (name, name[:-1]) if name.endswith("_") else (name,)
    if not is_method:
        signatures = next((known[form] for form in forms if form in known), [])
        return signatures if name in known else [_without_out(signature) for signature in signatures]
    for form in forms:
        if f"Tensor.{form}" in known:
            return known[f"Tensor.{form}"]
        if form in known:
            return list(dict.fromkeys(_as_method(signature) for signature in known[form]))
    return []


def _without_out(signature: str) -> str:
    return _OUT.sub("", signature).replace(", *)", ")")


def _as_method(signature: str) -> str:
    without = _without_out(signature).replace("(Tensor input, ", "(").replace("(Tensor input)", "()")
    return "()" if without == "(*)" else without


# --- a call that failed ----------------------------------------------------------------------------------------------


class Signatures:
    """All signatures of an operator, read from its declaration when a call has failed for the first time."""

    def __init__(
        self, own: Callable[[], inspect.Signature] | None, name: str, texts: Sequence[str], is_method: bool
    ) -> None:
        self._own, self._name, self._texts, self._is_method = own, name, texts, is_method

    @cached_property
    def all(self) -> list[Signature]:
        name = self._name
        if self._known:
            return [Signature.of_text(name, text) for text in self._known]
        read = [Signature.of_text(name, text) for text in self._texts]
        if not read and self._own is not None:
            read = [Signature.of_python(name, self._own())]
        return [signature.as_method() for signature in read] if self._is_method else read

    @cached_property
    def _known(self) -> list[str]:
        return [] if self._texts else signatures_of(self._name, is_method=self._is_method)

    def read(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as the operator has them, by the first signature that fits. Raises PyTorch's TypeError."""
        taken = self._taken(arguments, keywords)
        values, named = taken.checked(arguments, keywords)
        return ([], taken.by_name(values, named)) if taken.is_another else (values, named)

    def named(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """The same, all by name."""
        taken = self._taken(arguments, keywords)
        return taken.by_name(*taken.checked(arguments, keywords))

    def _taken(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Signature:
        if self._is_method and len(self.all) == 1 and not self.all[0].parameters:
            name = f"TensorBase.{self._name}()"
            if keywords:
                raise TypeError(f"{name} takes no keyword arguments")
            if arguments:
                raise TypeError(f"{name} takes no arguments ({len(arguments)} given)")
        if len(self.all) == 1:
            return self.all[0]
        for signature in sorted(self.all, key=lambda signature: signature.is_deprecated):  # those come last
            try:
                signature.read(arguments, keywords)
            except TypeError:
                continue
            if signature.is_deprecated:
                self._advise(signature)
            return signature
        count = len(arguments) + len(keywords)
        plausible = [signature for signature in self.all if signature.may_take(count) and not signature.is_deprecated]
        if len(plausible) == 1:
            plausible[0].read(arguments, keywords)
        raise invalid_combination(self._name, arguments, *self._shown(), keywords=keywords)

    def _advise(self, taken: Signature) -> None:
        older = self._known[self.all.index(taken)].removesuffix(DEPRECATED)
        newer = "".join(f"\n\t{self._name}{text}" for text in self._shown())
        warn(
            f"This overload of {self._name} is deprecated:\n\t{self._name}{older}\n"
            f"Consider using one of the following signatures instead:{newer}"
        )

    def _shown(self) -> list[str]:
        if self._known:
            shown = [text for text in self._known if not text.endswith(DEPRECATED)]
            return [text.replace("?", "").replace(" or int ", " ").replace(" or float ", " ") for text in shown]
        if not self._is_method:
            return list(self._texts)
        return [text.replace("Tensor input, ", "").replace("Tensor input", "") for text in self._texts]


@cache
def signatures_for(body: Callable[..., Any], name: str, texts: tuple[str, ...], is_method: bool) -> Signatures:
    """The signatures that calls of `name` are checked against: those of `texts`, PyTorch's, or that of `body`."""
    return Signatures(lambda: inspect.signature(body), name, texts, is_method)


def refusal(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], *, is_method: bool) -> TypeError | None:
    """PyTorch's TypeError for a call that fits none of its signatures of `name`; None if one fits."""
    try:
        Signatures(None, name, (), is_method).read(arguments, keywords)
    except TypeError as error:
        return error.with_traceback(None)
    return None


def by_name(
    name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], *, is_method: bool, own: inspect.Signature
) -> dict[str, Any]:
    """The arguments by the operator's names for them, read by the first of PyTorch's signatures of `name` that fits.

    Raises PyTorch's TypeError if none fits. An operator that PyTorch does not have is held against its `own`.
    """
    return Signatures(lambda: own, name, (), is_method).named(arguments, keywords)
