"""Random numbers: one seed, one stream."""

from __future__ import annotations

import copy
import pickle

import tensorglass as torch


def test_a_seed_gives_the_same_numbers_again() -> None:
    torch.manual_seed(0)
    first = torch.randn(100).tolist()
    torch.manual_seed(0)
    assert torch.randn(100).tolist() == first


def test_a_state_is_a_place_in_the_stream() -> None:
    torch.randn(3)  # normal numbers come in pairs: one is left for the next call
    state = torch.get_rng_state()
    first = torch.randn(5).tolist()
    torch.set_rng_state(state)
    assert torch.randn(5).tolist() == first


def test_generators_are_independent_and_can_be_copied() -> None:
    generator = torch.Generator().manual_seed(3)
    twin = pickle.loads(pickle.dumps(generator))
    other = copy.deepcopy(generator)
    torch.rand(10)
    drawn = torch.rand(4, generator=generator).tolist()
    assert torch.rand(4, generator=twin).tolist() == drawn
    assert torch.rand(4, generator=other).tolist() == drawn


def test_randperm_is_a_permutation() -> None:
    assert sorted(torch.randperm(1000).tolist()) == list(range(1000))


def test_poisson_has_its_mean() -> None:
    torch.manual_seed(0)
    drawn = torch.poisson(torch.full((10_000,), 3.0))
    assert abs(drawn.mean().item() - 3) < 0.1


def test_drawing_counts_as_a_write_and_a_new_tensor_has_none() -> None:
    assert torch.rand(3)._version == 0
    tensor = torch.zeros(3)
    tensor.uniform_()
    assert tensor._version == 1
