"""Exercises of notebook 07 on networks: a cell, the loop over it, embeddings, truncation and clipping."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_equal, expect_tensor, expect_value
from glassroom.exercises.facts import is_tensor, rounded, same_value, shape, share_memory, text, values


@exercise(
    "n07-read",
    setup="batch = torch.linspace(0, 1, 2048).view(32, 8, 8)",
    hints=[
        "A loop in which a name goes on from one value to the next: state = cell(row, state).",
        "batch.unbind(1) gives the rows in their order. Put each new state into a list, and join the list at the end "
        "along a new dimension, 1.",
        """
        def read(batch, state, cell):
            states = []
            for row in batch.unbind(1):
                state = …
                states.append(state)
            return torch.stack(states, dim=…), state
        """,
        """
        def read(batch, state, cell):
            states = []
            for row in batch.unbind(1):
                state = cell(row, state)
                states.append(state)
            return torch.stack(states, dim=1), state
        """,
    ],
)
def read(read: Callable[..., Any], *, batch: Any) -> str:
    rows, seen = batch.unbind(1), []

    def cell(row: Any, state: Any) -> Any:
        seen.append(shape(row))
        return state * 0.5 + row[:, :3] if shape(row) == shape(rows[0]) else state

    start = batch[:, 0, :3] * 0 + 1
    wanted = [start]
    for row in rows:
        wanted.append(wanted[-1] * 0.5 + row[:, :3])
    result = call(read, "read", batch, start, cell)
    expect(
        isinstance(result, (tuple, list)) and len(result) == 2,
        "`read` should return two tensors: all states, and the last one.",
    )
    states, last = result
    expect_tensor(states, "states")
    expect_tensor(last, "last")
    count, steps = shape(batch)[:2]
    expect(
        not seen or seen[0] == shape(rows[0]),
        f"the cell was given a row of shape {seen[0] if seen else ()}; "
        f"the rows of all {count} pictures go in together, {shape(rows[0])}. "
        "Iterating over `batch` goes through the pictures.",
    )
    expect_equal(len(seen), "the number of calls of the cell", steps)
    expect(
        shape(states) != (steps, count, 3),
        "`states` has the rows in front. The pictures should come first: stack along dimension 1.",
    )
    expect(
        shape(states) != (count, steps + 1, 3),
        "`states` holds the state from before the first row, too. The states *after* each row were asked for.",
    )
    expect_tensor(states, "states", shape=(count, steps, 3), dtype="float32")
    expect(
        not same_value(values(states[:, 1]), values(start * 0.5 + rows[1][:, :3]), 1e-6),
        "every step begins with the first state again. The cell has to get the state that it made for the row before.",
    )
    expect(
        not same_value(values(states[:, 0]), values(start * 0.5 + rows[-1][:, :3]), 1e-6),
        "the rows were read from the last to the first.",
    )
    for at, right in enumerate(wanted[1:]):
        expect(
            same_value(values(states[:, at]), values(right), 1e-6),
            f"`states[:, {at}]` is not the state after row {at}.",
        )
    expect_value(last, "last", states[:, -1])
    wanting = (start * 1).requires_grad_()
    all_states, _ = call(read, "read", batch, wanting, cell)
    gradient = None
    if all_states.requires_grad:
        all_states.sum().backward()
        gradient = wanting.grad
    expect(
        gradient is not None and same_value(values(gradient[0]), [sum(0.5**n for n in range(1, steps + 1))] * 3, 1e-5),
        "the numbers are right, but no gradient comes back from all states to the first. Detach nothing here, or the "
        "cell could not learn from what a row did to later ones.",
    )
    return "One cell, called for row after row: it reads whatever has rows."


@exercise(
    "n07-table",
    setup="""
    word = torch.tensor([ord(letter) - ord("a") for letter in "abba"])
    gradient = torch.arange(8.0).view(4, 2)
    """,
    hints=[
        "A row that was looked up several times gets the sum of what arrives at all its copies.",
        "Begin with zeros of (rows, width). made[codes] += gradient writes each row once, however often it comes; "
        "index_add_ adds every time.",
        """
        def table_gradient(codes, gradient, rows):
            made = torch.zeros(rows, gradient.shape[1])
            return made.index_add_(0, …, …)
        """,
        """
        def table_gradient(codes, gradient, rows):
            made = torch.zeros(rows, gradient.shape[1])
            return made.index_add_(0, codes, gradient)
        """,
    ],
)
def table(table_gradient: Callable[..., Any], *, word: Any, gradient: Any) -> str:
    before = values(gradient)
    of_table = call(table_gradient, "table_gradient", word, gradient, 3)
    expect_tensor(of_table, "table_gradient(…)", shape=(3, 2))
    first, second, third, fourth = before
    summed = [[a + b for a, b in zip(first, fourth, strict=True)], [a + b for a, b in zip(second, third, strict=True)]]
    halves = [[x / 2 for x in row] for row in summed]
    shown = [
        (
            "Only the last occurrence of a letter counts there: writing to the same row again replaces what was there.",
            [fourth, third],
        ),
        ("Only the first occurrence of each letter counts there.", [first, second]),
        ("That is the mean over the occurrences; the table gets their sum.", halves),
    ]
    for mistake, rows in shown:
        expect(not same_value(values(of_table), [*rows, [0.0, 0.0]], 1e-6), mistake)
    expect_value(of_table, "table_gradient(…)", [*summed, [0.0, 0.0]])
    longer = call(table_gradient, "table_gradient", word, gradient, 5)
    expect_tensor(longer, "table_gradient(word, gradient, 5)", shape=(5, 2), dtype="float32")
    expect_value(longer, "table_gradient(word, gradient, 5)", [*summed, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    expect(values(gradient) == before, "the gradient that came in was changed; others may need it.")
    return "Looking up copies rows; going back adds them up where they came from."


@exercise(
    "n07-truncate",
    setup="codes = torch.arange(70)",
    hints=[
        "The state's numbers go on to the next piece, its history does not.",
        "codes.split(length) gives the pieces as views. Detach the state before a piece is read, not the loss.",
        """
        def train_on(codes, length, state, read):
            losses = []
            for piece in codes.split(length):
                state = read(piece, …)
                loss = (state**2).sum()
                …
                losses.append(loss.item())
            return losses
        """,
        """
        def train_on(codes, length, state, read):
            losses = []
            for piece in codes.split(length):
                state = read(piece, state.detach())
                loss = (state**2).sum()
                loss.backward()
                losses.append(loss.item())
            return losses
        """,
    ],
)
def truncate(train_on: Callable[..., Any], *, codes: Any) -> str:
    some = codes[:10]
    start = (some[:3] * 0 + 1).float()
    weight = start.clone().requires_grad_()
    pieces: list[Any] = []
    carried: list[bool] = []

    def read(piece: Any, state: Any) -> Any:
        pieces.append(piece)
        carried.append(bool(state.requires_grad))
        return (state * weight * 0.5) + piece.float().mean() * 0.1

    losses = call(train_on, "train_on", some, 4, start, read)
    lengths = [shape(piece)[0] if is_tensor(piece) and shape(piece) else 0 for piece in pieces]
    expect(lengths != [4, 4], "the last piece, which is shorter, was left out.")
    expect(
        lengths == [4, 4, 2],
        f"the pieces had the lengths {lengths}; for ten characters in pieces of 4 they are [4, 4, 2].",
    )
    expect(
        all(share_memory(piece, some) for piece in pieces),
        "the pieces are copies; split and slices give views of `codes`.",
    )
    expect(
        isinstance(losses, (list, tuple)) and not any(is_tensor(loss) for loss in losses),
        "the losses are tensors, and with them their graphs are kept. Numbers were asked for: loss.item().",
    )
    expect(
        not any(carried),
        "the state came to the next piece with its history, so the graph grows from piece to piece. Detach it first.",
    )
    state, wanted, gradient = [1.0] * 3, [], 0.0
    for piece in pieces:
        mean = sum(values(piece)) / len(values(piece))
        new = state[0] * 0.5 + mean * 0.1
        wanted.append(3 * new * new)
        gradient += 2 * new * state[0] * 0.5
        state = [new] * 3
    numbers = [float(loss) for loss in losses]
    alone = []
    for piece in pieces:
        new = 0.5 + sum(values(piece)) / len(values(piece)) * 0.1
        alone.append(3 * new * new)
    expect(
        not same_value(numbers, alone),
        "every piece begins with the first state again: what was read before is forgotten. Carry the numbers on.",
    )
    expect(
        len(numbers) == 3 and all(math.isclose(a, b, rel_tol=1e-4) for a, b in zip(numbers, wanted, strict=True)),
        f"the losses are {text(rounded(numbers))}; (state ** 2).sum() after each piece is {text(rounded(wanted))}.",
    )
    expect(weight.grad is not None, "no gradient has arrived at the weights: call backward for each piece.")
    expect(
        math.isclose(values(weight.grad)[0], gradient, rel_tol=1e-4),
        "the gradient is not the sum over the pieces, each through itself alone. Is backward called once for each?",
    )
    pieces.clear()
    call(train_on, "train_on", some, 5, start, read)
    lengths = [shape(piece)[0] for piece in pieces]
    expect(lengths == [5, 5], f"with a length of 5, the pieces had the lengths {lengths}.")
    return "The numbers go on, the history does not: every piece costs the same."


@exercise(
    "n07-clip",
    setup="parameters = [torch.zeros(2, requires_grad=True), torch.zeros(3, requires_grad=True)]",
    hints=[
        "All gradients are one vector. Its squared norm is the sum of all squares, over all parameters.",
        "If it is too long, multiply every gradient by the same number, longest / norm, in place: grad.mul_(…).",
        """
        def clip(parameters, longest):
            norm = sum((parameter.grad**2).sum() for parameter in parameters).sqrt().item()
            if …:
                for parameter in parameters:
                    parameter.grad.mul_(…)
            return norm
        """,
        """
        def clip(parameters, longest):
            norm = sum((parameter.grad**2).sum() for parameter in parameters).sqrt().item()
            if norm > longest:
                for parameter in parameters:
                    parameter.grad.mul_(longest / norm)
            return norm
        """,
    ],
)
def clip(clip: Callable[..., Any], *, parameters: Any) -> str:
    first, second = (parameter.detach() for parameter in parameters)
    large = [[3.0, 0.0], [0.0, 4.0, 12.0]]  # norms 3 and 12.65, together 13

    def clipped(longest: float) -> tuple[float, list[Any], list[Any]]:
        weights = []
        for base, numbers in zip((first, second), large, strict=True):
            weight = (base * 0).requires_grad_()
            weight.grad = (base * 0) + base.new_tensor(numbers)
            weights.append(weight)
        gradients = [weight.grad for weight in weights]
        norm = call(clip, "clip", weights, longest)
        expect(
            not is_tensor(norm) or shape(norm) == (),
            "`clip` returned several numbers; the norm of all gradients together is one.",
        )
        norm = norm.item() if is_tensor(norm) else norm
        expect(isinstance(norm, (int, float)), "`clip` should return the norm from before, a number.")
        return float(norm), weights, gradients

    norm, weights, gradients = clipped(6.5)
    expect(
        not math.isclose(norm, 6.5, rel_tol=1e-4), "the norm from *before* was asked for, not the one after clipping."
    )
    expect(not math.isclose(norm, 169.0, rel_tol=1e-4), "that is the squared norm; its root is missing.")
    expect(
        not math.isclose(norm, 19.0, rel_tol=1e-4), "that is a sum of absolute values; the norm is a root of squares."
    )
    expect(not math.isclose(norm, 3 + 160**0.5, rel_tol=1e-4), "norms of parts do not add up; their squares do.")
    expect(math.isclose(norm, 13.0, rel_tol=1e-4), f"`clip` returned {norm:g}; the norm of all gradients is 13.")
    expect(
        all(
            weight.grad is not None and share_memory(weight.grad, was)
            for weight, was in zip(weights, gradients, strict=True)
        ),
        "the gradients are new tensors now. Clipping writes into those that are there: mul_ needs no memory.",
    )
    after = [values(weight.grad) for weight in weights]
    expect(not same_value(after, large), "the gradients are as long as before.")
    limit = 6.5
    expect(
        not same_value(after, [[min(x, limit) for x in row] for row in large]),
        "single numbers were cut off, which turns the gradient into another direction. Shorten it as a whole.",
    )
    expect(
        not same_value(after[0], [3.0, 0.0]),
        "the gradient of the first parameter was left as it was. Each was judged by itself; all of them together are "
        "one vector, and all are shortened by the same factor.",
    )
    expect(
        same_value(after, [[x / 2 for x in row] for row in large], 1e-4),
        f"the gradients are {after}; with half their length they would be {[[x / 2 for x in row] for row in large]}.",
    )
    _, weights, _ = clipped(20.0)
    expect(
        same_value([values(weight.grad) for weight in weights], large, 1e-4),
        "gradients that are short enough were changed. Leave them alone: clipping only shortens.",
    )
    return "Shorter, in the same direction, and written in place."
