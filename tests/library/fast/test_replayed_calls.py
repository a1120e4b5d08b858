"""A call that is replayed does what the plain way does, whatever its elements, options and surroundings are."""

import pytest

import tensorglass as torch
from tensorglass import memory

pytest.importorskip("tensorglass.fast", reason="the shortcuts are deleted")

TIMES = range(4)  # the second call is captured, and later ones replay it


def test_each_call_reads_its_own_elements() -> None:
    for turn in TIMES:
        x = torch.tensor([[3.0, 1.0, 2.0]]) + turn
        assert x.cumsum(1).tolist() == [[3.0 + turn, 4.0 + 2 * turn, 6.0 + 3 * turn]]
        assert [each.tolist() for each in x.sort()] == [[[1.0 + turn, 2.0 + turn, 3.0 + turn]], [[1, 2, 0]]]


def test_options_that_are_equal_but_differ_in_kind_or_sign_are_told_apart() -> None:
    x = torch.tensor([[1.0, -2.0]])
    for _ in TIMES:
        assert x.sum(1, False).shape == (1,)
        assert x.sum(1, True).shape == (1, 1)
        with pytest.raises(TypeError, match="must be bool"):
            x.sum(1, 1)


def test_a_dimension_that_is_a_tensor_is_read_each_time() -> None:
    x = torch.ones(2, 3)
    for dim in (0, 1, 0, 1, 0, 1):
        assert x.cumsum(torch.tensor(dim)).equal(x.cumsum(dim))


def test_positions_in_a_sorter_are_checked_each_time() -> None:
    row, wanted = torch.tensor([3.0, 1.0, 2.0]), torch.tensor([1.5])
    for _ in TIMES:
        assert torch.searchsorted(row, wanted, sorter=torch.tensor([1, 2, 0])).tolist() == [1]
    with pytest.raises(RuntimeError, match="sorter index out of range"):
        torch.searchsorted(row, wanted, sorter=torch.tensor([1, 2, 3]))


def test_errors_and_warnings_come_each_time() -> None:
    for _ in TIMES:
        with pytest.raises(IndexError, match="Dimension out of range"):
            torch.ones(2, 3).cumsum(2)
        with pytest.warns(UserWarning, match="degrees of freedom"):
            torch.ones(1, dtype=torch.float64).var()
        with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
            torch.linalg.eigvals(torch.full((2, 2), torch.nan))


def test_the_default_dtype_is_asked_for_each_time() -> None:
    whole = torch.tensor([1, 4])
    for _ in TIMES:
        assert whole.sqrt().dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert whole.sqrt().dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_memory_and_copies_are_counted_as_before() -> None:
    x, figures = torch.ones(4, 4), []
    for _ in TIMES:
        with memory.track() as report:
            kept = x.flip(0), x.tril()
        figures.append(repr(report))
        del kept
    assert len(set(figures)) == 1


def test_calls_with_gradients_are_recorded() -> None:
    x = torch.ones(2, 3)
    for _ in TIMES:
        x.flip(0)
    leaf = torch.ones(2, 3, requires_grad=True)
    leaf.flip(0).sum().backward()
    assert leaf.grad.tolist() == x.tolist()
    with torch.no_grad():
        assert leaf.flip(0).grad_fn is None
