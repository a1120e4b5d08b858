"""Exercises of notebook 10: the rules of an autograd engine, and a node's turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises import facts
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_equal, expect_tensor, expect_value, run


@exercise(
    "a10-multiply",
    setup="""
    grad, a, b = torch.tensor([1.0, 10.0]), torch.tensor([2.0, 3.0]), torch.tensor([5.0, 7.0])
    """,
    hints=[
        "The derivative of a * b with respect to a is b, and with respect to b it is a.",
        "The chain rule multiplies each of them by the gradient of the result, element by element.",
        "def multiply_rule(grad, a, b):\n    return grad * …, grad * …",
        "def multiply_rule(grad, a, b):\n    return grad * b, grad * a",
    ],
)
def multiply_rule(multiply_rule: Callable[..., Any], *, grad: Any, a: Any, b: Any) -> str:
    for arriving, left, right in ((grad, a, b), (b, grad, a * 2)):
        _expect_multiply_rule(multiply_rule, arriving, left, right)
    return "Each factor's gradient is the other factor, times what arrives: so a product has to keep both."


def _expect_multiply_rule(multiply_rule: Callable[..., Any], grad: Any, a: Any, b: Any) -> None:
    of_a, of_b = _two(call(multiply_rule, "multiply_rule", grad, a, b), "multiply_rule")
    for name, gradient, right, other in (("a", of_a, b, a), ("b", of_b, a, b)):
        expect_tensor(gradient, f"the gradient of {name}", shape=(2,))
        values = gradient.tolist()
        expect(
            values != (grad * other).tolist(),
            "The two are swapped: a change of a is multiplied by b.",
        )
        expect(
            values != right.tolist(),
            f"The gradient of {name} leaves out `grad`: the chain rule multiplies by it.",
        )
        expect_value(gradient, f"the gradient of {name}", grad * right)


def _two(result: Any, name: str) -> tuple[Any, Any]:
    expect(
        isinstance(result, (tuple, list)) and len(result) == 2,
        f"`{name}` should return two gradients, one for a and one for b.",
    )
    of_a, of_b = result
    return of_a, of_b


@exercise(
    "a10-fitted",
    setup="grad = torch.arange(24.0).view(2, 3, 4)",
    hints=[
        "Broadcasting used an element several times; its gradient is the sum over these uses.",
        "First sum dimension 0 away until there are as many dimensions as in size. Then sum those of size 1, and keep "
        "the dimension.",
        """
        def fitted(grad, size):
            while grad.dim() > len(size):
                grad = …
            for dim, length in enumerate(size):
                if length == 1:
                    grad = grad.sum(dim, …)
            return grad
        """,
        """
        def fitted(grad, size):
            while grad.dim() > len(size):
                grad = grad.sum(0)
            for dim, length in enumerate(size):
                if length == 1:
                    grad = grad.sum(dim, keepdim=True)
            return grad
        """,
    ],
)
def fitted(fitted: Callable[..., Any], *, grad: Any) -> str:
    for size in [(2, 3, 4), (3, 4), (4,), (1, 4), (3, 1), (2, 1, 4), (1, 1, 1), ()]:
        wanted = grad
        while wanted.dim() > len(size):
            wanted = wanted.sum(0)
        for dim, length in enumerate(size):
            wanted = wanted.sum(dim, keepdim=True) if length == 1 else wanted
        name = f"fitted(grad, {size}), where grad has size (2, 3, 4),"
        gradient = call(fitted, "fitted", grad, size)
        expect_tensor(gradient, name)
        expect(
            tuple(gradient.shape) == size,
            f"`{name}` has size {tuple(gradient.shape)}. A gradient has the size of what it belongs to; `keepdim=True` "
            "keeps a dimension of size 1.",
        )
        mean = wanted * wanted.numel() / grad.numel()
        expect(
            grad.numel() == wanted.numel() or gradient.tolist() != mean.tolist(),
            "That is a mean. Each use contributes its share, so the gradients are summed.",
        )
        expect_value(gradient, name, wanted)
    return "Broadcasting in the forward is a sum in the backward, and every gradient has the size of its tensor."


@exercise(
    "a10-matmul",
    setup="""
    grad, a, b = torch.arange(6.0).view(2, 3), torch.arange(8.0).view(2, 4), torch.arange(12.0).view(4, 3)
    """,
    hints=[
        "The gradient of a has a's size, (n, k). From grad, (n, m), and b, (k, m), there is one product of that size.",
        "(n, m) @ (m, k) is (n, k): so b has to be transposed. For b, it is the same from the other side.",
        "def matmul_rule(grad, a, b):\n    return grad @ …, … @ grad",
        "def matmul_rule(grad, a, b):\n    return grad @ b.t(), a.t() @ grad",
    ],
)
def matmul_rule(matmul_rule: Callable[..., Any], *, grad: Any, a: Any, b: Any) -> str:
    for arriving, left, right in ((grad, a, b), (grad[:1] + 1, a[-1:] * 3, b)):
        _expect_matmul_rule(matmul_rule, arriving, left, right)
    return "For each gradient, only one product fits. Backward costs two products as large as the first."


def _expect_matmul_rule(matmul_rule: Callable[..., Any], grad: Any, a: Any, b: Any) -> None:
    of_a, of_b = _two(call(matmul_rule, "matmul_rule", grad, a, b), "matmul_rule")
    for name, gradient, operand, wanted in (("a", of_a, a, grad @ b.t()), ("b", of_b, b, a.t() @ grad)):
        expect_tensor(gradient, f"the gradient of {name}")
        expect(
            tuple(gradient.shape) != tuple(operand.t().shape),
            f"The gradient of {name} is transposed: it has size {tuple(gradient.shape)}, and {name} has "
            f"{tuple(operand.shape)}.",
        )
        expect_tensor(gradient, f"the gradient of {name}", shape=tuple(operand.shape))
        expect_value(gradient, f"the gradient of {name}", wanted)


@exercise(
    "a10-rows",
    setup="""
    grad, a, rows = torch.arange(8.0).view(4, 2), torch.zeros(3, 2), torch.tensor([2, 0, 2, 2])
    """,
    hints=[
        "A row that was read three times has three times the influence: its gradients add up. One never read has none.",
        "Begin with zeros of a's size. `index_add_` (part 1, notebook 04) adds to a row as often as it is named.",
        "def rows_rule(grad, a, rows):\n    return torch.zeros_like(a).index_add_(0, …, …)",
        "def rows_rule(grad, a, rows):\n    return torch.zeros_like(a).index_add_(0, rows, grad)",
    ],
)
def rows_rule(rows_rule: Callable[..., Any], *, grad: Any, a: Any, rows: Any) -> str:
    for arriving, chosen in ((grad, rows), (grad[:2] + 1, rows[:2] * 0 + 1)):
        returned = call(rows_rule, "rows_rule", arriving, a, chosen)
        expect(not isinstance(returned, (tuple, list)), "`rows_rule` should return one gradient, that of `a`.")
        expect_tensor(returned, "the gradient of a")
        expect(
            tuple(returned.shape) != tuple(arriving.shape) or tuple(arriving.shape) == tuple(a.shape),
            f"The gradient has the size of what arrives, {tuple(arriving.shape)}; `a` has {tuple(a.shape)}.",
        )
        expect_tensor(returned, "the gradient of a", shape=tuple(a.shape))
        wanted, last = a.new_zeros(a.shape), a.new_zeros(a.shape)
        for row, gradient in zip(chosen.tolist(), arriving, strict=True):
            wanted[row] += gradient
            last[row] = gradient
        expect(
            facts.same_value(facts.values(wanted), facts.values(last))
            or not facts.same_value(facts.values(returned), facts.values(last)),
            "A row that was read several times got one of its gradients only (an index with `+=` adds once to each). "
            "They have to add up.",
        )
        expect_value(returned, "the gradient of a", wanted)
    return "Each row gets the sum of what arrives for it, and a row that nobody read gets zeros."


@exercise(
    "a10-turn",
    setup="""
    class node:
        def __init__(self, value, inputs=(), rule=None):
            self.value, self.inputs, self.rule, self.grad = value, inputs, rule, None
    """,
    hints=[
        "Two kinds of nodes: a leaf keeps what arrives and sends nothing; any other sends and keeps nothing.",
        "node.rule(grad) gives one gradient for each of node.inputs, in the same order: zip puts them in pairs.",
        """
        def turn(node, grad):
            if node.rule is None:
                node.grad = grad if node.grad is None else …
                return []
            return list(zip(…, …))
        """,
        """
        def turn(node, grad):
            if node.rule is None:
                node.grad = grad if node.grad is None else node.grad + grad
                return []
            return list(zip(node.inputs, node.rule(grad)))
        """,
    ],
)
def turn(turn: Callable[..., Any], *, node: Any) -> str:
    x, y = node(1.0), node(2.0)
    calls: list[float] = []

    def rule(grad: float) -> tuple[float, float]:
        calls.append(grad)
        return grad * 5, grad * 7

    middle = node(3.0, (x, y), rule)
    sent = _pairs(run(turn, "turn", middle, 10.0))
    expect(
        calls == [10.0],
        f"A node with a rule calls it once, with the gradient that arrived; yours calls it {len(calls)} times.",
    )
    expect(middle.grad is None, "Only leaves keep their gradient: the `grad` of a node with a rule stays None.")
    expect(
        x.grad is None and y.grad is None, "`turn` sends the gradients on; an input adds them when its own turn comes."
    )
    expect(
        [name for name, _ in sent] == [x, y],
        "`turn` should return a pair for each input, in their order: (input, gradient).",
    )
    expect_equal([part for _, part in sent], "what is sent to the two inputs", [50.0, 70.0])
    expect(
        not _pairs(run(turn, "turn", x, 2.0)), "A leaf has nobody to send anything to: `turn` returns an empty list."
    )
    expect_equal(x.grad, "the `grad` of a leaf to which 2.0 has come", 2.0)
    run(turn, "turn", x, 3.0)
    expect_equal(
        x.grad,
        "the `grad` of a leaf to which 2.0 has come, and then 3.0",
        5.0,
        mistakes={3.0: "A leaf adds what arrives to the `grad` that it has; yours starts over."},
    )
    return "A leaf adds up, every other node sends on."


def _pairs(sent: Any) -> list[tuple[Any, Any]]:
    """What `turn` returned, as pairs."""
    expect(sent is not None, "`turn` returned nothing. It should return a list of pairs, which is empty for a leaf.")
    pairs = list(sent) if isinstance(sent, (list, tuple, zip)) else [sent]
    fits = all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs)
    expect(fits, "`turn` should return a list of pairs: an input, and the gradient that goes to it.")
    return [(pair[0], pair[1]) for pair in pairs]
