"""Choosing and writing by position and by mask, outside of brackets."""

from __future__ import annotations

import pytest

import tensorglass as torch


def test_gather_reads_one_element_for_each_of_the_index():
    x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    assert x.gather(1, torch.tensor([[2, 0], [1, 1]])).tolist() == [[3, 1], [5, 5]]


def test_scatter_undoes_gather_where_positions_differ():
    x = torch.arange(12).reshape(3, 4)
    index = torch.tensor([[3, 1, 0, 2], [0, 1, 2, 3], [2, 3, 1, 0]])
    assert torch.zeros(3, 4, dtype=torch.int64).scatter_(1, index, x.gather(1, index)).tolist() == x.tolist()


def test_adding_at_repeated_positions_adds_them_all():
    index = torch.tensor([0, 0, 2])
    assert torch.zeros(3).index_add_(0, index, torch.ones(3)).tolist() == [2, 0, 1]
    assert torch.zeros(3).scatter_add_(0, index, torch.ones(3)).tolist() == [2, 0, 1]
    assert torch.zeros(3).put_(index, torch.ones(3), accumulate=True).tolist() == [2, 0, 1]


def test_index_select_of_a_transposed_tensor_reads_its_columns():
    x = torch.arange(6).reshape(2, 3).t()
    assert x.index_select(0, torch.tensor([2, 0])).tolist() == [[2, 5], [0, 3]]


def test_nonzero_gives_rows_and_where_gives_columns():
    x = torch.tensor([[0, 1], [2, 0]])
    assert torch.nonzero(x).tolist() == [[0, 1], [1, 0]]
    assert [tensor.tolist() for tensor in torch.where(x)] == [[0, 1], [1, 0]]


def test_where_promotes_and_broadcasts():
    chosen = torch.where(torch.tensor([[True], [False]]), torch.tensor([1, 2]), 0.5)
    assert chosen.tolist() == [[1.0, 2.0], [0.5, 0.5]]
    assert chosen.dtype is torch.float32


@pytest.mark.parametrize("name", ["masked_fill", "index_fill", "scatter", "masked_scatter", "index_copy"])
def test_form_without_underscore_leaves_its_tensor_alone(name):
    x = torch.zeros(3)
    arguments = {
        "masked_fill": (torch.tensor([True, False, True]), 1),
        "index_fill": (0, torch.tensor([0, 2]), 1),
        "scatter": (0, torch.tensor([0, 2]), 1),
        "masked_scatter": (torch.tensor([True, False, True]), torch.ones(2)),
        "index_copy": (0, torch.tensor([0, 2]), torch.ones(2)),
    }[name]
    assert getattr(x, name)(*arguments).tolist() == [1, 0, 1]
    assert x.tolist() == [0, 0, 0]
    assert x._version == 0
    assert getattr(x, f"{name}_")(*arguments) is x
    assert x.tolist() == [1, 0, 1]
    assert x._version == 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("index_add_", (0, torch.tensor([0, 3]), torch.ones(2))),
        ("index_copy_", (0, torch.tensor([0, 3]), torch.ones(2))),
        ("index_fill_", (0, torch.tensor([0, 3]), 1)),
        ("scatter_", (0, torch.tensor([0, 3]), 1)),
        ("scatter_add_", (0, torch.tensor([0, -1]), torch.ones(2))),
        ("put_", (torch.tensor([0, 3]), torch.ones(2))),
        ("masked_scatter_", (torch.tensor([True, True, False]), torch.ones(1))),
    ],
)
def test_a_refused_write_changes_nothing(name, arguments):
    x = torch.zeros(3)
    with pytest.raises((IndexError, RuntimeError)):
        getattr(x, name)(*arguments)
    assert x.tolist() == [0, 0, 0]
    assert x._version == 0


def test_scatter_kin_write_to_a_copy():
    x = torch.zeros(2, 3)
    assert x.select_scatter(torch.ones(3), 0, 1).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert x.slice_scatter(torch.ones(2, 1), 1, 2).tolist() == [[0, 0, 1], [0, 0, 1]]
    assert x.diagonal_scatter(torch.ones(2)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert x.tolist() == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(("size", "dim"), [((0,), 0), ((2, 0, 3), 1), ((0, 3), 0)])
def test_index_fill_of_no_elements_refuses_positions_that_are_not_there(size: tuple[int, ...], dim: int) -> None:
    with pytest.raises(IndexError, match="index 0 is out of bounds for dimension"):
        torch.zeros(size).index_fill_(dim, torch.tensor([0]), 1.0)
