"""Padding: a tensor extended at its ends, with one number or with its own elements.

Each position of a reflected, replicated or circular signal is a position of the input. So padding is an index along a
dimension, and its derivative adds up the gradients for each position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.core.memory_format import contiguous_format
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.copies.copy import clone, copy_, suggested_format
from tensorglass.ops.creation.ranges import arange
from tensorglass.ops.declare.autocast import in_float32
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.seams import has_shortcut
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.views.shape import narrow
from tensorglass.tensor.tensor import Tensor

_PADS = """Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


class _Places(NamedTuple):
    """Which position of the input each position of the longer tensor is, for each of the last dimensions."""

    lengths: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    is_mirrored: bool  #: at the ends, which are repeated otherwise

    @property
    def name(self) -> str:
        """PyTorch's, of the node."""
        return f"{'Reflection' if self.is_mirrored else 'Replication'}Pad{len(self.lengths)}D"


def _positions(like: Tensor, places: _Places) -> Iterator[tuple[int, Tensor]]:
    """For each dimension that is padded, counted from the end, the positions to be read."""
    for dim, (length, before, after) in enumerate(zip(*places[:3], strict=True), -len(places.lengths)):
        if before or after:
            positions, last = arange(-before, length + after, device=like.device), length - 1
            mirrored = last - (last - positions.abs()).abs()
            yield dim, mirrored if places.is_mirrored else positions.clamp(0, last)


def _read_places(input: Tensor, places: _Places) -> Tensor:
    result = input.detach()
    for dim, positions in _positions(input, places):
        result = result.index_select(dim, positions)
    wanted = suggested_format(input)
    if wanted is not contiguous_format:
        return result.contiguous(memory_format=wanted)
    return result if result._storage is not input._storage else result.clone()


def _padded_again(grad: Tensor, places: _Places) -> Tensor:
    return _padded_by_itself(grad, places)


@recorded
@derivative(
    node=lambda places: f"{places.name}BackwardBackward0",
    part=_padded_again,
    input=lambda grad, input_size: grad.new_zeros(input_size),
)
def _added_up(part: Tensor, input: Tensor, places: _Places) -> Tensor:
    result = part
    for dim, positions in _positions(part, places):
        size = (*result._size[:dim], places.lengths[dim], *result._size[len(result._size) + dim + 1 :])
        result = part.new_zeros(size).index_add(dim, positions, result)
    return result


@recorded
@derivative(
    node=lambda places: f"{places.name}Backward0", input=lambda grad, input, places: _added_up(grad, input, places)
)
def _padded_by_itself(input: Tensor, places: _Places) -> Tensor:
    return _read_places(input, places)


def _check_signal(input: Tensor, mode: str, rank: int) -> None:
    kept = input._size[1:] if len(input._size) == rank + 2 else input._size
    if 0 in kept:
        raise RuntimeError(
            f"Expected {rank + 1}D or {rank + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input._size)}"
        )
    name = "reflection" if mode == "reflect" else "replication"
    if input._dtype is dtypes.bool:
        raise NotImplementedError(f"\"{name}_pad{rank}d\" not implemented for 'Bool'")


def _wrapped_around(input: Tensor, before: Sequence[int], after: Sequence[int]) -> Tensor:
    """The input with each of its last dimensions continued from its other end."""
    rank = len(before)
    lengths = input._size[-rank:]
    size = [*input._size[:-rank]]
    for length, front, back in zip(lengths, before, after, strict=True):
        if front > length or back > length:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if front + back + length < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        size.append(front + length + back)
    result = input.new_empty(size)
    inside, kept = result, input
    for dim, (length, front, back) in enumerate(zip(lengths, before, after, strict=True), len(size) - rank):
        inside = slice_view(inside, dim, max(front, 0), size[dim] - max(back, 0))
        kept = slice_view(kept, dim, max(-front, 0), length - max(-back, 0))
    inside.copy_(kept)
    # From the last dimension on, so that corners hold what was wrapped around already.
    for dim, front, back in reversed([*zip(range(len(size) - rank, len(size)), before, after, strict=True)]):
        end = size[dim] - max(back, 0)
        if front > 0:
            slice_view(result, dim, 0, front).copy_(slice_view(result, dim, end - front, end))
        if back > 0:
            begin = max(front, 0)
            slice_view(result, dim, size[dim] - back, size[dim]).copy_(slice_view(result, dim, begin, begin + back))
    return result


@in_float32
@has_shortcut("pad")
@parsed("pad", "input", "pad", "mode", "value")
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """The tensor with room around it. `pad` holds how much before and after, from the last dimension on.

    `mode` says what is there: "constant", a `value`; "reflect", the input mirrored at its ends; "replicate", its last
    element; "circular", what is at its other end. All but the first pad one to three dimensions, after a batch and
    channels. Raises RuntimeError where there is not enough to mirror, NotImplementedError for a mode that there is not.
    """
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    ndim = len(input._size)
    if len(pad) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {ndim}"
        )
    if mode == "constant":
        result: Tensor = constant_pad_nd(input, pad, 0 if value is None else value)
        return result
    if mode not in ("reflect", "replicate", "circular"):
        raise explained(
            NotImplementedError(f"Unrecognised padding mode {mode}"),
            'There are "reflect", "replicate", "circular" and "constant".',
        )
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    rank = len(pad) // 2
    if not 1 <= rank <= 3 or ndim not in (rank + 1, rank + 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {ndim}D input tensor.\n{_PADS}")
    before, after = tuple(pad[::2])[::-1], tuple(pad[1::2])[::-1]
    if mode == "circular":
        return _wrapped_around(input, before, after)
    _check_signal(input, mode, rank)
    places = _Places(tuple(input._size[-rank:]), before, after, mode == "reflect")
    for place, (length, front, back) in enumerate(reversed([*zip(*places[:3], strict=True)])):
        dim = ndim - 1 - place
        if places.is_mirrored and (front >= length or back >= length):
            raise explained(
                RuntimeError(
                    f"Argument #{4 + 2 * place}: Padding size should be less than the corresponding input dimension, "
                    f"but got: padding ({front}, {back}) at dimension {dim} of input {list(input._size)}"
                ),
                f"A signal of {length} elements can be mirrored by {max(length - 1, 0)}.",
            )
        if length + front + back < 0:
            size = [*input._size[:-rank], *[sum(lengths) for lengths in zip(*places[:3], strict=True)]]
            raise RuntimeError(f"Trying to create tensor with negative dimension {length + front + back}: {size}")
    return _padded_by_itself(input, places)


# --- a constant ------------------------------------------------------------------------------------------------------


def _unpadded(grad: Tensor, pad: Sequence[int]) -> Tensor:
    return constant_pad_nd(grad, [-length for length in pad])


@operator("rearranging", method=False)
@derivative(input=_unpadded)
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    """The tensor with `value` around it. `pad` holds how many positions come before and after, from the last dimension
    on; a negative number takes positions away.
    """
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
    if all(length <= 0 for length in pad):
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
    result = input.new_full(size, value).contiguous(memory_format=suggested_format(input))
    target = result
    for dim, start, length in places:
        target = narrow(target, dim, start, length)
    copy_(target, kept)
    result._storage.version = 0  # it counts as not written yet
    return result
