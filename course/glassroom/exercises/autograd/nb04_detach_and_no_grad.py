"""Exercises of part 3's notebook 04: values that gradients do not flow through, and operations that are not
recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import (
    call_writing,
    expect,
    expect_copy,
    expect_equal,
    expect_tensor,
    expect_value,
    expect_without_data,
    expect_words,
    names_read,
)
from glassroom.exercises.facts import first_sentence, same_value, shape, values


def gradients(loss: Any, *leaves: Any) -> list[Any]:
    """The gradient of `loss` for each leaf, as a list, or None; the leaves' own `grad` stays as it was."""
    before = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    try:
        loss.backward(retain_graph=True)
        return [None if leaf.grad is None else values(leaf.grad) for leaf in leaves]
    except RuntimeError as error:
        raise Misconception(
            f"`loss.backward()` raised {first_sentence(error)} Leave the backward to the check, and run the cell again."
        ) from None
    finally:
        for leaf, grad in zip(leaves, before, strict=True):
            leaf.grad = grad


def expect_loss(loss: Any, value: float, mistakes: Mapping[float, str]) -> None:
    """Expect the loss to be one number with this value and a graph."""
    expect_tensor(loss, "loss")
    expect(shape(loss) == (), f"`loss` has shape {shape(loss)}; it should be one number, the sum.")
    expect_tensor(loss, "loss", dtype="float32")
    for mistake, shows in mistakes.items():
        expect(not same_value(values(loss), mistake), f"`loss` is {mistake:g}. {shows}")
    expect_value(loss, "loss", value)
    expect(
        loss.requires_grad,
        "`loss` has the right value, but no way back: it does not require a gradient. Too much was cut off.",
    )


@exercise(
    "a04-target",
    setup="""
    w = torch.tensor([1.0, 3.0], requires_grad=True)
    prediction = 2 * w
    target = w * w
    """,
    hints=[
        "detach gives the same values without the way back.",
        "Of the two tensors in the difference, one should be followed and the other not.",
        "loss = ((prediction - target.…) ** 2).sum()",
        "loss = ((prediction - target.detach()) ** 2).sum()",
    ],
)
def target(loss: Any, *, w: Any) -> str:
    expect_loss(
        loss,
        10.0,
        {
            5.0: "That is the mean of the squared differences; the sum was asked for.",
            4.0: "Their magnitudes are added, or the sum is squared. Square each difference, and then add.",
            -2.0: "The differences are added as they are. Square each difference, and then add.",
        },
    )
    [gradient] = gradients(loss, w)
    expect(gradient is not None, "`loss` requires a gradient, and none of it arrives at `w`.")
    expect(
        not same_value(gradient, [0.0, 24.0]),
        "gradients flow through both sides: w.grad becomes [0.0, 24.0]. Detach the target.",
    )
    expect(
        not same_value(gradient, [-4.0, 36.0]),
        "it is the other way around: the prediction is a constant, and the target runs toward it.",
    )
    expect_equal(gradient, "w.grad", [4.0, -12.0])
    read = names_read("loss")
    expect(
        not read or read["target"] or read["w"] > 3,  # the given lines read it three times
        "`loss` is computed without `target`: its numbers are typed in, and will stay when `w` moves on. Take the "
        "tensor itself, without its way back.",
    )
    return "The target is taken as given; the gradient comes from the prediction alone."


@exercise(
    "a04-step",
    setup="""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    idle = torch.tensor([5.0], requires_grad=True)
    """,
    hints=[
        "An update must not be recorded, and it has to write into the tensor that is there.",
        "Inside no_grad, `weight -= …` is allowed. Ask for `grad is not None` first, and set it to None afterwards.",
        """
        @torch.no_grad()
        def step(weights, rate):
            for weight in weights:
                if weight.grad is not None:
                    weight -= …
                    weight.grad = …
        """,
        """
        @torch.no_grad()
        def step(weights, rate):
            for weight in weights:
                if weight.grad is not None:
                    weight -= rate * weight.grad
                    weight.grad = None
        """,
    ],
)
def step(step: Callable[..., Any], *, w: Any, idle: Any) -> str:
    expect(callable(step), "`step` should be a function of a list of weights and a rate.")
    trained, aside = (leaf.detach().clone().requires_grad_() for leaf in (w, idle))
    (trained * trained).sum().backward()
    call_writing(lambda weights: [step(weights, 0.25)], "step", [trained, aside])  # in a list: it may return nothing
    expect(
        (trained * 2).requires_grad,
        "after the call recording is still off. As a block or a decorator, no_grad ends by itself.",
    )
    now = values(trained)
    expect(
        now != values(w),
        "the weight has not changed. `weight = weight - …` gives the result a name and writes nothing; `-=` writes.",
    )
    expect(not same_value(now, [-1.0, -2.0]), "the whole gradient was subtracted; a step is `rate` times it.")
    expect(not same_value(now, [1.5, 3.0]), "the weight went uphill: subtract the gradient.")
    expect_value(trained, "the weight after step([…], 0.25), from [1.0, 2.0] with gradient [2.0, 4.0],", [0.5, 1.0])
    expect(
        trained._version > 0,
        "the weight was written through .data, so the write was not counted. A write under no_grad is counted.",
    )
    expect(
        trained.grad is None or not any(values(trained.grad)),
        "the weight's gradient is still there: the next step would be made with the sum.",
    )
    expect(values(aside) == values(idle) and aside.grad is None, "a weight without a gradient was changed.")
    (trained * trained).sum().backward()
    call_writing(lambda weights: [step(weights, 0.5)], "step", [aside, trained])
    expect(
        not same_value(values(trained), [0.5, 1.0]),
        "a weight that follows one without a gradient was not changed: leave that one out, and go on with the next.",
    )
    expect(not any(values(trained)), "with another rate, the step is not rate times gradient: use `rate`.")
    return "The weights are written in place, stay leaves, and are ready for the next backward."


@exercise(
    "a04-freeze",
    setup="""
    x = torch.tensor([1.0, 2.0])
    first = torch.tensor([3.0, 4.0], requires_grad=True)
    head = torch.tensor([5.0, 6.0], requires_grad=True)
    """,
    hints=[
        "The gradient of `first` passes through the multiplication with `head`. That one has to be recorded.",
        "Detach what should get no gradient: `head`, and not the features that flow into it.",
        "loss = (head.… * (first * x)).sum()",
        "loss = (head.detach() * (first * x)).sum()",
    ],
)
def freeze(loss: Any, *, first: Any, head: Any) -> str:
    expect(
        head.requires_grad and first.requires_grad,
        "the flag of `head` or `first` is off now; there is a way that leaves it alone. Run the cell again without.",
    )
    expect_loss(loss, 63.0, {31.5: "That is the mean; the sum was asked for."})
    of_first, of_head = gradients(loss, first, head)
    expect(
        of_first is not None or of_head is None,
        "it is the other way around: `head` is trained, and what `first` made was cut off.",
    )
    expect(of_head is None, "`head` gets a gradient as well. Which of the two factors should be a constant?")
    expect_equal(of_first, "first.grad", [5.0, 12.0])
    expect_without_data("loss")
    return "The multiplication was recorded for the sake of `first`; `head` took part as a constant."


LIMITED = (
    ([3.0, 3.0, 4.0], "Nothing is below 3 now: that is the lower limit. The upper one is `max`."),
    ([1.0, 2.0, 4.0], "Those are the values of `root`, and 4 is above the limit."),
    ([1.0, 3.0, 3.0], "Those are the values of `x`, limited; the plot is of `root`."),
)


@exercise(
    "a04-shown",
    setup="""
    x = torch.tensor([1.0, 4.0, 16.0], requires_grad=True)
    root = x.sqrt()
    """,
    hints=[
        "Two things are wrong: .data, and the underscore.",
        "detach() for a header without a history, and the clamp that makes a new tensor.",
        "shown = root.detach().…",
        "shown = root.detach().clamp(max=3)",
    ],
)
def shown(shown: Any, *, root: Any) -> str:
    expect_tensor(shown, "shown", shape=(3,), dtype="float32")
    expect(
        values(root) == [1.0, 2.0, 4.0],
        f"`root` holds {values(root)} now: the limit was written into it. clamp_ writes; without the underscore it "
        "makes a new tensor. Run the cell again.",
    )
    expect(not shown.requires_grad, "`shown` has the graph behind it, and keeps it alive as long as the plot lives.")
    for limited, shows in LIMITED:
        expect(values(shown) != limited, f"`shown` holds {limited}. {shows}")
    expect_value(shown, "shown", [1.0, 2.0, 3.0])
    expect_copy(shown, "shown", of=root, of_name="root")
    expect(root._version == 0, "`root` was written to and put back. Writes are counted, so backward will refuse.")
    expect_without_data("shown")
    return "`root` is as the backward left it, and the plot has its own values."


DETACHED = "That has no way back to the first, and gradients should flow."
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "constant": (
        "detach",
        {
            "detach().clone()": "It would work; the values are only read, so no copy is needed.",
            "clone": "A clone is recorded: gradients flow through it to the original.",
            "no_grad": "It stops the recording of everything in the block; this is about one tensor.",
            "inference_mode": "A tensor from there may not be saved for a backward, and the rest of the loss has one.",
        },
    ),
    "service": (
        "inference_mode",
        {
            "no_grad": "It would work. The answers never come back into training, so you can save more.",
            "detach": "Each answer would first build its graph, for nothing.",
            "detach().clone()": "Each answer would first build its graph, for nothing, and then be copied.",
            "clone": "Each answer would build its graph, for nothing, and a clone holds on to it.",
        },
    ),
    "update": (
        "no_grad",
        {
            "inference_mode": "It would work on the weights. But what else the step makes, such as a momentum, "
            "could no longer be used in training.",
            "detach": "Writing through a detached header works, and is hard to read: the whole step should go "
            "unrecorded.",
            "clone": "A write into a clone does not reach the weights.",
            "detach().clone()": "A write into a clone does not reach the weights.",
        },
    ),
    "snapshot": (
        "detach().clone()",
        {
            "detach": "It shares the storage: after the update it shows the new values.",
            "clone": "It has the values, and also a graph that leads back to the weight. Nobody will go that way.",
            "no_grad": "It copies nothing: it is about code, and here a storage is needed.",
            "inference_mode": "It copies nothing: it is about code, and here a storage is needed.",
        },
    ),
    "scratch": (
        "clone",
        {
            "detach": DETACHED,
            "detach().clone()": DETACHED,
            "no_grad": DETACHED,
            "inference_mode": DETACHED,
        },
    ),
}


@exercise(
    "a04-choose",
    hints=[
        "First: is it about one tensor or about a stretch of code? Then: is a storage of its own needed?",
        "Two of the five are about code. Of the other three, two need a storage, and one of these keeps the way back.",
        'update = "no_grad", service = "inference_mode", scratch = "clone"; which of the last two needs a copy?',
        """
        constant = "detach"
        service = "inference_mode"
        update = "no_grad"
        snapshot = "detach().clone()"
        scratch = "clone"
        """,
    ],
)
def choose(constant: Any, service: Any, update: Any, snapshot: Any, scratch: Any) -> str:
    expect_words(CHOICES, (constant, service, update, snapshot, scratch))
    return "Five situations, and each has its own tool."
