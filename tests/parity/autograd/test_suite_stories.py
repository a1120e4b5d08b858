"""What PyTorch's own tests of autograd look at is the same here."""

from __future__ import annotations

import pytest
from parity.autograd.suite_stories import PRELUDE, STORIES
from parity.func import func_stories
from parity.same_source import disagreement

#: Stories with refusals that few people meet, whose words are our own.
OTHER_WORDS = {"which arguments count", "integers", "nested values"}


@pytest.mark.parametrize("name", STORIES)
def test_autograd_does_what_pytorchs_own_tests_look_at(name: str) -> None:
    assert disagreement(STORIES[name], PRELUDE) is None


@pytest.mark.parametrize("name", func_stories.STORIES)
def test_functions_of_functions_do_what_pytorchs_own_tests_look_at(name: str) -> None:
    words = name not in OTHER_WORDS
    assert disagreement(func_stories.STORIES[name], func_stories.PRELUDE, words=words) is None
