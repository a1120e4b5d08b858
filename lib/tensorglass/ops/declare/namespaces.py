"""What the namespace, and its modules such as `linalg`, answer when they are asked for a name.

Python calls a module's `__getattr__` for names that it does not find among its globals. What it finds here becomes one
of them, so that nobody asks twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorglass.ops.declare.lazy_loading import awaited, fetch
from tensorglass.ops.declare.registry import FUNCTIONS


def answering(
    there: dict[str, Any], home: str = "", also: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of the namespace, or of its module `home`; `there` are the module's globals.

    `also` are names that it has besides operators, and gives in another way.
    """
    beginning = f"{home}." if home else ""

    def look(name: str) -> Any:
        if name == "__all__":  # which Python asks for when somebody writes `import *`
            return [each for each in names() if not each.startswith("_")]
        path = beginning + name
        if path not in FUNCTIONS and not fetch(path):
            from tensorglass.bootstrap.missing_names import no_such_name  # when it is needed: imports should be quick

            raise no_such_name(name, names(), home)
        found = there[name] = FUNCTIONS[path]
        return found

    def names() -> list[str]:
        paths = [path.removeprefix(beginning) for path in (*FUNCTIONS, *awaited()) if path.startswith(beginning)]
        return sorted({*there, *also, *[name for name in paths if "." not in name]})

    return look, names
