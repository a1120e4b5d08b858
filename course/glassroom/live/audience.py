"""Who sees an output: a user at a notebook or a terminal, or nobody."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any


def somebody_watches() -> bool:
    """Whether the running cell was sent by a front end with a person at it, who could be asked for input. Front ends
    say so with every cell; nbclient, nbval and papermill say that nobody can be asked. xeus-python does not pass it on,
    but then its `input` is a function of C++ that returns nothing, as its signature shows.
    """
    message = _message()
    if message and "content" not in message:
        return not str(input.__doc__).rstrip().endswith("-> None")
    return bool(_request().get("allow_stdin"))


def running_code() -> str:
    """The source of the running cell, as the front end sent it; "" outside of a kernel."""
    return str(_request().get("code", ""))


def running_request() -> str:
    """What tells the run of one cell from that of another, and from another run of the same; nothing outside of a
    kernel.
    """
    return str((_message().get("header") or {}).get("msg_id", ""))


def running_cell() -> str:
    """The id of the cell that runs, which is the same each time that it runs; "" where the front end does not tell."""
    return str((_message().get("metadata") or {}).get("cellId") or "")


def _request() -> dict[str, Any]:
    """The front end's request that the kernel is executing."""
    return dict(_message().get("content") or {})


def _message() -> dict[str, Any]:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    for holder in (shell, getattr(shell, "kernel", None)):  # ipykernel's shell knows; in the browser, the kernel does
        get = getattr(holder, "get_parent", None)
        request = get() if callable(get) else None
        if isinstance(request, Mapping) and request:
            return dict(request)
    return {}


def widgets_run() -> bool:
    """Whether a widget that is displayed now is seen, and reaches this kernel when it is used."""
    return somebody_watches() and find_spec("anywidget") is not None
