"""`autograd.functional` against PyTorch: values, how results are nested, flags, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
import pytest
from parity import nested

same = partial(nested.same, words=False)  # few people meet these refusals

NAMES = ("vjp", "jvp", "hvp", "vhp", "jacobian", "hessian")


@dataclass(frozen=True)
class Problem:
    """A function, the sizes of its inputs (a list: given as a tuple), and the sizes of what `v` may be."""

    function: Callable[..., Any]
    inputs: tuple[int, ...] | list[tuple[int, ...]]
    outputs: tuple[int, ...] | list[tuple[int, ...]]


PROBLEMS = {
    "one to one": Problem(lambda t, x: x.sin() * x, (3,), (3,)),
    "matrix to vector": Problem(lambda t, x: x.exp().sum(1), (2, 3), (2,)),
    "to a scalar": Problem(lambda t, x: (x**3).sum(), (2, 2), ()),
    "a scalar to a scalar": Problem(lambda t, x: x**3, (), ()),
    "a tuple of one": Problem(lambda t, x: (x * x,), [(3,)], [(3,)]),
    "two to one": Problem(lambda t, x, y: x * y.exp(), [(2, 3), (3,)], (2, 3)),
    "two to two": Problem(lambda t, x, y: (x * y, y.sum()), [(2, 3), (3,)], [(2, 3), ()]),
    "two to a scalar": Problem(lambda t, x, y: (x * y * y).sum() + (x**2).sum(), [(2, 3), (3,)], ()),
    "one unused": Problem(lambda t, x, y: (x**2).sum(), [(3,), (2,)], ()),
    "linear": Problem(lambda t, x: (3 * x).sum(), (3,), ()),
    "independent": Problem(lambda t, x: t.ones(3), (3,), (3,)),
    "no tensor": Problem(lambda t, x: 3.0, (3,), ()),
    "a list": Problem(lambda t, x: [x], (3,), (3,)),
    "one of two independent": Problem(lambda t, x: (x * x, t.ones(2)), (3,), [(3,), (2,)]),
}
OPTIONS: list[dict[str, Any]] = [{}, {"create_graph": True}, {"strict": True}, {"strict": True, "create_graph": True}]


def tensors(library: Any, sizes: Any, seed: int = 0) -> Any:
    """One tensor, or a tuple of them for a list of sizes."""
    if isinstance(sizes, list):
        return tuple(tensors(library, size, seed + place) for place, size in enumerate(sizes))
    count = int(numpy.prod(sizes))
    return library.linspace(0.3 + seed, 1.7 + seed, count, dtype=library.float64).reshape(sizes)


def detached(result: Any) -> Any:
    """The result without its flags: PyTorch's hessian in forward mode requires a gradient, for no reason."""
    return type(result)(detached(part) for part in result) if isinstance(result, (tuple, list)) else result.detach()


@pytest.mark.sweep
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("name", NAMES)
def test_functional_is_pytorchs(name: str, problem: Problem, options: dict[str, Any]) -> None:
    def call(library: Any, with_v: bool, needs_grad: bool) -> Any:
        inputs = tensors(library, problem.inputs)
        if needs_grad:
            for tensor in inputs if isinstance(inputs, tuple) else (inputs,):
                tensor.requires_grad_()
        sizes = problem.outputs if name == "vjp" else problem.inputs
        v = (tensors(library, sizes, 1),) if with_v else ()
        function = getattr(library.autograd.functional, name)
        return function(lambda *given: problem.function(library, *given), inputs, *v, **options)

    for needs_grad in (False, True):
        same(lambda library, flag=needs_grad: call(library, False, flag))
        if name not in ("jacobian", "hessian"):
            same(lambda library, flag=needs_grad: call(library, True, flag))


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("name", ["jacobian", "hessian"])
def test_jacobian_and_hessian_take_pytorchs_strategies(name: str, problem: Problem) -> None:
    strategy = "strategy" if name == "jacobian" else "outer_jacobian_strategy"
    for options in (
        {"vectorize": True},
        {"vectorize": True, strategy: "forward-mode"},
        {strategy: "sideways"},
    ):
        same(
            lambda library, options=options: detached(
                getattr(library.autograd.functional, name)(
                    lambda *given: problem.function(library, *given), tensors(library, problem.inputs), **options
                )
            )
        )


@pytest.mark.parametrize("name", ["vjp", "jvp", "hvp", "vhp"])
@pytest.mark.parametrize("v", [(2,), [(3,), (2,)], [(3,)], 3, (3,)], ids=str)
def test_a_wrong_vector_is_refused(name: str, v: Any) -> None:
    for inputs in ((3,), [(3,)], [(3,), (3,)]):
        same(
            lambda library, inputs=inputs: getattr(library.autograd.functional, name)(
                lambda *given: sum(tensor.sum() for tensor in given),
                tensors(library, inputs),
                3 if v == 3 else tensors(library, v),
            )
        )
        same(
            lambda library, inputs=inputs: library.autograd.functional.vjp(
                lambda *given: given,
                tensors(library, inputs),
                3 if v == 3 else tensors(library, v),
            )
        )


def test_results_with_create_graph_lead_back_to_the_inputs() -> None:
    def call(library: Any) -> Any:
        x = tensors(library, (3,)).requires_grad_()
        functional = library.autograd.functional
        results = [
            functional.jacobian(lambda y: y.sin() * y, x, create_graph=True),
            functional.hessian(lambda y: (y**4).sum(), x, create_graph=True),
            functional.hvp(lambda y: (y**4).sum(), x, tensors(library, (3,)), create_graph=True)[1],
            functional.vhp(lambda y: (y**4).sum(), x, tensors(library, (3,)), create_graph=True)[1],
            functional.jvp(lambda y: y.sin(), x, tensors(library, (3,)), create_graph=True)[1],
            functional.vjp(lambda y: y.sin(), x, tensors(library, (3,)), create_graph=True)[1],
        ]
        return [library.autograd.grad(result.sum(), x)[0] for result in results]

    same(call)
