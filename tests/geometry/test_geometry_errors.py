"""Errors teach: the notes below PyTorch's line say, in numbers, what is wrong and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorglass import geometry


def notes_of(ask: Callable[[], Any]) -> str:
    with pytest.raises((RuntimeError, IndexError, ValueError)) as caught:
        ask()
    return "\n".join(caught.value.__notes__)


def test_an_impossible_view_names_the_two_dimensions_that_cannot_merge() -> None:
    notes = notes_of(lambda: geometry.view((3, 2), (1, 3), 0, (6,)))
    assert "dimensions 0 and 1" in notes
    assert "dimension 1 spans 6 cells" in notes
    assert "one step along dimension 0 moves by 1" in notes
    assert "reshape" in notes
    assert "contiguous()" in notes
    assert "part 1, 07 View or reshape" in notes


def test_an_impossible_view_passes_over_dimensions_of_size_1() -> None:
    notes = notes_of(lambda: geometry.view((3, 1, 2), (1, 9, 3), 0, (6,)))
    assert "dimensions 0 and 2" in notes
    assert "dimension 2 spans 6 cells" in notes


def test_sizes_that_do_not_meet_are_lined_up_from_the_last_dimension() -> None:
    notes = notes_of(lambda: geometry.broadcast_shapes((2, 3), (2,)))
    assert "[2, 3] and [2] meet 3 and 2" in notes
    assert "write b[:, None]." in notes
    assert "a.t()" in notes_of(lambda: geometry.broadcast_shapes((2, 3), (3, 2)))


def test_an_index_out_of_range_says_which_ones_there_are() -> None:
    assert "from 0 to 2, or from the end, -1 to -3" in notes_of(lambda: geometry.select((3,), (1,), 0, 0, 3))
    assert "it is empty" not in notes_of(lambda: geometry.select((3,), (1,), 0, 0, 3))
    assert "no index at all" in notes_of(lambda: geometry.index_integer((0,), (1,), 0, 0, 0, 0))


def test_a_negative_step_points_to_flip() -> None:
    assert "flip(1)" in notes_of(lambda: geometry.index_slice((2, 3), (3, 1), 0, 1, slice(None, None, -1)))


def test_strides_out_of_the_storage_say_which_cell_they_reach() -> None:
    notes = notes_of(lambda: geometry.as_strided((2, 4), (3, 1), 1, 4, 24))
    assert "cell 7 = 1 + 1*3 + 3*1" in notes
    assert "6 cells, the last of them cell 5" in notes
    assert "no cells" in notes_of(lambda: geometry.as_strided((1,), (1,), 0, 4, 0))


def test_a_write_to_an_expanded_tensor_names_the_dimension_of_stride_0() -> None:
    notes = notes_of(lambda: geometry.check_writable((2, 3), (1, 0)))
    assert "Dimension 1 has size 3 and stride 0" in notes
    assert "part 1, 08 In-place and clone" in notes


def test_a_result_over_its_operand_says_which_bytes_both_use() -> None:
    notes = notes_of(lambda: geometry.check_no_partial_overlap(((3,), (1,), 1), 4, ((3,), (1,), 0), 4))
    assert "bytes 4 to 16" in notes
    assert "bytes 0 to 12" in notes


def test_an_expand_that_would_have_to_copy_points_to_repeat() -> None:
    assert "repeat" in notes_of(lambda: geometry.expand((2, 3), (3, 1), 0, (4, 3)))
