"""Python's `multiprocessing`, whose queues, pipes and pools share tensors instead of copying them.

The names are those of `multiprocessing` itself. What loading this module changes is how a tensor travels: its storage
moves into shared memory, and what is sent is the header and a handle to that memory.

>>> import tensorglass.multiprocessing as mp
>>> mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
True
"""

import multiprocessing
import sys
from multiprocessing import *  # noqa: F403  # every name that Python's own offers

from tensorglass.multiprocessing import reductions
from tensorglass.multiprocessing.spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    no_processes,
    spawn,
    start_processes,
)

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy", *multiprocessing.__all__]

_strategies = {"file_system"} if sys.platform in ("darwin", "win32") else {"file_descriptor", "file_system"}
_strategy = min(_strategies)


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose PyTorch's name for how memory is shared. It changes nothing here: shared memory never has a name."""
    global _strategy
    if new_strategy not in _strategies:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {_strategies}")
    _strategy = new_strategy


def get_sharing_strategy() -> str:
    """The name last chosen; at first "file_descriptor", on macOS "file_system"."""
    return _strategy


def get_all_sharing_strategies() -> set[str]:
    """The names that PyTorch has on this system."""
    return _strategies


if sys.platform == "emscripten":

    def get_all_start_methods() -> list[str]:
        """The ways in which a process can be started: none."""
        return []

    Array = Barrier = BoundedSemaphore = Condition = Event = JoinableQueue = Lock = Manager = Pipe = no_processes
    Pool = Process = Queue = RLock = Semaphore = SimpleQueue = Value = get_context = no_processes

reductions.register()
