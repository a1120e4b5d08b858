"""A slip of the keyboard in a tensor's attribute, in a notebook: what is close to it is said below the error.

Python says so in a terminal ("Did you mean"), which Jupyter's tracebacks leave out.
"""

from __future__ import annotations

import sys
from typing import Any

from tensorglass import Tensor


def attach() -> None:
    """Let the notebook, if this is one, call `tell` after every cell."""
    from IPython import get_ipython  # plain Python may not have it

    shell = get_ipython()
    if shell is not None and tell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", tell)


def tell(result: Any) -> None:
    """Print what there is to say about the attribute that the cell's error says is not there."""
    error = result.error_in_exec
    if isinstance(error, AttributeError) and isinstance(error.obj, Tensor) and not hasattr(error, "__notes__"):
        from tensorglass.extending import about_attribute  # loads every operator there is

        print(*about_attribute(error.name or ""), sep="\n", file=sys.stderr)
