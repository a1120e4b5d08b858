"""Large results on several threads: the same numbers, warnings off, and nothing wrong in a child process."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest

import tensorglass as torch
from tensorglass.backends.host_threads import LEAST_SHARED

N = LEAST_SHARED // 4 + 7


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin", "atan2"])
def test_parts_by_several_threads_are_the_whole(name: str, three_threads: None) -> None:
    x = torch.linspace(-3, 3, N)
    operands = (x, x.flip(0)) if name == "atan2" else (x,)
    together = getattr(torch, name)(*operands)
    torch.set_num_threads(1)
    assert together.equal(getattr(torch, name)(*operands)) or together.isnan().any()
    assert together.nan_to_num().equal(getattr(torch, name)(*operands).nan_to_num())


def test_no_warning_comes_from_another_thread(three_threads: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.zeros(N).log().isinf().all()


def test_large_functions_are_recorded_as_small_ones(three_threads: None) -> None:
    x = torch.zeros(N, requires_grad=True)
    x.exp().sum().backward()
    assert x.grad is not None
    assert x.grad.eq(1).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_child_has_threads_of_its_own(three_threads: None) -> None:
    x = torch.ones(N)
    expected = x.exp()
    child = os.fork()
    if child == 0:
        os._exit(0 if x.exp().equal(expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
