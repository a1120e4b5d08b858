"""Views share storage, with PyTorch's strides; copies do not. What the course says about memory, as assertions."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable

import pytest

import tensorglass as torch

Tensor = torch.Tensor

VIEWS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...], tuple[int, ...], int]] = {
    "transpose": (lambda x: x.transpose(0, 1), (3, 2), (1, 3), 0),
    "t": (lambda x: x.t(), (3, 2), (1, 3), 0),
    "T": (lambda x: x.T, (3, 2), (1, 3), 0),
    "mT": (lambda x: x.mT, (3, 2), (1, 3), 0),
    "view": (lambda x: x.view(3, -1), (3, 2), (2, 1), 0),
    "view of a dtype": (lambda x: x.view(torch.int16), (2, 6), (6, 1), 0),
    "unflatten": (lambda x: x.unflatten(1, (3, 1)), (2, 3, 1), (3, 1, 1), 0),
    "squeeze": (lambda x: x[:1].squeeze(), (3,), (1,), 0),
    "unsqueeze": (lambda x: x.unsqueeze(1), (2, 1, 3), (3, 3, 1), 0),
    "expand": (lambda x: x.unsqueeze(0).expand(4, -1, -1), (4, 2, 3), (0, 3, 1), 0),
    "narrow": (lambda x: x.narrow(1, 1, 2), (2, 2), (3, 1), 1),
    "select": (lambda x: x.select(0, -1), (3,), (1,), 3),
    "diagonal": (lambda x: x.diagonal(1), (2,), (4,), 1),
    "unfold": (lambda x: x.unfold(1, 2, 1), (2, 2, 2), (3, 1, 1), 0),
    "as_strided": (lambda x: x.as_strided((2, 2), (1, 2), 1), (2, 2), (1, 2), 1),
    "index": (lambda x: x[1, ::2], (2,), (2,), 3),
    "None and Ellipsis": (lambda x: x[None, ..., 1], (1, 2), (6, 3), 1),
    "split": (lambda x: x.split(2, 1)[1], (2, 1), (3, 1), 2),
    "chunk": (lambda x: x.chunk(2)[1], (1, 3), (3, 1), 3),
    "tensor_split": (lambda x: x.tensor_split(3, 1)[2], (2, 1), (3, 1), 2),
    "hsplit": (lambda x: x.hsplit(3)[1], (2, 1), (3, 1), 1),
    "vsplit": (lambda x: x.vsplit(2)[1], (1, 3), (3, 1), 3),
    "unbind": (lambda x: x.unbind(1)[2], (2,), (3,), 2),
    "movedim": (lambda x: x.movedim(0, 1), (3, 2), (1, 3), 0),
    "detach": (lambda x: x.detach(), (2, 3), (3, 1), 0),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_a_header_on_the_same_storage(name: str) -> None:
    make, size, stride, offset = VIEWS[name]
    base = torch.arange(6, dtype=torch.int32).view(2, 3)
    view = make(base)
    assert (tuple(view.shape), view.stride()) == (size, stride)
    assert view.storage_offset() * view.itemsize == offset * 4
    assert view.untyped_storage() is base.untyped_storage()
    base.zero_()
    assert view.sum() == 0, "a write through the base shows in the view"


COPIES: dict[str, Callable[[Tensor], Tensor]] = {
    "clone": lambda x: x.clone(),
    "contiguous of a transpose": lambda x: x.t().contiguous(),
    "reshape of a transpose": lambda x: x.t().reshape(-1),
    "an integer list": lambda x: x[[0, 1]],
    "a mask": lambda x: x[x >= 0],
    "to another dtype": lambda x: x.to(torch.float64),
    "repeat": lambda x: x.repeat(2, 1),
    "flip": lambda x: x.flip(0),
    "cat": lambda x: torch.cat([x]),
    "tensor of a list": lambda x: torch.tensor(x.tolist()),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_a_storage_of_its_own(name: str) -> None:
    base = torch.arange(6, dtype=torch.int32).view(2, 3)
    copy = COPIES[name](base)
    before = copy.tolist()
    assert copy.untyped_storage() is not base.untyped_storage()
    base.fill_(-1)
    assert copy.tolist() == before


def test_what_need_not_copy_returns_the_tensor_itself() -> None:
    x = torch.ones(3)
    assert x.contiguous() is x
    assert x.to(torch.float32) is x
    assert x.float() is x
    assert x.flatten() is x
    assert x.real is x
    assert x.to(torch.float32, copy=True) is not x


def test_the_view_error_names_the_dimensions_that_do_not_merge() -> None:
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride") as caught:
        torch.arange(6).view(2, 3).t().view(-1)
    notes = "\n".join(caught.value.__notes__)
    assert "dimensions 0 and 1" in notes
    assert "reshape" in notes
    assert "part 1, 07 View or reshape" in notes


def test_a_tensor_that_is_not_contiguous_can_be_viewed_where_its_strides_allow() -> None:
    x = torch.arange(24).view(2, 3, 4)[:, :, ::2]
    assert not x.is_contiguous()
    assert x.view(6, 2).stride() == (4, 2)
    assert x.transpose(0, 1).unflatten(2, (2, 1)).untyped_storage() is x.untyped_storage()


def test_conj_is_read_conjugated_and_written_conjugated() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    c = z.conj()
    assert c.is_conj()
    assert c.untyped_storage() is z.untyped_storage()
    assert c.tolist() == [1 - 2j, 3 + 4j]
    c[0] = 5 + 6j
    assert z.tolist() == [5 - 6j, 3 - 4j]
    c.add_(1j)
    assert z.tolist() == [5 - 7j, 3 - 5j]
    assert c.resolve_conj().is_conj() is False


def test_the_parts_of_a_complex_tensor_are_views() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    z.real.mul_(10)
    z.imag[1] = 0
    assert z.tolist() == [10 + 2j, 30 + 0j]
    pairs = torch.view_as_real(z)
    assert (tuple(pairs.shape), pairs.stride()) == ((2, 2), (2, 1))
    pairs[0, 0] = -1
    assert torch.view_as_complex(pairs).tolist() == [-1 + 2j, 30 + 0j]


def test_a_dropped_imaginary_part_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="Casting complex values to real discards the imaginary part"):
        assert torch.tensor([1 + 2j]).to(torch.float32).tolist() == [1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.tensor([1 + 2j]).to(torch.bool).tolist() == [True]


def test_channels_last_keeps_the_size_and_changes_the_strides() -> None:
    x = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert tuple(x.shape) == (2, 3, 4, 5)
    assert x.stride() == (60, 1, 15, 3)
    assert x.is_contiguous(memory_format=torch.channels_last)
    assert not x.is_contiguous()
    assert (x + 1).stride() == x.stride()


@pytest.mark.parametrize("ndim", [2, 3, 4])
def test_advice_on_lining_up_with_a_first_dimension_works(ndim: int) -> None:
    tensors = {"a": torch.ones(5), "b": torch.ones(5, *range(2, ndim + 1))}
    for left, right in itertools.permutations(tensors):
        given = {"a": tensors[left], "b": tensors[right]}
        with pytest.raises(RuntimeError) as caught:
            given["a"] + given["b"]
        (advice,) = re.findall(r"write (.*)\.\n", "\n".join(caught.value.__notes__))
        given[advice[0]] = eval(advice, given)
        assert (given["a"] + given["b"]).shape == tensors["b"].shape
