"""Errors for failed calls: their arguments are parsed as PyTorch's parser does, with its messages.

Operators check their arguments as Python does, by using them. Only when an operator has raised is the call checked
against its signatures. If it fits none, the error becomes PyTorch's TypeError, which names the argument. If it fits
after all (with another name for an argument, such as NumPy's `axis`), the call is repeated in the operator's own terms.
Checked before the call are only arguments that Python accepts silently (any value for True or False), and `out`, which
methods never take.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from tensorglass.core.errors import MixedMemory
from tensorglass.ops.arg_parser.bool_arguments import are_flags, flags_of
from tensorglass.ops.arg_parser.checks import refuse_two_devices
from tensorglass.ops.arg_parser.out_elsewhere import refuse_out_elsewhere
from tensorglass.tensor import torch_function
from tensorglass.tensor.tensor import Tensor

#: `torch_function.overridable` or `not_overridable`: given an operator's body and what users call, it wraps the body
Wrapper = Callable[[Callable[..., Any], Callable[..., Any]], Callable[..., Any]]


def explaining(
    body: Callable[..., Any],
    name: str,
    texts: Sequence[str] = (),
    *,
    is_method: bool = False,
    unrecorded: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Wrap `body`: calls that fit none of its signatures (`texts`, or its own) raise the TypeError of PyTorch's `name`.

    `unrecorded` is `body` for calls whose first argument has nothing to do with gradients.
    """
    before = 1 if is_method else 0
    quick = unrecorded or body
    flags = flags_of(body)
    first = flags[0][0] if flags else sys.maxsize

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if (is_method and "out" in keywords) or (
            flags and (keywords or len(arguments) > first) and not are_flags(flags, arguments, keywords)
        ):
            try:
                values, named = _read_by_signatures(body, name, texts, is_method, arguments[before:], keywords)
            except TypeError as refusal:
                return torch_function.dispatch_or_refuse(vars(call).get("public", call), arguments, keywords, refusal)
            return run([*arguments[:before], *values], named)
        try:
            if arguments and type(arguments[0]) is Tensor and arguments[0]._meta is None:
                if not keywords:
                    return quick(*arguments)
                if "out" not in keywords:  # an `out` that requires gradients is refused
                    return quick(*arguments, **keywords)
            if keywords.get("out") is not None:
                refuse_out_elsewhere(body, body.__name__, arguments, keywords)
            return body(*arguments, **keywords)
        except Exception as error:
            failure = error
        # Beyond the handler, so that what is raised here does not come "during handling of the above exception".
        try:
            if isinstance(failure, MixedMemory):
                refuse_two_devices(arguments, keywords)
            try:
                values, named = _read_by_signatures(body, name, texts, is_method, arguments[before:], keywords)
            except TypeError as refusal:
                return torch_function.dispatch_or_refuse(vars(call).get("public", call), arguments, keywords, refusal)
            if not _is_misfit(failure, body):
                from tensorglass.ops.arg_parser.signature import differ  # when it is needed: imports should be quick

                if not differ(arguments[before:], values, keywords, named):
                    raise failure
        finally:
            del failure  # whose traceback holds this frame
        return run([*arguments[:before], *values], named)

    def run(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        if keywords.get("out") is not None:
            refuse_out_elsewhere(body, body.__name__, arguments, keywords)
        return body(*arguments, **keywords)

    def make_overridable(public: Callable[..., Any], wrapper: Wrapper) -> None:
        nonlocal quick, body
        quick, body = wrapper(quick, public), wrapper(body, public)

    vars(call)["make_overridable"] = make_overridable  # called when the first subclass of Tensor is defined
    return call


def in_one(public: Callable[..., Any], body: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wrap `public`, a function that refuses separate ints, which its method takes: they must come as one tuple."""

    @wraps(public)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > 1 and type(arguments[1]) is int:
            _read_by_signatures(body, name, (), False, arguments, keywords)  # raises PyTorch's TypeError
        return public(*arguments, **keywords)

    return call


def _read_by_signatures(
    body: Callable[..., Any],
    name: str,
    texts: Sequence[str],
    is_method: bool,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as the first of an operator's signatures that fits has them; PyTorch's TypeError if none does."""
    from tensorglass.ops.arg_parser.signature import signatures_for  # as above

    return signatures_for(body, name, tuple(texts), is_method).read(arguments, keywords)


def passing(body: Callable[..., Any], unrecorded: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `body`, which explains failed calls itself; `unrecorded` runs if the first argument needs no gradient."""
    if hasattr(body, "make_overridable"):  # an elementwise operator does that itself
        return body
    quick = unrecorded

    @wraps(body)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            if arguments and type(arguments[0]) is Tensor and arguments[0]._meta is None and "out" not in keywords:
                return quick(*arguments, **keywords)
            if keywords.get("out") is not None:
                refuse_out_elsewhere(body, body.__name__, arguments, keywords)
            return body(*arguments, **keywords)
        except TypeError as refusal:
            return torch_function.dispatch_or_refuse(vars(call).get("public", call), arguments, keywords, refusal)

    def make_overridable(public: Callable[..., Any], wrapper: Wrapper) -> None:
        nonlocal quick, body
        quick, body = wrapper(quick, public), wrapper(body, public)

    vars(call)["make_overridable"] = make_overridable
    return call


def _is_misfit(error: Exception, body: Callable[..., Any]) -> bool:
    """Whether the error is about arguments that did not fit the parameters, and not from inside the operator.

    A separate function, because a traceback in a local variable keeps its frame alive, and all tensors in it.
    """
    trace = error.__traceback__ and error.__traceback__.tb_next
    while trace is not None:
        code = trace.tb_frame.f_code
        if hasattr(body, "__wrapped__") and code is body.__code__:
            body = body.__wrapped__  # `body` records the operator, or is overridable, and passes it on
        elif code is not torch_function.dispatch_or_run.__code__:
            break
        trace = trace.tb_next
    return isinstance(error, TypeError) and trace is None
