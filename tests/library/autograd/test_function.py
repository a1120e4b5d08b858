"""Custom Functions: how apply runs forward and backward, and that nothing is kept alive too long."""

import gc
import weakref

import pytest

import tensorglass as torch
from tensorglass.autograd import Function
from tensorglass.autograd.function import once_differentiable


@pytest.fixture
def no_collector():
    """Turn the garbage collector off: reference counting must free everything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor = inputs
        ctx.save_for_backward(x, output)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def leaf():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def notes_of(call):
    """The notes of the error that a call raises."""
    with pytest.raises((RuntimeError, TypeError)) as caught:
        call()
    return " ".join(getattr(caught.value, "__notes__", []))


def test_backward_gets_the_gradient_and_its_answer_goes_to_the_input():
    x = leaf()
    Exp.apply(x).sum().backward()
    assert torch.equal(x.grad, x.detach().exp())


def test_setup_context_takes_notes_after_a_forward_without_ctx():
    x = leaf()
    Scale.apply(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_the_context_is_the_node_in_the_graph():
    seen = []

    class Note(Exp):
        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx)
            return grad

    y = Note.apply(leaf())
    y.sum().backward()
    assert seen == [y.grad_fn]
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "NoteBackward"


def test_forward_is_not_recorded_operator_by_operator():
    y = Exp.apply(leaf() * 2)
    assert [node.name() for node, _ in y.grad_fn.next_functions] == ["MulBackward0"]


def test_a_function_that_is_derived_again_gives_second_derivatives():
    x = leaf()
    (first,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert torch.allclose(second, x.detach().exp())


def test_without_gradients_nothing_is_saved():
    y = Exp.apply(torch.ones(2))
    assert y.grad_fn is None
    assert not y.requires_grad


def test_an_output_saved_for_backward_makes_no_cycle(no_collector):
    y = Exp.apply(leaf())
    node, header = weakref.ref(y.grad_fn), weakref.ref(y)
    del y
    assert header() is None
    assert node() is None


def test_inputs_and_outputs_saved_in_setup_context_make_no_cycle(no_collector):
    y = Scale.apply(leaf() * 1, 3.0)
    node, header = weakref.ref(y.grad_fn), weakref.ref(y)
    del y
    assert header() is None
    assert node() is None


@pytest.mark.parametrize("is_view", [False, True])
def test_an_input_that_was_written_to_and_saved_makes_no_cycle(no_collector, is_view):
    class ExpInPlace(Exp):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            ctx.save_for_backward(x.exp_())
            return x

    base = leaf() * 1
    y = ExpInPlace.apply(base[:1] if is_view else base)
    node, header = weakref.ref(base.grad_fn), weakref.ref(base)
    base.sum().backward(retain_graph=True)
    del y, base
    assert header() is None
    assert node() is None


def test_memory_that_was_saved_is_free_after_backward(no_collector):
    y = Exp.apply(leaf())
    storage = weakref.ref(y.untyped_storage())
    total = y.sum()
    del y
    assert storage() is not None
    total.backward()
    assert storage() is None


def test_saved_tensors_are_gone_after_backward():
    y = Exp.apply(leaf())
    y.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        _ = y.grad_fn.saved_tensors


def test_a_retained_gradient_follows_an_input_that_becomes_the_second_output():
    class Both(Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.mark_dirty(y)
            y.add_(x)
            return x * 2, y

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h, h * 3

    b = leaf() * 1
    b.retain_grad()
    _, q = Both.apply(leaf(), b)
    (q.sum() * 5).backward()
    assert q is b
    assert b.grad.tolist() == [5.0, 5.0]


def test_once_differentiable_refuses_a_second_derivative():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensors[0]

    x, v = leaf(), torch.ones(2, requires_grad=True)
    (first,) = torch.autograd.grad(Square.apply(x), x, v, create_graph=True)
    assert first.tolist() == [2.0, 4.0]
    notes = notes_of(lambda: first.sum().backward())
    assert "once_differentiable" in notes


def made(forward, backward=None):
    """A function of this forward and backward."""
    given = {"forward": staticmethod(forward)}
    if backward is not None:
        given["backward"] = staticmethod(backward)
    return type("Made", (Function,), given)


def test_too_many_gradients_are_explained():
    function = made(lambda ctx, x: x * 2, lambda ctx, grad: (grad, grad))
    assert "one value for each argument" in notes_of(lambda: function.apply(leaf()).sum().backward())


def test_a_list_of_gradients_is_explained():
    function = made(lambda ctx, x: x * 2, lambda ctx, grad: [grad])
    assert "separated by commas" in notes_of(lambda: function.apply(leaf()).sum().backward())


def test_calling_an_instance_is_explained():
    assert "Exp.apply" in notes_of(lambda: Exp()(leaf()))


def test_saving_a_number_is_explained():
    function = made(lambda ctx, x: (ctx.save_for_backward(3), x * 2)[1])
    assert "attribute" in notes_of(lambda: function.apply(leaf()))


def test_overwriting_a_view_that_a_function_returned_is_refused():
    view = made(lambda ctx, x: x[:1], lambda ctx, grad: grad.repeat(2)).apply(leaf() * 1)
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        view.add_(1)


def test_forward_leaves_the_mode_as_it_was_even_if_it_raises():
    def forward(ctx, x):
        assert not torch.is_grad_enabled()
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        made(forward).apply(leaf())
    assert torch.is_grad_enabled()


def test_materialized_gradients_are_zeros_and_can_be_had_as_none():
    seen = []

    def forward(ctx, x, wanted):
        ctx.set_materialize_grads(wanted)
        return x * 2, x * 3

    function = made(forward, lambda ctx, g, h: (seen.append(h), g, None)[1:])
    for wanted in (True, False):
        function.apply(leaf(), wanted)[0].sum().backward()
    assert seen[0].tolist() == [0.0, 0.0]
    assert seen[1] is None
