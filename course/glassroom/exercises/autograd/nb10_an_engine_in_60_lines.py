"""Exercises of notebook 10: an autograd engine, written by the learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_equal, expect_tensor, expect_value, run


@exercise(
    "a09-multiply",
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
    for name, found, right, other in (("a", of_a, b, a), ("b", of_b, a, b)):
        expect_tensor(found, f"the gradient of {name}", shape=(2,))
        values = found.tolist()
        expect(
            values != (grad * other).tolist(),
            "The two are swapped: a change of a is multiplied by b.",
        )
        expect(
            values != right.tolist(),
            f"The gradient of {name} leaves out `grad`: the chain rule multiplies by it.",
        )
        expect_value(found, f"the gradient of {name}", grad * right)


def _two(result: Any, name: str) -> tuple[Any, Any]:
    expect(
        isinstance(result, (tuple, list)) and len(result) == 2,
        f"`{name}` should return two gradients, one for a and one for b.",
    )
    of_a, of_b = result
    return of_a, of_b


@exercise(
    "a09-fitted",
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
        found = call(fitted, "fitted", grad, size)
        expect_tensor(found, name)
        expect(
            tuple(found.shape) == size,
            f"`{name}` has size {tuple(found.shape)}. A gradient has the size of what it belongs to; `keepdim=True` "
            "keeps a dimension of size 1.",
        )
        mean = wanted * wanted.numel() / grad.numel()
        expect(
            grad.numel() == wanted.numel() or found.tolist() != mean.tolist(),
            "That is a mean. Each use contributes its share, so the gradients are summed.",
        )
        expect_value(found, name, wanted)
    return "Broadcasting in the forward is a sum in the backward, and every gradient has the size of its tensor."


@exercise(
    "a09-matmul",
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
    for name, found, operand, wanted in (("a", of_a, a, grad @ b.t()), ("b", of_b, b, a.t() @ grad)):
        expect_tensor(found, f"the gradient of {name}")
        expect(
            tuple(found.shape) != tuple(operand.t().shape),
            f"The gradient of {name} is transposed: it has size {tuple(found.shape)}, and {name} has "
            f"{tuple(operand.shape)}.",
        )
        expect_tensor(found, f"the gradient of {name}", shape=tuple(operand.shape))
        expect_value(found, f"the gradient of {name}", wanted)


def _graphs(node: Callable[..., Any]) -> dict[str, tuple[Any, dict[Any, int]]]:
    """Small graphs by what they compute, and how many gradients each of their nodes is sent."""

    def passing(value: float, *inputs: Any) -> Any:
        return node(value, inputs, lambda grad: [grad] * len(inputs))

    x, y = node(1.0), node(2.0)
    one = passing(3.0, x, y)
    twice = passing(2.0, x, x)
    left, right = passing(2.0, twice), passing(2.0, twice)
    diamond = passing(4.0, left, right)
    far = passing(5.0, passing(4.0, passing(3.0, x)), x)
    middle = far.inputs[0]
    inner = middle.inputs[0]
    return {
        "x + y": (one, {one: 0, x: 1, y: 1}),
        "x + x": (twice, {twice: 0, x: 2}),
        "a node that two others use": (diamond, {diamond: 0, left: 1, right: 1, twice: 2, x: 2}),
        "a leaf that is used near the root and far from it": (far, {far: 0, middle: 1, inner: 1, x: 2}),
        "a leaf alone": (x, {x: 0}),
    }


@exercise(
    "a09-waiting",
    setup="""
    class node:
        def __init__(self, value, inputs=(), rule=None):
            self.value, self.inputs, self.rule, self.grad = value, inputs, rule, None
    """,
    hints=[
        "Visit every node once, and count for each of its inputs that one more gradient will come from here.",
        "Keep a stack of nodes that are still to be visited. An input goes onto it when it is met for the first time; "
        "it is counted every time.",
        """
        def waiting(root):
            counts, stack = {root: 0}, [root]
            while stack:
                for source in stack.pop().inputs:
                    if source not in counts:
                        …
                    counts[source] += 1
            return counts
        """,
        """
        def waiting(root):
            counts, stack = {root: 0}, [root]
            while stack:
                for source in stack.pop().inputs:
                    if source not in counts:
                        counts[source] = 0
                        stack.append(source)
                    counts[source] += 1
            return counts
        """,
    ],
)
def waiting(waiting: Callable[..., Any], *, node: Any) -> str:
    for title, (root, wanted) in _graphs(node).items():
        found = call(waiting, "waiting", root)
        expect(isinstance(found, dict), "`waiting` should return a dictionary from nodes to numbers.")
        expect(root in found, "The root belongs in the dictionary too, with 0.")
        expect(set(found) <= set(wanted), f"In the graph of {title}, `waiting` has nodes that the root does not use.")
        missing = len(wanted) - len(found)
        expect(not missing, f"In the graph of {title}, {missing} of {len(wanted)} nodes are missing.")
        for each, count in wanted.items():
            expect(
                found[each] >= count,
                f"In the graph of {title}, a node that is sent {count} gradients counts {found[each]}. Count it every "
                "time that it is an input, also of the same node.",
            )
            expect(
                found[each] <= count,
                f"In the graph of {title}, a node that is sent {count} gradients counts {found[each]}. Each node is "
                "visited once, however often it is met, and nothing sends a gradient to the root.",
            )
    return "Now every node knows how many gradients to wait for."


@exercise(
    "a09-backward",
    setup="""
    class node:
        def __init__(self, value, inputs=(), rule=None):
            self.value, self.inputs, self.rule, self.grad = value, inputs, rule, None

    def waiting(root):
        counts, stack = {root: 0}, [root]
        while stack:
            for source in stack.pop().inputs:
                if source not in counts:
                    counts[source] = 0
                    stack.append(source)
                counts[source] += 1
        return counts
    """,
    hints=[
        "Three things to keep: how many gradients each node still waits for, what has arrived, and who is ready.",
        "Take a ready node and its gradient. A leaf adds it to grad; else zip(node.inputs, node.rule(grad)) says what "
        "goes where. Count down; at 0 the input is ready.",
        """
        def backward(root, gradient):
            missing, arrived, ready = waiting(root), {root: gradient}, [root]
            while ready:
                node = ready.pop()
                grad = arrived.pop(node)
                if node.rule is None:
                    node.grad = …
                    continue
                for source, part in zip(node.inputs, node.rule(grad)):
                    arrived[source] = …
                    missing[source] -= 1
                    if missing[source] == 0:
                        ready.append(source)
        """,
        """
        def backward(root, gradient):
            missing, arrived, ready = waiting(root), {root: gradient}, [root]
            while ready:
                node = ready.pop()
                grad = arrived.pop(node)
                if node.rule is None:
                    node.grad = grad if node.grad is None else node.grad + grad
                    continue
                for source, part in zip(node.inputs, node.rule(grad)):
                    arrived[source] = arrived[source] + part if source in arrived else part
                    missing[source] -= 1
                    if missing[source] == 0:
                        ready.append(source)
        """,
    ],
)
def backward(backward: Callable[..., Any], *, node: Any, waiting: Any) -> str:
    calls: dict[str, int] = {}

    def scaled(name: str, value: float, *factors: tuple[float, Any]) -> Any:
        def rule(grad: float) -> list[float]:
            calls[name] = calls.get(name, 0) + 1
            return [grad * factor for factor, _ in factors]

        return node(value, tuple(source for _, source in factors), rule)

    x, y = node(1.0), node(1.0)
    inner = scaled("inner", 1.0, (2.0, x), (3.0, y))
    left, right = scaled("left", 1.0, (5.0, inner)), scaled("right", 1.0, (7.0, inner))
    root = scaled("root", 1.0, (1.0, left), (1.0, right), (11.0, x))
    run(backward, "backward", root, 10.0)
    expect(x.grad is not None, "A leaf's gradient belongs in its `grad`; after `backward` it is still None.")
    expect(
        max(calls.values(), default=0) <= 1,
        "A node that two others use has called its rule twice. It has to wait until both gradients have arrived.",
    )
    expect(inner.grad is None, "Only leaves keep their gradient: the `grad` of a node with a rule stays None.")
    expect_equal(
        x.grad,
        "the gradient of a leaf that is used near the root and far from it",
        350.0,
        mistakes={
            35.0: "`gradient` is what arrives at the root; it is not 1 here.",
            **dict.fromkeys(
                (100.0, 110.0, 140.0, 240.0),
                "The first gradient was lost: gradients that arrive at the same node add up.",
            ),
        },
    )
    expect_equal(y.grad, "the gradient of a leaf behind a node that two others use", 360.0)
    run(backward, "backward", root, 10.0)
    expect_equal(
        x.grad,
        "the gradient after a second backward",
        700.0,
        mistakes={350.0: "A leaf adds what arrives to the `grad` that it has; yours starts over."},
    )
    alone = node(1.0)
    run(backward, "backward", alone, 3.0)
    expect_equal(alone.grad, "the gradient of a leaf that is itself the root", 3.0)
    return "Each node ran once, when all of its gradients had arrived, and the leaves added up."
