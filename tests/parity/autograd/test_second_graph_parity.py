"""The graph of a gradient that was found with `create_graph`: its nodes are PyTorch's, two steps deep, and so is what
a further derivative finds.
"""

from __future__ import annotations

from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

EXPRESSIONS = """
x**2; x**3; x**2.5; 2**x; 1j**x; w**x; x**w; torch.pow(3.0, x); x.pow(0.5); x.pow(-1)
x * w; x * 3; x / w; x / 2; 3 / x; 1 - x * x; x - w * x; x.add(w * x, alpha=2); x.mul(2).div(3) * x
(x * 2).sin() * 3 - 1
x.cos(); x.exp(); x.log(); x.sqrt(); x.tanh(); x.sigmoid(); x.relu(); x.abs(); x.square(); x.reciprocal(); x.rsqrt()
x.log1p(); x.expm1(); x.erf(); x.atan(); x.asin(); x.sinh(); x.cosh(); x.exp2(); x.log2(); x.log10(); x.deg2rad() * x
x.norm(); x.norm(1); x.norm(3); x.sum() ** 2; x.mean() ** 2; x.var(); x.std(); x.prod(); x.softmax(0); x.log_softmax(0)
x.max() * x; x.amax() * x; torch.maximum(x, w) * x; torch.atan2(x, w); x.hypot(w); torch.xlogy(x, w); x.lgamma()
x[[0, 1]] ** 2; x.gather(0, torch.tensor([0])) ** 2; x.masked_fill(x > 1, 0) ** 2; torch.cat([x, w]) ** 2
torch.stack([x, w]) ** 2; x.expand(2, 2) ** 2; x.repeat(2) ** 2; x.flip(0) ** 2; x.view(2, 1) ** 2; x @ w; m @ x
m.t() ** 2; m.diagonal() ** 2; m.trace() ** 2; m.tril() ** 2; m.mean(1) ** 2; m.std(0); m.norm(dim=0); m.mm(m)
m.inverse()
""".replace("\n", ";").split(";")


def _names(node: Any, depth: int) -> Any:
    if node is None:
        return None
    return (
        type(node).__name__,
        *([_names(next_node, depth - 1) for next_node, _ in node.next_functions] if depth else ()),
    )


def _seen(library: Any, expression: str) -> list[Any]:
    names = {
        "torch": library,
        "x": library.tensor([0.5, 0.8], requires_grad=True),
        "w": library.tensor([0.3, 0.7], requires_grad=True),
        "m": library.tensor([[2.0, 0.5], [0.3, 1.0]], requires_grad=True),
    }
    result, seen = eval(expression, names), []
    result = result.abs() if result.is_complex() else result
    for _ in range(2):
        wanted = names["m" if "m." in expression else "x"]
        (result,) = library.autograd.grad(result.sum(), wanted, create_graph=True, allow_unused=True)
        if result is None:
            break
        seen.append((_names(result.grad_fn, 2), result.stride(), result.requires_grad))
        if not result.requires_grad:
            break
        seen.append([round(number, 3) for number in result.flatten().tolist()])
    return seen


@pytest.mark.parametrize("expression", [name.strip() for name in EXPRESSIONS if name.strip()])
def test_the_graph_of_a_gradient_is_pytorchs(expression: str) -> None:
    assert _seen(tensorglass, expression) == _seen(torch, expression)
