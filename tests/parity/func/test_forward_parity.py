"""Forward mode shows what PyTorch's shows: tangents in print, no trace in the graph, and functions' own `jvp`."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

PRELUDE = """
forward = torch.autograd.forward_ad

x, direction = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3])
weight = torch.tensor([2.0, 0.5, 1.0], requires_grad=True)

class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, one, other, factor):
        ctx.save_for_forward(one, other)
        ctx.save_for_backward(one, other)
        ctx.factor = factor
        return one * other * factor, one + other

    @staticmethod
    def jvp(ctx, of_one, of_other, of_factor):
        one, other = ctx.saved_tensors
        see(of_one, of_other, of_factor)
        return (of_one * other + of_other * one) * ctx.factor, of_one + of_other

    @staticmethod
    def backward(ctx, of_product, of_sum):
        one, other = ctx.saved_tensors
        return of_product * other * ctx.factor + of_sum, of_product * one * ctx.factor + of_sum, None

class Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, one):
        return one * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2
"""

STORIES = {
    "dual tensors in print": """
        with forward.dual_level():
            dual = forward.make_dual(x, direction)
            see(repr(dual), repr(dual * dual), repr(forward.unpack_dual(dual * dual)), repr(dual[1:].sum()))
            see(repr((dual * weight).sum()))
            after = dual * 2
        see(repr(after))
    """,
    "a tangent is the one that was given": """
        with forward.dual_level():
            dual = forward.make_dual(x, direction)
            see(forward.unpack_dual(dual).tangent is direction, forward.unpack_dual(x).tangent)
            attempt(lambda: forward.unpack_dual(1))
            attempt(lambda: forward.make_dual(dual, direction))
        see(forward.unpack_dual(dual).tangent)
    """,
    "dual tensors require no gradient": """
        with forward.dual_level():
            dual = forward.make_dual(x, direction)
            for each in (dual, dual * 2, dual[0], (dual * dual).sum(), dual.clone().mul_(dual)):
                see(each.requires_grad, each.grad_fn, each.is_leaf, each.grad)
            see((dual * weight).requires_grad, (dual * weight).is_leaf)
            kept = dual * 3
        see(kept.requires_grad, kept.grad_fn, kept.is_leaf)
    """,
    "the tangent leads to what it depends on": """
        with forward.dual_level():
            primal, tangent = forward.unpack_dual((forward.make_dual(x, direction) * weight).sin().sum())
            see(primal.requires_grad, tangent.requires_grad)
            tangent.backward()
            see(weight.grad)
    """,
    "a function's own jvp": """
        with forward.dual_level():
            dual = forward.make_dual(x, direction)
            product, total = Product.apply(dual, x * 2, 3)
            for each in (product, total, Product.apply(dual, dual, 1)[0] * 2):
                primal, tangent = forward.unpack_dual(each)
                see(primal.tolist(), tangent.tolist(), each.requires_grad)
            product, total = Product.apply(dual, weight, 2)
            primal, tangent = forward.unpack_dual(product)
            see(primal.requires_grad, tangent.tolist())
            attempt(lambda: Backward.apply(dual))
        product.sum().backward()
        see(weight.grad)
    """,
    "where a derivative is a limit": """
        zeros, ones = torch.zeros(2), torch.ones(2)
        for function in (torch.sinc, torch.special.entr, torch.nn.functional.softsign, torch.atan, torch.sgn):
            see(torch.func.jvp(function, (zeros,), (ones,))[1], torch.func.jvp(function, (ones,), (ones,))[1])
    """,
    "checking a function's own jvp": """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, one):
                ctx.result = torch.exp(one)
                return ctx.result

            @staticmethod
            def jvp(ctx, tangent):
                return tangent * ctx.result

        given = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
        see(torch.autograd.gradcheck(Exp.apply, given, check_forward_ad=True, check_backward_ad=False))
    """,
}


@pytest.mark.parametrize("story", STORIES)
def test_forward_mode_is_pytorchs(story: str) -> None:
    assert disagreement(STORIES[story], PRELUDE) is None, disagreement(STORIES[story], PRELUDE)
