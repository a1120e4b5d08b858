"""From objects up to holders that have a name: a variable, a module, a class, a function, a cache. The one idea:
Python's garbage collector knows who refers to an object. It is asked level by level, for all objects at once; when a
named holder is found, the path down from it is recorded. The search is limited, and reaching the limit is reported.
"""

from __future__ import annotations

import gc
import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CellType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    ModuleType,
    TracebackType,
)
from typing import Any

from glassroom.reading.adapters import adapter_for
from glassroom.reading.guarded import attempted, is_a, name_of_class
from glassroom.reading.places import attributes_of
from glassroom.reading.variables import locals_of
from glassroom.records.printable import printable
from glassroom.translations.templates import word

MOST_LEVELS = 24  # objects between an object and its named holder
MOST_LOOKED_AT = 20_000  # objects visited

SUSPENDED = (GeneratorType, CoroutineType, AsyncGeneratorType)
_OWN = "\0"  # in a path: the dict of an object's attributes
_OF_ATTRIBUTES = re.compile(_OWN + r"(?:\['(\w+)'\])?")
CACHE = "_lru_cache_wrapper"  # what functools.cache and lru_cache return


@dataclass(frozen=True)
class Found:
    """Paths to objects, by id; and whether the search for the others was complete."""

    paths: dict[int, str]
    is_all: bool


def live_tensors() -> list[Any]:
    """The tensors that Python's garbage collector knows, without arrays of NumPy."""
    kinds: dict[type, bool] = {}
    candidates = []
    for candidate in gc.get_objects():
        kind = type(candidate)
        if kind not in kinds:
            kinds[kind] = adapter_for(candidate) is not None
        if kinds[kind]:
            candidates.append(candidate)
    return candidates


def paths_up(objects: list[Any], caller: FrameType) -> Found:
    """The shortest path to each of `objects` from a named holder, as the code of `caller` would write it."""
    seen: dict[int, Any] = {id(item): item for item in objects}  # holding them keeps the ids unique
    below: dict[int, list[int]] = {}
    paths: dict[int, str] = {}
    level = list(objects)
    unreached: list[tuple[Any, str]] = []  # names that only help where nothing better leads to an object
    hidden = {id(objects), id(seen), id(unreached)}
    frames = _frames_of(caller)
    for _ in range(MOST_LEVELS):
        if not level or len(seen) > MOST_LOOKED_AT or all(id(item) in paths for item in objects):
            break
        ids = {id(tensor) for tensor in level}
        for frame, variables in frames:
            for name, value in variables.items():
                if id(value) in ids:
                    words = name if frame is caller else word(f"{name} in {frame.f_code.co_name}()")
                    _tell(paths, seen, below, value, words)
        hidden.update((id(level), id(frames), *(id(variables) for _, variables in frames)))
        above = []
        for referrer in gc.get_referrers(*level):
            if id(referrer) in hidden or is_of_a_look(referrer) or any(referrer is frame for frame, _ in frames):
                continue
            children = [id(referent) for referent in gc.get_referents(referrer) if id(referent) in ids]
            below.setdefault(id(referrer), []).extend(children)
            if id(referrer) not in seen:
                seen[id(referrer)] = referrer
                root = attempted(lambda above=referrer: _root(above, caller), None)  # type: ignore[misc]  # of the loop
                if root is None or _is_anonymous(referrer):
                    above.append(referrer)
                    unreached += [] if root is None else [(referrer, root)]
                else:
                    paths[id(referrer)] = root
            if id(referrer) in paths:
                for child in children:
                    _tell(paths, seen, below, seen[child], paths[id(referrer)] + _step(referrer, seen[child]))
        level = above
    for object_, name in unreached:
        _tell(paths, seen, below, object_, name)
    return Found(
        {
            id(item): _OF_ATTRIBUTES.sub(r".\1", paths[id(item)]).removeprefix(".")
            for item in objects
            if id(item) in paths
        },
        is_all=not level or all(id(item) in paths for item in objects),
    )


def _frames_of(caller: FrameType) -> list[tuple[FrameType, dict[str, Any]]]:
    """The running functions, each with its variables; the caller's module is a root of its own."""
    running = []
    frame: FrameType | None = caller
    while frame is not None:
        if frame.f_locals is not frame.f_globals and not is_of_a_look(frame):
            # Those of pytest's assertions begin with "@".
            running.append((frame, {name: value for name, value in locals_of(frame).items() if name[:1] != "@"}))
        frame = frame.f_back
    return running


def is_of_a_look(referrer: object) -> bool:
    """Whether something refers to an object only because of this search: a frame, a function or a generator of ours.
    Before Python 3.12 a comprehension is such a function too.
    """
    if is_a(referrer, FunctionType):
        return _is_ours(referrer.__module__)
    frame = referrer if is_a(referrer, FrameType) else suspended(referrer) if is_a(referrer, SUSPENDED) else None
    return frame is not None and _is_ours(frame.f_globals.get("__name__"))


def _is_ours(module: object) -> bool:
    return str(module).partition(".")[0] == "glassroom"


def suspended(generator: Any) -> FrameType | None:
    """The frame of a generator or a coroutine; None once it has ended."""
    return next(getattr(generator, name) for name in ("gi_frame", "cr_frame", "ag_frame") if hasattr(generator, name))


def _tell(paths: dict[int, str], seen: Mapping[int, Any], below: Mapping[int, list[int]], at: Any, words: str) -> None:
    """Record the path to an object, and to all objects below it from which the search came."""
    waiting = deque([(at, words)])
    while waiting:
        reached, said = waiting.popleft()
        if id(reached) not in paths:
            paths[id(reached)] = said
            waiting += [(seen[child], said + _step(reached, seen[child])) for child in below.get(id(reached), [])]


def _root(referrer: Any, caller: FrameType) -> str | None:
    """The name of a holder that a reader can find by it; None if it has none."""
    if referrer is caller.f_globals:
        return ""
    if is_a(referrer, dict):
        module = sys.modules.get(str(dict.get(referrer, "__name__")))
        return module.__name__ if module is not None and vars(module) is referrer else None
    if is_a(referrer, type):
        return referrer.__qualname__
    if is_a(referrer, FunctionType):
        return f"{referrer.__qualname__}()"
    if name_of_class(referrer) == CACHE:
        return f"cache of {referrer.__qualname__}()"
    return f"{_name(referrer)}()" if is_a(referrer, SUSPENDED) else None


def _is_anonymous(referrer: Any) -> bool:
    """Whether a reader had rather know who holds it: a generator, a function made within another."""
    return is_a(referrer, SUSPENDED) or (is_a(referrer, FunctionType) and "<locals>" in _name(referrer))


def _name(generator: Any) -> str:
    return str(generator.__qualname__)


def _step(above: Any, child: Any) -> str:
    """The part of a path that leads from an object to one that it refers to."""
    kind = name_of_class(above)
    if kind.startswith("hamt"):  # the inside of a context of contextvars
        return ""
    words = attempted(lambda: next(_steps(above, child), f" → {kind}"), " → unknown")
    return words if words == _OWN else printable(words)


def _steps(above: Any, child: Any) -> Iterator[str]:
    if is_a(above, dict):
        is_a_namespace = "__name__" in above or "__module__" in above
        for key, value in dict.items(above):
            if key is child:
                yield ".keys()"
            if value is child:
                yield f".{key}" if is_a_namespace else f"[{key!r}]" if type(key) in (str, int) else "[…]"
    elif is_a(above, (list, tuple, deque)):
        yield from ("" if is_a(child, CellType) else f"[{at}]" for at, value in enumerate(above) if value is child)
    elif is_a(above, FrameType):
        yield from (
            f" → {name} in {above.f_code.co_name}()" for name, value in locals_of(above).items() if value is child
        )
    elif is_a(above, SUSPENDED):
        frame = suspended(above)
        yield from (f": {name}" for name, value in locals_of(frame).items() if value is child) if frame else ()
    elif is_a(above, FunctionType):
        for name in ("__closure__", "__defaults__", "__kwdefaults__"):
            if getattr(above, name) is child:
                yield f" {name.strip('_').removeprefix('kw')}"
    elif is_a(above, (CellType, TracebackType)):
        yield ""
    elif is_a(above, BaseException):
        yield from (
            f".{name}" for name in ("__traceback__", "__context__", "__cause__") if getattr(above, name) is child
        )
    if is_a(above, (type, ModuleType)) or name_of_class(above) == CACHE or is_a(above, BuiltinFunctionType):
        yield ""
    else:
        yield from (f".{name}" for name, value in attributes_of(above).items() if value is child)
        own = attempted(lambda: object.__getattribute__(above, "__dict__"), None)
        if own is child:
            yield _OWN
        for name in ("__self__", "args", "keywords", "func", "_backward_hooks", "_post_accumulate_grad_hooks"):
            if attempted(lambda attribute=name: object.__getattribute__(above, attribute), None) is child:  # type: ignore[misc]  # called at once
                yield f".{name}"
