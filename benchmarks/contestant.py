"""One contestant of `compare.py`: a library in its own process, which runs the code that it is given.

So one library's effects on its process do not disturb another: the memory that it leaves to the C allocator, the
settings of that allocator, and the number of objects that Python's garbage collector has to visit.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Loop = Callable[[int, str], float]


class Contestant:
    """`library` in its own process, imported from `folder` if that is given. It must be closed."""

    def __init__(self, library: str, folder: Path | None = None) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, library, folder), daemon=True)
        self._process.start()

    def prepare(self, setup: str, code: str) -> Any:
        """Run `setup`, and `code` once. Returns the value of `answer`, `c` or `a`, with NumPy arrays in place of
        tensors.
        """
        return self._ask("prepare", setup, code)

    def seconds(self, times: int, clock: str = "process_time") -> float:
        """How long the prepared code takes, run `times` times, by a clock of the module `time`."""
        return self._ask("seconds", times, clock) / times

    def set_threads(self, number: int) -> None:
        """Set PyTorch's number of threads."""
        self._ask("set_threads", number)

    def _ask(self, what: str, *arguments: Any) -> Any:
        self._connection.send((what, arguments))
        answer = self._connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """Let the process end."""
        self._connection.send(None)
        self._process.join()


def _serve(connection: Connection, library: str, folder: Path | None) -> None:
    if folder:
        sys.path.insert(0, str(folder.resolve()))
    module: Any = import_module(library)
    loop: Loop | None = None
    for what, arguments in iter(connection.recv, None):
        try:
            answer: Any = None
            if what == "prepare":
                loop, answer = _prepared({"np" if library == "numpy" else "torch": module}, *arguments)
            elif what == "seconds":
                assert loop is not None, "nothing is prepared"
                answer = loop(*arguments)
            else:
                module.set_num_threads(*arguments)
        except Exception as error:
            answer = error
        connection.send(answer)


def _prepared(names: dict[str, Any], setup: str, code: str) -> tuple[Loop, Any]:
    """A function that runs `code` a number of times and returns the seconds, and the result of the code."""
    exec(setup, names)
    body = f"def loop(times):\n    for _ in range(times):\n        {code}\n"
    local = {**names}
    # Default arguments make the variables local to the loop, which avoids the cost of looking globals up.
    arguments = ", ".join(f"{name}={name}" for name in names if not name.startswith("__"))
    exec(body.replace("loop(times)", f"loop(times, {arguments})"), local)
    loop = local["loop"]

    def timed(times: int, clock: str) -> float:
        read = getattr(time, clock)
        start = read()
        loop(times)
        seconds: float = read() - start
        return seconds

    exec(code, names)
    return timed, _as_arrays(next(names[name] for name in ("answer", "c", "a") if name in names))


def _as_arrays(left: Any) -> Any:
    """Tensors, also in tuples and lists, as NumPy arrays, bfloat16 as float32; other values unchanged."""
    if isinstance(left, (tuple, list)):
        return [_as_arrays(leaf) for leaf in left]
    if not hasattr(left, "detach"):
        return left
    return (left.float() if "bfloat16" in str(left.dtype) else left).detach().resolve_conj().numpy()
