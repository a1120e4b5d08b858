"""Padding: a tensor with room around it, filled with one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.ops.arg_parser.checks import check_tensor
from tensorglass.ops.copies.copy import clone, copy_
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.views.shape import narrow
from tensorglass.tensor.tensor import Tensor


def _paddings() -> Iterator[Sample]:
    yield sample(values(2, 3), (1, 2))
    yield sample(values(2, 3), [0, 1, 2, 0], 2)
    yield sample(values(2, 3, 2), (0, 0, -1, 1), -1)
    yield sample(values(4), (-1, -2))
    yield sample(values(0, 3), (1, 1))
    yield sample(values(), ())


def _unpadded(grad: Tensor, pad: Sequence[int]) -> Tensor:
    made: Tensor = constant_pad_nd(grad, [-each for each in pad])
    return made


@operator("rearranging", method=False, samples=_paddings)
@derivative(input=_unpadded)
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    """The tensor with `value` around it. `pad` holds how many positions come before and after, from the last dimension
    on; a negative number takes positions away.
    """
    check_tensor("constant_pad_nd", input)
    rank = len(input._size)
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * rank:
        raise explained(
            RuntimeError(
                "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
                f"{len(pad)}while the input has {rank}dimensions."
            ),
            "Two numbers for each dimension, before and after, the last dimension's first.",
        )
    kept, size = input.detach(), list(input._size)
    pairs = [(rank - 1 - place // 2, pad[place], pad[place + 1]) for place in range(0, len(pad), 2)]
    if all(each <= 0 for each in pad):
        for dim, before, after in reversed(pairs):
            kept = narrow(kept, dim, -before, kept._size[dim] + before)
            kept = narrow(kept, dim, 0, kept._size[dim] + after)
        return clone(kept)
    places = []
    for dim, before, after in pairs:
        length = input._size[dim] + before + after
        if length < 0:
            raise RuntimeError(
                f"The input size {input._size[dim]}, plus negative padding {before} and {after} resulted in a negative "
                f"output size, which is invalid. Check dimension {dim} of your input."
            )
        size[dim] = length
        kept = narrow(kept, dim, max(-before, 0), kept._size[dim] - max(-before, 0) - max(-after, 0))
        places.append((dim, max(before, 0), kept._size[dim]))
    made = input.new_full(size, value)
    target = made
    for dim, start, length in places:
        target = narrow(target, dim, start, length)
    copy_(target, kept)
    made._storage.version = 0  # it counts as not written yet
    return made
