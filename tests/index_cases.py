"""Random indices, as a user might type them, and the values of the names in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy

FURTHER = (
    "", "0:1.5", "(1, 2)", "(1)", "foo", "x[0]", "1 2", "[1, 2", "x > 2.50", "[[1, 2], [3]]", "[1, None]",
    "-rows", "0:None:None", "0:True", "x > True",
    "rows[0, 0]", "rows[m2]", "x > x", "..., ...", "(0,)", "rows[...]", "00", "1:2:3:4", "[True, 2]", "~rows", "~~m3",
    ":,", "t0[0]", "t0[:, 1], 0", "x == 3, ...", "x != -1", "1:n", "n", "cut, 0", "4 <= x",
)  # fmt: skip


def names(lib: Any) -> dict[str, Any]:
    """Index tensors, masks and numbers to be named in an index."""
    return {
        "rows": lib.tensor([1, 0]),
        "cols": lib.tensor([2, 0, -1]),
        "m2": lib.tensor([False, True]),
        "m3": lib.tensor([True, False, True]),
        "m34": lib.tensor([[True, False, True, False], [False] * 4, [True, True, False, False]]),
        "e": lib.tensor([], dtype=lib.int64),
        "t0": lib.tensor([[0, 1], [1, 0]]).t(),
        "n": 2,
        "cut": slice(1, None),
    }


def as_numpy(tensor: Any) -> numpy.ndarray:
    """A NumPy array of the same size and elements, laid out in the same order."""
    return numpy.arange(float(tensor.numel())).reshape(tensor.shape, order="C" if tensor.is_contiguous() else "F")


def cases(lib: Any, number: int, seed: int) -> Iterator[tuple[Any, str]]:
    """Tensors of up to three dimensions, contiguous or not, each with an index that may fit or not."""
    numbers = random.Random(seed)
    for turn in range(number):
        lengths = [2, 3, 4, 1, 0] if numbers.random() < 0.3 else [2, 3, 4]
        size = [numbers.choice(lengths) for _ in range(numbers.randrange(4))]
        tensor = lib.arange(float(prod(size))).reshape(size)
        if len(size) > 1 and numbers.random() < 0.4:
            tensor = tensor.transpose(0, -1)
        if size and numbers.random() < 0.2:
            tensor = tensor[1:]
        if turn % 10 == 0:
            yield tensor, FURTHER[turn // 10 % len(FURTHER)]
        else:
            items = [_item(numbers) for _ in range(numbers.choice([1, 1, 2, 2, 3, 4]))]
            yield tensor, ", ".join(items) + numbers.choice(["", "", "", ","])


def _item(numbers: random.Random) -> str:
    def bound() -> str:
        return numbers.choice(["", "", str(numbers.randrange(-5, 5))])

    kind = numbers.random()
    if kind < 0.2:
        return str(numbers.randrange(-4, 4))
    if kind < 0.45:
        step = numbers.choice(["", "", "", ":2", ":3", ":-1", ":0", ":"])
        return f"{bound()}:{bound()}{step}"
    if kind < 0.6:
        return numbers.choice(["None", "None", "...", "True", "False"])
    tensors = ["rows", "cols", "rows[:, None]", "cols[None]", "[0, 1]", "[1]", "[]", "[[0], [1]]", "e", "t0", "rows[0]"]
    masks = ["m3", "~m3", "m2", "m34", "x > 3", "[True, False]"]
    return numbers.choice(tensors + masks)
