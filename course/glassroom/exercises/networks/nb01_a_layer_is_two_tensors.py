"""Exercises of notebook 01 of part 5: linear and bilinear layers, and the numbers that they begin with."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_truths, expect_value
from glassroom.exercises.facts import is_tensor, same_value, shape, values


@exercise(
    "n01-linear",
    setup="""
    weight = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    bias = torch.tensor([10.0, 20.0])
    """,
    hints=[
        "Each output is a weighted sum of all inputs. A row of weight holds the weights of one output.",
        "The product sums over the last dimension of x and the first of its partner. Transpose weight for that.",
        """
        def linear(x, weight, bias):
            return x @ … + …
        """,
        """
        def linear(x, weight, bias):
            return x @ weight.t() + bias
        """,
    ],
)
def linear(linear: Callable[..., Any], *, weight: Any, bias: Any) -> str:
    row = weight.new_tensor([[1.0, -2.0, 0.5]])
    own = None
    with suppress(Misconception):  # what does not run at all is told below
        own = call(linear, "linear", row, weight, bias)
    expect(
        own is None or not same_value(values(own), values(row @ weight.reshape(3, 2) + bias)),
        "view and reshape keep the order of the numbers, and cut it into other rows; weight.t() swaps rows and "
        "columns. Transpose it.",
    )
    square = weight[:, :2]
    rows = weight.new_tensor([[1.0, 0.0], [0.5, -2.0]])
    any_rows = "`x` may have one dimension, or three: @ takes any number of them, mm and addmm only two."
    result = _for_any_rows(linear, any_rows, rows, square, bias)
    name = "linear(x, weight, bias)"
    expect_tensor(result, name, shape=(2, 2))
    expect(
        not same_value(values(result), values(rows @ square + bias)),
        "x @ weight fits only a square weight, and even there it sums over the rows of `weight`, which belong to one "
        "output each. Transpose it.",
    )
    expect(
        not same_value(values(result), values(rows @ square.t())),
        "the sums are right, but `bias` is missing.",
    )
    expect(
        not same_value(values(result), values(square @ rows + bias)),
        "the product is the wrong way around: the rows of `x` come first, x @ weight.t().",
    )
    expect(
        not same_value(values(result), values(square @ rows.t() + bias)),
        "that has a row for each output. The rows of `x` are the rows of the result: x @ weight.t().",
    )
    expect(
        not same_value(values(result), values(rows * square.t() + bias)),
        "* multiplies element by element. A layer sums the products: @.",
    )
    expect_value(result, name, rows @ square.t() + bias)
    for size in ((5, 3), (3,), (2, 4, 3)):
        x = weight.new_tensor(range(math.prod(size))).view(size) / 7
        result = _for_any_rows(linear, any_rows, x, weight, bias)
        expect_tensor(result, f"linear(x, weight, bias) for x of shape {size}", shape=(*size[:-1], 2))
        expect_value(result, f"linear(x, weight, bias) for x of shape {size}", x @ weight.t() + bias)
    mine = weight.detach().clone().requires_grad_()
    result = call(linear, "linear", weight, mine, bias)
    expect(
        result.requires_grad,
        "the numbers are right, but no gradient could reach `weight`: something on the way left the graph.",
    )
    return "Two tensors, sums of products and a number added: that is the whole layer."


def _for_any_rows(linear: Callable[..., Any], told: str, *arguments: Any) -> Any:
    """What the layer gives; the errors of operators that take matrices alone become a sentence."""
    try:
        return call(linear, "linear", *arguments)
    except Misconception as misconception:
        expect("must be a matrix" not in str(misconception), told)
        raise


STARTS = {
    "both_zero": (
        False,
        "The hidden numbers are 0, so the second weight gets no gradient; and it is 0, so nothing goes back.",
    ),
    "both_half": (False, "All hidden numbers are computed with equal weights, and always get equal gradients."),
    "second_zero": (
        True,
        "The hidden numbers differ, so the second weight gets a gradient in step one; from then on, the first one too.",
    ),
    "first_zero": (
        False,
        "The hidden numbers are ReLU of 0. Its slope there is 0, so nothing goes back; and the second weight's "
        "gradient "
        "is a product with hidden numbers, all 0.",
    ),
}


@exercise(
    "n01-starts",
    hints=[
        "A weight's gradient is what arrives from above, times what came in from below. Are both of them not 0?",
        (
            "Follow one step: are the hidden numbers 0? Does anything come back through the second weight, and through "
            "ReLU?"
        ),
        "One of the four. train(lambda *size: …) tells, if you look at size to know which weight is asked for.",
        """
        both_zero = False
        both_half = False
        second_zero = True
        first_zero = False
        """,
    ],
)
def starts(both_zero: Any, both_half: Any, second_zero: Any, first_zero: Any) -> str:
    expect_truths(STARTS, (both_zero, both_half, second_zero, first_zero))
    return (
        "The hidden numbers must differ, and something must come back to them. If the first weight is random, the "
        "second may begin with zeros."
    )


@exercise(
    "n01-kaiming",
    setup="import math",
    hints=[
        "The spread of a sum of n products grows by the root of n, and ReLU halves the mean square.",
        "torch.randn has a spread of 1. Multiply it by the root of 2 / inputs.",
        """
        def kaiming(outputs, inputs):
            return torch.randn(…, …) * math.sqrt(…)
        """,
        """
        def kaiming(outputs, inputs):
            return torch.randn(outputs, inputs) * math.sqrt(2 / inputs)
        """,
    ],
)
def kaiming(kaiming: Callable[..., Any]) -> str:
    outputs, inputs = 300, 500
    weight = call(kaiming, "kaiming", outputs, inputs)
    name = f"kaiming({outputs}, {inputs})"
    if is_tensor(weight) and shape(weight) == (inputs, outputs):
        expect(False, f"`{name}` has shape {(inputs, outputs)}. A weight has a row for each output.")
    expect_tensor(weight, name, shape=(outputs, inputs))
    other = call(kaiming, "kaiming", outputs, inputs)
    is_same = float((weight - other).detach().abs().max()) == 0
    expect(
        not is_same or bool((weight != weight[0, 0]).any()),
        f"`{name}` is one number everywhere, and the same in each call. Hidden numbers with equal weights stay equal: "
        "draw a number for each weight.",
    )
    expect(
        not is_same,
        f"`{name}` is the same in each call. It should be drawn anew; leave the seed to the caller.",
    )
    alike = (weight[1:] == weight[:-1]).all(1).any() or (weight[:, 1:] == weight[:, :-1]).all(0).any()
    expect(
        not bool(alike),
        f"`{name}` has the same row or column several times, and hidden numbers with equal weights stay equal. Draw a "
        "number for each weight.",
    )
    few = call(kaiming, "kaiming", 40, 2000)
    expect_tensor(few, "kaiming(40, 2000)", shape=(40, 2000), dtype="float32")
    spread = float(weight.detach().std())
    mistakes = {
        1.0: "That is randn as it comes. Scale it by sqrt(2 / inputs).",
        math.sqrt(1 / inputs): "That keeps the signal level without ReLU, which halves the mean square: 2 / inputs.",
        math.sqrt(2 / outputs): "That counts the outputs. A result is a sum over the inputs.",
        math.sqrt(2 / (inputs + outputs)): "That is Xavier's, the compromise for tanh. With ReLU it fades.",
        2 / inputs: "2 / inputs is the mean *square*. The spread is its root.",
        2 / math.sqrt(inputs): "The 2 stands under the root as well: sqrt(2 / inputs).",
        math.sqrt(inputs / 2): "The fraction is upside down: sqrt(2 / inputs).",
        math.sqrt(2 / inputs)
        / math.sqrt(12): "rand draws from 0 up to 1, and never below 0: its mean is not 0, and its "
        "spread is 0.29. randn has a spread of 1.",
        math.sqrt(2 * inputs): "It should get smaller as there are more inputs.",
        math.sqrt(2 / inputs) / math.sqrt(3): "Numbers between −b and b have a spread of b / sqrt(3).",
    }
    for wrong, shows in mistakes.items():
        expect(not math.isclose(spread, wrong, rel_tol=0.03), f"`{name}` has a spread of {spread:.3g}. {shows}")
    wanted = math.sqrt(2 / inputs)
    expect(
        math.isclose(spread, wanted, rel_tol=0.03),
        f"`{name}` has a spread of {spread:.3g}; it should be sqrt(2 / {inputs}) = {wanted:.3g}.",
    )
    expect(
        abs(float(weight.detach().mean())) < wanted / 20,
        f"the spread is right, but the mean of `{name}` is {float(weight.detach().mean()):.3g}; it should be about 0.",
    )
    return "Through twenty layers of ReLU with such weights, the signal neither swells nor fades."


@exercise(
    "n01-bilinear",
    setup="weight = torch.nn.Bilinear(3, 4, 2).weight.detach()",
    hints=[
        "einsum takes the sum as it is written: one letter for each dimension, and those that stay after the arrow.",
        "The letters are n, i, j and o. a is ni, weight is oij, b is nj.",
        """
        def bilinear(a, b, weight):
            return torch.einsum("ni,oij,nj->…", a, weight, b)
        """,
        """
        def bilinear(a, b, weight):
            return torch.einsum("ni,oij,nj->no", a, weight, b)
        """,
    ],
)
def bilinear(bilinear: Callable[..., Any], *, weight: Any) -> str:
    outputs, inputs, others = shape(weight)
    weight = (weight * 64).round() / 64  # numbers whose products and sums are exact, in whichever order
    a = weight.new_tensor(range(5 * inputs)).view(5, inputs) / 8 - 0.5
    b = weight.new_tensor(range(5 * others)).view(5, others) / 16 - 0.75
    result = call(bilinear, "bilinear", a, b, weight)
    name = "bilinear(a, b, weight)"
    if is_tensor(result) and shape(result) == (outputs, 5):
        expect(False, f"`{name}` has shape {(outputs, 5)}: it is transposed. Each row of `a` should be a row of it.")
    if is_tensor(result):
        expect(
            shape(result) not in ((5, 5, outputs), (outputs, 5, 5)),
            f"`{name}` has shape {shape(result)}: every row of `a` met every row of `b`, not its own alone.",
        )
        expect(
            shape(result) != (5, outputs, inputs, others),
            f"`{name}` has shape {shape(result)}: the products are there, and not yet summed over i and j.",
        )
        expect(
            shape(result) not in ((5,), (outputs,)),
            f"`{name}` has shape {shape(result)}; it should be {(5, outputs)}. What is to stay, n and o, stands behind "
            "the arrow.",
        )
    expect_tensor(result, name, shape=(5, outputs))
    expect(
        not same_value(values(result), values((a @ weight @ b.sum(0)).t())),
        "every row of `a` met all rows of `b`, and the results were added up. One letter, n, walks through both.",
    )
    expect_value(result, name, ((a @ weight).transpose(0, 1) * b[:, None]).sum(-1))
    elsewhere = call(bilinear, "bilinear", a + 1, b, weight)
    expect_value(elsewhere, "bilinear(a + 1, b, weight)", (((a + 1) @ weight).transpose(0, 1) * b[:, None]).sum(-1))
    return "All products of a pair of numbers, weighted and summed: one table of weights for each output."
