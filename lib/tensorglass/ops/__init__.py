"""Every operator, declared once, in modules of the families that ATen has: views, pointwise, reductions, …

`attach` imports the modules that nearly every program uses, which fills the table of `declare.registry`, and publishes
the operators; the others are imported on first use (`declare.lazy_loading`).
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tensorglass.core.out_of_scope import is_probed
from tensorglass.ops.declare import lazy_loading, registry, return_types

if TYPE_CHECKING:
    from tensorglass.ops.declare.registry import OPERATORS

#: The modules that nearly every program uses, in the order of the table.
_IN_USE = (
    "predicates", "copies.copy", "copies.copy_pickle", "copies.to", "creation.fill",
    "creation.ranges", "creation.tensor", "indexing.gather", "indexing.getitem",
    "indexing.where_masked", "linalg.matmul", "pointwise.arithmetic", "pointwise.comparison",
    "pointwise.rounding", "pointwise.signs", "pointwise.exp_log_sigmoid",
    "pointwise.trigonometric", "random.factories", "random.in_place", "rearrange.cat_stack", "rearrange.diagonal",
    "rearrange.repeat_flip_roll", "rearrange.split", "reductions.cumulative", "reductions.max_min",
    "reductions.softmax", "reductions.sum_mean_prod", "reductions.var_std", "sorting.equal", "sorting.sort",
    "views.set_resize", "views.shape", "views.transpose_expand",
)  # fmt: skip

_OLDER_NAMES_OF_MM = ("dsmm", "spmm")  # of programs with sparse tensors; they are no methods, as other second names are

__all__ = ["OPERATORS", "attach", "declare", "return_types"]


def declare() -> None:
    """Fill the table with the operators that nearly every program uses."""
    for module in _IN_USE:
        import_module(f"{__name__}.{module}")


def attach() -> dict[str, Callable[..., Any]]:
    """Give Tensor its methods, and return the functions of the namespace by name."""
    declare()
    functions = registry.attach()
    return functions | {older: registry.under_name(older, functions["mm"]) for older in _OLDER_NAMES_OF_MM}


def __getattr__(name: str) -> Any:
    """Python asks this for a name that is not above."""
    if name == "OPERATORS":  # all of them
        lazy_loading.fetch_all()
        return registry.OPERATORS
    if name in ("aten", "load_library", "loaded_libraries"):
        from tensorglass.ops.declare import inner_names  # when it is asked for: few programs do

        return getattr(inner_names, name)
    if not is_probed(name) and find_spec(f"{__name__}.{name}") is None:
        from tensorglass.ops.declare import inner_names

        return inner_names.namespace(name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
