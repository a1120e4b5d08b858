"""Operators declared by `torch.library.custom_op` behave as PyTorch's: calls, gradients, schemas and refusals."""

import pytest
from parity.library.library_stories import PRELUDE, STORIES
from parity.same_source import disagreement

#: Stories with refusals that few people meet, whose words are our own.
OTHER_WORDS = {"results that are refused", "annotations that are refused", "lists of tensors"}


@pytest.mark.parametrize("name", STORIES)
def test_operators_of_ones_own_behave_as_in_pytorch(name):
    assert disagreement(STORIES[name], PRELUDE, words=name not in OTHER_WORDS) is None
