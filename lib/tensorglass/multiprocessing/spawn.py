"""Starting several processes that run one function, and waiting for all of them.

The first process that fails ends the others, and its traceback becomes the error here.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import multiprocessing.connection
import signal
import sys
import tempfile
import time
import traceback
import weakref
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

from tensorglass.core.errors import explained


def no_processes(*arguments: object, **named: object) -> NoReturn:
    """What stands for everything that needs a second process where a program has one alone, as in a browser."""
    raise explained(
        NotImplementedError(f"no process can be started on '{sys.platform}'"),
        "A program has one process there. A DataLoader makes its batches in it with num_workers=0.",
    )


class ProcessException(Exception):
    """A process that `spawn` started failed."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index  #: which of the processes
        self.error_pid = error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """The function raised an exception, whose traceback is in the message."""


class ProcessExitedException(ProcessException):
    """The process was ended by a signal, or exited with a nonzero code."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


class ProcessContext:
    """Processes that were started together. Each writes the traceback of what it raises to its error file."""

    def __init__(self, processes: Sequence[BaseProcess], error_files: Sequence[str]) -> None:
        self.processes = processes
        self.error_files = error_files
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The processes' ids."""
        return [int(process.pid or 0) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends, at most `timeout` seconds. Returns whether all have ended.

        If one has failed, the others get `grace_period` seconds to end by themselves; then they are ended, and what
        went wrong is raised.
        """
        ready = multiprocessing.connection.wait(list(self.sentinels), timeout) if self.sentinels else []
        for sentinel in ready:
            assert isinstance(sentinel, int)
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode:
                self._end_all(grace_period)
                raise self._failure(index)
        return not self.sentinels

    def _end_all(self, grace_period: float | None) -> None:
        if grace_period is not None:
            self._wait(grace_period)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        self._wait(30 if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def _failure(self, index: int) -> ProcessException:
        process, told = self.processes[index], Path(self.error_files[index])
        pid, code = process.pid or 0, process.exitcode or 0
        if told.exists():
            said = f"\n\n-- Process {index} terminated with the following error:\n{told.read_text('utf-8')}"
            return ProcessRaisedException(said, index, pid)
        if code > 0:
            return ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run ``fn(i, *args)`` in `nprocs` new processes, numbered by `i`.

    `fn` must be found by its module and name, as everything that is pickled. Waits for all of them and returns None;
    if not `join`, returns their `ProcessContext` without waiting. Raises ProcessRaisedException or
    ProcessExitedException.
    """
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """As `spawn`, with any of Python's start methods."""
    if sys.platform == "emscripten":
        no_processes()
    python: Any = multiprocessing.get_context(start_method)
    folder = tempfile.TemporaryDirectory(prefix="tensorglass-errors-")
    error_files = [str(Path(folder.name) / str(index)) for index in range(nprocs)]
    processes = [
        python.Process(target=_run_process, args=(fn, index, args, error_files[index]), daemon=daemon)
        for index in range(nprocs)
    ]
    for process in processes:
        process.start()
    context = ProcessContext(processes, error_files)
    weakref.finalize(context, folder.cleanup)
    if not join:
        return context
    while not context.join():
        pass
    return None


def _run_process(fn: Callable[..., Any], index: int, args: tuple[Any, ...], error_file: str) -> None:
    """What each process runs."""
    _end_with_parent()
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent ended, or let this process end
    except Exception:
        Path(error_file).write_text(traceback.format_exc(), "utf-8")
        sys.exit(1)


def _end_with_parent() -> None:
    """Ask Linux to interrupt this process when its parent ends; other systems have no such feature."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGINT)
