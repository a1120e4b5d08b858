"""The graph is freed by reference counting alone, and traversed without recursion; threads do not interfere."""

from __future__ import annotations

import contextlib
import gc
import math
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorglass as torch

DEPTH = 100_000


def chain(leaf: torch.Tensor, depth: int) -> torch.Tensor:
    result = leaf
    for _ in range(depth):
        result = result + 1
    return result


def test_a_chain_deeper_than_the_stack_is_walked_and_freed() -> None:
    assert sys.getrecursionlimit() < DEPTH
    leaf = torch.ones(2, requires_grad=True)
    end = chain(leaf, DEPTH)
    last = weakref.ref(end.grad_fn)
    end.sum().backward()
    assert leaf.grad.tolist() == [1.0, 1.0]
    del end
    assert last() is None


def test_a_graph_that_was_never_walked_is_freed_without_recursion() -> None:
    end = chain(torch.ones(2, requires_grad=True), DEPTH // 4)
    node = weakref.ref(end.grad_fn)
    del end
    assert node() is None


def test_gradients_of_a_shared_operand_are_found_once_and_not_for_every_path() -> None:
    leaf = torch.ones((), dtype=torch.float64, requires_grad=True)
    result = leaf
    for _ in range(60):
        result = result + result
    result.backward()
    assert leaf.grad.item() == 2.0**60


# --- freed graphs ----------------------------------------------------------------------------------------------------


def _with_hook(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda grad: grad * 2)
    y.grad_fn.register_hook(lambda gradients, given: None)
    return y * y


def _retaining(x: Any) -> Any:
    y = x * 2
    y.retain_grad()
    return y.exp()


def _in_place(x: Any) -> Any:
    y = x.clone()
    y[0] *= 2
    y.view(-1).exp_()
    return y


def _second_derivative(x: Any) -> Any:
    (gradient,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return gradient


RECIPES: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x * x + 1,
    "a saved result": lambda x: x.exp().tanh(),
    "views": lambda x: x.view(-1)[1:].unsqueeze(0),
    "siblings": lambda x: x.unbind()[0],
    "in place": _in_place,
    "hooks": _with_hook,
    "a retained gradient": _retaining,
    "a second derivative": _second_derivative,
}


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("backward", ["never", "once", "kept", "recorded"])
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.usefixtures("without_collector")
def test_a_graph_is_freed_with_its_last_tensor(recipe: str, backward: str) -> None:
    leaf = torch.ones(3, 1, requires_grad=True)
    end = RECIPES[recipe](leaf)
    parts: list[weakref.ref[Any]] = [weakref.ref(end), weakref.ref(end.grad_fn)]
    if recipe not in ("views", "siblings"):
        parts.append(weakref.ref(end.untyped_storage()))
    if backward == "recorded":
        (gradient,) = torch.autograd.grad(end.sum(), leaf, create_graph=True, allow_unused=True)
        parts.append(weakref.ref(gradient))
        del gradient
    elif backward != "never":
        end.sum().backward(retain_graph=backward == "kept")
    leaf.grad = None
    del end
    assert [part() for part in parts] == [None] * len(parts)


@pytest.mark.usefixtures("without_collector")
def test_backward_lets_go_of_saved_memory_while_the_result_lives() -> None:
    leaf = torch.ones(3, requires_grad=True)
    middle = leaf.exp()
    memory = weakref.ref(middle.untyped_storage())
    end = middle.exp().sum()
    del middle
    assert memory() is not None
    end.backward()
    assert memory() is None


# --- threads ---------------------------------------------------------------------------------------------------------


def in_threads(*work: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def run(act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(act,)) for act in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_backward_that_is_recorded_warns_of_the_circle_through_grad() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="reference cycle between the parameter and its gradient"):
        x.sin().backward(create_graph=True)


def test_threads_add_up_on_a_shared_leaf() -> None:
    leaf = torch.zeros(1000, requires_grad=True)

    def many() -> None:
        for _ in range(200):
            (leaf * 2).sum().backward()

    in_threads(many, many, many)
    assert leaf.grad.tolist() == [1200.0] * 1000


def test_threads_with_graphs_of_their_own_do_not_meet() -> None:
    def alone(factor: float) -> Callable[[], None]:
        def work() -> None:
            for _ in range(100):
                leaf = torch.ones(10, requires_grad=True)
                (leaf * factor).exp().log().sum().backward()
                assert torch.allclose(leaf.grad, torch.full((10,), factor))

        return work

    in_threads(alone(2.0), alone(3.0))


def test_threads_may_go_back_through_one_graph_at_once() -> None:
    leaf = torch.ones(100, requires_grad=True)
    result = leaf
    for _ in range(20):
        result = result.sin() + result
    expected = torch.autograd.grad(result.sum(), leaf, retain_graph=True)[0]

    def back() -> None:
        for _ in range(10):
            assert torch.equal(torch.autograd.grad(result.sum(), leaf, retain_graph=True)[0], expected)
            result.sum().backward(retain_graph=True)

    in_threads(back, back, back)
    assert torch.allclose(leaf.grad, 30 * expected)


def test_modes_belong_to_the_thread() -> None:
    inside, outside = threading.Event(), threading.Event()

    def without_gradients() -> None:
        with torch.no_grad():
            inside.set()
            outside.wait(10)
            assert not torch.is_grad_enabled()

    def with_gradients() -> None:
        inside.wait(10)
        assert torch.is_grad_enabled()
        assert (torch.ones(1, requires_grad=True) * 2).requires_grad
        outside.set()

    in_threads(without_gradients, with_gradients)


def test_a_mode_may_be_entered_in_itself_by_hand_and_by_an_exit_stack() -> None:
    mode, seen = torch.no_grad(), []
    with mode:
        with torch.enable_grad(), mode:
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    mode.__enter__()
    mode.__enter__()
    mode.__exit__(None, None, None)
    seen.append(torch.is_grad_enabled())
    mode.__exit__(None, None, None)
    seen.append(torch.is_grad_enabled())
    with contextlib.ExitStack() as stack:
        stack.enter_context(mode)
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    assert seen == [False, False, True, False, True, False, True]


def test_inference_mode_has_modes_within_it_put_back() -> None:
    with torch.inference_mode():
        with torch.enable_grad():
            assert torch.is_grad_enabled()
            with torch.no_grad():
                assert not torch.is_grad_enabled()
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


# --- attributes of a node ---------------------------------------------------------------------------------------------


def test_anomaly_mode_names_the_line_that_made_the_nan(recwarn: pytest.WarningsRecorder) -> None:
    leaf = torch.zeros(1, requires_grad=True)
    with torch.autograd.detect_anomaly():
        result = leaf.sqrt() * 0  # the line to be named
        with pytest.raises(RuntimeError, match=r"Function 'SqrtBackward0' returned nan values in its 0th output\."):
            result.sum().backward()
    assert any("# the line to be named" in str(warning.message) for warning in recwarn)


def test_a_node_tells_what_it_keeps() -> None:
    leaf, other = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)
    node = (leaf * other).grad_fn
    assert node.name() == "MulBackward0"
    assert node._saved_other is other
    assert node._saved_self is None
    assert [name for name in dir(node) if name.startswith("_saved")] == ["_saved_other", "_saved_self"]
    assert node.next_functions[0][0].variable is leaf
    assert node.next_functions[1] == (None, 0)
    node.metadata["note"] = 1
    assert node.metadata == {"note": 1}


def test_a_node_knows_sizes_by_pytorchs_names() -> None:
    assert torch.ones(2, 3, requires_grad=True).sum().grad_fn._saved_self_sym_sizes == (2, 3)


@pytest.mark.parametrize("convert", [float, complex, math.sin])
def test_a_number_made_of_a_tensor_that_requires_a_gradient_is_warned_of(convert: Callable[[Any], Any]) -> None:
    x = torch.tensor(0.5, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert convert(x) == convert(0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convert(x.detach())
        x.item()
