"""The header of a tensor, and Python's protocols on it."""

from __future__ import annotations

import copy
import pickle

import pytest

import tensorglass as torch


@pytest.fixture
def matrix() -> torch.Tensor:
    return torch.arange(6.0).view(2, 3)


def test_the_header_says_how_the_storage_is_read(matrix: torch.Tensor) -> None:
    column = matrix[:, 1]
    assert (column.shape, column.stride(), column.storage_offset()) == (torch.Size([2]), (3,), 1)
    assert column.untyped_storage() is matrix.untyped_storage()
    assert column.data_ptr() - matrix.data_ptr() == 4
    assert (column.numel(), column.element_size(), column.nbytes) == (2, 4, 8)


def test_a_view_knows_its_base_and_shares_its_version(matrix: torch.Tensor) -> None:
    row = matrix[0]
    part = row[1:]
    assert part._base is matrix._base
    assert matrix._base is not None
    row += 1
    assert matrix._version == row._version == part._version == 1


def test_detach_shares_the_version_and_data_does_not(matrix: torch.Tensor) -> None:
    detached, data = matrix.detach(), matrix.data
    data.zero_()
    assert (matrix._version, data._version) == (0, 1)
    detached.zero_()
    assert (matrix._version, detached._version, data._version) == (1, 1, 1)
    assert matrix.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert detached._base is None


def test_tensors_hash_by_identity_and_compare_by_element(matrix: torch.Tensor) -> None:
    assert len({matrix, matrix.view(2, 3), matrix}) == 2
    assert (matrix == matrix).all()


def test_truth_is_asked_of_one_element_only(matrix: torch.Tensor) -> None:
    assert torch.tensor(2)
    assert not torch.tensor([0.0])
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(matrix)
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with no values is ambiguous"):
        bool(torch.empty(0))


def test_item_of_many_names_the_size(matrix: torch.Tensor) -> None:
    with pytest.raises(RuntimeError, match="a Tensor with 6 elements cannot be converted to Scalar") as caught:
        matrix.item()
    assert any("[2, 3]" in note for note in caught.value.__notes__)


def test_iteration_yields_views(matrix: torch.Tensor) -> None:
    for row in matrix:
        row += 10
    assert matrix.tolist() == [[10, 11, 12], [13, 14, 15]]
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(torch.tensor(1))
    with pytest.raises(TypeError, match="len\\(\\) of a 0-d tensor"):
        len(torch.tensor(1))


def test_an_integer_tensor_is_an_index() -> None:
    assert ["a", "b", "c"][torch.tensor(1)] == "b"
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        ["a"][torch.tensor(0.0)]


def test_copy_shares_and_deepcopy_copies_the_whole_storage_once(matrix: torch.Tensor) -> None:
    assert copy.copy(matrix).untyped_storage() is matrix.untyped_storage()
    row, whole = copy.deepcopy([matrix[1], matrix])
    assert row.untyped_storage() is whole.untyped_storage()
    assert row.untyped_storage() is not matrix.untyped_storage()
    assert row.untyped_storage().nbytes() == 24
    row.zero_()
    assert whole.tolist() == [[0, 1, 2], [0, 0, 0]]


def test_pickles_share_what_was_shared(matrix: torch.Tensor) -> None:
    turned, whole = pickle.loads(pickle.dumps((matrix.t(), matrix)))
    assert turned.untyped_storage() is whole.untyped_storage()
    assert (turned.stride(), turned.tolist()) == ((1, 3), matrix.t().tolist())


def test_reading_a_tensor_whose_storage_shrank_raises_and_growing_it_again_mends_it(matrix: torch.Tensor) -> None:
    storage = matrix.untyped_storage()
    storage.resize_(8)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 8") as caught:
        matrix.tolist()
    assert any("resized under this tensor" in note for note in caught.value.__notes__)
    with pytest.raises(RuntimeError, match="out of bounds"):
        matrix.add_(1)
    storage.resize_(24)
    assert matrix.flatten()[:2].tolist() == [0, 1]


def test_only_floating_point_tensors_may_require_gradients() -> None:
    assert torch.ones(2).requires_grad_().requires_grad
    with pytest.raises(RuntimeError, match="only Tensors of floating point"):
        torch.ones(2, dtype=torch.int64).requires_grad_()


def test_set_points_the_header_elsewhere(matrix: torch.Tensor) -> None:
    seen = torch.tensor([]).set_(matrix.untyped_storage())
    assert seen.tolist() == [0, 1, 2, 3, 4, 5]
    seen[0] = 20
    assert matrix[0, 0] == 20
    part = torch.empty(0).set_(matrix.untyped_storage(), 1, (2,), (3,))
    assert part.tolist() == [1, 4]
    assert not part._is_view()


def test_resize_keeps_the_storage_that_is_long_enough(matrix: torch.Tensor) -> None:
    storage = matrix.untyped_storage()
    matrix.resize_(2, 2)
    assert matrix.tolist() == [[0, 1], [2, 3]]
    assert (matrix.untyped_storage() is storage, storage.nbytes()) == (True, 24)
    matrix.resize_(3, 3)
    assert storage.nbytes() == 36
    assert matrix.flatten()[:6].tolist() == [0, 1, 2, 3, 4, 5]


def test_an_in_place_operator_that_fails_writes_nothing(matrix: torch.Tensor) -> None:
    before = matrix.tolist()
    for bad in (lambda: matrix.add_(torch.ones(2, 2, 3)), lambda: matrix.add_(1j), lambda: matrix.copy_(torch.ones(4))):
        with pytest.raises(RuntimeError):
            bad()
    assert matrix.tolist() == before
    assert matrix._version == 0


def test_an_expanded_tensor_refuses_in_place_writes_and_says_why() -> None:
    wide = torch.zeros(1, 3).expand(2, 3)
    with pytest.raises(
        RuntimeError, match="more than one element of the written-to tensor refers to a single"
    ) as caught:
        wide.add_(1)
    assert any("stride 0" in note for note in caught.value.__notes__)
