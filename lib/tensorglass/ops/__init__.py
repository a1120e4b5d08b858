"""Every operator, declared once. Importing this package fills the table; `table.attach` then hands the operators out.

One module a family. `table` is the declaration; `elementwise` and `reducing` are paths that many operators share.
The families that nearly every program uses are fetched here, the others when they are asked for (`later`).
"""

from importlib import import_module
from typing import Any

from tensorglass.ops import (
    asking,
    broadcasting,
    classifying,
    comparison,
    conditions,
    conversion,
    copying,
    creation,
    cumulative,
    diagonals,
    duplicating,
    equality,
    exponentials,
    extrema,
    filling,
    from_data,
    gathering,
    header,
    indexing,
    joining,
    later,
    linalg,
    masking,
    pointwise,
    random,
    random_factories,
    ranges,
    rearranging,
    reduction,
    reflected,
    rounding,
    signs,
    softmaxes,
    sorting,
    splitting,
    subclasses,
    table,
    transposes,
    trigonometry,
    variance,
    vector_norms,
    views,
)
from tensorglass.ops.table import attach


def __getattr__(name: str) -> Any:
    """Python asks this for a name that is not above."""
    if name == "OPERATORS":  # all of them
        later.fetch_all()
        return table.OPERATORS
    if f"ops.{name}" in later.FAMILIES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
