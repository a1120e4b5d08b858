"""Autograd behaves as PyTorch's in the corners of its interface, and if a tensor becomes a view of itself."""

from __future__ import annotations

import pytest
from parity.autograd.autograd_stories import PRELUDE, RELABELLED, STORIES
from parity.same_source import disagreement


@pytest.mark.parametrize("name", STORIES)
def test_autograd_behaves_as_in_pytorch(name: str) -> None:
    assert disagreement(STORIES[name], PRELUDE) is None


@pytest.mark.parametrize("call", RELABELLED)
@pytest.mark.parametrize(
    "tensor",
    ["leaf * 2", "leaf", "(torch.cat([leaf, leaf]) * 2)[:1]", "leaf.detach().clone()"],
    ids=["computed", "leaf", "view", "plain"],
)
def test_a_tensor_that_becomes_a_view_of_itself_has_the_history_that_pytorch_gives(tensor: str, call: str) -> None:
    source = f"""
        leaf = torch.arange(1.0, 3.0).reshape(1, 2, 1).requires_grad_()
        t = {tensor}
        part = t[0]
        def run():
            return {call}
        attempt(run)
        attempt(lambda: part._version)
        attempt(lambda: t)
        attempt(lambda: part)
        attempt(lambda: (t * t).sum().backward(retain_graph=True))
        see(leaf.grad)
        attempt(lambda: torch.autograd.grad((t * t * t).sum(), leaf, create_graph=True))
    """
    assert disagreement(source) is None
