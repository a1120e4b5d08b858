"""Functions of your own do what PyTorch's do: values, gradients, flags, nodes, order of calls, errors."""

import pytest
from parity.autograd.function_programs import BODIES, programs
from parity.autograd.function_refusals import REFUSALS
from parity.autograd.function_stories import PRELUDE, STORIES
from parity.same_source import disagreement, seen_by_ours

#: Refusals that few people meet, whose words are our own.
OTHER_WORDS = {"what backward may return"}


@pytest.mark.parametrize("name", STORIES)
def test_a_function_behaves_as_in_pytorch(name):
    assert disagreement(STORIES[name], PRELUDE) is None


@pytest.mark.parametrize("name", REFUSALS)
def test_misuse_of_a_function_is_refused_as_in_pytorch(name):
    assert disagreement(REFUSALS[name], PRELUDE, words=name not in OTHER_WORDS) is None


@pytest.mark.sweep
@pytest.mark.parametrize("body", BODIES)
def test_a_generated_function_behaves_as_in_pytorch(body):
    outcomes = [disagreement(program) for program in programs(body)]
    differences = [difference for difference in outcomes if difference is not None]
    assert not differences, f"{len(differences)} of {len(outcomes)}, the first:\n{differences[0]}"


def test_the_programs_reach_the_backward():
    for body in BODIES:
        seen = [seen_by_ours(program) for program in programs(body)]
        assert sum(len(sequence) > 3 for sequence in seen) > len(seen) / 4
