"""Programs that take modules apart: a class's `forward` on another object, functions of `nn.functional` replaced."""

from __future__ import annotations

import types
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")


def borrowed(library: Any, rank: int, mode: str) -> Any:
    """A convolution's results, computed by its class's methods on an object that only has the module's attributes."""
    library.manual_seed(0)
    module = getattr(library.nn, f"Conv{rank}d")(2, 3, 2, padding=1, padding_mode=mode)
    scope = types.SimpleNamespace(**{name: value for name, value in vars(module).items() if name != "forward"})
    vars(scope).update(module.named_parameters())
    scope._conv_forward = types.MethodType(type(module)._conv_forward, scope)
    return type(module).forward(scope, library.randn(1, 2, *(4,) * rank)).tolist()


@pytest.mark.parametrize("mode", ["zeros", "circular"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_convolution_runs_on_an_object_with_its_attributes(rank: int, mode: str) -> None:
    ours, theirs = (library.tensor(borrowed(library, rank, mode)) for library in (tensorglass, torch))
    assert tensorglass.allclose(ours, tensorglass.tensor(theirs.tolist()), atol=1e-6)


POOLS = ["MaxPool1d(2)", "MaxPool2d(2, padding=1)", "MaxPool3d(2)", "AvgPool1d(2)", "AvgPool2d(2)", "AvgPool3d(3, 1)",
         "LPPool1d(2, 2)", "LPPool2d(2, 2)", "AdaptiveAvgPool1d(2)", "AdaptiveAvgPool2d(2)", "AdaptiveMaxPool1d(2)",
         "AdaptiveMaxPool3d(2)"]  # fmt: skip


@pytest.mark.parametrize("make", POOLS)
def test_a_pool_runs_on_an_object_with_its_attributes(make: str) -> None:
    results = []
    for library in (tensorglass, torch):
        module = eval(f"nn.{make}", {"nn": library.nn})
        scope = types.SimpleNamespace(**vars(module))
        rank = int(type(module).__name__[-2])
        x = library.arange(float(2 * 5**rank)).sin().reshape(1, 2, *(5,) * rank)
        results.append(type(module).forward(scope, x).tolist())
        assert results[-1] == module(x).tolist()
    assert tensorglass.allclose(*map(tensorglass.tensor, results), atol=1e-6)


@pytest.mark.parametrize("library", [tensorglass, torch])
def test_modules_call_the_convolution_that_a_program_put_into_functional(
    library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    functional, calls = library.nn.functional, []
    plain = functional.conv2d
    monkeypatch.setattr(functional, "conv2d", lambda *arguments: calls.append(len(arguments)) or plain(*arguments))
    library.nn.Conv2d(1, 1, 2)(library.ones(1, 1, 3, 3))
    assert calls == [7]


@pytest.mark.parametrize("library", [tensorglass, torch])
def test_switches_of_old_warnings_keep_what_they_are_set_to(library: Any) -> None:
    switch = library.utils.backcompat.broadcast_warning
    assert switch.enabled is False
    switch.enabled = True
    try:
        assert switch.enabled is True
        assert library.utils.backcompat.keepdim_warning.get_enabled() is False
    finally:
        switch.set_enabled(False)


@pytest.mark.parametrize("library", [tensorglass, torch])
def test_a_gradient_is_given_by_its_other_name(library: Any) -> None:
    own, shared = library.nn.Linear(2, 1), library.nn.Linear(2, 1)
    own(library.ones(1, 2)).sum().backward()
    for parameter, other in zip(own.parameters(), shared.parameters(), strict=True):
        assert other._grad is None
        other._grad = parameter.grad
        assert other.grad is parameter.grad
        assert other._grad is parameter._grad
    optimizer = library.optim.SGD(shared.parameters(), lr=1.0)
    shared.weight.data.zero_()
    optimizer.step()
    assert shared.weight.tolist() == [[-1.0, -1.0]]


def test_devices_that_are_not_there_and_volatile_are_false() -> None:
    names = ["ipu", "maia", "mtia", "sparse_csr", "vulkan", "xla"]
    for library in (tensorglass, torch):
        assert not any(getattr(library.ones(1), f"is_{name}") for name in names)
        with pytest.warns(UserWarning, match="volatile was removed"):
            assert library.ones(1).volatile is False
        with pytest.warns(UserWarning, match="now has no effect"):
            library.ones(1).volatile = True


def test_a_gradient_that_a_sum_has_spread_is_not_added_to() -> None:
    grads = []
    for library in (tensorglass, torch):
        x = library.ones(3, requires_grad=True)
        doubled, total = x * 2, x.sum()
        rest = total + (x * total).sum()
        (doubled.sum() + rest).backward()
        grads.append(x.grad.tolist())
    assert grads[0] == grads[1] == [9.0, 9.0, 9.0]
