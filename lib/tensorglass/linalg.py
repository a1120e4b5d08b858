"""``torch.linalg``: linear algebra under the names that NumPy has for it too.

Its operators are declared in `ops` like all others; a name such as ``linalg_det`` in the table is ``torch.linalg.det``.
"""

from typing import Any

from tensorglass.errors import LinAlgError
from tensorglass.ops.table import functions_of

__all__ = ["LinAlgError"]

globals().update(functions_of(__name__.rpartition(".")[2]))


def __getattr__(name: str) -> Any:
    """Python asks this for a name that is not above."""
    from tensorglass.missing import no_such_name  # when it is needed: imports should be quick

    raise no_such_name(name, globals(), "linalg")
