"""What to say about a call that failed: the reading of its arguments that PyTorch's parser makes, in its words.

Operators check their arguments as Python does, by using them. Only when one has raised is its call held against the
operator's signatures: if it fits none, the error becomes PyTorch's TypeError, which names the argument; if it fits
after all (another name for an argument, as NumPy's `axis`), the call is made again in the operator's own terms.
Only what Python takes silently, anything for True or False, is looked at before.
The one idea to keep in mind: a call that works pays for nothing here but being passed on (0.1 µs).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from itertools import chain
from typing import Any, NamedTuple

from tensorglass import formats
from tensorglass.devices import device as Device
from tensorglass.dtypes import OF_PYTHON_TYPE
from tensorglass.dtypes import dtype as DType
from tensorglass.errors import MixedMemory
from tensorglass.generator import Generator
from tensorglass.graph.derivative import derivative_of
from tensorglass.ops.arguments import invalid_combination, type_name
from tensorglass.ops.known_signatures import DEPRECATED, signatures_of
from tensorglass.ops.one_device import refuse_two_devices
from tensorglass.ops.scalars import NUMBERS
from tensorglass.storage import UntypedStorage
from tensorglass.tensor import Tensor
from tensorglass.typed_storage import TypedStorage

# NumPy's names of arguments, which PyTorch accepts too.
_NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}

# Their second operand may be a number as well: PyTorch makes a 0-dim tensor of it.
_NUMBERS_BECOME_TENSORS = frozenset((
    "add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide",
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
        return not value._size and not value._dtype.is_floating_point and not value._dtype.is_complex
    return not isinstance(value, bool) and hasattr(value, "__index__")


def _may_be_one_of_ints(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.numel() == 1 and not value._dtype.is_floating_point and not value._dtype.is_complex
    return hasattr(value, "__index__")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Tensor) and not value._size and not value.requires_grad


def _is_real(value: Any) -> bool:
    return isinstance(value, NUMBERS) and not isinstance(value, complex)


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS) or _is_scalar(value)


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
    kind: str  #: as PyTorch's messages name it; "" for whatever comes
    is_optional: bool
    is_nullable: bool  #: whether None is as good as leaving it out
    is_keyword_only: bool
    is_varargs: bool  #: whether ints may be given one by one

    def fits(self, value: Any) -> bool:
        return not self.kind or (value is None and self.is_nullable) or _FITS[self.kind](value)

    def misfit(self, place: str, value: Any) -> str:
        kind = self.kind.partition(" or ")[0]
        if place and kind == "tuple of ints" and isinstance(value, tuple | list) and value:
            found = f"but found element of type {type_name(value[0])} at pos 0"
            return f"argument '{self.name}'{place} must be {kind}, {found}"
        return f"argument '{self.name}'{place} must be {kind}, not {type_name(value)}"


class Signature:
    """One signature of an operator, of which PyTorch's may have several."""

    def __init__(self, name: str, parameters: Sequence[_Parameter], is_deprecated: bool = False) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self._positional = sum(not each.is_keyword_only for each in self.parameters)
        self._required = sum(not each.is_optional for each in self.parameters)
        self.is_deprecated = is_deprecated
        # Ints one by one are what must be given; where they may be left out, what follows one is another argument.
        first = self.parameters[0] if self._positional == 1 else None
        self._takes_varargs = first is not None and first.is_varargs and not first.is_optional

    @classmethod
    def of_python(cls, name: str, signature: inspect.Signature) -> Signature:
        """The signature that the parameters of a function and their annotations tell."""
        return cls(name, [_of_parameter(each) for each in signature.parameters.values()])

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
        """Whether so many arguments could be right."""
        return self._required <= count <= len(self.parameters)

    def read(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments by position and by name in the operator's own terms. Raises PyTorch's TypeError."""
        rest = dict(keywords)
        values: list[Any] = []
        named: dict[str, Any] = {}
        if len(arguments) > self._positional and not (self._takes_varargs and _is_int(arguments[0])):
            raise self._too_many(len(arguments))
        for place, each in enumerate(self.parameters):
            if place < len(arguments) and not each.is_keyword_only:
                value, shown = arguments[place], f" (position {place + 1})"
                if self._takes_varargs and _is_int(value):
                    value = arguments
            else:
                key = next((name for name in (each.name, *_NUMPY_NAMES.get(each.name, ())) if name in rest), None)
                if key is None:
                    if not each.is_optional:
                        raise self._missing(place)
                    continue
                value, shown = rest.pop(key), ""
                if each.is_keyword_only or len(values) < place:
                    named[each.name] = value
            if not each.fits(value):
                raise TypeError(f"{self.name}(): {each.misfit(shown, value)}")
            if each.name not in named:
                values.append(value)
        for key in rest:
            if any(each.name == key for each in self.parameters):
                raise TypeError(f"{self.name}() got multiple values for argument '{key}'")
            raise TypeError(f"{self.name}() got an unexpected keyword argument '{key}'")
        return values, named

    def checked(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """What `read` gives, looked through: of a tuple, `read` has seen the first element alone."""
        values, named = self.read(arguments, keywords)
        positional = zip([each.name for each in self.parameters], values, strict=False)
        kinds = {each.name: (place, each.kind) for place, each in enumerate(self.parameters)}
        for argument, given in chain(positional, named.items()):
            at, kind = kinds[argument]
            if kind == "tuple of Tensors" and isinstance(given, tuple | list) and argument != "out":
                for place, value in enumerate(given):
                    if not isinstance(value, Tensor):
                        found = f"expected Tensor as element {place} in argument {at}, but got {type_name(value)}"
                        raise TypeError(found)
            if kind.startswith("tuple of ints") and isinstance(given, tuple | list):
                for place, value in enumerate(given, 1):
                    if not _may_be_one_of_ints(value):
                        raise TypeError(
                            f"{self.name}(): argument '{argument}' failed to unpack the object at pos {place} with "
                            f'error "type must be tuple of ints,but got {type_name(value)}"'
                        )
        return values, named

    def _too_many(self, given: int) -> TypeError:
        most = self._positional
        least = self._required  # sic: of those by keyword alone too
        takes = f"{most} positional argument{'' if most == 1 else 's'}"
        if least != most:
            takes = f"from {least} to {most} positional arguments"
        return TypeError(f"{self.name}() takes {takes} but {given} {'was' if given == 1 else 'were'} given")

    def _missing(self, place: int) -> TypeError:
        names = [f'"{each.name}"' for each in self.parameters[place:] if not each.is_optional]
        plural = "s" if len(names) == 1 else ""  # sic: PyTorch has it the other way round
        return TypeError(f"{self.name}() missing {len(names)} required positional argument{plural}: {', '.join(names)}")


def _of_parameter(parameter: inspect.Parameter) -> _Parameter:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return _Parameter(parameter.name, "tuple of ints", False, False, False, True)
    annotation = "" if parameter.annotation is parameter.empty else str(parameter.annotation)
    kind = _KINDS.get(annotation.removesuffix(" | None"), "")
    has_default = parameter.default is not parameter.empty
    keyword_only = parameter.kind is parameter.KEYWORD_ONLY
    return _Parameter(parameter.name, kind, has_default, parameter.default is None, keyword_only, False)


class _Signatures:
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
        return [each.as_method() for each in read] if self._is_method else read

    @cached_property
    def _known(self) -> list[str]:
        return [] if self._texts else signatures_of(self._name, is_method=self._is_method)

    def read(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as the first signature that fits has them. Raises PyTorch's TypeError if none does."""
        if self._is_method and len(self.all) == 1 and not self.all[0].parameters:
            name = f"TensorBase.{self._name}()"
            if keywords:
                raise TypeError(f"{name} takes no keyword arguments")
            if arguments:
                raise TypeError(f"{name} takes no arguments ({len(arguments)} given)")
        if len(self.all) == 1:
            return self.all[0].checked(arguments, keywords)
        for signature in self.all:
            try:
                signature.read(arguments, keywords)
            except TypeError:
                continue
            return signature.checked(arguments, keywords)
        count = len(arguments) + len(keywords)
        plausible = [each for each in self.all if each.may_take(count) and not each.is_deprecated]
        if len(plausible) == 1:
            plausible[0].read(arguments, keywords)
        raise invalid_combination(self._name, arguments, *self._shown(), keywords=keywords)

    def _shown(self) -> list[str]:
        if self._known:
            shown = [each for each in self._known if not each.endswith(DEPRECATED)]
            return [each.replace("?", "").replace(" or int ", " ").replace(" or float ", " ") for each in shown]
        if not self._is_method:
            return list(self._texts)
        return [text.replace("Tensor input, ", "").replace("Tensor input", "") for text in self._texts]


def refusal(
    name: str,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    *,
    is_method: bool,
    own: inspect.Signature | None = None,
) -> TypeError | None:
    """PyTorch's TypeError for a call that fits none of its signatures of `name`; None if one fits.

    An operator that PyTorch does not have is held against its `own` signature.
    """
    signatures = _Signatures(None if own is None else lambda: own, name, (), is_method)
    try:
        signatures.read(arguments, keywords)
    except TypeError as error:
        return error.with_traceback(None)
    return None


def explaining(
    body: Callable[..., Any], name: str, texts: Sequence[str] = (), *, is_method: bool = False
) -> Callable[..., Any]:
    """`body`, refusing as PyTorch's `name` what fits none of its signatures: those in `texts`, or the one it tells."""
    signatures = _Signatures(lambda: inspect.signature(body), name, texts, is_method)
    before = 1 if is_method else 0
    straight = _unrecorded(body)
    flags = _flags(body)
    first = flags[0][0] if flags else sys.maxsize

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if (keywords or len(arguments) > first) and flags and not _are_flags(flags, arguments, keywords):
            signatures.read(arguments[before:], keywords)
        try:
            if arguments and type(arguments[0]) is Tensor and arguments[0]._meta is None:
                return straight(*arguments, **keywords) if keywords else straight(*arguments)
            return body(*arguments, **keywords)
        except Exception as error:
            if isinstance(error, MixedMemory):
                refuse_two_devices(arguments, keywords)
            values, named = signatures.read(arguments[before:], keywords)
            if not _is_misfit(error, body):
                raise
        return body(*arguments[:before], *values, **named)

    return call


def _flags(body: Callable[..., Any]) -> list[tuple[int, str]]:
    """The parameters that are True or False, and their places: Python takes anything for one, and raises nothing.

    Those that are given by name alone have a place that no argument reaches.
    """
    plain = inspect.unwrap(body)
    by_place = plain.__code__.co_argcount
    names = plain.__code__.co_varnames[: by_place + plain.__code__.co_kwonlyargcount]
    places = [*range(by_place), *[sys.maxsize] * (len(names) - by_place)]
    found = plain.__annotations__
    return [(place, name) for place, name in zip(places, names, strict=True) if found.get(name) == "bool"]


def _are_flags(flags: list[tuple[int, str]], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether what is given for `flags` is True or False."""
    for place, name in flags:
        given = arguments[place] if len(arguments) > place else keywords.get(name, False)
        if given is not True and given is not False:
            return False
    return True


def passing(body: Callable[..., Any]) -> Callable[..., Any]:
    """`body`, which explains failed calls itself, past what records it where that has nothing to do."""
    straight = _unrecorded(body)
    if straight is body:
        return body

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if arguments and type(arguments[0]) is Tensor and arguments[0]._meta is None:
            return straight(*arguments, **keywords)
        return body(*arguments, **keywords)

    return call


def _unrecorded(body: Callable[..., Any]) -> Callable[..., Any]:
    """The operator without what records it, for a first argument that no gradient flows to: 0.5 µs less."""
    found, bare = derivative_of(body), getattr(body, "__wrapped__", body)
    return bare if found is not None and list(found.formulas) == ["input"] else body


def _is_misfit(error: Exception, body: Callable[..., Any]) -> bool:
    """Whether the arguments did not fit the operator's parameters; not an error from inside.

    A function of its own: a traceback that is kept in a local variable keeps the frame alive that it belongs to, and
    all tensors in it.
    """
    trace = error.__traceback__ and error.__traceback__.tb_next
    if trace is not None and hasattr(body, "__wrapped__") and trace.tb_frame.f_code is body.__code__:
        trace = trace.tb_next  # `body` records the operator, and passes the call on
    return isinstance(error, TypeError) and trace is None
