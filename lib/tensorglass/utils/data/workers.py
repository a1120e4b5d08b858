"""Worker processes that fetch batches ahead.

Each worker has a queue of tasks (a number and the indices of a batch), and a pipe for its results. The main process
waits for all pipes and for all processes together, so it learns at the same moment that a batch has come or that a
worker has died. Tensors in a result come through shared memory. A worker ends when its queue says so, or when it finds
that the main process is gone.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import queue
import random
import signal
import sys
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection
from pickle import PicklingError
from typing import Any

import numpy as np

import tensorglass.multiprocessing as tensor_multiprocessing
from tensorglass.tensor.generator import manual_seed
from tensorglass.utils.data.fetch import _DatasetKind

PATIENCE = 5.0  # seconds that a worker waits for a task before it checks whether the main process is alive

_worker_info: WorkerInfo | None = None


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker knows of itself: its number among `num_workers`, its seed, its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info() -> WorkerInfo | None:
    """In a worker, what it knows of itself; in the main process None."""
    return _worker_info


@dataclass(frozen=True)
class Recipe:
    """How a worker makes a batch: the dataset, whether it is a stream, and how samples are collated."""

    dataset: Any
    is_stream: bool
    batched: bool
    collate: Callable[[Any], Any]
    drop_last: bool

    def fetcher(self) -> Callable[[Any], Any]:
        """A function from indices to a batch. At the end of a stream it raises StopIteration."""
        kind = _DatasetKind.Iterable if self.is_stream else _DatasetKind.Map
        return _DatasetKind.create_fetcher(kind, self.dataset, self.batched, self.collate, self.drop_last).fetch


@dataclass
class _Failed:
    """An exception of a worker, as text, since objects that it refers to may not be picklable."""

    kind: type[BaseException]
    text: str

    def reraise(self) -> None:
        """Raise an exception of the same class, with the worker's traceback as the message."""
        if self.kind is KeyError:
            raise KeyError(_Readable(self.text))
        try:
            error = self.kind(self.text)
        except TypeError:  # its class takes other arguments
            raise RuntimeError(self.text) from None
        raise error


class _Readable(str):
    """A message that a KeyError prints with its line breaks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


class _End:
    """A worker's stream has ended."""


class _Restarted:
    """A worker is ready for another epoch."""


class Workers(Iterator[Any]):
    """The batches that `count` processes fetch, at most `ahead` of them each before they are asked for."""

    def __init__(
        self,
        recipe: Recipe,
        indices: Iterator[Any],
        *,
        count: int,
        ahead: int,
        seed: int,
        context: Any,
        start: Callable[[int], None] | None,
        timeout: float,
        in_order: bool,
        persistent: bool,
    ) -> None:
        self._timeout = timeout
        self._in_order = in_order
        self._persistent = persistent
        self._ahead = ahead
        context = context or tensor_multiprocessing
        self._queues: list[Any] = []
        self._pipes: list[Any] = []
        self.processes: list[Any] = []
        # Not a method: the finalizer must not keep this object alive.
        self.close = weakref.finalize(self, _end_workers, os.getpid(), self._queues, self._pipes, self.processes)
        for number in range(count):
            tasks, (results, far_end) = context.Queue(), context.Pipe(duplex=False)
            tasks.cancel_join_thread()
            about = (recipe, tasks, far_end, seed, start, number, count)
            process = context.Process(target=_work, args=about, daemon=True)
            try:
                with _interrupts_afterwards():
                    process.start()
                    far_end.close()  # while this copy is open, reading the pipe of a dead worker would not end
                    self._queues.append(tasks)
                    self._pipes.append(results)
                    self.processes.append(process)
            except (TypeError, AttributeError, PicklingError):
                warnings.warn(
                    "Got pickle error when attempting to start a worker Process. This might be because the worker "
                    "Process arguments are not picklable. Python 3.14+ changed the multiprocessing start method in "
                    "non-Mac POSIX platforms to 'forkserver', which requires the worker Process arguments to be "
                    "picklable. You can also try multiprocessing.set_start_method('fork').",
                    stacklevel=4,
                )
                raise
        self._begin(indices)

    def _begin(self, indices: Iterator[Any]) -> None:
        self._indices = indices
        self._sent = self._given = 0  # numbers of the next task, and of the next batch to give out
        self._arrived: dict[int, Any] = {}
        self._owner: dict[int, int] = {}  # tasks that are not done → worker
        self._working = [True] * len(self.processes)
        self._turn = itertools.cycle(range(len(self.processes)))
        for _ in range(self._ahead * len(self.processes)):
            self._send_task()

    def restart(self, indices: Iterator[Any]) -> None:
        """Begin another epoch with the same processes."""
        for tasks in self._queues:
            tasks.put(_Restarted)
        ready = 0
        while ready < len(self.processes):  # results of an epoch that was left early are thrown away
            ready += self._receive()[1] is _Restarted
        self._begin(indices)

    def __next__(self) -> Any:
        while True:
            if self._given in self._arrived:
                return self._give(self._given)
            if not self._in_order and self._arrived:
                return self._give(next(iter(self._arrived)))
            if self._in_order and self._given < self._sent and self._given not in self._owner:
                self._given += 1  # a worker whose stream had ended had this task
                continue
            if not self._owner:
                if not self._persistent:
                    self.close()
                raise StopIteration
            task, result = self._receive()
            worker = self._owner.pop(task, None)
            if result is not _End:
                self._arrived[task] = result
            elif worker is not None:
                self._working[worker] = False
                for other in [number for number, owner in self._owner.items() if owner == worker]:
                    del self._owner[other]
                self._send_task()

    def _give(self, task: int) -> Any:
        batch = self._arrived.pop(task)
        if task == self._given:
            self._given += 1
        self._send_task()
        if isinstance(batch, _Failed):
            batch.reraise()
        return batch

    def _send_task(self) -> None:
        """Give the next batch to the next worker; in any order, to the one with the least to do."""
        if not any(self._working):
            return
        try:
            index = next(self._indices)
        except StopIteration:
            return
        workers = [next(self._turn) for _ in self.processes]
        waiting = [worker for worker in workers if self._working[worker]]
        load = list(self._owner.values())
        worker = waiting[0] if self._in_order else min(waiting, key=load.count)
        while next(self._turn) != worker:  # the next turn begins after the chosen worker
            pass
        self._owner[self._sent] = worker
        with _interrupts_afterwards():  # the first one starts the queue's thread
            self._queues[worker].put((self._sent, index))
        self._sent += 1

    def _receive(self) -> tuple[int, Any]:
        """The next result of any worker, or an error if one of them has died or none answers in time."""
        sentinels = [process.sentinel for process in self.processes]
        ready = connection.wait([*self._pipes, *sentinels], self._timeout or None)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        for pipe, process in zip(self._pipes, self.processes, strict=True):
            if pipe in ready:
                try:
                    with _ended_after(self._timeout, process) as is_late:
                        return pipe.recv()
                except (EOFError, OSError):  # its worker is dead, and the storages that it sent are gone with it
                    if is_late():
                        raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds") from None
                    process.join(PATIENCE)
                    if process.is_alive():
                        raise
        for process in self.processes:
            if process.sentinel in ready:  # closed a moment before the process has an exit code
                process.join(PATIENCE)
        dead = [process for process in self.processes if process.exitcode is not None]
        self.close()
        raise RuntimeError(_obituary(dead))


@contextmanager
def _interrupts_afterwards() -> Iterator[None]:
    """A block that Ctrl-C does not interrupt: KeyboardInterrupt is raised at its end. Between a fork and the line that
    keeps its result, an interrupt would leave a process that nobody ends.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])


@contextmanager
def _ended_after(timeout: float, process: Any) -> Iterator[Callable[[], bool]]:
    """Kill a stopped worker, whose batch has begun to arrive but is incomplete after `timeout` seconds (0: never); the
    pending read then ends. Returns whether it was killed.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    if not timeout:
        yield late.is_set
        return
    watch = threading.Timer(timeout, end)
    watch.start()
    try:
        yield late.is_set
    finally:
        watch.cancel()


def _obituary(dead: list[Any]) -> str:
    killed = [process for process in dead if process.exitcode and process.exitcode < 0]
    if killed:
        name = signal.strsignal(-killed[0].exitcode)
        return f"DataLoader worker (pid {killed[0].pid}) is killed by signal: {name}. "
    pids = ", ".join(str(process.pid) for process in dead)
    return f"DataLoader worker (pid(s) {pids}) exited unexpectedly"


def _end_workers(owner: int, queues: list[Any], pipes: list[Any], processes: list[Any]) -> None:
    """Tell the workers to end, and see that they do; what they still send is thrown away."""
    if os.getpid() != owner:
        return  # a copy in a child that was forked
    for tasks in queues:
        tasks.put(None)
    for process in processes:
        _let_go_on(process)
    end = time.monotonic() + PATIENCE
    open_pipes = list(pipes)
    while (alive := [process for process in processes if process.is_alive()]) and time.monotonic() < end:
        waiting_for = [*open_pipes, *(process.sentinel for process in alive)]
        ready = connection.wait(waiting_for, end - time.monotonic())
        for pipe in [pipe for pipe in open_pipes if pipe in ready]:
            try:
                pipe.recv_bytes()
            except (EOFError, ConnectionResetError):
                open_pipes.remove(pipe)
    for process in alive:  # still in the user's code
        process.terminate()
        _let_go_on(process)
    for process in alive:
        process.join(PATIENCE)
        process.kill()  # if it does not end
        process.join(PATIENCE)
    for tasks, pipe in zip(queues, pipes, strict=True):
        _close_queue(tasks)
        pipe.close()


def _let_go_on(process: Any) -> None:
    """Continue a worker that has been stopped, since it cannot follow instructions until then."""
    if sys.platform != "win32" and process.is_alive():
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGCONT)


def _close_queue(tasks: Any) -> None:
    """Close a queue whose worker has ended. The queue's thread, which closes the pipe, may be in the middle of a task
    that does not fit into the pipe: it is read here, since nobody else reads.
    """
    if sys.platform == "win32":
        tasks.close()
        return
    rest = os.dup(tasks._reader.fileno())
    tasks.close()
    end = time.monotonic() + PATIENCE
    while not tasks._writer.closed and time.monotonic() < end:
        if connection.wait([rest], 0.01):
            os.read(rest, 2**16)
    os.close(rest)


def _work(
    recipe: Recipe, tasks: Any, results: Any, seed: int, start: Callable[[int], None] | None, number: int, count: int
) -> None:
    """What a worker does: one task after another, until it is told to end."""
    global _worker_info
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles an interrupt, and ends the workers
    parent = multiprocessing.parent_process()
    assert parent is not None
    random.seed(seed + number)
    manual_seed(seed + number)
    entropy = [number, seed & 0xFFFFFFFF, seed >> 32, 0]  # NumPy's generators must differ even for neighbouring seeds
    np.random.seed(np.random.SeedSequence(entropy).generate_state(4))
    _worker_info = WorkerInfo(number, count, seed + number, recipe.dataset)
    failure: _Failed | None = None
    fetch: Any = None
    try:
        if start is not None:
            start(number)
        fetch = recipe.fetcher()
    except Exception as error:  # any error of the user's code goes to the main process
        failure = _failed(error, number)
    ended = False
    while parent.is_alive():
        try:
            task = tasks.get(timeout=PATIENCE)
        except queue.Empty:
            continue
        if task is None:
            return
        if task is _Restarted:
            answer: tuple[int, Any] = (-1, _Restarted)
            fetch, ended = recipe.fetcher(), False
        elif ended:
            continue
        elif failure is not None:
            answer = (task[0], failure)
        else:
            answer = (task[0], _tried(fetch, task[1], recipe.is_stream, number))
            ended = answer[1] is _End
        try:
            results.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return  # the reader has gone
        except Exception as error:  # the batch cannot be pickled
            results.send((answer[0], _failed(error, number)))
        del answer


def _tried(fetch: Callable[[Any], Any], index: Any, is_stream: bool, number: int) -> Any:
    try:
        return fetch(index)
    except StopIteration as error:
        return _End if is_stream else _failed(error, number)
    except Exception as error:  # as above
        return _failed(error, number)


def _failed(error: Exception, number: int) -> _Failed:
    trace = "".join(traceback.format_exception(error))
    where = f"in DataLoader worker process {number}"
    return _Failed(type(error), f"Caught {type(error).__name__} {where}.\nOriginal {trace}")
