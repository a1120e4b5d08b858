"""From objects up to what a reader can name: a variable, a module, a class, a function, a cache.

The one idea: Python's collector knows who refers to an object. It is asked level by level, for all objects at once, and
where a name is found, the way down from it is told. How much is looked at is limited, and a limit that is met is said.
"""

from __future__ import annotations

import gc
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

from glassroom.reading.guarded import attempted, is_a, name_of_class
from glassroom.reading.places import attributes_of
from glassroom.records.printable import printable

MOST_LEVELS = 24  # objects between one and its name
MOST_LOOKED_AT = 20_000  # objects on the way

_SUSPENDED = (GeneratorType, CoroutineType, AsyncGeneratorType)
_CACHE = "_lru_cache_wrapper"  # what functools.cache and lru_cache return


@dataclass(frozen=True)
class Found:
    """Paths to objects, by id; and whether everything was looked at that leads to the others."""

    paths: dict[int, str]
    is_all: bool


def paths_up(objects: list[Any], caller: FrameType) -> Found:
    """The shortest way to each of `objects` from something that has a name, as the code of `caller` would say it."""
    seen: dict[int, Any] = {id(each): each for each in objects}  # holding them keeps the ids unique
    below: dict[int, list[int]] = {}
    paths: dict[int, str] = {}
    level = list(objects)
    hidden = {id(objects), id(seen)}
    frames = _frames_of(caller)
    for _ in range(MOST_LEVELS):
        if not level or len(seen) > MOST_LOOKED_AT or all(id(each) in paths for each in objects):
            break
        ids = {id(each) for each in level}
        for frame, variables in frames:
            for name, value in variables.items():
                if id(value) in ids:
                    words = name if frame is caller else f"{name} in {frame.f_code.co_name}()"
                    _tell(paths, seen, below, value, words)
        hidden.update((id(level), id(frames), *(id(variables) for _, variables in frames)))
        above = []
        for referrer in gc.get_referrers(*level):
            if id(referrer) in hidden or _is_ours(referrer, frames):
                continue
            children = [id(each) for each in gc.get_referents(referrer) if id(each) in ids]
            below.setdefault(id(referrer), []).extend(children)
            if id(referrer) not in seen:
                seen[id(referrer)] = referrer
                root = attempted(lambda each=referrer: _root(each, caller), None)  # type: ignore[misc]  # of the loop
                if root is None:
                    above.append(referrer)
                else:
                    paths[id(referrer)] = root
            if id(referrer) in paths:
                for child in children:
                    _tell(paths, seen, below, seen[child], paths[id(referrer)] + _step(referrer, seen[child]))
        level = above
    return Found(
        {id(each): paths[id(each)].removeprefix(".") for each in objects if id(each) in paths},
        is_all=not level or all(id(each) in paths for each in objects),
    )


def _frames_of(caller: FrameType) -> list[tuple[FrameType, dict[str, Any]]]:
    """The functions that run, each with its variables; the caller's module is a root by itself."""
    found = []
    frame: FrameType | None = caller
    while frame is not None:
        if frame.f_locals is not frame.f_globals and not _is_of_glassroom(frame):
            # Those of pytest's assertions begin with "@".
            found.append((frame, {name: value for name, value in frame.f_locals.items() if name[:1] != "@"}))
        frame = frame.f_back
    return found


def _is_of_glassroom(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "glassroom"


def _is_ours(referrer: object, frames: list[tuple[FrameType, dict[str, Any]]]) -> bool:
    """Whether something refers to an object only since it is looked at, or since a function runs that was looked at."""
    return is_a(referrer, FrameType) and (_is_of_glassroom(referrer) or any(referrer is each for each, _ in frames))


def _tell(paths: dict[int, str], seen: Mapping[int, Any], below: Mapping[int, list[int]], at: Any, words: str) -> None:
    """Note the path to an object and to everything beneath it that has led to it."""
    waiting = deque([(at, words)])
    while waiting:
        each, said = waiting.popleft()
        if id(each) not in paths:
            paths[id(each)] = said
            waiting += [(seen[child], said + _step(each, seen[child])) for child in below.get(id(each), [])]


def _root(referrer: Any, caller: FrameType) -> str | None:
    """What something is called that a reader can find by its name; None for what has none."""
    if referrer is caller.f_globals:
        return ""
    if is_a(referrer, dict):
        module = sys.modules.get(str(dict.get(referrer, "__name__")))
        return module.__name__ if module is not None and vars(module) is referrer else None
    if is_a(referrer, type):
        return referrer.__qualname__
    if is_a(referrer, FunctionType):
        return f"{referrer.__qualname__}()"
    if name_of_class(referrer) == _CACHE:
        return f"cache of {referrer.__qualname__}()"
    return f"{_name(referrer)}()" if is_a(referrer, _SUSPENDED) else None


def _name(each: Any) -> str:
    return str(each.__qualname__)


def _step(above: Any, child: Any) -> str:
    """How a path goes on from an object to one that it refers to."""
    return printable(attempted(lambda: next(_steps(above, child), f" → {name_of_class(above)}"), " → unknown"))


def _steps(above: Any, child: Any) -> Iterator[str]:
    if is_a(above, dict):
        is_a_namespace = "__name__" in above or "__module__" in above
        for key, value in dict.items(above):
            if value is child:
                yield f".{key}" if is_a_namespace else f"[{key!r}]" if type(key) in (str, int) else "[…]"
    elif is_a(above, (list, tuple, deque)):
        yield from ("" if is_a(child, CellType) else f"[{at}]" for at, each in enumerate(above) if each is child)
    elif is_a(above, FrameType):
        yield from (f" → {name} in {above.f_code.co_name}()" for name, each in above.f_locals.items() if each is child)
    elif is_a(above, _SUSPENDED):
        frame = next(getattr(above, name) for name in ("gi_frame", "cr_frame", "ag_frame") if hasattr(above, name))
        yield from (f": {name}" for name, each in frame.f_locals.items() if each is child)
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
    if is_a(above, (type, ModuleType)) or name_of_class(above) == _CACHE or is_a(above, BuiltinFunctionType):
        yield ""
    else:
        yield from (f".{name}" for name, value in attributes_of(above).items() if value is child)
        own = attempted(lambda: object.__getattribute__(above, "__dict__"), None)
        if own is child:
            yield ""
        for name in ("__self__", "args", "keywords", "func"):
            if attempted(lambda each=name: object.__getattribute__(above, each), None) is child:  # type: ignore[misc]  # called at once
                yield f".{name}"
