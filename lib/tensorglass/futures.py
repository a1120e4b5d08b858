"""``torch.futures``: results that are set later. Nothing here computes in the background by itself."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

Result = TypeVar("Result")
Other = TypeVar("Other")


class Future(Generic[Result]):
    """A result that one part of a program sets and others wait for. `devices` are accepted, as in PyTorch."""

    _result: Result
    _error: BaseException | None = None

    def __init__(self, *, devices: list[Any] | None = None) -> None:
        self._done = Event()
        self._lock = Lock()
        self._callbacks: list[Callable[[Future[Result]], object]] = []

    def done(self) -> bool:
        """Whether there is a result or an error."""
        return self._done.is_set()

    def wait(self) -> Result:
        """Wait until the result is set, and return it; raises the error that was set instead."""
        self._done.wait()
        return self.value()

    def value(self) -> Result:
        """The result, which is there already; the error that was set is raised."""
        if not self.done():
            raise RuntimeError("value() called on a future that is not completed.")
        if self._error is not None:
            raise self._error
        return self._result

    def set_result(self, result: Result) -> None:
        """Set the result, once."""
        self._complete(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Let `wait` raise this error."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def _complete(self, result: Any, error: BaseException | None) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError("Future already completed. Cannot set a result more than once.")
            self._result, self._error = result, error
            self._done.set()
        for callback in self._callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Future[Result]], object]) -> None:
        """Call `callback` with this future once it is done; at once if it is."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[Result]], Other]) -> Future[Other]:
        """A future of the result of `callback`, which is called with this future once it is done."""
        following: Future[Other] = Future()

        def follow(done: Future[Result]) -> None:
            try:
                following.set_result(callback(done))
            except Exception as error:
                following.set_exception(error)

        self.add_done_callback(follow)
        return following


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future that is done when all `futures` are; its result is the list of them."""
    together: Future[list[Future[Any]]] = Future()
    left = len(futures)
    lock = Lock()

    def count(_: Future[Any]) -> None:
        nonlocal left
        with lock:
            left -= 1
            is_last = not left
        if is_last:
            together.set_result(futures)

    if not futures:
        together.set_result(futures)
    for future in futures:
        future.add_done_callback(count)
    return together


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The results of all `futures`, as soon as they are there."""
    return [future.wait() for future in futures]
