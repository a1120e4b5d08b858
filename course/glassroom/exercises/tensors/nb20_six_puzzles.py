"""Exercises of notebook 20: six puzzles, each judged on random inputs by a specification in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from types import CodeType
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor

#: What a solution may call, of the library and of Python.
ALLOWED = frozenset({"torch", "arange", "where", "len", "shape", "size", "numel"})
ALONE = "Here `arange`, `where`, `@`, indexing, arithmetic and comparisons have to be enough."
TURNS = 12  #: random inputs for each puzzle


def _judged(
    function: Callable[..., Any], name: str, tensor: Any, inputs: Sequence[tuple[Any, ...]], spec: Callable[..., Any]
) -> None:
    """The function gives what the specification gives for all of these inputs, and calls nothing but what it may."""
    for given in inputs:
        returned = call(function, name, *[tensor(value) if isinstance(value, list) else value for value in given])
        asked = f"`{name}({', '.join(map(str, given))})`"
        wanted = spec(*given)
        expect_tensor(returned, asked.strip("`"))
        expect(not str(returned.dtype).endswith("bool"), f"{asked} holds True and False; it should hold numbers.")
        values = returned.tolist()
        if values == wanted:
            continue
        if wanted and isinstance(wanted[0], list):
            turned = [list(column) for column in zip(*wanted, strict=True)]
            expect(values != turned, f"{asked} has rows and columns swapped.")
        expect(False, f"{asked} is {values}, and should be {wanted}.")
    code = getattr(function, "__code__", None)
    for used in sorted(set(_names(code)) - ALLOWED) if code is not None else ():
        expect(False, f"The values are right, but `{name}` uses `{used}`. {ALONE}")


def _names(code: CodeType) -> Iterator[str]:
    """The names of functions, methods and modules that a function uses, and functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield "a loop" if constant.co_name in ("<listcomp>", "<genexpr>", "<dictcomp>") else "a function within"
            yield from _names(constant)


def _random_numbers(random: Random, least: int = 1) -> list[int]:
    return [random.randrange(-9, 10) for _ in range(random.randrange(least, 7))]


@exercise(
    "t20-outer",
    setup="tensor = torch.tensor",
    hints=[
        "A column against a row gives all pairs.",
        "a[:, None] is a column. Broadcasting does the rest.",
        "def outer(a, b):\n    return a[:, None] * …",
        "def outer(a, b):\n    return a[:, None] * b",
    ],
)
def outer(outer: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(1)
    inputs = [(_random_numbers(random), _random_numbers(random)) for _ in range(TURNS)]
    _judged(outer, "outer", tensor, inputs, lambda a, b: [[x * y for y in b] for x in a])
    return "Every element of one meets every element of the other."


@exercise(
    "t20-one-hot",
    setup="tensor = torch.tensor",
    hints=[
        "For which row i and column j is there a 1? Where labels[i] is j.",
        "Compare the labels, as a column, with all the column numbers, as a row.",
        "def one_hot(labels, classes):\n    return torch.where(labels[:, None] == …, 1, 0)",
        "def one_hot(labels, classes):\n    return torch.where(labels[:, None] == torch.arange(classes), 1, 0)",
    ],
)
def one_hot(one_hot: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(2)
    inputs = [([random.randrange(4) for _ in range(random.randrange(1, 7))], 4) for _ in range(TURNS)]
    _judged(
        one_hot, "one_hot", tensor, inputs, lambda labels, n: [[int(label == c) for c in range(n)] for label in labels]
    )
    return "A column met a row, and each label has its 1."


@exercise(
    "t20-running",
    setup="tensor = torch.tensor",
    hints=[
        "Each running sum is a row of zeros and ones times a.",
        "Row i has ones in the columns up to i: a lower triangle. When is 1 in row i and column j?",
        "def running(a):\n    return torch.where(torch.arange(len(a))[:, None] >= …, 1, 0) @ a",
        "def running(a):\n    return torch.where(torch.arange(len(a))[:, None] >= torch.arange(len(a)), 1, 0) @ a",
    ],
)
def running(running: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(3)
    inputs = [(_random_numbers(random),) for _ in range(TURNS)]
    _judged(running, "running", tensor, inputs, lambda a: [sum(a[: i + 1]) for i in range(len(a))])
    return "All the running sums come out of one product."


@exercise(
    "t20-counts",
    setup="tensor = torch.tensor",
    hints=[
        "Counting is adding ones: a row of zeros and ones for each class, times a vector of ones.",
        "Row c has a 1 where the label is c. A vector of as many ones as there are labels is labels * 0 + 1.",
        "def counts(labels, classes):\n    return torch.where(torch.arange(classes)[:, None] == labels, 1, 0) @ …",
        "def counts(labels, classes):\n"
        "    return torch.where(torch.arange(classes)[:, None] == labels, 1, 0) @ (labels * 0 + 1)",
    ],
)
def counts(counts: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(4)
    inputs = [([random.randrange(5) for _ in range(random.randrange(1, 9))], 5) for _ in range(TURNS)]
    _judged(counts, "counts", tensor, inputs, lambda labels, classes: [labels.count(c) for c in range(classes)])
    return "A sum of ones is a count."


@exercise(
    "t20-rotate",
    setup="tensor = torch.tensor",
    hints=[
        "For each index of the result, ask which element of a belongs there.",
        "Element i comes from index i - k. Python's % wraps it around, also below zero.",
        "def rotate(a, k):\n    return a[(torch.arange(len(a)) - …) % …]",
        "def rotate(a, k):\n    return a[(torch.arange(len(a)) - k) % len(a)]",
    ],
)
def rotate(rotate: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(5)
    inputs = [(_random_numbers(random), random.randrange(-12, 13)) for _ in range(TURNS)]
    _judged(rotate, "rotate", tensor, inputs, lambda a, k: [a[(i - k) % len(a)] for i in range(len(a))])
    return "The remainder wraps around in both directions."


@exercise(
    "t20-fit",
    setup="tensor = torch.tensor",
    hints=[
        "Two questions for each of n indices: is there an element of a, and which one?",
        "where chooses between two tensors that are both computed, so the index has to be valid everywhere: take it % "
        "len(a), and let where hide the rest.",
        "def fit(a, n):\n    return torch.where(torch.arange(n) < len(a), a[torch.arange(n) % …], 0)",
        "def fit(a, n):\n    return torch.where(torch.arange(n) < len(a), a[torch.arange(n) % len(a)], 0)",
    ],
)
def fit(fit: Callable[..., Any], *, tensor: Any) -> str:
    random = Random(6)
    inputs = [(_random_numbers(random), random.randrange(10)) for _ in range(TURNS)]
    _judged(fit, "fit", tensor, inputs, lambda a, n: [a[i] if i < len(a) else 0 for i in range(n)])
    return "No index was out of bounds, and zeros stand where `a` has ended."
