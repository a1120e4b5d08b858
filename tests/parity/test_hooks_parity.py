"""What hooks, `retain_grad` and a write after the fact lead to: the same on tensorglass and on PyTorch."""

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="real PyTorch is not installed (extra: parity)")


def kept_and_collected(library, first, second):
    """What `retain_grad` keeps and what the leaf gets; `first` and `second` are called on the tensor in that order."""
    x = library.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    first(h)
    second(h)
    (h * h).sum().backward()
    return h.grad.tolist(), x.grad.tolist()


def retain(h):
    h.retain_grad()


def halve(h):
    h.register_hook(lambda gradient: gradient / 2)


@pytest.mark.parametrize(("first", "second"), [(retain, halve), (halve, retain), (halve, halve)])
def test_retain_grad_keeps_what_all_hooks_made_of_the_gradient(first, second):
    def both(h):
        retain(h)
        first(h)

    assert kept_and_collected(tensorglass, both, second) == kept_and_collected(torch, both, second)
    assert kept_and_collected(tensorglass, second, both) == kept_and_collected(torch, second, both)


def message(library, program):
    with pytest.raises((RuntimeError, TypeError)) as caught:
        program(library)
    return type(caught.value), str(caught.value)


def overwritten_under_anomaly_detection(library):
    with library.autograd.set_detect_anomaly(True):
        y = library.tensor([1.0, 2.0], requires_grad=True).exp()
        y.add_(1)
        y.sum().backward()


def overwritten_maximum(library):
    y = library.tensor([1.0, 2.0], requires_grad=True).max()
    y.zero_()
    y.backward()


def hook_that_returns_a_number(library):
    h = library.ones(2, requires_grad=True) * 2
    h.register_hook(lambda gradient: 5)
    h.sum().backward()


@pytest.mark.filterwarnings("ignore:Error detected")
@pytest.mark.parametrize(
    "program", [overwritten_under_anomaly_detection, overwritten_maximum, hook_that_returns_a_number]
)
def test_the_error_is_pytorchs(program):
    assert message(tensorglass, program) == message(torch, program)


@pytest.mark.parametrize("library", [tensorglass, torch], ids=["tensorglass", "torch"])
def test_retaining_a_gradient_is_no_hook_of_the_users(library):
    h = library.ones(2, requires_grad=True) * 2
    h.retain_grad()
    assert not h._backward_hooks
    h.register_hook(lambda gradient: None)
    assert len(h._backward_hooks) == 1
