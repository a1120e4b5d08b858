"""What x[...] reads and writes: views, copies, versions, and errors that leave nothing half-written."""

from __future__ import annotations

import numpy
import pytest

import tensorglass as torch
from tensorglass import memory


@pytest.fixture
def x():
    return torch.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize("index", [0, -1, slice(1, None), None, ..., (0, slice(None), 1), (..., None, 2), ()])
def test_basic_index_shares_the_storage(x, index):
    assert x[index].untyped_storage() is x.untyped_storage()
    assert x[index].tolist() == x.numpy()[index].tolist()


@pytest.mark.parametrize(
    "index",
    [
        [0],
        torch.tensor([[1, 0]]),
        (slice(None), [2, 0]),
        ([0, 1], slice(None), [3, 0]),
        True,
        numpy.array([1, 1]),
        range(2),
    ],
)
def test_advanced_index_copies(x, index):
    picked = x[index]
    assert picked.untyped_storage() is not x.untyped_storage()
    as_numpy = index.numpy() if isinstance(index, torch.Tensor) else index
    assert picked.tolist() == x.numpy()[as_numpy].tolist()


def test_advanced_index_counts_as_one_copy_of_what_it_reads(x):
    with memory.track() as report:
        kept = x[[0, 1, 1]]
    assert (report.copies, report.copied_bytes) == (1, kept.nbytes)


def test_mask_chooses_in_order(x):
    assert x[x % 2 == 0].tolist() == list(range(0, 24, 2))


def test_writing_through_a_basic_index_is_seen_by_every_view(x):
    row = x[0, 1]
    x[0, 1, 2] = 100
    assert row.tolist() == [4, 5, 100, 7]


@pytest.mark.parametrize("index", [0, (0, 1, 2), slice(0, 1), [0, 1], ([0], 1), None, True])
def test_writing_counts_one_version(x, index):
    before = x._version
    x[index] = 7
    assert x._version == before + 1


def test_writing_a_mask_changes_the_chosen_elements_alone(x):
    x[x > 20] = 0
    assert x.flatten().tolist() == [*range(21), 0, 0, 0]


def test_repeated_positions_add_up_only_when_accumulated():
    ones = torch.ones(3)
    index = (torch.tensor([0, 0, 1]),)
    assert torch.zeros(3).index_put_(index, ones).tolist() == [1, 1, 0]
    assert torch.zeros(3).index_put_(index, ones, accumulate=True).tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("index", "value"),
    [
        ([0, 5], 1),
        (([0, 1], [0, 7]), 1),
        ([0, 1], torch.zeros(5, dtype=torch.int64)),
        ([0, 1], torch.zeros(4)),
        (5, 1),
        (0, "a"),
        (0, torch.zeros(5)),
        (slice(None, None, -1), 0),
        (torch.tensor([True, False, True]), 0),
    ],
)
def test_a_refused_write_changes_nothing(x, index, value):
    before, version = x.tolist(), x._version
    with pytest.raises((IndexError, RuntimeError, TypeError, ValueError)) as caught:
        x[index] = value
    assert x.tolist() == before
    assert x._version == version
    assert caught.value.__notes__


def test_error_says_which_positions_there_are(x):
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3") as caught:
        x[0, 3]
    assert "0 to 2" in caught.value.__notes__[0]


def test_elements_can_be_asked_for_and_not_deleted(x):
    assert 23 in x
    assert 24 not in x
    with pytest.raises(TypeError, match="Tensor does not support deleting items"):
        del x[0]
