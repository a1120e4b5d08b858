"""The text of tensors: a few specimens, what is read for it, and the options."""

import math

import pytest

import tensorglass as torch
from tensorglass.tensor import printing
from tensorglass.tensor.printing import get_printoptions, printoptions


@pytest.fixture(autouse=True)
def _restore_options():
    with printoptions(profile="default"):
        yield


def test_numbers_share_one_style_and_one_width():
    assert repr(torch.tensor([1, -20, 300])) == "tensor([  1, -20, 300])"
    assert repr(torch.tensor([1.0, -2.0, 300.0])) == "tensor([  1.,  -2., 300.])"
    assert repr(torch.tensor([0.5, -2.0])) == "tensor([ 0.5000, -2.0000])"
    assert repr(torch.tensor([1e-5, 1.0])) == "tensor([1.0000e-05, 1.0000e+00])"
    assert repr(torch.tensor([True, False])) == "tensor([ True, False])"
    assert repr(torch.tensor([1 + 2j, -0.5j])) == "tensor([1.+2.0000j, -0.-0.5000j])"
    assert repr(torch.tensor([math.nan, math.inf, 1.5])) == "tensor([   nan,    inf, 1.5000])"


def test_dimensions_become_brackets_lines_and_blank_lines():
    assert repr(torch.tensor(7)) == "tensor(7)"
    assert repr(torch.arange(4).reshape(2, 2)) == "tensor([[0, 1],\n        [2, 3]])"
    assert repr(torch.arange(4).reshape(2, 1, 2)) == "tensor([[[0, 1]],\n\n        [[2, 3]]])"


def test_what_the_values_do_not_tell_follows_them():
    assert repr(torch.tensor([1, 2], dtype=torch.int8)) == "tensor([1, 2], dtype=torch.int8)"
    assert repr(torch.zeros(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(torch.tensor([], dtype=torch.int64)) == "tensor([], dtype=torch.int64)"
    assert repr(torch.tensor([1.0], requires_grad=True)) == "tensor([1.], requires_grad=True)"


def test_a_long_tensor_shows_its_edges():
    assert repr(torch.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"
    with printoptions(threshold=4, edgeitems=1):
        text = repr(torch.arange(9).reshape(3, 3))
    assert text == "tensor([[0,  ..., 2],\n        ...,\n        [6,  ..., 8]])"


def test_only_what_is_shown_is_read():
    """Were all of its 10**12 elements looked at, this would not end, nor fit into any memory."""
    vast = torch.tensor([1.5]).expand(10**6, 10**6)
    row = "[1.5000, 1.5000, 1.5000,  ..., 1.5000, 1.5000, 1.5000]"
    assert repr(vast) == f"tensor([{row},\n        {row},\n        {row},\n        ...,\n" + (
        f"        {row},\n        {row},\n        {row}])"
    )


def test_other_contents_keep_the_frame():
    assert printing.tensor_repr(torch.zeros(2, dtype=torch.int8), "...") == "tensor(..., dtype=torch.int8)"


def test_a_subclass_prints_its_own_name():
    class Measured(torch.Tensor):
        __slots__ = ()

    measured = torch.tensor([1.0])
    measured.__class__ = Measured
    assert repr(measured) == "Measured([1.])"


def test_options_last_and_a_call_without_sci_mode_gives_the_choice_back_to_the_values():
    third = torch.tensor([1 / 3])
    torch.set_printoptions(precision=2, sci_mode=True)
    assert repr(third) == "tensor([3.33e-01])"
    torch.set_printoptions(precision=1)
    assert repr(third) == "tensor([0.3])"
    torch.set_printoptions(profile="default")
    assert repr(third) == "tensor([0.3333])"


def test_a_profile_is_refined_by_what_is_given_with_it():
    torch.set_printoptions(profile="short", linewidth=120)
    assert get_printoptions() == {
        "precision": 2,
        "threshold": 1000,
        "edgeitems": 2,
        "linewidth": 120,
        "sci_mode": None,
    }


def test_options_of_a_block_end_with_it_even_by_an_error():
    before = get_printoptions()

    def fail_inside():
        with printoptions(precision=1, sci_mode=True):
            assert get_printoptions() != before
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    assert get_printoptions() == before


def test_what_get_printoptions_gives_set_printoptions_takes():
    with printoptions(precision=7, threshold=math.inf, sci_mode=False):
        saved = get_printoptions()
    torch.set_printoptions(**saved)
    assert get_printoptions() == saved
