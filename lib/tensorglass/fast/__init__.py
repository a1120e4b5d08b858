"""Every shortcut of the library. The root installs them by one call; without them everything is right, only slower.

A shortcut returns the result of a usual call. For every other call it returns None, and the plain way runs as it would
without the shortcut. ``TENSORGLASS_FAST=0`` leaves all of them out, and so does deleting this folder.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from typing import Any

from tensorglass import geometry
from tensorglass.core import dtypes
from tensorglass.fast import (
    cat_stack,
    copies,
    creation,
    einsum,
    gather_scatter,
    indexing,
    kernels,
    masks,
    matmul,
    node_rules,
    pointwise,
    pointwise_parameters,
    recording,
    reductions,
    softmax,
    views,
)
from tensorglass.fast.networks import cross_entropy, linear, optimizers
from tensorglass.fast.networks import node_rules as rules_of_networks
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.arg_parser import wrap
from tensorglass.ops.declare import pointwise as declared_pointwise
from tensorglass.ops.declare import registry, return_types, run_pointwise
from tensorglass.ops.declare.autocast import by_list, state, watched
from tensorglass.ops.kernels import activations, ordering
from tensorglass.ops.kernels import sum as sums
from tensorglass.tensor.grad_mode import state as modes

Form = Callable[..., Any]


def shortcut(function: Callable[..., Any], fewest: int, most: int | None = None) -> Callable[[Form], Form]:
    """A decorator that tries `function` first, for calls with `fewest` to `most` positional arguments and no keywords.

    Without `most`, for calls with exactly `fewest`. While autocast is on, an operator whose arguments it casts takes no
    shortcut.
    """
    longest = fewest if most is None else most

    def put(form: Form) -> Form:
        behind = by_list(form.__name__, form)
        is_cast = hasattr(behind, "casts")

        @wraps(behind)
        def function_first(*arguments: Any, **keywords: Any) -> Any:
            is_short = fewest <= len(arguments) <= longest and not keywords
            if is_short and not (is_cast and watched.was_on and state.dtypes):
                made = function(*arguments)
                if made is not None:
                    return made
            return behind(*arguments, **keywords)

        return function_first

    return put


def recorded_shortcut(function: Callable[..., Any], count: int) -> Callable[[Form], Form]:
    """As `shortcut`, for calls with `count` arguments, of which gradients may flow to the first."""

    def put(form: Form) -> Form:
        recorder, defaults = recorder_of(form)

        def entered(*arguments: Any) -> Any:
            made = function(*arguments)
            if made is None or arguments[0]._meta is None or not modes.grad:
                return made
            return recorder.enter((*arguments, *defaults[count:]), made)

        return shortcut(entered, count)(form)

    return put


_of_norm = partial(
    reductions.of_reduction,
    reductions.length,
    reductions.floating,
    sums.length,
    least=2,
    most_arguments=1,
    mixed=True,
)
_to = {
    "bool": dtypes.bool, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32,
    "long": dtypes.int64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "float": dtypes.float32,
    "double": dtypes.float64, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}  # fmt: skip


def _of_network(module: str, put: str) -> Callable[[Form], Form]:
    """What `fast.networks` has in this module, by this name, to put before a form.

    It is imported as the operator is declared, for few programs need it.
    """

    def put_first(form: Form) -> Form:
        found: Callable[[Form], Form] = getattr(import_module(f"tensorglass.fast.networks.{module}"), put)
        return found(form)

    return put_first


#: What is put before the forms that are handed out, by the names of the operators and of Python's methods.
SHORTCUTS: dict[str, Callable[[Form], Form]] = {
    # views
    "view": views.of_lengths,
    "reshape": views.of_lengths,
    "t": views.of_matrix,
    "transpose": views.of_two_dims,
    "flatten": views.of_ints(geometry.flat_view),
    "permute": views.of_ints(geometry.permute, as_one=True),
    "movedim": views.of_ints(geometry.movedim),
    "squeeze": views.of_ints(geometry.squeeze),
    "unsqueeze": views.of_ints(geometry.unsqueeze),
    "expand": views.of_ints(geometry.expand, as_one=True),
    "narrow": views.of_ints(geometry.narrow),
    "select": views.of_ints(geometry.select),
    "diagonal": views.of_ints(geometry.diagonal),
    "unfold": views.of_ints(geometry.unfold),
    # indexing
    "__getitem__": indexing.of_reading,
    "__setitem__": indexing.of_writing,
    "index_select": recorded_shortcut(gather_scatter.selected, 3),
    "gather": recorded_shortcut(gather_scatter.gathered, 3),
    "take_along_dim": shortcut(gather_scatter.taken_along, 3),
    "scatter": shortcut(partial(gather_scatter.scattered, gather_scatter.over), 4),
    "scatter_": shortcut(partial(gather_scatter.scattered_in_place, gather_scatter.over), 4),
    "scatter_add": shortcut(partial(gather_scatter.scattered, gather_scatter.add_to), 4),
    "scatter_add_": shortcut(partial(gather_scatter.scattered_in_place, gather_scatter.add_to), 4),
    "where": shortcut(masks.chosen, 3),
    "masked_fill": shortcut(masks.filled, 3),
    "masked_fill_": shortcut(masks.filled_in_place, 3),
    # copies
    "clone": shortcut(copies.copied, 1),
    "contiguous": copies.of_contiguous,
    "copy_": copies.of_overwriting,
    "zero_": copies.of_zeroing,
    "to": copies.of_conversion,
    "type_as": copies.of_conversion,
    **{name: shortcut(copies.of_conversion_to(dtype), 1) for name, dtype in _to.items()},
    "cat": shortcut(cat_stack.joined, 1, 2),
    "stack": shortcut(cat_stack.stacked, 1, 2),
    "hstack": shortcut(cat_stack.side_by_side, 1),
    "vstack": shortcut(cat_stack.one_below_the_other, 1),
    # creation
    "empty": creation.of_size(creation.empty),
    "zeros": creation.of_size(creation.zeros),
    "ones": creation.of_size(creation.ones),
    "rand": creation.of_random("uniform"),
    "randn": creation.of_random("normal"),
    "full": shortcut(creation.full, 2),
    "arange": shortcut(creation.arange, 1, 2),
    "empty_like": shortcut(creation.alike(creation.empty), 1),
    "zeros_like": shortcut(creation.alike(creation.zeros), 1),
    "ones_like": shortcut(creation.alike(creation.ones), 1),
    "new_zeros": creation.of_size_and_dtype(creation.zeros),
    "new_ones": creation.of_size_and_dtype(creation.ones),
    "from_numpy": shortcut(creation.from_numpy, 1),
    # reductions
    "sum": reductions.of_reduction(
        reductions.add, reductions.widened, sums.total, many=True, quicker=reductions.small_sum
    ),
    "mean": reductions.of_reduction(
        reductions.average, reductions.floating, sums.average, many=True, quicker=reductions.small_mean
    ),
    "prod": reductions.of_reduction(reductions.multiply, reductions.widened),
    "all": reductions.of_reduction(reductions.every, reductions.truth),
    "any": reductions.of_reduction(reductions.some, reductions.truth),
    "var": reductions.of_reduction(reductions.variance, reductions.floating, least=2, mixed=True),
    "std": reductions.of_reduction(reductions.deviation, reductions.floating, least=2, mixed=True),
    "amax": reductions.of_reduction(reductions.largest, reductions.as_it_is, ordering.largest, many=True),
    "amin": reductions.of_reduction(reductions.smallest, reductions.as_it_is, ordering.smallest, many=True),
    "argmax": reductions.of_reduction(reductions.position_of_largest, reductions.position),
    "argmin": reductions.of_reduction(reductions.position_of_smallest, reductions.position),
    "max": reductions.of_extreme(reductions.largest, reductions.position_of_largest, return_types.max),
    "min": reductions.of_extreme(reductions.smallest, reductions.position_of_smallest, return_types.min),
    "norm": _of_norm(order=2),
    "linalg_norm": _of_norm(),  # of a matrix, order 2 is its largest singular value
    "linalg_vector_norm": _of_norm(order=2),
    "softmax": softmax.of_softmax(activations.softmax),
    "log_softmax": softmax.of_softmax(activations.log_softmax),
    # products
    "matmul": matmul.of_product,
    "__matmul__": matmul.of_product,
    "mm": matmul.of_product,
    "mv": matmul.of_product,
    "bmm": matmul.of_product,
    "dot": matmul.of_product,
    "addmm": matmul.of_added_product,
    "einsum": einsum.of_pair,
    "convolution": _of_network("convolution", "with_own_kernels"),
    "max_pool2d": _of_network("pooling", "with_own_kernel"),
    # layers
    "linear": linear.of_linear,
    "scaled_dot_product_attention": _of_network("scaled_dot_product", "of_attention"),
    "multi_head_attention": _of_network("self_attention", "of_attention"),
    "feed_forward": _of_network("feed_forward", "of_feed_forward"),
    "recurrent_layer": _of_network("recurrent", "of_layer"),
    "cross_entropy": cross_entropy.of_cross_entropy,
    # optimizers
    "SGD.update": optimizers.of_update(optimizers.sgd),
    "Adam.update": optimizers.of_update(optimizers.adam),
    "RMSprop.update": optimizers.of_update(optimizers.rmsprop),
    "Adagrad.update": optimizers.of_update(optimizers.adagrad),
}


def _with_shortcut(name: str, form: Form) -> Form:
    put = SHORTCUTS.get(name)
    return form if put is None else put(form)


def install() -> None:
    """Have operators that are declared from now on, and backward passes, take the shortcuts."""
    registry.with_shortcut = _with_shortcut
    wrap.unrecorded = recording.unrecorded
    declared_pointwise.shortcuts = pointwise.Shortcuts
    run_pointwise.run = pointwise_parameters.run
    run_pointwise.read_operands = kernels.read_operands
    run_pointwise.launch = kernels.launch
    node_rules.RULES.update(gather_scatter.RULES | rules_of_networks.RULES)

    from tensorglass.autograd import engine  # now, for this declares operators
    from tensorglass.fast import backward_on_arrays

    engine.new_run = backward_on_arrays.ArrayRun
    engine.one_for = backward_on_arrays.one_for
