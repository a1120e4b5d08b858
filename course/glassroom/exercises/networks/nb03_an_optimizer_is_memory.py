"""Exercises of notebook 03 of part 5: the training loop, momentum, Adam, a falling rate, and what they weigh."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import Misconception, call, call_writing, expect, expect_equal, run
from glassroom.exercises.facts import is_tensor, same_value, text, told_apart, values
from glassroom.translations.templates import word

Walk = list[list[float]]
NEW_TENSOR = (
    "`parameter` is where it was. `parameter = parameter - …` gives the name to a new tensor; `parameter -= …` writes "
    "into the one that was given."
)


@exercise(
    "n03-descend",
    setup="start = torch.tensor([1.0, -2.0])",
    hints=[
        "Four lines in this order: empty, loss, backward, step. The step is arithmetic that nobody should record.",
        (
            "parameter.grad = None, then the loss and its backward; under torch.no_grad(): parameter -= rate * "
            "parameter.grad."
        ),
        """
        def descend(loss_of, parameter, rate, steps):
            losses = []
            for _ in range(steps):
                parameter.grad = …
                loss = loss_of(parameter)
                …
                with torch.no_grad():
                    parameter -= …
                losses.append(loss.item())
            return losses
        """,
        """
        def descend(loss_of, parameter, rate, steps):
            losses = []
            for _ in range(steps):
                parameter.grad = None
                loss = loss_of(parameter)
                loss.backward()
                with torch.no_grad():
                    parameter -= rate * parameter.grad
                losses.append(loss.item())
            return losses
        """,
    ],
)
def descend(descend: Callable[..., Any], *, start: Any) -> str:
    parameter = start.detach().clone().requires_grad_()
    steps, rate = 4, 0.1

    def loss_of(p: Any) -> Any:
        return ((p - 3) ** 2).sum()

    once = start.detach().clone().requires_grad_()
    call_writing(descend, "descend", loss_of, once, rate, 1)  # a second step would raise where the name is given away
    expect(not same_value(values(once.detach()), values(start)), NEW_TENSOR)
    losses = call_writing(descend, "descend", loss_of, parameter, rate, steps)
    places, summed = _downhill(values(start), rate, steps, keep=0.0), _downhill(values(start), rate, steps, keep=1.0)
    own = values(parameter.detach())
    expect(not same_value(own, values(start)), NEW_TENSOR)
    expect(
        not same_value(own, summed[-1]),
        "`parameter` went along the sum of all gradients so far: `.grad` is never emptied between two steps.",
    )
    uphill = _downhill(values(start), -rate, steps, keep=0.0)
    expect(not same_value(own, uphill[-1]), "`parameter` went up the gradient: each step is subtracted.")
    mine, right = told_apart(own, places[-1], 4)
    expect(
        same_value(own, places[-1]),
        f"after {steps} steps, `parameter` is {mine}; {right} is where plain steps of rate times gradient lead.",
    )
    expect(parameter.requires_grad and parameter.grad_fn is None, "`parameter` is no longer a leaf that requires grad.")
    expect(isinstance(losses, (list, tuple)), "`descend` should return a list of the losses.")
    expect_equal(len(losses), "the number of losses", steps)
    expect(
        not any(is_tensor(loss) for loss in losses),
        "the losses in the list are tensors, and each keeps its graph. Take `.item()`.",
    )
    other = start.detach().clone().requires_grad_()
    call_writing(descend, "descend", loss_of, other, 0.25, 2)
    expect(
        same_value(values(other.detach()), _downhill(values(start), 0.25, 2, keep=0.0)[-1]),
        f"with a rate of 0.25 and two steps, `parameter` is {_short(values(other.detach()))}: use `rate` and `steps`.",
    )
    wanted = [sum((number - 3) ** 2 for number in place) for place in places]
    expect(
        not same_value(list(losses), wanted[1:]),
        "the losses were measured after their steps; each should be measured before its own.",
    )
    mine, right = told_apart(list(losses), wanted[:-1], 4)
    expect(same_value(list(losses), wanted[:-1]), f"the losses are {mine}; they should be {right}.")
    return "Each step went down the gradient of its own loss, and the losses are numbers."


def _downhill(start: list[float], rate: float, steps: int, keep: float) -> Walk:
    """Positions from `start` towards (3, 3), each step along the gradient plus a part of the step before."""
    walk, gradient = [start], [0.0] * len(start)
    for _ in range(steps):
        gradient = [keep * old + 2 * (p - 3) for old, p in zip(gradient, walk[-1], strict=True)]
        walk.append([p - rate * g for p, g in zip(walk[-1], gradient, strict=True)])
    return walk


@exercise(
    "n03-momentum",
    setup="start = torch.tensor([1.0, -2.0])",
    hints=[
        "The dictionary lives from step to step. What is in it after the first step, and what becomes of that?",
        (
            "velocity = 0.9 * old velocity + gradient; then the step is rate * velocity. state.get(name, 0.0) helps at "
            "first."
        ),
        """
        def momentum(p, gradient, state, rate):
            with torch.no_grad():
                state["velocity"] = 0.9 * … + gradient
                p -= …
        """,
        """
        def momentum(p, gradient, state, rate):
            with torch.no_grad():
                state["velocity"] = 0.9 * state.get("velocity", torch.zeros_like(p)) + gradient
                p -= rate * state["velocity"]
        """,
    ],
)
def momentum(momentum: Callable[..., Any], *, start: Any) -> str:
    walk, state = _walked(momentum, "momentum", start)
    slopes = _slopes()

    def velocities(keep: float, gain: float) -> Walk:
        velocities, velocity = list[list[float]](), [0.0, 0.0]
        for slope in slopes:
            velocity = [keep * v + gain * g for v, g in zip(velocity, slope, strict=True)]
            velocities.append(velocity)
        return velocities

    first_twice = [slopes[0], *slopes]  # the first velocity is kept and gained at the same step
    begun_twice = list[list[float]]()
    for slope in first_twice:
        before = begun_twice[-1] if begun_twice else [0.0, 0.0]
        begun_twice.append([0.9 * v + g for v, g in zip(before, slope, strict=True)])
    right = _along(values(start), velocities(0.9, 1.0))
    if not same_value(walk, right):
        for other, shows in (
            (
                _along(values(start), begun_twice[1:]),
                "The first velocity is 1.9 times the gradient: it begins as the gradient, and then gains it once more. "
                "Let it begin at 0.",
            ),
            (_along(values(start), slopes), "These are plain steps: the velocity of the step before is not used."),
            (
                _along(values(start), velocities(0.9, 0.1)),
                "That takes a tenth of the gradient, as a running mean does. The velocity gains the whole gradient.",
            ),
            (_along(values(start), velocities(1.0, 1.0)), "The velocity never fades: keep 0.9 of it."),
            (
                _along(values(start), [[0.0, 0.0], *velocities(0.9, 1.0)]),
                "The step uses the velocity from before. Update it first.",
            ),
            (
                _along(values(start), velocities(0.9, 1.0), sign=-1),
                "The steps go uphill: against the gradient is minus.",
            ),
        ):
            expect(not same_value(walk, other[: len(walk)]), shows)
        _tell(walk, right)
    expect(
        state, "the steps are right, but `state` is empty: where is the velocity kept? Two parameters would share it."
    )
    return "One tensor of memory for each parameter: what keeps its direction adds up, what bounces cancels."


@exercise(
    "n03-adam",
    setup="start = torch.tensor([1.0, -2.0])",
    hints=[
        "Two running means and a counter that begins at 1. Correct the copies that you divide, not what is kept.",
        (
            "The kept mean is 0.9 * mean + 0.1 * gradient. In the step, it is divided by 1 - 0.9**step; the square "
            "likewise."
        ),
        """
        def adam(p, gradient, state, rate):
            step = state["step"] = state.get("step", 0) + 1
            with torch.no_grad():
                mean = 0.9 * state.get("mean", torch.zeros_like(p)) + …
                square = 0.999 * state.get("square", torch.zeros_like(p)) + …
                state["mean"], state["square"] = mean, square
                p -= rate * (mean / …) / ((square / …).sqrt() + 1e-8)
        """,
        """
        def adam(p, gradient, state, rate):
            step = state["step"] = state.get("step", 0) + 1
            with torch.no_grad():
                mean = 0.9 * state.get("mean", torch.zeros_like(p)) + 0.1 * gradient
                square = 0.999 * state.get("square", torch.zeros_like(p)) + 0.001 * gradient**2
                state["mean"], state["square"] = mean, square
                p -= rate * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)
        """,
    ],
)
def adam(adam: Callable[..., Any], *, start: Any) -> str:
    walk, state = _walked(adam, "adam", start)
    expect(
        not any(math.isnan(number) for number in walk[0]),
        "after the first step, `p` is nan. 1 - 0.9**0 is 0: count the steps from 1.",
    )
    right = _along(values(start), _adam_steps(_slopes()))
    if not same_value(walk, right):
        for other, shows in (
            (
                _adam_steps(_slopes(), corrected=False),
                "That is Adam without its correction: the first steps are three times too long.",
            ),
            (
                _adam_steps(_slopes(), corrected_as_first=True),
                "Each step is corrected as if it were the first: t in `0.9**t` is the number of the step.",
            ),
            (_adam_steps(_slopes(), inside=True), "1e-8 is added after the root, not under it."),
            (_adam_steps(_slopes(), kept_corrected=True), "The corrected means were kept. Keep them as they are."),
            (
                _adam_steps(_slopes(), epsilon=False),
                "1e-8 is not part of the divisor. It is added to the root, in parentheses: / (root + 1e-8).",
            ),
            (
                _adam_steps(_slopes(), remembered=False, counted=True),
                "The means of the step before are not used: keep both in state.",
            ),
            (
                _adam_steps(_slopes(), followed=False),
                "The step follows the gradient; it should follow its running mean.",
            ),
            (
                _adam_steps(_slopes(), fades=0.9),
                "Each mean is corrected with its own number: 0.9 for the gradient, 0.999 for its square.",
            ),
            (
                _adam_steps(_slopes(), power_outside=True),
                "`(1 - 0.9) ** t` is another number than `1 - 0.9**t`.",
            ),
            (
                _adam_steps(_slopes(), begun="mean"),
                "The mean begins as the gradient. Let it begin at 0: the correction counts on that.",
            ),
            (
                _adam_steps(_slopes(), begun="both"),
                "The means begin as the gradient and its square. Let them begin at 0: the correction counts on that.",
            ),
            (
                _adam_steps(_slopes(), squared=False),
                "The second mean is of the gradient *squared*: `0.001 * gradient**2`.",
            ),
            (_adam_steps(_slopes(), rooted=False), "Divide by the *root* of the mean square."),
            (
                _adam_steps(_slopes(), remembered=False),
                "Each step knows only its own gradient: keep the means in state.",
            ),
        ):
            expect(not same_value(walk, _along(values(start), other)), shows)
        _tell(walk, right)
    expect(
        state, "the steps are right, but `state` is empty: where are the means kept? Two parameters would share them."
    )
    return "Two tensors of memory for each parameter, and steps about as long as the rate."


def _adam_steps(
    slopes: Walk,
    corrected: bool = True,
    corrected_as_first: bool = False,
    inside: bool = False,
    kept_corrected: bool = False,
    rooted: bool = True,
    remembered: bool = True,
    squared: bool = True,
    epsilon: bool = True,
    counted: bool = False,
    followed: bool = True,
    fades: float = 0.999,
    power_outside: bool = False,
    begun: str = "",
) -> Walk:
    """The steps of Adam, divided by the rate; or of one of its misreadings."""
    steps, mean, square = list[list[float]](), [0.0, 0.0], [0.0, 0.0]
    for number, slope in enumerate(slopes, 1):
        if not remembered:
            number, mean, square = number if counted else 1, [0.0, 0.0], [0.0, 0.0]
        if number == 1 and begun:
            mean, square = slope, [g * g for g in slope] if begun == "both" else square
        mean = [0.9 * m + 0.1 * g for m, g in zip(mean, slope, strict=True)]
        square = [0.999 * s + 0.001 * (g * g if squared else g) for s, g in zip(square, slope, strict=True)]
        power = 1 if corrected_as_first else number
        by_mean, by_square = (1 - 0.9**power, 1 - fades**power) if corrected else (1.0, 1.0)
        if power_outside:
            by_mean, by_square = (1 - 0.9) ** power, (1 - 0.999) ** power
        large = [m / by_mean for m in mean] if followed else slope, [s / by_square for s in square]
        if kept_corrected:
            mean, square = large
        step = []
        for m, s in zip(*large, strict=True):
            if s < 0:  # of gradients that were not squared
                step.append(math.nan)
                continue
            root = math.sqrt(s + 1e-8) if inside else (math.sqrt(s) if rooted else s) + 1e-8 * epsilon
            step.append(m / root)
        steps.append(step)
    return steps


RATE = 0.05


def _slopes() -> Walk:
    """The gradients of a walk's steps; the second parameter's are so small that 1e-8 counts beside them."""
    return [[2.0, 1e-6], [1.0, -2e-6], [-0.5, 3e-6], [4.0, 1e-6]]


def _along(start: list[float], steps: Walk, sign: int = 1) -> Walk:
    walk = [start]
    for step in steps:
        walk.append([p - sign * RATE * s for p, s in zip(walk[-1], step, strict=True)])
    return walk[1:]


def _walked(optimizer: Any, name: str, start: Any) -> tuple[Walk, dict[Any, Any]]:
    """Where the learner's function leads in the steps of `_slopes`, and the state that it kept."""
    p, state = start.detach().clone().requires_grad_(), dict[Any, Any]()
    another, its_state = start.detach().clone().requires_grad_(), dict[Any, Any]()
    given = [start.new_tensor(slope) for slope in _slopes()]
    walk = []
    for gradient in given:
        run(optimizer, name, p, gradient, state, RATE)
        walk.append(values(p.detach()))
        run(optimizer, name, another, gradient.new_ones(2), its_state, RATE)  # a parameter with a state of its own
    expect(
        same_value([values(gradient) for gradient in given], [values(start.new_tensor(slope)) for slope in _slopes()]),
        f"`{name}` wrote into a gradient that it was given: what is kept should be a tensor of its own.",
    )
    expect(
        not all(same_value(place, values(start)) for place in walk),
        f"`p` is where it was after {len(walk)} steps: write into it, by `p -= …` under no_grad.",
    )
    faster = start.detach().clone().requires_grad_()
    run(optimizer, name, faster, given[0], {}, 2 * RATE)
    twice = [2 * one - p for one, p in zip(walk[0], values(start), strict=True)]
    expect(
        same_value(values(faster.detach()), twice, 1e-5),
        f"with twice the rate, the first step of `{name}` is not twice as long.",
    )
    return walk, state


def _tell(walk: Walk, right: Walk) -> None:
    step = next(number for number, pair in enumerate(zip(walk, right, strict=True)) if not same_value(*pair))
    mine, wanted = told_apart(walk[step], right[step], 4)
    expect(
        False,
        f"after step {step + 1} with the gradient {_short(_slopes()[step])} and the rate {RATE}, `p` is "
        f"{mine}; it should be {wanted}.",
    )


def _short(numbers: list[Any]) -> str:
    return f"[{', '.join(f'{number:.4g}' for number in numbers)}]"


@exercise(
    "n03-rate",
    hints=[
        "How many times has the rate been multiplied by then? That is an integer division.",
        "epoch // every is how often; a factor that is multiplied n times is factor ** n.",
        """
        def rate_at(epoch, first, every, factor):
            return first * factor ** (…)
        """,
        """
        def rate_at(epoch, first, every, factor):
            return first * factor ** (epoch // every)
        """,
    ],
)
def rate(rate_at: Callable[..., Any]) -> str:
    first, every, factor = 0.8, 3, 0.5
    rates = [call(rate_at, "rate_at", epoch, first, every, factor) for epoch in range(8)]
    expect(
        all(isinstance(one, (int, float)) for one in rates),
        f"`rate_at(0, {first}, {every}, {factor})` is {text(rates[0])}; it should be a plain number.",
    )
    wrong = {
        word("It falls in every epoch; it should stay the same for `every` epochs."): [
            first * factor**e for e in range(8)
        ],
        word("It falls one epoch too early: epochs 0, 1 and 2 have the first rate."): [
            first * factor ** ((e + 1) // every) for e in range(8)
        ],
        word("The factor is multiplied *again* each time: factor ** n, not factor * n."): [
            first * factor * (e // every) for e in range(8)
        ],
        word("A remainder begins anew after `every` epochs; the rate should go on falling. Use //."): [
            first * factor ** (e % every) for e in range(8)
        ],
        word("It falls once; it should fall again each time `every` epochs have passed."): [
            first * factor ** (e >= every) for e in range(8)
        ],
        word("It slides down; it should fall in steps. Use //, which gives integers."): [
            first * factor ** (e / every) for e in range(8)
        ],
    }
    for shows, other in wrong.items():
        expect(not same_value(rates, other), f"the rates of the first epochs are {_rates(rates)}. {shows}")
    wanted = [first * factor ** (epoch // every) for epoch in range(8)]
    for epoch, (mine, right) in enumerate(zip(rates, wanted, strict=True)):
        expect_equal(mine, f"rate_at({epoch}, {first}, {every}, {factor})", right)
    expect_equal(call(rate_at, "rate_at", 100, 1.0, 50, 0.1), "rate_at(100, 1.0, 50, 0.1)", 0.1**2)
    return "A staircase: level for some epochs, then down by a factor."


def _rates(rates: list[Any]) -> str:
    return ", ".join(f"{rate:.3g}" for rate in rates[:5])


@exercise(
    "n03-weigh",
    setup="""
    p = torch.nn.Parameter(torch.ones(10))
    optimizer = torch.optim.Adam([p])
    p.sum().backward()
    optimizer.step()
    """,
    hints=[
        (
            "Three walks: over the parameters of all groups, over their .grad, and over the dictionaries in "
            "optimizer.state."
        ),
        "optimizer.state.values() gives one dictionary for each parameter; not everything in one has to be a tensor.",
        """
        def weigh(optimizer):
            parameters = [each for group in optimizer.param_groups for each in group["params"]]
            gradients = [each.grad for each in parameters if …]
            kept = [each for state in optimizer.state.values() for each in …]
            state = [each for each in kept if isinstance(each, torch.Tensor)]
            return tuple(sum(each.nbytes for each in part) for part in (parameters, gradients, state))
        """,
        """
        def weigh(optimizer):
            parameters = [each for group in optimizer.param_groups for each in group["params"]]
            gradients = [each.grad for each in parameters if each.grad is not None]
            kept = [each for state in optimizer.state.values() for each in state.values()]
            state = [each for each in kept if isinstance(each, torch.Tensor)]
            return tuple(sum(each.nbytes for each in part) for part in (parameters, gradients, state))
        """,
    ],
)
def weigh(weigh: Callable[..., Any], *, optimizer: Any) -> str:
    model = optimizer.param_groups[0]["params"][0]
    a, b, c = (model.new_zeros(size).requires_grad_() for size in (100, 30, 7))
    mine = type(optimizer)([{"params": [a, b]}, {"params": [c]}], lr=0.1)
    expect_equal(
        call(weigh, "weigh", mine),
        "weigh(optimizer) of 137 numbers before anything was computed",
        (548, 0, 0),
        mistakes={
            (520, 0, 0): "There are two groups of parameters.",
            (548, 548, 1096): "Before the first backward there are no gradients, and before the first step no state: "
            "add up what is there.",
            (548, 548, 0): "Before the first backward there are no gradients: .grad is None.",
            (548, 0, 1096): "Before the first step there is no state.",
            (137, 0, 0): "These are elements; a float32 has four bytes.",
        },
    )
    (a.sum() + c.sum()).backward()
    mine.step()
    expect_equal(
        _weighed(weigh, mine),
        "weigh(optimizer) after a step, where the 30 numbers in the middle got no gradient,",
        (548, 428, 864),
        mistakes={
            (548, 428, 856): "The counters are missing: `step` is a tensor too, of four bytes.",
            (548, 428, 428): "That is one of the two running means.",
            (548, 548, 864): "A parameter whose .grad is None has no gradient that weighs anything.",
            (137, 107, 216): "These are elements; a float32 has four bytes.",
            (520, 400, 864): "There are two groups of parameters.",
        },
    )
    mine.zero_grad()
    expect_equal(call(weigh, "weigh", mine), "weigh(optimizer) after zero_grad()", (548, 0, 864))
    return "Parameters from the start, gradients from the first backward, state from the first step."


def _weighed(weigh: Callable[..., Any], optimizer: Any) -> Any:
    """What `weigh` returns when there are gradients, some of more than one number."""
    try:
        return call(weigh, "weigh", optimizer)
    except Misconception as error:
        is_asked = "Boolean value of Tensor" in str(error)
        expect(
            not is_asked,
            "`if p.grad` asks whether the *numbers* of the gradient are True. Whether there is a gradient is "
            "`if p.grad is not None`.",
        )
        raise
