"""Derivatives on arrays equal those on tensors to the last bit, also where the path on arrays has to be left."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator

import pytest
from gradient_calls import NAMES, calls

import tensorglass as torch
from tensorglass import memory


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_the_same_recorded_or_not(name: str, dtype: str) -> None:
    for call in calls(name):
        leaves = call.tensors(torch, dtype, 0.0137)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = call.function(torch, *leaves)
                results = result if isinstance(result, (tuple, list)) else (result,)
                roots = [result for result in results if isinstance(result, torch.Tensor) and result.requires_grad]
                firsts = [torch.linspace(-2, 3, root.numel(), dtype=root.dtype).reshape(root.shape) for root in roots]
                recorded = torch.autograd.grad(roots, leaves, firsts, create_graph=True, allow_unused=True)
            except (RuntimeError, TypeError):  # it does not take the dtype, or has no derivative
                continue
            plain = torch.autograd.grad(roots, leaves, firsts, allow_unused=True)
        for one, other in zip(plain, recorded, strict=True):
            assert (one is None) == (other is None), call.name
            if one is not None:
                assert one.dtype is other.dtype, call.name
                assert one.stride() == other.stride(), call.name
                assert bool(((one == other) | (one.isnan() & other.isnan())).all()), call.name


X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])
ROW = torch.tensor([2.0, 3.0, 4.0])


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: x * ROW, id="broadcast"),
        pytest.param(lambda x: x * ROW.double(), id="promoted"),
        pytest.param(lambda x: x.t() * x.t(), id="transposed"),
        pytest.param(lambda x: x.t().exp().t(), id="transposed gradient"),
        pytest.param(lambda x: x[:, 1:] * x[:, :2], id="with gaps"),
        pytest.param(lambda x: (x * 2).sum(), id="expanded gradient"),
        pytest.param(lambda x: x[0, 0] * x[1, 1], id="no dimensions"),
        pytest.param(lambda x: x[:0] * x[:0], id="no elements"),
        pytest.param(lambda x: x.half() * x.half(), id="half"),
        pytest.param(lambda x: (x * 1j) * x, id="complex"),
        pytest.param(lambda x: x / x.detach().clone().requires_grad_(), id="leaf that is kept"),
    ],
)
def test_unusual_operands_have_the_same_gradients(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = X.clone().requires_grad_()
    y = function(x)
    first = torch.ones_like(y)
    (plain,) = torch.autograd.grad(y, x, first, retain_graph=True)
    (recorded,) = torch.autograd.grad(y, x, first, create_graph=True)
    assert plain.stride() == recorded.stride()
    assert bool((plain == recorded).all())


def test_what_is_kept_may_be_resized_and_is_read_anew() -> None:
    x = X.clone().requires_grad_()
    kept = X * 2
    y = x * kept
    kept.untyped_storage().resize_(kept.untyped_storage().nbytes() * 2)
    y.sum().backward()
    assert bool((x.grad == X * 2).all())


def test_gradients_of_sums_are_not_one_tensor_once_somebody_writes_to_them() -> None:
    x, y = X.clone().requires_grad_(), X.clone().requires_grad_()
    (x + y).backward(torch.ones(2, 3))
    x.grad.zero_()
    assert bool((y.grad == 1).all())


def test_leaves_that_get_the_same_gradient_do_not_share_it() -> None:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    ((a + b) * 2).sum().backward()
    a.grad.zero_()
    assert b.grad.tolist() == [2, 2, 2]


def test_a_gradient_that_is_used_twice_is_not_added_to_in_place() -> None:
    x = torch.full((3,), 2.0, requires_grad=True)
    y = x * 3
    (y + y * y + y).sum().backward()  # y's gradient arrives by three edges, by two of them as the same array object
    assert x.grad.tolist() == [3 * (1 + 12 + 1)] * 3


def test_whoever_measures_memory_sees_a_storage_for_every_gradient() -> None:
    x = torch.ones(100, requires_grad=True)
    loss = x.exp().tanh().exp().sum()
    with memory.track() as report:
        loss.backward()
    assert report.allocated_bytes >= 3 * 400


def test_infinities_on_the_way_back_are_not_warned_of() -> None:
    x = torch.tensor([3e38, 0.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x * x * x).exp().sum().backward()
    assert not bool(x.grad.isfinite()[0])


def test_hooks_within_a_stretch_of_arrays_see_tensors_and_may_replace_them() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 2
    seen = []
    y.register_hook(lambda gradient: seen.append(gradient) or gradient * 10)
    (y * y).exp().sum().backward()
    assert [type(tensor) for tensor in seen] == [torch.Tensor]
    assert torch.equal(x.grad, 20 * seen[0])


def test_a_hook_that_writes_to_a_gradient_writes_to_that_of_whoever_shares_it() -> None:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    left, right = a * 1, b * 1

    def scale(gradient: torch.Tensor) -> None:
        gradient.mul_(10)

    right.register_hook(scale)
    ((left + right) * 2).sum().backward()
    assert a.grad.tolist() == [20, 20, 20]


def test_a_walk_may_begin_within_another_one_when_an_object_ends() -> None:
    w = torch.ones(3, requires_grad=True)

    class Ends:
        def __del__(self) -> None:
            with torch.enable_grad():
                (w * w).exp().sum().backward()

    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.ends = Ends()  # only the graph holds y, and frees it during the backward
    loss = (y * y).tanh().sum()
    del y
    loss.backward()
    assert torch.equal(w.grad, 2 * torch.ones(3).exp())
    assert x.grad is not None


PASSED_ON = {
    "one operand": lambda x, w: x.sub(1),
    "either operand": lambda x, w: x.add(w),
    "a view": lambda x, w: x.view(-1),
    "turned": lambda x, w: x.t(),
    "with a dimension more": lambda x, w: x.unsqueeze(0),
    "a sum": lambda x, w: x.sum(),
    "a sum by columns": lambda x, w: x.sum(0),
    "sums over a batch": lambda x, w: (x + torch.ones(4, 2, 3)).cos() * (x * torch.ones(4, 2, 3)),
}
USED = {
    "once": lambda y: y.cos(),
    "twice": lambda y: y.sin() + y.cos(),
    "three times": lambda y: y.sin() + y * 2 + y.cos(),
    "twice as it is": lambda y: y - y,
    "by formulas of tensors as well": lambda y: y.sin() + y.sinc() + y.cos() + y.logit(0.1),
}


@contextlib.contextmanager
def anomalies_looked_for() -> Iterator[None]:
    """Within this no shortcut is taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly(check_nan=False):
            yield


@pytest.mark.parametrize("used", USED.values(), ids=USED)
@pytest.mark.parametrize("passing", PASSED_ON.values(), ids=PASSED_ON)
def test_gradients_that_are_passed_on_keep_their_version(
    passing: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], used: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    """In-place additions before a node that passes its gradient on unchanged also count at the leaf."""
    told: list[list[list[int]]] = [[], []]
    for shortcuts, seen in zip((True, False), told, strict=True):
        x, w = X.clone().requires_grad_(), X.clone().requires_grad_()
        with contextlib.nullcontext() if shortcuts else anomalies_looked_for():
            used(passing(x, w)).sum().backward()
            gradients = torch.autograd.grad(used(passing(x, w)).sum(), (x, w), allow_unused=True)
            seen += [[leaf._version for leaf in leaves if leaf is not None] for leaves in (gradients, (x.grad, w.grad))]
            x.grad = w.grad = None
            y = used(passing(x.cosh(), w)).square().sum()
            (y + torch.autograd.grad(y, x, create_graph=True)[0].norm()).backward()
            seen.append([leaf._version for leaf in (x.grad, w.grad) if leaf is not None])
    assert told[0] == told[1]
