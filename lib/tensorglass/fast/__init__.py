"""Every shortcut of the library. The root installs them by one call; without them everything works, only slower.

A shortcut returns the result of a common call. For every other call it returns None, and the plain way runs; shortcuts
of elementwise operators call the plain way themselves. ``TENSORGLASS_FAST=0`` or deleting this folder turns all off.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from importlib import import_module
from operator import itemgetter
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
    pad,
    pointwise,
    pointwise_parameters,
    recording,
    reductions,
    softmax,
    views,
)
from tensorglass.fast.networks import cross_entropy, layer_rules, linear, optimizers
from tensorglass.graph.recorder import recorder_of
from tensorglass.ops.declare import return_types
from tensorglass.ops.declare.autocast import by_list, state, watched
from tensorglass.ops.declare.seams import Shortcut, seams
from tensorglass.ops.kernels import activations, ordering
from tensorglass.ops.kernels import sum as sums
from tensorglass.tensor.grad_mode import state as modes
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import PLAIN_TYPES

Form = Callable[..., Any]
_first, _first_list, _last_two = itemgetter(slice(1)), itemgetter(0), itemgetter(slice(1, 3))


def shortcut(
    function: Callable[..., Any], fewest: int, most: int | None = None, names: tuple[str, ...] = (),
    *, inputs: Callable[..., Any] | None = None,
) -> Callable[[Form], Form]:  # fmt: skip
    """A decorator that tries `function` first, for calls with `fewest` to `most` positional arguments and no keywords.

    Without `most`, for calls with exactly `fewest`. The last of them may be given by their `names`. A call is recorded
    after it if gradients flow to one of its `inputs`, which are picked out of the arguments. While autocast is on, an
    operator whose arguments it casts takes no shortcut.
    """
    longest = fewest if most is None else most

    def put(form: Form) -> Form:
        behind = by_list(form.__name__, form)
        is_cast = hasattr(behind, "casts")
        recorder: Any
        recorder, defaults = (None, ()) if inputs is None else recorder_of(form)

        @wraps(behind)
        def function_first(*arguments: Any, **keywords: Any) -> Any:
            given = arguments
            if keywords and names and 0 < len(arguments) < longest:
                by_name = names[len(arguments) - longest :][: len(keywords)]
                given = (*arguments, *[keywords[name] for name in by_name if name in keywords])
            is_short = fewest <= len(given) <= longest and (
                not keywords or len(given) == len(arguments) + len(keywords)
            )
            if is_short and not (is_cast and watched.was_on and state.dtypes):
                result = function(*given)
                if result is not None:
                    if inputs is not None and modes.grad:
                        for tensor in inputs(given):
                            if (type(tensor) is Tensor or type(tensor) in PLAIN_TYPES) and tensor._meta is not None:
                                return recorder.enter((*given, *defaults[len(given) :]), result)
                    return result
            return behind(*arguments, **keywords)

        return function_first

    return put


_of_norm = partial(
    reductions.of_reduction,
    reductions.length,
    reductions.floating,
    sums.length,
    least=2,
    most_arguments=1,
    mixed=True,
    quicker=reductions.small_length,
)
_to = {
    "bool": dtypes.bool, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32,
    "long": dtypes.int64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "float": dtypes.float32,
    "double": dtypes.float64, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}  # fmt: skip


def _of_network(module: str, put: str) -> Callable[[Form], Form]:
    """A decorator that puts `fast.networks.<module>.<put>` before a form.

    The module is imported when the operator is declared, since few programs need it.
    """

    def put_first(form: Form) -> Form:
        wrap: Callable[[Form], Form] = getattr(import_module(f"tensorglass.fast.networks.{module}"), put)
        return wrap(form)

    return put_first


#: The shortcuts that are put before public forms, by the names of operators and of Python's methods. A `Shortcut` adds
#: in another order than the plain way, within its stated tolerance; all others give the same bits.
SHORTCUTS: dict[str, Callable[[Form], Form] | Shortcut] = {
    # views
    "view": views.of_lengths,
    "reshape": views.of_lengths,
    "t": views.of_matrix,
    "transpose": views.of_two_dims,
    "flatten": views.of_ints(geometry.flat_view),
    "permute": views.of_ints(geometry.permute, as_one=True, recorded=2),
    "movedim": views.of_ints(geometry.movedim),
    "squeeze": views.of_ints(geometry.squeeze, recorded=2),  # without `dim` it has a different node
    "unsqueeze": views.of_ints(geometry.unsqueeze, recorded=2),
    "expand": views.of_ints(geometry.expand, as_one=True, recorded=2),
    "narrow": views.of_ints(geometry.narrow, recorded=4),
    "select": views.of_ints(geometry.select, recorded=3),
    "diagonal": views.of_ints(geometry.diagonal, recorded=4),
    "unfold": views.of_ints(geometry.unfold, recorded=4),
    # indexing
    "__getitem__": indexing.of_reading,
    "__setitem__": indexing.of_writing,
    "index_select": shortcut(gather_scatter.selected, 3, names=("dim", "index"), inputs=_first),
    "gather": shortcut(gather_scatter.gathered, 3, names=("dim", "index"), inputs=_first),
    "take_along_dim": shortcut(gather_scatter.taken_along, 3),
    "scatter": shortcut(partial(gather_scatter.scattered, gather_scatter.over), 4),
    "scatter_": shortcut(partial(gather_scatter.scattered_in_place, gather_scatter.over), 4),
    "scatter_add": shortcut(partial(gather_scatter.scattered, gather_scatter.add_to), 4),
    "scatter_add_": shortcut(partial(gather_scatter.scattered_in_place, gather_scatter.add_to), 4),
    "where": shortcut(masks.chosen, 3, inputs=_last_two),
    "masked_fill": shortcut(masks.filled, 3, inputs=_first),
    "masked_fill_": shortcut(masks.filled_in_place, 3),
    # copies
    "clone": shortcut(copies.copied, 1),
    "contiguous": copies.of_contiguous,
    "copy_": copies.of_overwriting,
    "zero_": copies.of_zeroing,
    "to": copies.of_conversion,
    "type_as": copies.of_conversion,
    **{name: shortcut(copies.of_conversion_to(dtype), 1) for name, dtype in _to.items()},
    "cat": shortcut(cat_stack.joined, 1, 2, ("dim",), inputs=_first_list),
    "stack": shortcut(cat_stack.stacked, 1, 2, ("dim",), inputs=_first_list),
    "hstack": shortcut(cat_stack.hstack, 1),
    "vstack": shortcut(cat_stack.vstack, 1),
    "pad": pad.of_padding,
    # creation
    "empty": creation.of_size(creation.empty),
    "zeros": creation.of_size(creation.zeros),
    "ones": creation.of_size(creation.ones),
    "rand": creation.of_random("uniform"),
    "randn": creation.of_random("normal"),
    "rand_like": creation.of_random_like("uniform"),
    "randn_like": creation.of_random_like("normal"),
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
        reductions.add, reductions.widened, sums.total, many=True, quicker=reductions.small_sum, by_float32=True
    ),
    "mean": reductions.of_reduction(
        reductions.average, reductions.floating, sums.average, many=True, quicker=reductions.small_mean, by_float32=True
    ),
    "prod": reductions.of_reduction(reductions.multiply, reductions.widened, by_float32=True),
    "all": reductions.of_reduction(reductions.all_true, reductions.truth),
    "any": reductions.of_reduction(reductions.any_true, reductions.truth),
    "var": reductions.of_reduction(reductions.variance, reductions.single, least=2, mixed=True),
    "std": reductions.of_reduction(reductions.deviation, reductions.single, least=2, mixed=True),
    "amax": reductions.of_reduction(
        reductions.largest, reductions.as_it_is, ordering.largest, many=True, by_float32=True
    ),
    "amin": reductions.of_reduction(
        reductions.smallest, reductions.as_it_is, ordering.smallest, many=True, by_float32=True
    ),
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
    "convolution": Shortcut(_of_network("convolution", "with_own_kernels"), 1e-6),
    "max_pool2d": _of_network("pooling", "with_own_kernel"),
    # layers
    "linear": linear.of_linear,
    "scaled_dot_product_attention": Shortcut(_of_network("scaled_dot_product", "of_attention"), 1e-6),
    "multi_head_attention": Shortcut(_of_network("self_attention", "of_attention"), 1e-6),
    "feed_forward": Shortcut(_of_network("feed_forward", "of_feed_forward"), 1e-6),
    "recurrent_layer": Shortcut(_of_network("recurrent", "of_layer"), 1e-6),
    "cross_entropy": cross_entropy.of_cross_entropy,
}


def install() -> None:
    """Fill the seams, before any operator is declared."""
    seams.forms = {name: form if isinstance(form, Shortcut) else Shortcut(form) for name, form in SHORTCUTS.items()}
    seams.elementwise = pointwise.Shortcuts
    seams.unrecorded = recording.unrecorded
    seams.compute_small = pointwise_parameters.computed_small
    seams.read_operands = kernels.read_operands
    seams.launch = kernels.launch
    seams.update = optimizers.update
    for rules in (gather_scatter, masks, pad, layer_rules):
        node_rules.RULES.update(rules.RULES)

    # imported now, since it imports `autograd`, which declares operators
    from tensorglass.fast import backward_on_arrays

    seams.backward_pass = backward_on_arrays.ArrayRun
    seams.one = backward_on_arrays.one
