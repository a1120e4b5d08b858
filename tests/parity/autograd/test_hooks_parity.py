"""Hooks are called as PyTorch calls them: in the same order, with the same gradients, and with the same effect."""

import pytest
from parity.autograd.hook_programs import program
from parity.autograd.hook_stories import PRELUDE, STORIES
from parity.same_source import disagreement, seen_by_ours


@pytest.mark.parametrize("name", STORIES)
def test_hooks_behave_as_in_pytorch(name):
    assert disagreement(STORIES[name], PRELUDE) is None


@pytest.mark.sweep
@pytest.mark.parametrize("block", range(8))
def test_generated_programs_with_hooks_see_the_same(block):
    for seed in range(50 * block, 50 * block + 50):
        assert disagreement(program(seed)) is None, f"seed {seed}"


def test_the_programs_call_hooks():
    assert sum(len(seen_by_ours(program(seed))) > 15 for seed in range(50)) > 25
