"""A misspelt attribute of a tensor, in a notebook: names close to it are suggested below the error. In a terminal,
Python does so itself ("Did you mean"), but Jupyter's tracebacks leave that out.
"""

from __future__ import annotations

import sys
from typing import Any

from tensorglass import Tensor


def attach() -> None:
    """Let the notebook, if this is one, call `tell` after every cell."""
    from IPython import get_ipython  # IPython may not be installed

    shell = get_ipython()
    if shell is not None and tell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", tell)


def tell(result: Any) -> None:
    """Print suggestions for the attribute that the cell's error says is missing."""
    error = result.error_in_exec
    if isinstance(error, AttributeError) and isinstance(error.obj, Tensor) and not hasattr(error, "__notes__"):
        from tensorglass.extending import about_attribute  # loads every operator

        print(*about_attribute(error.name or ""), sep="\n", file=sys.stderr)
