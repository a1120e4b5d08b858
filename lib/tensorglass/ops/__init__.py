"""Every operator, declared once. Importing this package fills the table; `table.attach` then hands the operators out.

One module a family. `table` is the declaration, `elementwise` and `reducing` are the two paths that many operators share.
"""

from tensorglass.ops import (
    asking,
    comparison,
    complex_parts,
    copying,
    creation,
    duplicating,
    equality,
    extrema,
    from_data,
    header,
    indexing,
    joining,
    linalg,
    pointwise,
    random,
    random_factories,
    ranges,
    rearranging,
    reduction,
    rounding,
    splitting,
    views,
)
from tensorglass.ops.table import OPERATORS, attach

__all__ = [
    "OPERATORS",
    "attach",
    "asking",
    "comparison",
    "complex_parts",
    "copying",
    "creation",
    "duplicating",
    "equality",
    "extrema",
    "from_data",
    "header",
    "indexing",
    "joining",
    "linalg",
    "pointwise",
    "random",
    "random_factories",
    "ranges",
    "rearranging",
    "reduction",
    "rounding",
    "splitting",
    "views",
]
