"""The small tests of each part of `my_tensor.py`: a sentence for the learner, and a function that checks it.

They need no library: a strided tensor is compared with nested lists, and a gradient with small differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from types import ModuleType
from typing import Any

STEP = 1e-6  # of the small differences


@dataclass(frozen=True)
class Trial:
    """One test. If it tests a single answer, `of` names the function."""

    tells: str
    made: Callable[[Any], None]
    of: str = ""

    def fault(self, module: ModuleType) -> str:
        """What is wrong, as the first line of what was raised; nothing if all is well."""
        try:
            self.made(module)
        except AssertionError as error:
            return str(error) or "it gives something else"
        except Exception as error:
            return f"{type(error).__name__}: {error}".splitlines()[0]
        return ""


def _same(own: object, wanted: object) -> None:
    assert own == wanted, f"{own} in place of {wanted}"


def _near(own: Any, wanted: Any) -> None:
    if isinstance(wanted, list):
        _same(len(own), len(wanted))
        for number, other in zip(own, wanted, strict=True):
            _near(number, other)
    else:
        assert abs(own - wanted) <= 1e-4 * max(1.0, abs(wanted)), f"{own:.4g} in place of {wanted:.4g}"


# strides


def _elements(my: Any) -> None:
    _same(my.cell((1, 2), (4, 1), 3), 9)
    _same(
        my.Strided([*range(12)], (4, 3), (1, 4)).tolist(),
        [[row + 4 * column for column in range(3)] for row in range(4)],
    )


def _in_order(my: Any) -> None:
    _same(my.contiguous_stride((2, 0, 3)), (3, 3, 1))
    _same(my.arange(2, 3).tolist(), [[0, 1, 2], [3, 4, 5]])


def _indices(my: Any) -> None:
    x = my.arange(2, 3, 4)
    part = x[1, :, 1::2]
    _same(part.tolist(), [[13, 15], [17, 19], [21, 23]])
    assert part.storage is x.storage, "the storage is another list"


def _merges(my: Any) -> None:
    halves = my.arange(2, 3, 4)[:, :, :2]
    _same(halves.view(6, 2).tolist(), [[row * 4, row * 4 + 1] for row in range(6)])
    try:
        halves.view(2, 6)
    except RuntimeError:
        return
    raise AssertionError("the halves of rows are no single run")


def _expanded(my: Any) -> None:
    grown = my.arange(3, 1).expand(2, 3, 4)
    _same(grown.tolist(), [[[row] * 4 for row in range(3)]] * 2)
    _same(len(grown.storage), 3)


def _written(my: Any) -> None:
    x = my.arange(3, 4)
    x.transpose(0, 1)[1].add_(my.Strided([100], (), ()))
    _same(x.tolist(), [[0, 101, 2, 3], [4, 105, 6, 7], [8, 109, 10, 11]])


# engine


def _differences(my: Any, function: Callable[..., Any], *values: Any) -> None:
    """Compare the gradients of a function of nodes with small differences in each number."""
    nodes = [my.Node(my.tensor(value)) for value in values]
    my.backward(function(*nodes), my.tensor(1.0))

    def value() -> float:
        return float(function(*nodes).value.item())

    for node in nodes:
        gradient = node.grad
        _same(tuple(gradient.size), tuple(node.value.size))
        for index in product(*map(range, node.value.size)):
            there = my.cell(index, node.value.stride, node.value.offset)
            before = node.value.storage[there]
            node.value.storage[there] = before + STEP
            above = value()
            node.value.storage[there] = before - STEP
            below = value()
            node.value.storage[there] = before
            _near(gradient[index].item(), (above - below) / (2 * STEP))


SMALL, WIDE = [[0.5, -1.0], [2.0, 0.25]], [[1.0, 0.5, -0.5], [-1.5, 2.0, 0.1]]


def _products(my: Any) -> None:
    _differences(my, lambda a, b: my.total(my.multiply(a, b)), SMALL, [[3.0, 1.0], [-1.0, 2.0]])


def _broadcasts(my: Any) -> None:
    _differences(my, lambda a, b: my.total(my.multiply(my.add(a, b), my.add(a, b))), WIDE, [0.5, -0.2, 1.0])
    _differences(my, lambda a, b: my.total(my.multiply(a, b)), WIDE, [[2.0], [-3.0]])
    _differences(my, lambda a, b: my.total(my.multiply(a, b)), WIDE, 2.0)


def _matrices(my: Any) -> None:
    _differences(my, lambda a, b: my.total(my.tanh(my.matmul(a, b))), SMALL, WIDE)


def _rows(my: Any) -> None:
    def read(table: Any) -> Any:
        return my.total(my.tanh(my.pick(table, my.tensor([2, 0, 2, 2]))))

    _differences(my, read, [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])


def _leaf(my: Any) -> None:
    x = my.Node(my.tensor([1.0, 2.0]))
    for _ in range(2):
        my.backward(my.total(my.multiply(x, x)), my.tensor(1.0))
    _near(x.grad.tolist(), [4.0, 8.0])


def _doublings(my: Any) -> None:
    x = y = my.Node(my.tensor(1.0))
    for _ in range(100):
        y = my.add(y, y)
    my.backward(y, my.tensor(1.0))
    _same(x.grad.item(), 2.0**100)


# reader

WEIGHTS = [[[0.5, -0.3], [0.2, 0.8], [-0.6, 0.1]], [0.1, 0.0, -0.1], [[0.3, -0.2, 0.5], [-0.4, 0.6, 0.1]], [0.0, 0.1]]
PICTURES, LABELS = [[0.2, 0.9], [1.0, 0.1], [0.4, 0.6], [0.9, 0.4]], [0, 1, 0, 1]


def _surprise(my: Any) -> None:
    _near(my.cross_entropy(my.Node(my.tensor([[1.0, 1.0]])), [0]).value.item(), 0.693147)
    _differences(my, lambda scores: my.cross_entropy(scores, LABELS), PICTURES)


def _network(my: Any) -> None:
    def loss(*weights: Any) -> Any:
        reader = my.Reader(*WEIGHTS)
        reader.parameters = list(weights)
        return my.cross_entropy(reader(my.Node(my.tensor(PICTURES))), LABELS)

    _differences(my, loss, *WEIGHTS)


def _learns(my: Any) -> None:
    reader = my.Reader(*WEIGHTS)
    losses = [reader.learn(PICTURES, LABELS, 1.0) for _ in range(20)]
    assert losses[-1] < losses[0] / 2, f"the loss goes from {losses[0]:.3g} to {losses[-1]:.3g}"


TRIALS = {
    "strides": [
        Trial("an index leads to its element", _elements, "cell"),
        Trial("a new tensor has its numbers in order", _in_order, "contiguous_stride"),
        Trial("x[1, :, 1::2] is a view", _indices, "indexed"),
        Trial("a view merges dimensions where it can, and is refused where it cannot", _merges, "runs"),
        Trial("an expanded tensor repeats what it has, and keeps its storage", _expanded, "expanded_stride"),
        Trial("a write through a view shows in the whole tensor", _written),
    ],
    "engine": [
        Trial("a product has the gradients that small differences show", _products, "multiply_rule"),
        Trial("what was broadcast gets the sum of its gradients", _broadcasts, "fitted"),
        Trial("a matrix product has the gradients that small differences show", _matrices, "matmul_rule"),
        Trial("a row that was picked three times gets three gradients", _rows, "rows_rule"),
        Trial("a leaf adds up what comes", _leaf, "turn"),
        Trial("a hundred doublings take a moment", _doublings),
    ],
    "reader": [
        Trial("the loss has the gradient that small differences show", _surprise),
        Trial("every weight and every bias has such a gradient, too", _network),
        Trial("twenty steps more than halve the loss of four small pictures", _learns),
    ],
}
