"""Operators too small for their own file: predicates, `expand_as` and the like, `atleast_1d` and the like."""

from __future__ import annotations

import copy
import pickle

import pytest

import tensorglass as torch
from tensorglass.ops import OPERATORS


def test_questions_are_answered() -> None:
    x = torch.zeros(2, 3)
    assert torch.is_tensor(x)
    assert not torch.is_tensor([0.0])
    assert not torch.is_nonzero(torch.tensor(0.0))
    assert torch.tensor([[2]]).is_nonzero()
    assert not x.is_inference()
    assert torch.typename(x) == "torch.FloatTensor"
    assert x.is_same_size(torch.ones(2, 3))
    assert not x.is_same_size(torch.ones(3, 2))


def test_is_nonzero_wants_one_element() -> None:
    with pytest.raises(RuntimeError, match="ambiguous"):
        torch.is_nonzero(torch.zeros(2))


def test_what_is_like_another_takes_its_size_or_dtype() -> None:
    x = torch.arange(6)
    like = torch.zeros(2, 3)
    assert x.view_as(like).shape == (2, 3)
    assert x.view_as(like).data_ptr() == x.data_ptr()
    assert x.reshape_as(like).shape == (2, 3)
    assert torch.arange(3).expand_as(like).stride() == (0, 1)
    assert x.type_as(like).dtype is torch.float32
    assert torch.zeros(1).resize_as_(like).shape == (2, 3)


def test_adjoint_turns_matrices_and_conjugates_their_elements() -> None:
    x = torch.tensor([[1 + 2j, 3 - 1j]])
    for turned in (x.adjoint(), x.mH, x.H):
        assert turned.tolist() == [[1 - 2j], [3 + 1j]]
        assert turned.data_ptr() == x.data_ptr()


def test_broadcast_tensors_shares_memory() -> None:
    row, column = torch.arange(3), torch.arange(2).reshape(2, 1)
    wide, tall = torch.broadcast_tensors(row, column)
    assert wide.shape == tall.shape == (2, 3)
    assert wide.stride() == (0, 1)
    assert tall.stride() == (1, 0)


def test_dimensions_are_added_up_to_the_least_number() -> None:
    x = torch.tensor(5)
    assert torch.atleast_1d(x).shape == (1,)
    assert torch.atleast_2d(x).shape == (1, 1)
    assert torch.atleast_3d(torch.zeros(2, 3)).shape == (2, 3, 1)
    assert [array.shape for array in torch.atleast_1d(x, torch.zeros(2))] == [(1,), (2,)]


def test_copies_share_memory_deep_copies_and_pickles_do_not() -> None:
    x = torch.arange(3)
    assert copy.copy(x).data_ptr() == x.data_ptr()  # __copy__
    for copied in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # __deepcopy__, __reduce_ex__
        assert copied.tolist() == [0, 1, 2]
        assert copied.data_ptr() != x.data_ptr()


def test_python_reads_writes_and_walks_along_the_first_dimension() -> None:
    x = torch.arange(6).reshape(3, 2)
    assert x[1].tolist() == [2, 3]  # getitem
    x[1] = 0  # setitem
    assert [row.tolist() for row in x] == [[0, 1], [0, 0], [4, 5]]  # __iter__
    with pytest.raises(TypeError):
        del x[0]  # delitem


def test_matmul_operator_multiplies_tensors_alone() -> None:
    x = torch.eye(2)
    assert (x @ x).tolist() == [[1.0, 0.0], [0.0, 1.0]]  # __matmul__
    assert x.__matmul__(2) is NotImplemented
    assert (3 / torch.tensor([2.0, 4.0])).tolist() == [1.5, 0.75]  # __rtruediv__


def test_where_is_a_method_of_what_is_chosen() -> None:
    x = torch.tensor([1, 2, 3])
    assert x.where(x > 1, 0).tolist() == [0, 2, 3]  # where_method


def test_infinities_are_found_in_every_kind_of_number() -> None:
    x = torch.tensor([1.0, float("inf"), float("nan")])
    assert torch.isinf(x).tolist() == [False, True, False]  # _is_infinite
    assert torch.isfinite(x).tolist() == [True, False, False]  # _is_finite
    assert torch.isinf(torch.tensor([complex(0, float("inf"))])).tolist() == [True]
    assert torch.isfinite(torch.tensor([1, 2])).tolist() == [True, True]


def test_dlpack_and_numpy_are_told_where_the_memory_is() -> None:
    x = torch.zeros(2)
    assert x.__dlpack_device__() == (1, 0)
    assert isinstance(x.__array_wrap__(x.numpy()), torch.Tensor)


def test_gradient_kernels_agree_with_small_differences() -> None:
    x = torch.tensor([-1.5, -0.25, 0.5, 2.0], dtype=torch.float64)
    grad = torch.tensor([1.0, -2.0, 3.0, 0.5], dtype=torch.float64)
    step = 1e-6
    for name, kept in (
        ("tanh_backward", torch.tanh),
        ("sigmoid_backward", torch.sigmoid),
        ("threshold_backward", torch.relu),
    ):
        difference = (kept(x + step) - kept(x - step)) / (2 * step) * grad
        gradient = OPERATORS[name].function(grad, kept(x))
        assert torch.allclose(gradient, difference)


def test_matrix_product_from_the_right_is_that_of_the_other_tensor_with_this_one() -> None:
    one, other = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[0, 1], [1, 0]])
    assert one.__rmatmul__(other).tolist() == (other @ one).tolist()
    assert one.__rmatmul__("text") is NotImplemented
