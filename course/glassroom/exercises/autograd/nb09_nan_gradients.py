"""Exercises of notebook 09: where a NaN gradient comes from, and functions that have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_as_given, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import rounded, same_value, told_apart, values


def _gradient(function: Callable[..., Any], name: str, x: Any) -> Any:
    """The gradient of the sum of the learner's function, at a leaf with these values."""
    leaf = x.detach().clone().requires_grad_()
    result = call(function, name, leaf)
    expect_tensor(result, f"{name}(x)")
    expect(
        result.requires_grad,
        f"`{name}(x)` does not require a gradient: the values are cut off from x (detach, no_grad, .data, item?).",
    )
    result.sum().backward()
    expect(leaf.grad is not None, f"`{name}(x)` has a graph, and no gradient arrives at x.")
    return leaf.grad


def _holds_nan(x: Any) -> bool:
    return bool((x != x).any())


@exercise(
    "a09-root",
    setup="x = torch.tensor([4.0, 0.0, -9.0, 0.25])",
    hints=[
        "where chooses between values. In the backward both branches are walked, and 0 times infinite is nan.",
        "Choose twice: first what goes into sqrt, so that it is never 0 or negative, then what comes out.",
        """
        def root(x):
            is_fine = x > 0
            safe = torch.where(is_fine, x, …)
            return torch.where(is_fine, safe.sqrt(), …)
        """,
        """
        def root(x):
            is_fine = x > 0
            safe = torch.where(is_fine, x, 1.0)
            return torch.where(is_fine, safe.sqrt(), 0.0)
        """,
    ],
)
def root(root: Callable[[Any], Any], *, x: Any) -> str:
    expect_as_given(x, "x", [4.0, 0.0, -9.0, 0.25])
    plain = call(root, "root", x.clone())
    expect_tensor(plain, "root(x)", shape=(4,), dtype="float32")
    expect(
        not _holds_nan(plain),
        "`root(x)` holds a nan: a negative number has no real root. Where x is not positive, 0 was asked for.",
    )
    expect_value(plain, "root(x)", [2.0, 0.0, 0.0, 0.5])
    gradient = _gradient(root, "root", x)
    expect(
        not _holds_nan(gradient),
        f"`root(x)` is right, but its gradient is {values(gradient)}: the root of what is not positive was still "
        "computed, and its slope came back, times 0. Choose before the root as well as after it.",
    )
    expect(
        not same_value(values(gradient)[1], float("inf")),
        "`root(x)` is right, but its gradient at 0 is infinite, as the slope of the root is there. 0 was asked for.",
    )
    expect_value(gradient, "the gradient of root(x)", [0.25, 0.0, 0.0, 1.0])
    return "Where the root is left out, the gradient is 0 as well."


@exercise(
    "a09-length",
    setup="rows = torch.tensor([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])",
    hints=[
        "sqrt has an infinite slope at 0, and a row of zeros has the length 0.",
        "norm and torch.linalg.vector_norm know this case, and give the gradient 0 there. Or keep 0 out of the root.",
        """
        def lengths(rows):
            return torch.linalg.vector_norm(rows, dim=…)
        """,
        """
        def lengths(rows):
            return torch.linalg.vector_norm(rows, dim=1)
        """,
    ],
)
def length(lengths: Callable[[Any], Any], *, rows: Any) -> str:
    expect_as_given(rows, "rows", [[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    plain = call(lengths, "lengths", rows.clone())
    expect_tensor(plain, "lengths(rows)")
    expect(plain.numel() != 1, "`lengths(rows)` is one number for all rows; each row has a length of its own.")
    expect_tensor(plain, "lengths(rows)", shape=(3,), dtype="float32")
    expect(
        not same_value(values(plain), [25.0, 0.0, 4.0]),
        "`lengths(rows)` holds the squares of the lengths: take the root.",
    )
    expect(
        bool(((plain - plain.new_tensor([5.0, 0.0, 2.0])).abs() < 1e-3).all()),
        f"`lengths(rows)` holds {rounded(values(plain))}; it should hold [5.0, 0.0, 2.0].",
    )
    gradient = _gradient(lengths, "lengths", rows)
    expect(
        not _holds_nan(gradient),
        "the lengths are right, but the gradient of the row of zeros is nan: the slope of the root is infinite at 0, "
        "and what it meets there is 0.",
    )
    expect(
        bool(((gradient - gradient.new_tensor([[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]])).abs() < 1e-3).all()),
        f"the lengths are right, but their gradient is {values(gradient)}: it should be each row, "
        "divided by its length.",
    )
    return "Every gradient is finite, and that of a row of zeros is 0."


@exercise(
    "a09-log-of-softmax",
    setup="scores = torch.tensor([[0.0, -200.0], [1.0, 2.0]])",
    hints=[
        "The probability e⁻²⁰⁰ is 0 in float32, and the logarithm of 0 is infinite, with an infinite slope.",
        "One function computes both at once, and never forms the probability itself.",
        """
        def loss(scores):
            return -scores.….sum()
        """,
        """
        def loss(scores):
            return -scores.log_softmax(dim=-1).sum()
        """,
    ],
)
def log_of_softmax(loss: Callable[[Any], Any], *, scores: Any) -> str:
    expect_as_given(scores, "scores", [[0.0, -200.0], [1.0, 2.0]])
    right = -scores.log_softmax(-1)
    returned = call(loss, "loss", scores.clone())
    expect_tensor(returned, "loss(scores)", shape=(), dtype="float32")
    value = float(returned)
    expect(value == value, "`loss(scores)` is nan.")
    expect(
        value not in (float("inf"), float("-inf")),
        "`loss(scores)` is infinite: a probability became 0 before its logarithm was taken.",
    )
    expect(not same_value(value, -float(right.sum())), "only the sign is wrong: a loss is *minus* the logarithms.")
    expect(
        not same_value(value, float((-scores.log_softmax(0)).sum())),
        "softmax went down the columns. Each row is one set of scores: the last dimension.",
    )
    mine, wanted = told_apart(value, float(right.sum()), 6)
    expect(
        same_value(value, float(right.sum())),
        f"`loss(scores)` is {mine}, and not {wanted}. A small number added to a probability, or a "
        "limit, keeps the nan away and changes the loss.",
    )
    gradient = _gradient(loss, "loss", scores)
    expect(not _holds_nan(gradient), "`loss(scores)` is right, but its gradient holds a nan.")
    expect_value(gradient, "the gradient of loss(scores)", 2 * scores.softmax(-1) - 1)
    return "The logarithm is computed from the scores, and the tiny probability never exists."


CAUSES = {
    "masked": ("where", "The branch that was not chosen had an infinite slope, and 0 times infinite is nan."),
    "distances": ("root", "Two equal points have the distance 0, where the slope of the root is infinite."),
    "probabilities": ("log", "A probability became 0, and the slope of the logarithm is infinite there."),
    "forward": ("value", "The loss itself is nan. Look for the nan in the forward, before any gradient."),
}


@exercise(
    "a09-cause",
    hints=[
        "First: is the loss itself nan? If it is not, then some slope is infinite, and meets a 0.",
        "Each of the four is the answer once.",
        'masked = "where", forward = "value". Which of the other two has a square root in it?',
        """
        masked = "where"
        distances = "root"
        probabilities = "log"
        forward = "value"
        """,
    ],
)
def cause(masked: Any, distances: Any, probabilities: Any, forward: Any) -> str:
    words = {
        name: (best, {word: reason for word, _ in CAUSES.values() if word != best})
        for name, (best, reason) in CAUSES.items()
    }
    expect_words(words, (masked, distances, probabilities, forward))
    return "Three times an infinite slope met a 0; the fourth time, the loss itself was nan."
