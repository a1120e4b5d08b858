"""Exercises of part 3's capstone: a leaf, a distance at 0, a loss, a step, and a history without graphs."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    call_writing,
    expect,
    expect_equal,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import is_tensor, same_value, text, told_apart, values

MASTS = """
masts = torch.tensor([[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [0.0, 4.0]])
measured = torch.tensor([4.43, 2.20, 3.26, 4.97])
"""
_DISTANCES = """
def distances(position, masts):
    return (position - masts).norm(dim=1)
"""
_LOSS = """
def loss_of(position, masts, measured):
    return ((distances(position, masts) - measured) ** 2).mean()
"""


def _leaf(masts: Any, place: list[float]) -> Any:
    return masts.new_tensor(place).requires_grad_()


def _gradient(result: Any, position: Any, name: str) -> list[float]:
    """The gradient of a result with respect to the position; an error in backward becomes a sentence."""
    expect(
        result.requires_grad, f"`{name}` does not require grad: detach, item, no_grad or numpy cut it off `position`."
    )
    try:
        result.sum().backward()
    except RuntimeError as error:
        expect(
            "modified by an inplace" not in str(error),
            f"the backward of `{name}` finds something overwritten that a node has saved: subtract out of place.",
        )
        raise
    expect(position.grad is not None, f"the backward of `{name}` does not reach `position`.")
    return [float(number) for number in position.grad]


def _apart(position: list[float], masts: Any) -> list[tuple[float, float, float]]:
    """How far east and north of each mast a position is, and how far away, in plain Python."""
    points = []
    for mast in values(masts):
        east, north = position[0] - mast[0], position[1] - mast[1]
        points.append((east, north, (east * east + north * north) ** 0.5))
    return points


def _slope(position: list[float], masts: Any, measured: Any) -> list[float]:
    """The gradient of the mean squared difference. A mast at distance 0 adds nothing."""
    apart = [
        (east, north, away, far)
        for (east, north, away), far in zip(_apart(position, masts), values(measured), strict=True)
    ]
    return [sum(2 * (row[2] - row[3]) * row[way] / row[2] for row in apart if row[2]) / len(apart) for way in (0, 1)]


def _near(mine: Any, wanted: list[float]) -> bool:
    return same_value(mine, wanted, 1e-4) or all(abs(a - b) < 1e-4 for a, b in zip(mine, wanted, strict=True))


@exercise(
    "a12-start",
    hints=[
        "No operator makes a leaf. What is computed from a leaf is a result, and keeps no gradient.",
        "Do the arithmetic first, and ask for gradients afterwards: requires_grad_() returns the tensor.",
        """
        def start(east, north):
            return (torch.tensor([east, north]) / 1000).…
        """,
        """
        def start(east, north):
            return (torch.tensor([east, north]) / 1000).requires_grad_()
        """,
    ],
)
def start(start: Callable[..., Any]) -> str:
    for east, north in ((1500.0, 250.0), (20.0, 3000.0)):
        position = call(start, "start", east, north)
        name = f"start({east}, {north})"
        expect_tensor(position, name, shape=(2,))
        expect_value(position.detach(), name, [east / 1000, north / 1000])
    expect(
        position.is_leaf,
        f"`{name}` is not a leaf: it is the result of an operator on one, and the gradient stops there. retain_grad() "
        "would show it, but no step can be taken from a result.",
    )
    expect(position.requires_grad, f"`{name}` does not require grad.")
    expect_tensor(position, name, dtype="float32")
    return "A leaf, in kilometers: what is optimized is what has the gradient."


@exercise(
    "a12-distances",
    setup=MASTS,
    hints=[
        "An infinite derivative must not be multiplied by 0. Either the operator knows that, or 0 never reaches it.",
        "norm(dim=1) uses 0 as its derivative at 0. Or clamp the squares above 0 before the square root.",
        """
        def distances(position, masts):
            return (position - masts).…(dim=1)
        """,
        """
        def distances(position, masts):
            return (position - masts).norm(dim=1)
        """,
    ],
)
def distances(distances: Callable[..., Any], *, masts: Any) -> str:
    for place in ([1.0, 2.0], [0.0, 0.0], [6.0, 4.0]):
        position = _leaf(masts, place)
        result = call(distances, "distances", position, masts)
        name = f"distances({place}, masts)"
        expect_tensor(result, name, shape=(4,), dtype="float32")
        apart = _apart(place, masts)
        numbers = values(result.detach())
        mine, right = told_apart(numbers, [away for _, _, away in apart], 4)
        expect(
            all(abs(a - b) < 1e-3 for a, (_, _, b) in zip(numbers, apart, strict=True)),
            f"`{name}` is {mine}, and should be {right}.",
        )
        gradient = _gradient(result, position, name)
        expect(
            all(number == number for number in gradient),
            f"the gradient of `{name}` is nan. What where throws away has a derivative too, and infinite times 0 is "
            "nan: the square root must not see the 0 at all.",
        )
        wanted = [sum(row[way] / row[2] for row in apart if row[2]) for way in (0, 1)]
        mine, right = told_apart(gradient, wanted, 4)
        expect(_near(gradient, wanted), f"the gradient of `{name}`, summed, is {mine}, and should be {right}.")
    return "A mast at distance 0 adds nothing to the gradient, and the other masts decide."


@exercise(
    "a12-loss",
    setup=MASTS + _DISTANCES,
    hints=[
        "What a node has saved must stay as it is until its backward. An operator that makes a new tensor is safe.",
        "distances(position, masts) - measured, without the = sign; then the square, then the mean.",
        """
        def loss_of(position, masts, measured):
            return ((… - measured) ** 2).mean()
        """,
        """
        def loss_of(position, masts, measured):
            return ((distances(position, masts) - measured) ** 2).mean()
        """,
    ],
)
def loss(loss_of: Callable[..., Any], *, masts: Any, measured: Any) -> str:
    far = measured.clone()
    if isinstance(loss_of, FunctionType):
        loss_of = _calling(loss_of, distances=_that_save_their_result)
    for place in ([1.0, 2.0], [5.0, 3.5]):
        position = _leaf(masts, place)
        told = "`measured`, or another tensor that it was given, has been written to. Make a new tensor."
        result = call(loss_of, "loss_of", position, masts, far, written=told)
        name = f"loss_of({place}, masts, measured)"
        expect_tensor(result, name, shape=(), dtype="float32")
        terms = [(away - right) ** 2 for (_, _, away), right in zip(_apart(place, masts), values(far), strict=True)]
        number = float(result.detach())
        expect(not same_value(number, sum(terms), 1e-4), f"`{name}` is the sum of the four squares: take their mean.")
        mine, mean = told_apart(number, sum(terms) / 4, 5)
        expect(abs(number - sum(terms) / 4) < 1e-3, f"`{name}` is {mine}, and should be {mean}.")
        gradient, wanted = _gradient(result, position, name), _slope(place, masts, far)
        mine, slope = told_apart(gradient, wanted, 4)
        expect(
            _near(gradient, wanted),
            f"the value is right, but the gradient at {place} is {mine} instead of {slope}: something that a node "
            "saved was overwritten behind autograd's back, as .data does it.",
        )
    return "The value is right, and so is the gradient: one does not follow from the other."


def _calling(function: FunctionType, **others: Any) -> FunctionType:
    """The same function, with some global names bound to other objects."""
    names = {**function.__globals__, **others}
    again = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    again.__kwdefaults__ = function.__kwdefaults__
    return again


def _that_save_their_result(position: Any, masts: Any) -> Any:
    """Distances whose node saves its result, so that a write into it shows in the gradient."""
    return ((position - masts) ** 2).sum(1).clamp(min=1e-12).sqrt()


@exercise(
    "a12-step",
    setup=MASTS + _DISTANCES + _LOSS,
    hints=[
        "backward adds to .grad, so clear it first. And a step must not be part of a graph.",
        "position.grad = None, backward, and under no_grad position -= …, which writes into position itself.",
        """
        def step(position, masts, measured, rate):
            position.grad = …
            loss = loss_of(position, masts, measured)
            loss.backward()
            with torch.no_grad():
                position -= …
            return loss.item()
        """,
        """
        def step(position, masts, measured, rate):
            position.grad = None
            loss = loss_of(position, masts, measured)
            loss.backward()
            with torch.no_grad():
                position -= rate * position.grad
            return loss.item()
        """,
    ],
)
def step(step: Callable[..., Any], *, masts: Any, measured: Any) -> str:
    position = _leaf(masts, [1.0, 2.0])
    place, before = [1.0, 2.0], [0.0, 0.0]
    for count, rate in ((1, 0.2), (2, 0.2), (3, 0.1)):
        terms = [(away - far) ** 2 for (_, _, away), far in zip(_apart(place, masts), values(measured), strict=True)]
        slope = _slope(place, masts, measured)
        result = call_writing(step, "step", position, masts, measured, rate)
        moved = values(position.detach())
        expect(
            position.is_leaf and position.requires_grad,
            "after a step `position` is no longer a leaf, or does not require grad.",
        )
        expect(
            moved != place,
            f"step {count} has not moved `position`: position = position - … gives the name to another tensor. "
            "position -= … under no_grad writes into it.",
        )
        added = [at - rate * (new + old) for at, new, old in zip(place, slope, before, strict=True)]
        expect(
            count == 1 or not _near(moved, added),
            f"step {count} went along the gradients of both steps: they add up in .grad, which has to be emptied.",
        )
        uphill = [at + rate * new for at, new in zip(place, slope, strict=True)]
        expect(not _near(moved, uphill), "the step goes uphill: subtract.")
        wanted = [at - rate * new for at, new in zip(place, slope, strict=True)]
        mine, right = told_apart(moved, wanted, 4)
        expect(_near(moved, wanted), f"after step {count} `position` is {mine}, and should be {right}.")
        expect(
            not is_tensor(result), "`step` returns a tensor, and with it perhaps its graph; it should return a number."
        )
        loss = sum(terms) / 4
        expect(
            isinstance(result, float),
            f"step {count} returned {text(result)}; it should return the loss, as a Python number.",
        )
        mine, right = told_apart(result, loss, 5)
        expect(abs(result - loss) < 1e-3, f"step {count} returned {mine}; the loss before it is {right}.")
        place, before = moved, slope
    return "Each step uses its own gradient, and nothing of the one before."


@exercise(
    "a12-follow",
    hints=[
        "A tensor that is computed from a score holds the score's graph. A number holds nothing.",
        "Take .item() of each score before you smooth.",
        """
        def follow(step, score, rounds):
            smooth, history = score().…, []
            for _ in range(rounds):
                step()
                smooth = 0.9 * smooth + 0.1 * …
                history.append(smooth)
            return history
        """,
        """
        def follow(step, score, rounds):
            smooth, history = score().item(), []
            for _ in range(rounds):
                step()
                smooth = 0.9 * smooth + 0.1 * score().item()
                history.append(smooth)
            return history
        """,
    ],
)
def follow(follow: Callable[..., Any], *, torch: Any) -> str:
    alive: list[weakref.ref[_Saved]] = []
    most, steps = [0], list[int]()
    weights = torch.ones(50, requires_grad=True)

    def pack(tensor: Any) -> _Saved:
        saved = _Saved(tensor.detach())  # the result itself would make a reference cycle with its node
        alive.append(weakref.ref(saved))
        return saved

    def step() -> None:
        steps.append(1)

    def score() -> Any:
        most[0] = max(most[0], sum(reference() is not None for reference in alive))
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
            return (weights.exp() * 0).sum() + float(len(steps) ** 2)

    history = call(follow, "follow", step, score, 8)
    left = sum(reference() is not None for reference in alive)
    expect_equal(len(steps), "the number of calls of `step` in 8 rounds", 8)
    expect(isinstance(history, (list, tuple)), "`follow` should return a list.")
    expect_equal(len(history), "the length of the history after 8 rounds", 8)
    expect(
        not any(map(is_tensor, history)),
        "the history holds tensors" + (", with their graphs." if left else "; numbers were asked for."),
    )
    expect(
        not left and most[0] <= 2,
        f"up to {max(left, most[0])} tensors that graphs have saved were alive, and each graph saves one or two: a sum "
        "of scores holds the graphs of all of them.",
    )
    smooth, wanted = 0.0, []
    for count in range(1, 9):
        smooth = 0.9 * smooth + 0.1 * count**2
        wanted.append(smooth)
    scores = [float(number) for number in history]
    expect(
        not same_value(scores, [float(n**2) for n in range(1, 9)], 1e-6),
        "these are the scores themselves, not smoothed.",
    )
    at = next((at for at, pair in enumerate(zip(scores, wanted, strict=False)) if not same_value(*pair, 1e-5)), 0)
    shown = max(3, at + 1)
    mine, right = told_apart(scores[:shown], wanted[:shown], 4)
    expect(
        same_value(scores, wanted, 1e-5),
        f"the history begins {mine}, and should begin {right}: 0.9 of the old figure, 0.1 of the new score, after the "
        "step.",
    )
    expect_equal(len(call(follow, "follow", step, score, 2)), "the length of the history after 2 rounds", 2)
    return "The history holds numbers, and no graph."


class _Saved:
    """What a graph keeps instead of a tensor, which shows when the graph lets go."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
