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
from typing import Any

from tensorglass import overriding
from tensorglass.errors import MixedMemory
from tensorglass.graph.derivative import derivative_of
from tensorglass.ops.arguments import invalid_combination
from tensorglass.ops.flags import are_flags, flags_of
from tensorglass.ops.known_signatures import DEPRECATED, signatures_of
from tensorglass.ops.one_device import refuse_two_devices
from tensorglass.ops.reading import Signature, differ
from tensorglass.tensor import Tensor

#: `overriding.door` or its like: an operator's body and what users call, to what stands before that body from now on
Door = Callable[[Callable[..., Any], Callable[..., Any]], Callable[..., Any]]


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
    flags = flags_of(body)
    first = flags[0][0] if flags else sys.maxsize

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if (keywords or len(arguments) > first) and flags and not are_flags(flags, arguments, keywords):
            signatures.read(arguments[before:], keywords)
        try:
            if arguments and type(arguments[0]) is Tensor and arguments[0]._meta is None:
                return straight(*arguments, **keywords) if keywords else straight(*arguments)
            return body(*arguments, **keywords)
        except Exception as error:
            if isinstance(error, MixedMemory):
                refuse_two_devices(arguments, keywords)
            try:
                values, named = signatures.read(arguments[before:], keywords)
            except TypeError as refusal:
                return overriding.for_others(call, arguments, keywords, refusal)
            if not _is_misfit(error, body) and not differ(arguments[before:], values, keywords, named):
                raise
        return body(*arguments[:before], *values, **named)

    def open_door(public: Callable[..., Any], door: Door) -> None:
        nonlocal straight, body
        straight, body = door(straight, public), door(body, public)

    vars(call)["open_door"] = open_door  # to be called when the first class is derived from Tensor
    return call


def passing(body: Callable[..., Any]) -> Callable[..., Any]:
    """`body`, which explains failed calls itself, past what records it where that has nothing to do."""
    if hasattr(body, "open_door"):  # of elementwise operators, which do that as well
        return body
    straight = _unrecorded(body)

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            if arguments and type(arguments[0]) is Tensor and arguments[0]._meta is None:
                return straight(*arguments, **keywords)
            return body(*arguments, **keywords)
        except TypeError as refusal:
            return overriding.for_others(call, arguments, keywords, refusal)

    def open_door(public: Callable[..., Any], door: Door) -> None:
        nonlocal straight, body
        straight, body = door(straight, public), door(body, public)

    vars(call)["open_door"] = open_door
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
    while trace is not None and hasattr(body, "__wrapped__") and trace.tb_frame.f_code is body.__code__:
        trace, body = trace.tb_next, body.__wrapped__  # `body` records the operator, or is a door, and passes it on
    return isinstance(error, TypeError) and trace is None
