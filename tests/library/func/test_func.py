"""`func`, forward mode and `gradcheck` where PyTorch is no oracle: memory, random numbers, what only works here."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import tensorglass as torch
from tensorglass.autograd import forward_ad, gradcheck
from tensorglass.autograd.gradcheck import GradcheckError
from tensorglass.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


def cubes(x: torch.Tensor) -> torch.Tensor:
    return (x**3).sum()


def test_the_gradient_of_logcumsumexp_has_a_derivative_where_no_gradient_arrives() -> None:
    """PyTorch's derivative is NaN there, since its formula takes the logarithm of the gradient."""
    for dtype in (torch.float64, torch.complex128):
        x = torch.tensor([0.5, -1.0, 2.0], dtype=dtype, requires_grad=True)
        arriving = torch.tensor([1.0, 0.0, -2.0], dtype=dtype, requires_grad=True)

        def gradient(x: torch.Tensor, arriving: torch.Tensor) -> torch.Tensor:
            (gradient,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, arriving, create_graph=True)
            return gradient

        (found,) = torch.autograd.grad(gradient(x, arriving).real.sum(), arriving)
        assert torch.allclose(found, torch.ones(3, dtype=dtype))
        assert gradcheck(gradient, (x, arriving.detach() + 0.25))


def test_vmap_takes_functions_that_look_at_values() -> None:
    def sign_or_square(x: torch.Tensor) -> torch.Tensor:
        return x * x if x.item() > 0 else -x

    assert vmap(sign_or_square)(torch.tensor([2.0, -3.0])).tolist() == [4.0, 3.0]


def test_vmap_draws_anew_for_each_slice_or_the_same_for_all() -> None:
    def noisy(x: torch.Tensor) -> torch.Tensor:
        return x + torch.rand(1)[0]

    different = vmap(noisy, randomness="different")(torch.zeros(4))
    same = vmap(noisy, randomness="same")(torch.zeros(4))
    assert len(set(different.tolist())) == 4
    assert len(set(same.tolist())) == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda x: grad(cubes)(x),
        lambda x: grad(lambda y: grad(cubes)(y).sum())(x),
        lambda x: vjp(cubes, x)[1](torch.ones(())),
        lambda x: jvp(cubes, (x,), (x,)),
        lambda x: jacrev(cubes)(x),
        lambda x: jacfwd(cubes)(x),
        lambda x: hessian(cubes)(x),
        lambda x: vmap(grad(cubes))(x.unsqueeze(0)),
        lambda x: torch.autograd.functional.hessian(cubes, x),
        lambda x: gradcheck(cubes, x.double().requires_grad_()),
    ],
)
def test_nothing_is_left_in_memory_but_the_results(use: Callable[[torch.Tensor], Any]) -> None:
    gc.collect()
    gc.disable()
    try:
        x = torch.tensor([1.0, 2.0])
        memory = weakref.ref(x.untyped_storage())
        results = use(x)
        del x
        del results
        assert memory() is None
    finally:
        gc.enable()


def test_func_leaves_its_inputs_as_they_were() -> None:
    x = torch.tensor([1.0, 2.0])
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    grad(lambda x: (x * w).sum())(x)
    hessian(cubes)(w)
    assert not x.requires_grad
    assert x.grad is None
    assert w.grad is None
    assert w.is_leaf


def test_a_tangent_goes_through_a_gradient_that_is_taken_inside() -> None:
    x = torch.tensor([1.0, 2.0])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.tensor([1.0, 0.0]))
        slope = forward_ad.unpack_dual(grad(cubes)(dual))
    assert slope.primal.tolist() == [3.0, 12.0]
    assert slope.tangent is not None
    assert slope.tangent.tolist() == [6.0, 0.0]


def test_a_dual_tensor_shares_memory_with_its_primal_and_ends_with_its_level() -> None:
    x = torch.ones(2)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(2))
        assert dual.data_ptr() == x.data_ptr()
        assert forward_ad.unpack_dual(dual).tangent is not None
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(dual).tangent is None


def test_gradcheck_finds_gradients_that_change_from_walk_to_walk() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)

    def restless(x: torch.Tensor) -> torch.Tensor:
        y = x * 1
        y.register_hook(lambda gradient: gradient * (1 + 1e-7 * torch.rand(1, dtype=torch.float64)))
        return y

    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(restless, x)
    assert gradcheck(restless, x, nondet_tol=1e-6, check_undefined_grad=False)


def test_gradcheck_teaches_what_its_matrices_are() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda x: x.detach() * 2 + x, x)
    assert any("Rows are the input's elements" in note for note in caught.value.__notes__)


def test_slices_draw_the_same_poisson_numbers_or_different_ones() -> None:
    rates = torch.full((20,), 9.0)
    same = vmap(lambda _: torch.poisson(rates), randomness="same")(torch.ones(3))
    assert torch.equal(same[0], same[1])
    assert torch.equal(same[0], same[2])
    different = vmap(lambda _: torch.poisson(rates), randomness="different")(torch.ones(3))
    assert not torch.equal(different[0], different[1])
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor input"):
        vmap(torch.poisson, randomness="same")(torch.tensor([1.0, 2.0]))


def test_a_slice_that_takes_another_way_draws_for_itself() -> None:
    def draw(x: torch.Tensor) -> torch.Tensor:
        return torch.rand(2) if x > 0 else torch.rand(3)[:2]

    drawn = vmap(draw, randomness="different")(torch.tensor([1.0, -1.0, 1.0]))
    assert len(set(drawn.reshape(-1).tolist())) == 6
