"""Hooks of tensors, nodes and saved tensors: when they are called, what they may change, and when they go away."""

import gc
import weakref

import pytest

import tensorglass as torch
from tensorglass.autograd import graph


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


@pytest.fixture
def calls():
    """A list for hooks to write to."""
    return []


def test_hooks_of_a_tensor_are_called_in_the_order_of_their_registration(calls):
    x = leaf()
    for number in range(3):
        x.register_hook(lambda grad, number=number: calls.append(number))
    x.sum().backward()
    assert calls == [0, 1, 2]


def test_what_a_hook_returns_takes_the_place_of_the_gradient_for_those_after_it(calls):
    x = leaf()
    x.register_hook(lambda grad: grad * 2)
    x.register_hook(lambda grad: calls.append(grad.tolist()))
    x.sum().backward()
    assert calls == [[2.0, 2.0]]
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_retained_gradient_is_the_one_after_all_hooks():
    y = leaf() * 1
    y.retain_grad()
    y.register_hook(lambda grad: grad * 3)
    y.sum().backward()
    assert y.grad.tolist() == [3.0, 3.0]


def test_a_removed_hook_is_not_called(calls):
    x = leaf()
    handle = x.register_hook(lambda grad: calls.append("gone"))
    with x.register_hook(lambda grad: calls.append("within")):
        handle.remove()
        x.sum().backward()
    x.sum().backward()
    assert calls == ["within"]


def test_a_handle_outlives_its_tensor():
    handle = leaf().register_hook(lambda grad: None)
    handle.remove()


def test_a_hook_on_a_tensor_that_is_overwritten_stays_with_the_values_that_were(calls):
    x = leaf()
    y = x * 1
    y.register_hook(lambda grad: calls.append(grad.tolist()))
    y.mul_(3)
    y.sum().backward()
    assert calls == [[3.0, 3.0]]


def test_hooks_of_nodes_are_called_around_the_node(calls):
    y = leaf() * 2
    y.register_hook(lambda grad: calls.append("tensor"))
    y.grad_fn.register_hook(lambda inputs, outputs: calls.append("after"))
    y.grad_fn.register_prehook(lambda outputs: calls.append("before"))
    y.sum().backward()
    assert calls == ["tensor", "before", "after"]


def test_a_hook_that_returns_another_size_is_refused_with_both_sizes():
    x = leaf()
    x.register_hook(lambda grad: torch.ones(3))
    with pytest.raises(RuntimeError, match="has changed the size of value") as caught:
        x.sum().backward()
    assert "[2]" in caught.value.__notes__[0]
    assert "[3]" in caught.value.__notes__[0]


def test_a_hook_after_accumulation_sees_the_leaf_with_its_gradient(calls):
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda tensor: calls.append((tensor is x, tensor.grad.tolist())))
    (x * 3).sum().backward()
    assert calls == [(True, [3.0, 3.0])]


def test_a_hook_for_several_tensors_is_called_once_when_all_gradients_are_there(calls):
    x, w = leaf(), leaf(3.0, 4.0)
    handle = graph.register_multi_grad_hook((x, w), lambda grads: calls.append([grad.tolist() for grad in grads]))
    (x * w).sum().backward()
    handle.remove()
    (x * w).sum().backward()
    assert calls == [[[3.0, 4.0], [1.0, 2.0]]]


def test_a_hook_for_any_of_several_tensors_is_called_with_the_first_gradient(calls):
    x, w = leaf(), leaf()
    graph.register_multi_grad_hook((x, w), lambda grad: calls.append(grad.tolist()), mode="any")
    (x * w).sum().backward()
    assert len(calls) == 1


def test_a_gradient_edge_stands_for_a_tensor_that_is_gone():
    x = leaf()
    y = x * 2
    edge = graph.get_gradient_edge(y)
    total = (y * y).sum()
    del y
    (gradient,) = torch.autograd.grad(total, edge)
    assert gradient.tolist() == [4.0, 8.0]


def test_saved_tensors_can_be_kept_elsewhere_and_come_back():
    store = {}

    def pack(tensor):
        store[len(store)] = tensor.tolist()
        return len(store) - 1

    x = leaf()
    with graph.saved_tensors_hooks(pack, lambda number: torch.tensor(store[number])):
        y = (x * 2).sin()
    y.sum().backward()
    assert list(store.values()) == [[2.0, 4.0]]
    assert torch.allclose(x.grad, 2 * (2 * x.detach()).cos())


def test_packed_tensors_are_not_kept_by_the_graph():
    gc.collect()
    gc.disable()
    try:
        with graph.saved_tensors_hooks(lambda tensor: None, lambda nothing: torch.zeros(2)):
            a = leaf() * 2
            total = a.sin().sum()
        storage = weakref.ref(a.untyped_storage())
        del a
        assert storage() is None
        total.backward()
    finally:
        gc.enable()


@pytest.mark.parametrize("operator", ["exp", "sin"])
def test_save_on_cpu_makes_no_cycle(operator):
    gc.collect()
    gc.disable()
    try:
        with graph.save_on_cpu():
            y = getattr(leaf() * 1, operator)()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_unpacking_does_not_change_the_tensor_that_the_hook_returns():
    given = torch.tensor([5.0, 7.0])
    x = leaf()
    with graph.saved_tensors_hooks(lambda tensor: None, lambda nothing: given):
        y = (x * 2) * x
    (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert gradient.requires_grad
    assert not given.requires_grad
    assert given.grad_fn is None


def test_hooks_of_saved_tensors_can_be_forbidden():
    forbidden = graph.disable_saved_tensors_hooks("not here")
    with forbidden, pytest.raises(RuntimeError, match="not here"), graph.save_on_cpu():
        pass
    with graph.save_on_cpu():
        assert (leaf() * 2).requires_grad


def test_hooks_of_saved_tensors_that_a_backward_opens_end_with_it(calls):
    x = leaf()
    late = graph.saved_tensors_hooks(lambda tensor: calls.append("packed") or tensor, lambda tensor: tensor)
    with graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: late.__enter__() or tensor):
        y = x.sin()
    y.sum().backward()
    assert x.grad.tolist() == x.detach().cos().tolist()
    assert x.exp().requires_grad
    assert calls == []
    late.__exit__()
