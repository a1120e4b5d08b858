"""Calling modules at the same time, each in its own thread."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from threading import Thread
from typing import Any

import tensorglass as torch
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parallel.scatter_gather import Place
from tensorglass.tensor.grad_mode import recording


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Place | None] | None = None,
) -> list[Any]:
    """Each module's output for its inputs, in the caller's grad mode.

    An error in a module keeps its class; its message names the replica, and includes the thread's traceback.
    """
    assert len(modules) == len(inputs), (
        f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}"
    )
    named = kwargs_tup or ({},) * len(modules)
    places = devices or (None,) * len(modules)
    grad = torch.is_grad_enabled()
    results: list[Any] = [None] * len(modules)
    errors: list[Exception | None] = [None] * len(modules)

    def run(at: int, input: Any) -> None:
        try:
            with recording(grad):
                results[at] = modules[at](*(input if isinstance(input, list | tuple) else (input,)), **named[at])
        except Exception as error:
            errors[at] = error

    if len(modules) == 1:
        run(0, inputs[0])
    else:
        threads = [Thread(target=run, args=numbered_input) for numbered_input in enumerate(inputs)]
        for thread in threads:
            try:
                thread.start()
            except RuntimeError:  # the platform has no threads, or cannot start more
                thread.run()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    for at, error in enumerate(errors):
        if error is not None:
            raise _told(error, f"in replica {at} on device {places[at]}") from None
    return results


def _told(error: Exception, where: str) -> Exception:
    """A thread's error, in a form to raise in the caller's thread."""
    story = "".join(traceback.format_exception(error))
    message = f"Caught {type(error).__name__} {where}.\nOriginal {story}"
    try:
        return type(error)(message)
    except TypeError:  # its class takes other arguments
        return RuntimeError(message)
