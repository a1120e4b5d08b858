"""One text of source, run with tensorglass as `torch` and with PyTorch as `torch`; both must see the same.

The text reports by `see(...)`: tensors with values, flags and node, nodes by name, everything else as it is.
`attempt(f)` reports what ``f()`` gives, or the class and first line of what it raises; `told(f)` also what it warns of.
An error that the text does not catch is reported too, and ends it.
"""

from __future__ import annotations

import gc
import math
import re
import textwrap
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

Seen = list[Any]


def disagreement(source: str, prelude: str = "", *, words: bool = True) -> str | None:
    """Where the two libraries see different things, in words; None if they agree. `prelude` is run before.

    Of errors the class is compared, and, if `words`, the first line.
    """
    source = textwrap.dedent(prelude) + textwrap.dedent(source)
    ours, theirs = _run(source, tensorglass), _run(source, torch)
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        is_refused = isinstance(one, tuple) and isinstance(other, tuple) and one[:1] == other[:1] == ("raised",)
        if not (_same(one, other) if words or not is_refused else one[1] == other[1]):
            return f"thing {place} that was seen:\n  ours      {one}\n  PyTorch's {other}\nin\n{source}"
    if len(ours) != len(theirs):
        more, which = (ours, "we see") if len(ours) > len(theirs) else (theirs, "PyTorch sees")
        return f"{which} more: {more[min(len(ours), len(theirs)) :]}\nin\n{source}"
    return None


def seen_by_ours(source: str) -> Seen:
    """What is seen with tensorglass, for a test that asserts that something is seen at all."""
    return _run(textwrap.dedent(source), tensorglass)


def _run(source: str, library: Any) -> Seen:
    seen: Seen = []

    def see(*things: Any) -> None:
        seen.extend(_facts(thing, library) for thing in things)

    def attempt(call: Callable[[], Any]) -> None:
        try:
            see(call())
        except Exception as error:
            seen.append(_error(error))

    def told(call: Callable[[], Any]) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            attempt(call)
        seen.extend((warning.category.__name__, _line(str(warning.message))) for warning in caught)

    names = {
        "__name__": "story", "torch": library, "see": see, "attempt": attempt, "told": told, "gc": gc,
        "weakref": weakref,
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<story>", "exec"), names)
        except Exception as error:
            seen.append(_error(error))
    return seen


def _error(error: Exception) -> Any:
    return "raised", type(error).__name__, _line(str(error))


def _line(text: str) -> str:
    first = (text.splitlines() or [""])[0]
    first = re.sub(r" \(Triggered internally at .*", "", first)
    return re.sub(r"0x[0-9a-f]+", "0x", first)


def _facts(thing: Any, library: Any) -> Any:
    """The facts about a value that can be compared between the libraries."""
    if isinstance(thing, library.Tensor):
        node = thing.grad_fn
        return {
            "values": thing.detach().tolist(), "dtype": str(thing.dtype), "size": tuple(thing.shape),
            "stride": thing.stride(), "requires_grad": thing.requires_grad, "is_leaf": thing.is_leaf,
            "node": None if node is None else _line(node.name()), "output_nr": thing.output_nr,
            "is_view": thing._is_view(),
        }  # fmt: skip
    if isinstance(thing, dict):
        return {key: _facts(value, library) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        facts = [_facts(item, library) for item in thing]
        return facts if isinstance(thing, list) else tuple(facts)
    if isinstance(thing, (int, float, complex, str, type(None))):
        return _line(thing) if isinstance(thing, str) else thing
    if isinstance(thing, type):
        return f"class {thing.__name__}"
    if callable(getattr(thing, "name", None)):
        return f"node {thing.name()}"
    return type(thing).__name__


def _same(ours: Any, theirs: Any) -> bool:
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(ours, float):
        return (
            ours == theirs
            or (ours != ours and theirs != theirs)
            or math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-6)
        )
    if isinstance(ours, complex):
        return _same(ours.real, theirs.real) and _same(ours.imag, theirs.imag)
    return bool(ours == theirs)
