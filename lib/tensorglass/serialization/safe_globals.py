"""Names that a checkpoint may use although they are not data, because the program trusts them."""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from typing import Any

from tensorglass.serialization.unpickled import MEANINGS, modern_name

#: A class or function, or a pair of it and its name in files.
SafeGlobal = Callable[..., Any] | tuple[Callable[..., Any], str]

_trusted: list[SafeGlobal] = []


def add_safe_globals(safe_globals: list[SafeGlobal]) -> None:
    """Let `load` with `weights_only=True` look these classes and functions up, and call them."""
    _trusted.extend(trusted for trusted in safe_globals if trusted not in _trusted)


def get_safe_globals() -> list[SafeGlobal]:
    """What `add_safe_globals` was given."""
    return list(_trusted)


def clear_safe_globals() -> None:
    """Trust nothing but data again."""
    _trusted.clear()


class safe_globals:
    """Within it, these classes and functions are trusted as well."""

    def __init__(self, safe_globals: list[SafeGlobal]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        self._before = list(_trusted)
        add_safe_globals(self.safe_globals)

    def __exit__(self, *error: object) -> None:
        _trusted[:] = self._before


def trusted() -> dict[str, Any]:
    """The trusted classes and functions, by their names in files."""
    named: dict[str, Any] = {}
    for entry in _trusted:
        function, name = entry if isinstance(entry, tuple) else (entry, f"{entry.__module__}.{entry.__qualname__}")
        ours = name.startswith("tensorglass.")
        named[f"torch.{name.removeprefix('tensorglass.')}" if ours else name] = function
    return named


def names_in(data: bytes) -> list[str]:
    """The classes and functions that a pickle names, in order, each once."""
    names: dict[str, None] = {}
    texts: list[str] = []  # the last strings: protocol 4 takes names from the stack
    memo: dict[int, str] = {}
    argument: Any
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name == "GLOBAL":
            module, name = argument.split(" ", 1)
            names[modern_name(module, name)] = None
        elif opcode.name == "STACK_GLOBAL":
            names[".".join(texts[-2:])] = None
        elif opcode.name.endswith(("UNICODE", "UNICODE8")):
            texts.append(argument)
        elif opcode.name == "MEMOIZE" and texts:
            memo[len(memo)] = texts[-1]
        elif opcode.name in ("BINPUT", "LONG_BINPUT") and texts:
            memo[argument] = texts[-1]
        elif opcode.name in ("BINGET", "LONG_BINGET") and argument in memo:
            texts.append(memo[argument])
    return list(names)


def not_data(data: bytes, rebuilders: Mapping[str, Any]) -> list[str]:
    """The names in a pickle that do not stand for data."""
    return [name for name in names_in(data) if name not in MEANINGS and name not in rebuilders]
