"""``torch.special``: functions that have names of their own, under the names that SciPy has for them too.

Its operators are declared in `ops` like all others; ``special_entr`` in the table is ``torch.special.entr``.
What has another name elsewhere has that of this namespace as an alias: ``special.expit`` is `sigmoid`.
"""

from typing import Any

from tensorglass.ops.table import functions_of

globals().update(functions_of(__name__.rpartition(".")[2]))


def __getattr__(name: str) -> Any:
    """Python asks this for a name that is not above."""
    from tensorglass.missing import no_such_name  # when it is needed: imports should be quick

    raise no_such_name(name, globals(), "special")
