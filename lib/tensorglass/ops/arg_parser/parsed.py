"""Functions whose PyTorch counterparts pass their arguments on to an operator, whose parser raises the errors.

`explaining` does this for operators in the table. This module is for the operators behind layers, which programs only
reach through `nn.functional`, and for functions of ours that do the work which PyTorch delegates to an operator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from tensorglass.ops.arg_parser.bool_arguments import are_flags, flags_of, unwrap


def parsed(name: str, *handed: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: calls are checked against the signatures of PyTorch's `name`, and mismatches raise its TypeError.

    `handed` names the parameters that PyTorch's function passes on, in the operator's order: ``"dim"`` by place,
    ``"dim="`` by name, and ``"1"`` for a number that is always right. Without them the call is the operator's own.
    """

    def decorate(body: Callable[..., Any]) -> Callable[..., Any]:
        flags = flags_of(body)

        @wraps(body)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if are_flags(flags, arguments, keywords):
                try:
                    return body(*arguments, **keywords)
                except Exception:
                    read = _read(body, name, handed, arguments, keywords)
                    if read is None:
                        raise
            else:
                read = _read(body, name, handed, arguments, keywords) or (arguments, keywords)
            return body(*read[0], **read[1])

        return call

    return decorate


def _read(
    body: Callable[..., Any], name: str, handed: Sequence[str], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]] | None:
    """The arguments with NumPy numbers and tensors converted to Python numbers; None if nothing changed. May raise the
    TypeError.
    """
    from tensorglass.ops.arg_parser.signature import Signatures  # when it is needed: imports should be quick

    if not handed:
        by_place, by_name = list(arguments), dict(keywords)
    else:
        try:
            bound = inspect.signature(unwrap(body)).bind(*arguments, **keywords)
        except TypeError:
            return None  # Python's own message, since PyTorch's function is written in Python too
        bound.apply_defaults()
        by_place = [1 if name == "1" else bound.arguments[name] for name in handed if not name.endswith("=")]
        by_name = {name[:-1]: bound.arguments[name[:-1]] for name in handed if name.endswith("=")}
    try:
        values, named = Signatures(None, name, (), False).read(by_place, by_name)
    except (TypeError, ValueError) as refusal:  # the ValueError: an int that takes more than 64 bits
        raise refusal.with_traceback(None) from None
    same = len(values) == len(by_place) and all(one is other for one, other in zip(values, by_place, strict=True))
    if same and all(named[name] is value for name, value in by_name.items()):
        return None
    if not handed:
        return values, named
    places = [name for name in handed if not name.endswith("=")]
    bound.arguments.update({place: value for place, value in zip(places, values, strict=True) if place != "1"} | named)
    return bound.args, bound.kwargs
