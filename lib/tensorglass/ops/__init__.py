"""Every operator, declared once. Importing this package fills the table; `table.attach` then hands the operators out.

One module a family. `table` is the declaration, `elementwise` and `reducing` are the two paths that many operators share.
"""

from tensorglass.ops import (
    asking,
    comparison,
    copying,
    creation,
    duplicating,
    equality,
    extrema,
    from_data,
    header,
    joining,
    linalg,
    pointwise,
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
    "copying",
    "creation",
    "duplicating",
    "equality",
    "extrema",
    "from_data",
    "header",
    "joining",
    "linalg",
    "pointwise",
    "ranges",
    "rearranging",
    "reduction",
    "rounding",
    "splitting",
    "views",
]
