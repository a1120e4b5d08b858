"""The plan of an elementwise call: size, dtypes and strides, worked out from the operands' headers.

Elements do not matter, so plans are cached by headers.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tensorglass import geometry
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.geometry import Ints, remembered
from tensorglass.ops.declare.type_promotion import DTypeRule, apply_rule, promote_kinds

#: What a plan needs of an operand: its dtype, size and stride. A number only has the dtype that it stands for.
Kind: TypeAlias = tuple[DType, Ints | None, Ints | None]


class Plan(NamedTuple):
    """Size, dtypes and strides of a call."""

    size: Ints
    stride: Ints  #: the strides of a new result
    order: Ints | None  #: a new result's dimensions, beginning with the outermost in memory; None if it is contiguous
    promoted: DType  #: the operands' common dtype, after the operator's rule
    compute: DType  #: the dtype that the kernel gets
    result: DType
    out_stride: Ints  #: the strides of a given ``out`` that is resized
    is_refused: bool  #: whether PyTorch has no such kernel for the promoted dtype


Layout: TypeAlias = tuple[Ints, Ints]  #: size and stride; of a number, ((), ())


@remembered
def result_layout(layouts: tuple[Layout, ...], is_like_first: bool = False) -> tuple[Ints, Ints, Ints | None]:
    """Size, stride and order of the result for operands with these layouts.

    `is_like_first`: the result has the layout of an `empty_like` of the first operand.
    """
    size = geometry.broadcast_shapes(*[own_size for own_size, _ in layouts])
    stride = geometry.preserved_strides(*layouts[0]) if is_like_first else geometry.elementwise_strides(size, layouts)
    if geometry.is_contiguous(size, stride):
        return size, stride, None
    # A dimension of size 1 does not count, whatever its stride.
    return size, stride, tuple(sorted(range(len(size)), key=lambda dim: (-stride[dim], size[dim] > 1)))


@remembered
def plan(
    rule: DTypeRule,
    kinds: tuple[Kind, ...],
    default: DType,
    written_size: Ints | None = None,
) -> Plan:
    """The plan of a call with these operands if `default` is the default dtype.

    `written_size` is the size of the tensor that an in-place form writes to. Raises PyTorch's errors for sizes that
    cannot be broadcast.
    """
    size = geometry.broadcast_shapes(*[own_size for _, own_size, _ in kinds if own_size is not None])
    if written_size is not None and written_size != size:
        raise explained(
            RuntimeError(f"output with shape {list(written_size)} doesn't match the broadcast shape {list(size)}"),
            "An in-place operator cannot make its tensor larger: use the form without the underscore.",
            notebook="1/08 In-place and clone",
        )
    common = promote_kinds(kinds)
    promoted = rule.promoted(common)
    compute, result = apply_rule(rule, common)
    layouts: list[Layout] = []
    for dtype, own_size, own_stride in kinds:
        if own_size is None or own_stride is None:
            if rule.numbers_lie:
                layouts.append(((), ()))
        elif dtype is promoted:
            layouts.append((own_size, own_stride))
        else:  # PyTorch iterates over a converted copy, which is dense and not expanded
            layouts.append((own_size, geometry.preserved_strides(own_size, own_stride)))
    is_like_first = rule.is_like_input or (compute.is_complex and result.is_floating_point)  # the latter is abs
    if kinds[0][1] is None and not rule.numbers_lie and not is_like_first:  # a power of a number
        layouts = [(size, geometry.contiguous_strides(size))]
    _, stride, order = result_layout(tuple(layouts), is_like_first)
    out_stride = result_layout(tuple(layouts))[1] if is_like_first else stride
    return Plan(size, stride, order, promoted, compute, result, out_stride, rule.lacks(promoted))
