"""Every operator, declared once. Importing this package fills the table; `table.attach` then hands the operators out.

One module a family. `table` is the declaration; `elementwise` and `reducing` are paths that many operators share.
The families that nearly every program uses are fetched here, the others when they are asked for (`later`).
"""

from importlib import import_module
from typing import Any

from tensorglass.ops import predicates as asking
from tensorglass.ops.copies import copy as copying
from tensorglass.ops.copies import copy_pickle as duplicating
from tensorglass.ops.copies import to as conversion
from tensorglass.ops.creation import fill as creation
from tensorglass.ops.creation import full_like as filling
from tensorglass.ops.creation import ranges
from tensorglass.ops.creation import tensor as from_data
from tensorglass.ops.declare import lazy_loading as later
from tensorglass.ops.declare import registry as table
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.registry import attach
from tensorglass.ops.indexing import (
    gather as gathering,
)
from tensorglass.ops.indexing import (
    getitem as indexing,
)
from tensorglass.ops.indexing import (
    masked as masking,
)
from tensorglass.ops.indexing import (
    where_nonzero as conditions,
)
from tensorglass.ops.linalg import matmul as linalg
from tensorglass.ops.pointwise import (
    arithmetic as pointwise,
)
from tensorglass.ops.pointwise import (
    comparison,
    reflected,
    rounding,
    signs,
)
from tensorglass.ops.pointwise import (
    exponential as exponentials,
)
from tensorglass.ops.pointwise import (
    predicates as classifying,
)
from tensorglass.ops.pointwise import (
    trigonometric as trigonometry,
)
from tensorglass.ops.random import factories as random_factories
from tensorglass.ops.random import in_place as random
from tensorglass.ops.rearrange import (
    cat_stack as joining,
)
from tensorglass.ops.rearrange import (
    diagonal as diagonals,
)
from tensorglass.ops.rearrange import (
    repeat_flip_roll as rearranging,
)
from tensorglass.ops.rearrange import (
    split as splitting,
)
from tensorglass.ops.reductions import (
    cumulative,
)
from tensorglass.ops.reductions import (
    max_min as extrema,
)
from tensorglass.ops.reductions import (
    softmax as softmaxes,
)
from tensorglass.ops.reductions import (
    sum_mean_prod as reduction,
)
from tensorglass.ops.reductions import (
    var_std as variance,
)
from tensorglass.ops.sorting import equal as equality
from tensorglass.ops.sorting import sort as sorting
from tensorglass.ops.views import (
    as_subclass as subclasses,
)
from tensorglass.ops.views import (
    broadcast as broadcasting,
)
from tensorglass.ops.views import (
    set_resize as header,
)
from tensorglass.ops.views import (
    shape as views,
)
from tensorglass.ops.views import (
    transpose_attributes as transposes,
)


def __getattr__(name: str) -> Any:
    """Python asks this for a name that is not above."""
    if name == "OPERATORS":  # all of them
        later.fetch_all()
        return table.OPERATORS
    if f"ops.{name}" in later.FAMILIES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
