"""Who sees an output: a person before a notebook, a terminal, or nobody."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any


def somebody_watches() -> bool:
    """Whether the cell that runs was sent by a front end with a person before it, who could be asked for
    input.

    Front ends say so with every cell; nbclient, nbval and papermill say that nobody can be asked.
    """
    return bool(_request().get("allow_stdin"))


def running_code() -> str:
    """The source of the cell that runs, as the front end sent it; nothing outside of a kernel."""
    return str(_request().get("code", ""))


def _request() -> dict[str, Any]:
    """What the front end asked the kernel to run."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    for holder in (shell, getattr(shell, "kernel", None)):  # ipykernel's shell knows; in the browser, the kernel does
        get = getattr(holder, "get_parent", None)
        request = get() if callable(get) else None
        if isinstance(request, Mapping) and request:
            return dict(request.get("content") or {})
    return {}


def widgets_run() -> bool:
    """Whether a widget that is displayed now is seen, and reaches this kernel when it is used."""
    return somebody_watches() and find_spec("anywidget") is not None
