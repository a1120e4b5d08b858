"""Padding: a tensor with room around it, filled with one number or with what the signal holds.

Each position of a longer signal that is mirrored, repeated at its ends or wrapped around is a position of the given
one, so that padding is a read along the last dimension, and its derivative adds up what was read there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tensorglass.core import dtypes
from tensorglass.core.errors import explained
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.arg_parser.checks import check_tensor, type_name
from tensorglass.ops.arg_parser.missing_dtypes import refuse_unwritten
from tensorglass.ops.copies.copy import clone, copy_
from tensorglass.ops.creation.ranges import arange
from tensorglass.ops.declare.registry import Sample, operator, sample
from tensorglass.ops.declare.samples import values
from tensorglass.ops.derivatives.view_nodes import slice_view
from tensorglass.ops.views.shape import narrow
from tensorglass.tensor.tensor import Tensor


class _Places(NamedTuple):
    """Which position of a signal of some `length` each position of the longer one is."""

    length: int
    before: int
    after: int
    is_mirrored: bool  #: at the ends, which are repeated otherwise


def _positions(like: Tensor, places: _Places) -> Tensor:
    positions, last = arange(-places.before, places.length + places.after, device=like.device), places.length - 1
    return last - (last - positions.abs()).abs() if places.is_mirrored else positions.clamp(0, last)


def _read_places(input: Tensor, places: _Places) -> Tensor:
    return input.detach().index_select(-1, _positions(input, places))


@derivative(
    node="ReflectionPad1DBackwardBackward0",
    part=lambda grad, places: grad.index_select(-1, _positions(grad, places)),
    input=lambda grad, input_size: grad.new_zeros(input_size),
)
def _add_up(part: Tensor, input: Tensor, places: _Places) -> Tensor:
    return part.new_zeros(input._size).index_add(-1, _positions(part, places), part)


_added_up: Any = recorded(_add_up)


@derivative(node="ReflectionPad1DBackward0", input=lambda grad, input, places: _added_up(grad, input, places))
def _reflect(input: Tensor, places: _Places) -> Tensor:
    return _read_places(input, places)


@derivative(node="ReplicationPad1DBackward0", input=lambda grad, input, places: _added_up(grad, input, places))
def _replicate(input: Tensor, places: _Places) -> Tensor:
    return _read_places(input, places)


_reflected: Any = recorded(_reflect)
_replicated: Any = recorded(_replicate)


def _check_signal(input: Tensor, mode: str) -> None:
    if len(input._size) not in (2, 3):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    if 0 in input._size[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(input._size)}"
        )
    name = "reflection" if mode == "reflect" else "replication"
    refuse_unwritten(f"{name}_pad1d", input._dtype)
    if input._dtype is dtypes.bool:
        raise NotImplementedError(f"\"{name}_pad1d\" not implemented for 'Bool'")


def _wrapped_around(input: Tensor, before: int, after: int) -> Tensor:
    length = input._size[-1]
    if before > length or after > length:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    made = input.new_empty((*input._size[:-1], before + length + after))
    slice_view(made, -1, before, before + length).copy_(slice_view(input, -1, 0, length))
    if before > 0:
        slice_view(made, -1, 0, before).copy_(slice_view(made, -1, length, length + before))
    if after > 0:
        slice_view(made, -1, before + length).copy_(slice_view(made, -1, before, before + after))
    return made


def padded(input: Tensor, before: int, after: int, mode: str) -> Tensor:
    """The tensor with so many more elements before and after, along its last dimension; `mode` is PyTorch's `pad_mode`.

    Raises RuntimeError where there is not enough to mirror, NotImplementedError for a mode that there is not.
    """
    if not isinstance(mode, str):
        raise TypeError(f"pad(): argument 'mode' (position 3) must be str, not {type_name(mode)}")
    if mode == "constant":
        return constant_pad_nd(input, (before, after))
    if mode == "circular":
        return _wrapped_around(input, before, after)
    if mode not in ("reflect", "replicate"):
        raise explained(
            NotImplementedError(f"Unrecognised padding mode {mode}"),
            'There are "reflect", "replicate", "circular" and "constant".',
        )
    _check_signal(input, mode)
    length = input._size[-1]
    if mode == "replicate":
        replicated: Tensor = _replicated(input, _Places(length, before, after, False))
        return replicated
    if before >= length or after >= length:
        raise explained(
            RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {len(input._size) - 1} of input {list(input._size)}"
            ),
            f"A signal of {length} elements can be mirrored by {max(length - 1, 0)}.",
        )
    reflected: Tensor = _reflected(input, _Places(length, before, after, True))
    return reflected


# --- a constant ------------------------------------------------------------------------------------------------------


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
