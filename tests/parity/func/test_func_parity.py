"""`torch.func` and forward mode against PyTorch: values, nesting, flags, and refusals."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
from parity.nested import same

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")


def vector(t: Any) -> Any:
    return t.tensor([0.5, -1.25, 2.0], dtype=t.float64)


def cube(x: Any) -> Any:
    return x**3


def weighted(x: Any, y: Any) -> Any:
    return (x * x * y).sum()


def several(x: Any, y: Any) -> Any:
    return x * y, {"sum": x.sum(), "both": [y * y, x + y]}


#: `t` is the library, `f` its `func`, `x` and `w` are vectors, gradients flow to `w`.
CALLS: dict[str, Callable[..., Any]] = {
    "gradient": lambda t, f, x, w: f.grad(lambda x: cube(x).sum())(x),
    "gradient with a closure over a parameter": lambda t, f, x, w: f.grad(lambda x: (cube(x) * w).sum())(x),
    "gradient for a parameter": lambda t, f, x, w: f.grad(lambda x: cube(x).sum())(w),
    "gradient for a constant": lambda t, f, x, w: f.grad(lambda x: w.sum())(x),
    "gradient for two": lambda t, f, x, w: f.grad(weighted, argnums=(0, 1))(x, x * 2),
    "gradient for the last": lambda t, f, x, w: f.grad(weighted, argnums=-1)(x, x * 2),
    "gradient for a dictionary": lambda t, f, x, w: f.grad(lambda d: weighted(d["a"], d["b"]))({"a": x, "b": x * 2}),
    "gradient with keywords": lambda t, f, x, w: f.grad(lambda x, *, y: weighted(x, y))(x, y=x),
    "gradient with more": lambda t, f, x, w: f.grad(lambda x: (x.sum(), {"kept": x * 2}), has_aux=True)(x),
    "gradient and value": lambda t, f, x, w: f.grad_and_value(lambda x: cube(x).sum())(x),
    "gradient, value and more": lambda t, f, x, w: f.grad_and_value(lambda x: (x.sum(), x * 2), has_aux=True)(x),
    "gradient of a gradient": lambda t, f, x, w: f.grad(f.grad(cube))(x[0]),
    "third derivative": lambda t, f, x, w: f.grad(f.grad(f.grad(cube)))(x[0]),
    "perturbations are not confused": lambda t, f, x, w: f.grad(lambda x: x * f.grad(lambda y: x * y)(x))(x[0]),
    "gradient inside no_grad": lambda t, f, x, w: t.no_grad()(f.grad(lambda x: cube(x).sum()))(w),
    "gradient of what is not a scalar": lambda t, f, x, w: f.grad(cube)(x),
    "gradient of a number": lambda t, f, x, w: f.grad(lambda x: 3)(x),
    "gradient at a number": lambda t, f, x, w: f.grad(cube)(3.0),
    "gradient at integers": lambda t, f, x, w: f.grad(lambda x: x.sum())(t.tensor([1, 2])),
    "gradient without more": lambda t, f, x, w: f.grad(lambda x: x.sum(), has_aux=True)(x),
    "argnum too large": lambda t, f, x, w: f.grad(weighted, argnums=2)(x, x),
    "argnum twice": lambda t, f, x, w: f.grad(weighted, argnums=(0, 0))(x, x),
    "no argnum": lambda t, f, x, w: f.grad(weighted, argnums=())(x, x),
    "argnum that is a word": lambda t, f, x, w: f.grad(weighted, argnums="x")(x, x),
    "vjp": lambda t, f, x, w: f.vjp(cube, x)[1](x),
    "vjp's output": lambda t, f, x, w: f.vjp(cube, x)[0],
    "vjp of a parameter": lambda t, f, x, w: f.vjp(cube, w)[1](x),
    "vjp with more": lambda t, f, x, w: f.vjp(lambda x: (x * 2, x), x, has_aux=True)[2],
    "vjp of several": lambda t, f, x, w: f.vjp(several, x, x * 2)[1]((x, {"sum": x[0], "both": [x, x]})),
    "vjp of another structure": lambda t, f, x, w: f.vjp(cube, x)[1]((x, x)),
    "vjp of another size": lambda t, f, x, w: f.vjp(cube, x)[1](x[:2]),
    "vjp of nothing": lambda t, f, x, w: f.vjp(lambda x: (), x),
    "vjp of integers": lambda t, f, x, w: f.vjp(lambda x: x.to(t.int64), x),
    "vjp of a number": lambda t, f, x, w: f.vjp(lambda x: 3, x),
    "vjp without more": lambda t, f, x, w: f.vjp(cube, x, has_aux=True),
    "jvp": lambda t, f, x, w: f.jvp(cube, (x,), (x,)),
    "jvp of a parameter": lambda t, f, x, w: f.jvp(cube, (w,), (x,)),
    "jvp of several": lambda t, f, x, w: f.jvp(several, (x, x * 2), (x, x * 3)),
    "jvp of dictionaries": lambda t, f, x, w: f.jvp(lambda d: {"c": d["a"] * 2}, ({"a": x},), ({"a": x},)),
    "jvp with more": lambda t, f, x, w: f.jvp(lambda x: (x * 2, x), (x,), (x,), has_aux=True),
    "jvp of a constant": lambda t, f, x, w: f.jvp(lambda x: t.ones(2), (x,), (x,)),
    "jvp of a constant, strictly": lambda t, f, x, w: f.jvp(lambda x: t.ones(2), (x,), (x,), strict=True),
    "jvp in a jvp": lambda t, f, x, w: f.jvp(lambda x: f.jvp(cube, (x,), (x,))[1], (x,), (t.ones_like(x),)),
    "jvp of a gradient": lambda t, f, x, w: f.jvp(f.grad(lambda x: cube(x).sum()), (x,), (x,)),
    "jvp without a tuple": lambda t, f, x, w: f.jvp(cube, x, x),
    "jvp of another structure": lambda t, f, x, w: f.jvp(cube, (x,), (x, x)),
    "jvp of another size": lambda t, f, x, w: f.jvp(cube, (x,), (x[:2],)),
    "jvp at a number": lambda t, f, x, w: f.jvp(cube, (3.0,), (1.0,)),
    "Jacobian by rows": lambda t, f, x, w: f.jacrev(cube)(x),
    "Jacobian by columns": lambda t, f, x, w: f.jacfwd(cube)(x),
    "Jacobians by rows": lambda t, f, x, w: f.jacrev(several, argnums=(0, 1))(x, x * 2),
    "Jacobians by columns": lambda t, f, x, w: f.jacfwd(several, argnums=(0, 1))(x, x * 2),
    "Jacobian by rows with more": lambda t, f, x, w: f.jacrev(lambda x: (x * 2, x), has_aux=True)(x),
    "Jacobian by columns with more": lambda t, f, x, w: f.jacfwd(lambda x: (x * 2, x), has_aux=True)(x),
    "Jacobian of a matrix": lambda t, f, x, w: f.jacrev(lambda m: m.sum(0))(t.ones(2, 3)),
    "Jacobian of a matrix by columns": lambda t, f, x, w: f.jacfwd(lambda m: m.sum(0))(t.ones(2, 3)),
    "Jacobian of complex numbers": lambda t, f, x, w: f.jacrev(cube)(x.to(t.complex128)),
    "Jacobian of no chunks": lambda t, f, x, w: f.jacrev(cube, chunk_size=0)(x),
    "Hessian": lambda t, f, x, w: f.hessian(lambda x: cube(x).sum())(x),
    "Hessian for two": lambda t, f, x, w: f.hessian(weighted, argnums=(0, 1))(x, x * 2),
    "Hessian of logcumsumexp": lambda t, f, x, w: f.hessian(lambda x: (t.logcumsumexp(x, 0) * w).sum())(x),
    "product with a Hessian": lambda t, f, x, w: f.jvp(f.grad(lambda x: t.logcumsumexp(x, 0).sum()), (x,), (w,)),
    "batch": lambda t, f, x, w: f.vmap(lambda x: x * x.sum())(t.ones(2, 3)),
    "batch of gradients": lambda t, f, x, w: f.vmap(f.grad(cube))(x),
    "batch of gradients with a parameter": lambda t, f, x, w: f.vmap(f.grad(weighted), in_dims=(0, None))(
        t.ones(2, 3, dtype=t.float64), w
    ),
    "gradient of a batch": lambda t, f, x, w: f.grad(lambda x: f.vmap(cube)(x).sum())(x),
    "batch of batches": lambda t, f, x, w: f.vmap(f.vmap(lambda x, y: x * y, (None, 0)), (0, None))(x, x),
    "batch of Jacobians": lambda t, f, x, w: f.vmap(f.jacrev(cube))(t.ones(2, 3)),
    "batch along other dimensions": lambda t, f, x, w: f.vmap(lambda x: x * 2, in_dims=1, out_dims=-1)(t.ones(2, 3)),
    "batch with nested dimensions": lambda t, f, x, w: f.vmap(
        lambda d, y: {"a": d["b"] * y, "c": 3}, in_dims=({"b": 0}, None), out_dims={"a": 0, "c": None}
    )({"b": x}, x),
    "batch with a keyword": lambda t, f, x, w: f.vmap(lambda x, *, k: x * k)(x, k=2),
    "batch of nothing": lambda t, f, x, w: f.vmap(lambda x: (x * 2, x.sum()))(t.ones(0, 3)),
    "batch in chunks": lambda t, f, x, w: f.vmap(lambda x: x * 2, chunk_size=2)(x),
    "batch in no chunks": lambda t, f, x, w: f.vmap(lambda x: x * 2, chunk_size=0)(x),
    "batch of unequal sizes": lambda t, f, x, w: f.vmap(lambda x, y: x * y)(x, x[:2]),
    "batch without inputs": lambda t, f, x, w: f.vmap(cube)(),
    "batch of no dimension": lambda t, f, x, w: f.vmap(cube, in_dims=None)(x),
    "batch of none": lambda t, f, x, w: f.vmap(cube, in_dims=(None,))(x),
    "batch with too few dimensions": lambda t, f, x, w: f.vmap(weighted, in_dims=(0,))(x, x),
    "batch along a word": lambda t, f, x, w: f.vmap(weighted, in_dims=("x", 0))(x, x),
    "batch along a missing dimension": lambda t, f, x, w: f.vmap(weighted, in_dims=(1, 0))(x, x),
    "batch of a number": lambda t, f, x, w: f.vmap(weighted)(x, 3),
    "batch that gives a number": lambda t, f, x, w: f.vmap(lambda x: 3)(x),
    "batch with too many results": lambda t, f, x, w: f.vmap(lambda x: (x, x), out_dims=(0, 0, 0))(x),
    "batch with other results": lambda t, f, x, w: f.vmap(lambda x: x, out_dims=(0, 0))(x),
    "batch with one dimension in a tuple": lambda t, f, x, w: f.vmap(lambda x: x, out_dims=(0,))(x),
    "batch to a word": lambda t, f, x, w: f.vmap(lambda x: x, out_dims="x")(x),
    "batch to no dimension": lambda t, f, x, w: f.vmap(lambda x: x, out_dims=None)(x),
    "batch to a missing dimension": lambda t, f, x, w: f.vmap(lambda x: x, out_dims=2)(x),
    "batch that passes on": lambda t, f, x, w: f.vmap(lambda x: w, out_dims=None)(x),
    "batch at random": lambda t, f, x, w: f.vmap(lambda x: x + t.rand(2))(x),
    "batch of an unknown randomness": lambda t, f, x, w: f.vmap(cube, randomness="some")(x),
}


#: Refusals that few people meet, whose words are our own.
OTHER_WORDS = {
    "argnum too large",
    "no argnum",
    "argnum that is a word",
    "vjp of another structure",
    "vjp of nothing",
    "vjp of integers",
    "vjp of a number",
    "jvp of a constant, strictly",
    "jvp of another structure",
    "jvp of another size",
    "jvp at a number",
    "Jacobian of complex numbers",
    "batch without inputs",
    "batch of no dimension",
    "batch with too few dimensions",
    "batch along a word",
    "batch with too many results",
    "batch with other results",
    "batch to a word",
}


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated", "ignore:Attempted to insert a get_attr Node")
@pytest.mark.parametrize("name", CALLS)
def test_func_is_pytorchs(name: str) -> None:
    def call(t: Any) -> Any:
        return CALLS[name](t, t.func, vector(t), vector(t).requires_grad_())

    same(call, words=name not in OTHER_WORDS)


def in_level(t: Any, function: Callable[[Any], Any]) -> Any:
    with t.autograd.forward_ad.dual_level():
        return function(t.autograd.forward_ad)


#: `d` is `forward_ad`.
FORWARD: dict[str, Callable[..., Any]] = {
    "tangent": lambda t, d, x: d.unpack_dual(d.make_dual(x, x * 2)),
    "tangent of a function": lambda t, d, x: d.unpack_dual(d.make_dual(x, x * 2).sin() * x),
    "tangents of two": lambda t, d, x: d.unpack_dual(d.make_dual(x, x * 2) * d.make_dual(x + 1, x * 3)),
    "tangent of a constant": lambda t, d, x: d.unpack_dual(x * 2),
    "tangent through a view": lambda t, d, x: d.unpack_dual(d.make_dual(x, x * 2)[1:]),
    "tangent through a write": lambda t, d, x: d.unpack_dual(d.make_dual(x, x * 2).clone().mul_(x)),
    "tangent of complex numbers": lambda t, d, x: d.unpack_dual(
        (d.make_dual(t.complex(x, x), t.complex(x, x + 1)).conj() ** 2).abs()
    ),
    "gradient of a tangent": lambda t, d, x: t.autograd.grad(
        d.unpack_dual(cube(d.make_dual(x.requires_grad_(), t.ones_like(x)))).tangent.sum(), x
    )[0].detach(),
    "integers": lambda t, d, x: d.make_dual(t.tensor([1]), x),
    "integers as a tangent": lambda t, d, x: d.make_dual(x, t.tensor([1])),
    "another size": lambda t, d, x: d.make_dual(x, x[:2]),
    "dual of a dual": lambda t, d, x: d.make_dual(d.make_dual(x, x), x),
    "another level": lambda t, d, x: d.enter_dual_level(),
    "another level closed": lambda t, d, x: d.exit_dual_level(level=3),
}


@pytest.mark.parametrize("name", FORWARD)
def test_forward_mode_is_pytorchs(name: str) -> None:
    same(lambda t: in_level(t, lambda d: FORWARD[name](t, d, vector(t))))


def test_outside_of_a_level_there_are_no_dual_tensors() -> None:
    same(lambda t: t.autograd.forward_ad.make_dual(vector(t), vector(t)))
    same(lambda t: t.autograd.forward_ad.exit_dual_level())
    same(lambda t: t.autograd.forward_ad.unpack_dual(vector(t)))
    same(lambda t: t.autograd.forward_ad.unpack_dual(in_level(t, lambda d: d.make_dual(vector(t), vector(t)))).tangent)


#: What `gradcheck` is asked to check; `x` requires a gradient.
CHECKS: dict[str, Callable[..., Any]] = {
    "right": lambda t, c, x: c.gradcheck(lambda x: x.sin() * x, x),
    "right in second order": lambda t, c, x: c.gradgradcheck(lambda x: x.sin() * x, x),
    "right forwards": lambda t, c, x: c.gradcheck(lambda x: (x * x, x.exp()), x, check_forward_ad=True),
    "right forwards over backwards": lambda t, c, x: c.gradgradcheck(cube, x, check_fwd_over_rev=True),
    "right for complex numbers": lambda t, c, x: c.gradcheck(
        lambda z: (z * z, z.abs()), t.complex(x, x * 2).detach().requires_grad_(), check_forward_ad=True
    ),
    "right in a batch": lambda t, c, x: c.gradcheck(cube, x, check_batched_grad=True),
    "right, quickly": lambda t, c, x: c.gradcheck(cube, x, fast_mode=True),
    "wrong": lambda t, c, x: c.gradcheck(lambda x: x.detach() * 2 + x, x),
    "wrong, and no error wanted": lambda t, c, x: c.gradcheck(lambda x: x.detach() * 2 + x, x, raise_exception=False),
    "wrong for the second of two": lambda t, c, x: c.gradcheck(
        lambda x, y: (x * y, y.detach() + x), (x, x.detach().clone().requires_grad_())
    ),
    "wrong for complex numbers": lambda t, c, x: c.gradcheck(
        lambda z: z.detach() * 2 + z, t.complex(x, x * 2).detach().requires_grad_()
    ),
    "wrong in second order": lambda t, c, x: c.gradgradcheck(lambda x: x * x.detach().sin(), x),
    "wrongly constant": lambda t, c, x: c.gradcheck(lambda x: x.detach() * 2, x),
    "no input with a gradient": lambda t, c, x: c.gradcheck(cube, x.detach()),
    "expanded": lambda t, c, x: c.gradcheck(cube, x[:1].detach().expand(3).requires_grad_()),
    "of another size when nudged": lambda t, c, x: c.gradcheck(lambda x: x[x.detach() >= x.detach()[0].round()], x),
    "too coarse": lambda t, c, x: c.gradcheck(cube, x, eps=0.5),
    "nothing to check": lambda t, c, x: c.gradcheck(cube, x, check_backward_ad=False),
    "nothing to check in second order": lambda t, c, x: c.gradgradcheck(cube, x, check_rev_over_rev=False),
}


@pytest.mark.parametrize("name", CHECKS)
def test_gradcheck_is_pytorchs(name: str) -> None:
    def call(t: Any) -> Any:
        return CHECKS[name](t, t.autograd, vector(t).requires_grad_())

    same(call)


def test_gradcheck_says_where_and_what_differs_as_pytorch_does() -> None:
    def call(t: Any) -> Any:
        with pytest.raises(RuntimeError) as caught:
            t.autograd.gradcheck(lambda x: x.detach() * 2 + x, vector(t).requires_grad_())
        return str(caught.value)

    same(call)


def test_gradcheck_warns_of_single_precision() -> None:
    def call(t: Any) -> Any:
        with pytest.warns(UserWarning, match="not a double precision floating point") as caught:
            t.autograd.gradcheck(lambda x: x * 2, t.ones(2, requires_grad=True), atol=1, rtol=1)
        return str(caught[0].message)

    same(call)


def test_the_older_name_of_vmap_and_what_libraries_ask_about_tensors() -> None:
    results: list[list[Any]] = []
    for t in (torch, tensorglass):
        internals = importlib.import_module(f"{t.__name__}._vmap_internals")
        asked = importlib.import_module("torch._C" if t is torch else "tensorglass._C")._functorch
        x = vector(t).requires_grad_()
        y = cube(x)
        of_rows = internals._vmap(lambda row, x=x, y=y, t=t: t.autograd.grad(y, x, row, retain_graph=True)[0])
        with pytest.warns(FutureWarning, match=r"Please use `torch.vmap` instead"):
            older = internals.vmap(lambda row: row.sum(), 1)
        with pytest.raises(RuntimeError, match="No wrappers present!"):
            asked.get_unwrapped(x)
        rows = t.eye(3, dtype=t.float64)
        questions = ("is_batchedtensor", "is_gradtrackingtensor", "is_functorch_wrapped_tensor", "maybe_get_bdim",
                     "maybe_get_level")  # fmt: skip
        answers = [getattr(asked, question)(x) for question in questions]
        results.append([of_rows(rows).tolist(), older(rows).tolist(), answers, asked.unwrap_if_dead(x) is x])
    assert results[1] == results[0]
