"""`checkpoint` gives the gradients that there would be without it, from less memory and more work."""

import gc
import weakref

import pytest

import tensorglass as torch
from tensorglass import memory
from tensorglass.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential

LENGTH = 10_000


def long_chain(x):
    for _ in range(10):
        x = x.sin().exp()
    return x


def leaf(length=3):
    return torch.linspace(0.1, 0.9, length).requires_grad_()


def kept_by(function, x):
    """The bytes that the graph of a result keeps."""
    with memory.track() as report:
        y = function(x)
    assert y.requires_grad
    return report.kept_bytes


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_gradients_are_those_without_checkpoint(use_reentrant):
    x, plain = leaf(), leaf()
    checkpoint(long_chain, x, use_reentrant=use_reentrant).sum().backward()
    long_chain(plain).sum().backward()
    assert torch.equal(x.grad, plain.grad)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_only_the_result_is_kept(use_reentrant):
    x = leaf(LENGTH)
    plain = kept_by(long_chain, x)
    less = kept_by(lambda x: checkpoint(long_chain, x, use_reentrant=use_reentrant), x)
    result = 4 * LENGTH
    assert plain >= 10 * result
    assert less < 2 * result + 10_000  # and the state of the random numbers


def test_the_peak_of_a_backward_in_segments_is_lower():
    def peak_of(run):
        x = leaf(LENGTH)
        with memory.track() as report:
            run(x).sum().backward()
        return report.peak_bytes

    steps = [long_chain] * 5
    whole = peak_of(lambda x: checkpoint_sequential(steps, 1, x, use_reentrant=False))
    parts = peak_of(lambda x: checkpoint_sequential(steps, 5, x, use_reentrant=False))
    assert parts < whole / 2


def test_what_was_computed_again_is_gone_after_backward():
    gc.collect()
    gc.disable()
    try:
        born = []

        def function(x):
            y = x.sin()
            born.append(weakref.ref(y.untyped_storage()))
            return y.exp()

        y = checkpoint(function, leaf(), use_reentrant=False)
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert len(born) == 2
        assert [reference() for reference in born] == [None, None]
        assert node() is None
    finally:
        gc.enable()


def test_the_inputs_of_a_part_are_gone_after_backward():
    x = leaf()
    between = checkpoint(long_chain, x, use_reentrant=False)
    input_of_second = weakref.ref(between.untyped_storage())
    loss = checkpoint(long_chain, between, use_reentrant=False).sum()
    del between
    assert input_of_second() is not None
    loss.backward()
    assert input_of_second() is None


def test_second_derivatives_go_through():
    x = leaf()
    y = checkpoint(lambda x: (x.sin() * x).exp(), x, use_reentrant=False)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    plain = leaf()
    (expected,) = torch.autograd.grad((plain.sin() * plain).exp().sum(), plain, create_graph=True)
    (expected,) = torch.autograd.grad(expected.sum(), plain)
    assert torch.allclose(second, expected)


def test_one_checkpoint_in_another_runs_again_only_what_is_needed():
    runs = []

    def inner(x):
        runs.append("inner")
        return x.sin().exp()

    def outer(x):
        runs.append("outer")
        return checkpoint(inner, x * 2, use_reentrant=False)

    x, plain = leaf(), leaf()
    checkpoint(outer, x, use_reentrant=False).sum().backward()
    (plain * 2).sin().exp().sum().backward()
    assert torch.allclose(x.grad, plain.grad)
    assert runs == ["outer", "inner", "outer", "inner"]


def test_random_numbers_are_the_same_in_both_runs_and_go_on_as_though_there_was_one():
    drawn = []

    def function(x):
        drawn.append(torch.rand(3))
        return x * drawn[-1]

    torch.manual_seed(1)
    y = checkpoint(function, leaf(), use_reentrant=False, early_stop=False)
    before = torch.get_rng_state()
    y.sum().backward()
    assert torch.equal(drawn[0], drawn[1])
    assert torch.equal(torch.get_rng_state(), before)


def test_a_second_run_that_does_something_else_is_told_so():
    sizes = iter([1, 2])
    x = leaf()
    y = checkpoint(lambda x: torch.cat([x] * next(sizes)).sin().exp(), x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="different metadata") as caught:
        y.sum().backward()
    notes = " ".join(caught.value.__notes__)
    assert all(words in notes for words in ("[3]", "[6]", "both runs"))


def test_without_gradients_the_function_just_runs():
    with torch.no_grad():
        assert not checkpoint(long_chain, leaf(), use_reentrant=False).requires_grad
