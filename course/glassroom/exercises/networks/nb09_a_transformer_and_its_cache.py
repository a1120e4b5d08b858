"""Exercises of notebook 09 on networks: layer normalization, tied weights, and a cache that grows in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    call_writing,
    expect,
    expect_equal,
    expect_near,
    expect_tensor,
    expect_value,
    expect_view,
)
from glassroom.exercises.facts import is_tensor, same_value, shape, share_memory, values
from glassroom.translations.templates import word


@exercise(
    "n09-norm",
    setup="x = torch.arange(24.0).view(2, 3, 4) ** 2",
    hints=[
        "Each position is normalized by itself: mean and variance over the last dimension.",
        "keepdim=True keeps the dimension, with length 1, so that the mean can be subtracted by broadcasting.",
        """
        def norm(x, weight, bias):
            centered = x - x.mean(-1, keepdim=True)
            variance = …
            return centered / (variance + 1e-5).sqrt() * weight + bias
        """,
        """
        def norm(x, weight, bias):
            centered = x - x.mean(-1, keepdim=True)
            variance = (centered**2).mean(-1, keepdim=True)
            return centered / (variance + 1e-5).sqrt() * weight + bias
        """,
    ],
)
def norm(norm: Callable[..., Any], *, x: Any) -> str:
    d = shape(x)[-1]
    weight, bias = x.new_tensor([1.0, 2.0, 3.0, 4.0][:d]), x.new_tensor([0.5, 0.0, -0.5, 1.0][:d])
    told = "`x` itself was changed, or a parameter; the residual needs `x` as it was."
    returned = call(norm, "norm", x * 1, weight, bias, written=told)
    expect_tensor(returned, "norm(x, weight, bias)", shape=shape(x), dtype="float32")
    centered = x - x.mean(-1, keepdim=True)
    variance = (centered**2).mean(-1, keepdim=True)

    def scaled(numbers: Any) -> Any:
        return numbers * weight + bias

    over_all = x - x.mean()
    shown = {
        word("The variance is divided by d − 1 there, as torch.var does it; a plain mean was asked for."): scaled(
            centered / (variance * d / (d - 1) + 1e-5).sqrt()
        ),
        word("That is divided by the variance; its root is missing."): scaled(centered / (variance + 1e-5)),
        word("The mean is subtracted, and the spread stays as it was."): scaled(centered),
        word("The spread is 1, and the mean was not subtracted."): scaled(x / (variance + 1e-5).sqrt()),
        word("The bias is multiplied too; it is added at the end."): centered
        / (variance + 1e-5).sqrt()
        * (weight + bias),
        word("The weight is missing."): centered / (variance + 1e-5).sqrt() + bias,
        word("The bias is missing."): centered / (variance + 1e-5).sqrt() * weight,
        word("weight and bias are not applied."): centered / (variance + 1e-5).sqrt(),
        word("All positions were normalized together; each should be by itself, over the last dimension."): scaled(
            over_all / ((over_all**2).mean() + 1e-5).sqrt()
        ),
    }
    for mistake, wrong in shown.items():
        expect(not same_value(values(returned), values(wrong), 1e-4), mistake)
    told = "the shape is right, but the numbers are not those of the formula."
    expect_near(returned, "norm(x, weight, bias)", scaled(centered / (variance + 1e-5).sqrt()), 1e-4, told)
    small = (x - x.mean(-1, keepdim=True)) * 1e-5
    spread = (small**2).mean(-1, keepdim=True)
    of_small = call(norm, "norm", small, weight, bias)
    expect(
        same_value(values(of_small), values(scaled(small / (spread + 1e-5).sqrt())), 1e-4),
        "for numbers that hardly differ, the result is wrong: 1e-5 belongs to the variance, under the root.",
    )
    gradients = []
    for function in (norm, lambda x, weight, bias: _normalized(x) * weight + bias):
        wanting = (x / 10).requires_grad_()
        result = call(function, "norm", wanting, weight, bias)
        expect(result.requires_grad, "the numbers are right, but `x` gets no gradient: something was detached.")
        result[..., 0].sum().backward()
        gradients.append(wanting.grad)
    expect(
        same_value(values(gradients[0]), values(gradients[1]), 1e-4),
        "the numbers are right, but the gradient of `x` is not: mean and variance are computed from `x`, so they "
        "belong to the graph too.",
    )
    return "Every position by itself: mean 0, spread 1, then two learned vectors."


def _normalized(x: Any) -> Any:
    centered = x - x.mean(-1, keepdim=True)
    return centered / ((centered**2).mean(-1, keepdim=True) + 1e-5).sqrt()


@exercise(
    "n09-tie",
    setup="embed, scores = torch.nn.Embedding(5, 8), torch.nn.Linear(8, 5, bias=False)",
    hints=[
        "A module's parameter is an attribute. Two modules may have the same one.",
        "Assign the parameter itself, not its values and not its data.",
        "scores.weight = …",
        "scores.weight = embed.weight",
    ],
)
def tie(embed: Any, scores: Any) -> str:
    for module, name in ((embed, "embed"), (scores, "scores")):
        expect(hasattr(module, "weight") and hasattr(module, "parameters"), f"`{name}` is not a module with a weight.")
    expect(embed is not scores, "`embed` and `scores` are one module now. Keep both, and let them have one weight.")
    first, second = embed.weight, scores.weight
    expect_tensor(first, "embed.weight", shape=(5, 8))
    expect_tensor(second, "scores.weight", shape=(5, 8))
    if not share_memory(first, second):
        expect(
            not same_value(values(first), values(second)),
            "the values are equal, but there are two storages: after an optimizer's first step the values will differ. "
            "Let both modules hold one parameter.",
        )
        expect(False, "the two modules still have weights of their own.")
    expect(
        first is second,
        "both look at one storage, and yet they are two parameters, with a gradient each: an optimizer would step "
        "twice, with a part of the gradient in each. Assign the parameter itself, not its data.",
    )
    expect(
        any(parameter is first for parameter in scores.parameters())
        and any(parameter is first for parameter in embed.parameters()),
        "the tensor is the same, but not both modules have it as a parameter.",
    )
    expect(bool(first.requires_grad), "the parameter no longer asks for a gradient.")
    return "One parameter, two uses: one gradient, one state in the optimizer."


@exercise(
    "n09-append",
    setup="room = torch.zeros(2, 2, 6, 4)",
    hints=[
        "Positions are dimension 2. Assigning to a slice of it writes into the storage that is there.",
        "The new positions go from `length` to `length + new.shape[2]`. What is filled is the slice from 0 to there.",
        """
        def append(room, length, new):
            filled = length + new.shape[2]
            room[:, :, …] = new
            return room[:, :, …]
        """,
        """
        def append(room, length, new):
            filled = length + new.shape[2]
            room[:, :, length:filled] = new
            return room[:, :, :filled]
        """,
    ],
)
def append(append: Callable[..., Any], *, room: Any) -> str:
    own = room * 0 - 1
    n, heads, positions, d = shape(own)

    def new(count: int, first: float) -> Any:
        numbers = own.new_ones(n * heads * count * d).cumsum(0) + first
        return numbers.view(n, heads, count, d)

    wanted: list[Any] = []
    length = 0
    for count, first in ((2, 0.0), (1, 100.0), (3, 200.0)):
        piece = new(count, first)
        returned = call_writing(append, "append", own, length, piece)
        wanted.append(piece)
        expect_tensor(returned, "append(…)")
        expect(
            returned is not piece and (shape(returned) != shape(piece) or length == 0),
            "`append` returned only what is new; return everything that is filled, from position 0 on.",
        )
        expect(
            shape(returned) != shape(own) or length + count == positions,
            "`append` returned all of `room`, and its last positions are not filled yet.",
        )
        expect_tensor(returned, "append(…)", shape=(n, heads, length + count, d))
        written = own[:, :, length : length + count]
        expect(
            same_value(values(written), values(piece)),
            "the new positions did not get into `room` behind the first `length`: a tensor of its own was made, or "
            "they stand somewhere else. Assign to a slice of `room`.",
        )
        at = 0
        for earlier in wanted:
            size = shape(earlier)[2]
            expect(
                same_value(values(own[:, :, at : at + size]), values(earlier)),
                "what was there before has been overwritten. The new positions come after the first `length`.",
            )
            at += size
        if length + count < positions:
            expect(
                bool((own[:, :, length + count :] == -1).all()),
                "positions after the new ones were written as well.",
            )
        expect_view(returned, "append(…)", of=own, of_name="room", because="A slice of `room` copies nothing.")
        expect_value(returned, "append(…)", own[:, :, : length + count])
        length += count
    return "What is new was written, and a header was made. Nothing else moved."


@exercise(
    "n09-bytes",
    hints=[
        "Count the numbers that are kept: for every user, every block, every position and every head, `width` of them.",
        "And there are two of each: a key and a value. 256 KiB is 256 * 1024 bytes.",
        """
        def cache_bytes(blocks, heads, width, positions, users, bytes_each):
            return … * blocks * heads * width * positions * users * bytes_each

        users = 256 * 1024 // cache_bytes(2, 4, 8, 64, 1, …)
        """,
        """
        def cache_bytes(blocks, heads, width, positions, users, bytes_each):
            return 2 * blocks * heads * width * positions * users * bytes_each

        users = 256 * 1024 // cache_bytes(2, 4, 8, 64, 1, 4)
        """,
    ],
)
def cache_of_the_machine(cache_bytes: Callable[..., Any], users: Any) -> str:
    for blocks, heads, width, positions, count, itemsize in ((3, 5, 7, 11, 13, 4), (2, 4, 8, 64, 1, 2)):
        numbers = blocks * heads * width * positions * count
        returned = call(cache_bytes, "cache_bytes", blocks, heads, width, positions, count, itemsize)
        expect_equal(
            returned,
            f"cache_bytes({blocks}, {heads}, {width}, {positions}, {count}, {itemsize})",
            2 * numbers * itemsize,
            mistakes={
                numbers * itemsize: "That is the keys alone; values are kept as well.",
                2 * numbers: "That counts numbers; each has several bytes.",
                2 * numbers * itemsize // count: "That is one user's; count all of them.",
                2 * numbers * itemsize // blocks: "That is one block's; every block has a cache of its own.",
                2 * numbers * itemsize // heads: "That is one head's; every head has keys of its own.",
                2
                * numbers
                * itemsize
                * positions: "The shares grow with the square of the positions; keys and values do not.",
            },
        )
    if is_tensor(users) and shape(users) == ():
        users = users.item()
    expect_equal(
        users,
        "users",
        8,
        mistakes={
            7: "256 KiB are 256 * 1024 bytes.",
            16: "Is every number counted twice, once as part of a key and once of a value?",
            32: "A float32 has four bytes.",
            4: "That is right with the weights in memory, too. The question was about 256 KiB for caches alone.",
        },
    )
    return "32 KiB for each, so eight of them fill the machine."
