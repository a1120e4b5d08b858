"""Exercises of part 2's capstone: nearest and mean colors, rounds that stay on the device, half a byte each."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    expect,
    expect_as_given,
    expect_device,
    expect_nothing_moved,
    expect_tensor,
    expect_value,
)
from glassroom.exercises.facts import device, same_value, told_apart, values

PIXELS = """
device = "sim" if hasattr(torch, "sim") else "cpu"
pixels = ((torch.arange(4000 * 3) * 37 % 101).view(4000, 3) / 100).to(device)
palette = pixels[::250].clone()
"""
_ROUND = """
def nearest(pixels, palette):
    return ((palette**2).sum(1) - 2 * (pixels @ palette.t())).argmin(1)


def means(pixels, labels, k):
    chosen = (labels[:, None] == torch.arange(k, device=labels.device)).float()
    return torch.einsum("nk,nc->kc", chosen, pixels) / chosen.sum(0).clamp(min=1)[:, None]
"""


def _squares(pixels: list[list[float]], palette: list[list[float]]) -> list[list[float]]:
    """Squared distances, in plain Python."""
    return [[sum((a - b) ** 2 for a, b in zip(pixel, color, strict=True)) for color in palette] for pixel in pixels]


@exercise(
    "t21-nearest",
    setup=PIXELS,
    hints=[
        "|p - c|² = |p|² - 2 p·c + |c|². Which of the three terms is the same for all colors?",
        "p·c for all pixels and colors is one product, pixels @ palette.t(). |c|² is a row of k numbers.",
        """
        def nearest(pixels, palette):
            return ((palette**2).sum(1) - 2 * (…)).argmin(…)
        """,
        """
        def nearest(pixels, palette):
            return ((palette**2).sum(1) - 2 * (pixels @ palette.t())).argmin(1)
        """,
    ],
)
def nearest(nearest: Callable[..., Any], *, pixels: Any, palette: Any) -> str:
    with account() as kept:
        labels = call(nearest, "nearest", pixels, palette)
    name = "nearest(pixels, palette)"
    expect_tensor(labels, name, shape=(len(pixels),), dtype="int64")
    expect_device(labels, name, device(pixels))
    squares = _squares(values(pixels[:300]), values(palette))
    for at, (row, label) in enumerate(zip(squares, values(labels[:300]), strict=True)):
        expect(0 <= label < len(row), f"`{name}[{at}]` is {label}; there are {len(row)} colors, counted from 0.")
        expect(
            label != row.index(max(row)) or row[label] - min(row) < 1e-4,
            f"`{name}[{at}]` is the color that is farthest away: argmin, not argmax.",
        )
        mine, least = told_apart(row[label], min(row), 4)
        expect(
            row[label] - min(row) < 1e-4,  # as near as another one, but for rounding
            f"`{name}[{at}]` is color {label}, at a squared distance of {mine}; color {row.index(min(row))} is nearer: "
            f"{least}.",
        )
    table = len(pixels) * len(palette) * 4
    expect(
        max(kept.allocations, default=0) <= table,
        f"the colors are right, but one tensor on the way had {max(kept.allocations, default=0):,} bytes: a difference "
        f"for each pixel, color and channel. A number for each pixel and color has {table:,}.",
    )
    expect_nothing_moved(kept, "nearest", "Everything it needs is on the device.")
    return "The nearest of sixteen, and no tensor larger than pixels × colors."


@exercise(
    "t21-means",
    setup=PIXELS + "labels = torch.arange(4000, device=device) % 15",
    hints=[
        "A sum over the pixels of one color is a product with zeros and ones. Then divide by how many there are.",
        "chosen[n, k] is 1 where labels[n] == k. einsum or chosen.t() @ pixels sums. 0 / 0 is nan: clamp the count.",
        """
        def means(pixels, labels, k):
            chosen = (labels[:, None] == torch.arange(k, device=labels.device)).float()
            return torch.einsum("…", chosen, pixels) / chosen.sum(0).….[:, None]
        """,
        """
        def means(pixels, labels, k):
            chosen = (labels[:, None] == torch.arange(k, device=labels.device)).float()
            return torch.einsum("nk,nc->kc", chosen, pixels) / chosen.sum(0).clamp(min=1)[:, None]
        """,
    ],
)
def means(means: Callable[..., Any], *, pixels: Any, labels: Any) -> str:
    k = 16
    used = labels.clone()
    used[used == 5] = 4  # colors 5 and 15 have no pixel, and color 7 has one
    used[used == 7] = 6
    used[0] = 7
    with account() as kept:
        returned = call(means, "means", pixels, used, k)
    name = "means(pixels, labels, 16)"
    expect_tensor(returned, name)
    expect(
        tuple(returned.shape) == (k, 3),
        f"`{name}` has shape {tuple(returned.shape)}; it should be (16, 3), even if the last colors have no pixels.",
    )
    expect_device(returned, name, device(pixels))
    groups: list[list[list[float]]] = [[] for _ in range(k)]
    for pixel, label in zip(values(pixels), values(used), strict=True):
        groups[label].append(pixel)
    sums = [[sum(channel) for channel in zip(*group, strict=True)] if group else [0.0] * 3 for group in groups]
    wanted = [[number / max(1, len(group)) for number in total] for total, group in zip(sums, groups, strict=True)]
    mine = values(returned)
    expect(
        all(number == number for number in mine[5]),
        "a color without pixels is nan: 0 / 0. Let it be 0, as a count of at least 1 makes it.",
    )
    expect(not same_value(mine, sums, 1e-2), "these are sums. Divide each by the number of its pixels.")
    expect(
        not same_value(mine, [[number / len(used) for number in total] for total in sums], 1e-5),
        "each sum was divided by the number of all pixels. Divide by how many there are of that color.",
    )
    for at, (row, right) in enumerate(zip(mine, wanted, strict=True)):
        own, truth = told_apart(row, right, 4)
        expect(
            same_value(row, right, 1e-4) or all(abs(a - b) < 1e-4 for a, b in zip(row, right, strict=True)),
            f"the mean of color {at} is {own}, and should be {truth}.",
        )
    expect_nothing_moved(
        kept,
        "means",
        "item(), tolist() and a tensor made on the host are transfers, and so is bincount, which must know the largest "
        "label before it can make its result.",
    )
    expect_tensor(call(means, "means", pixels, used, 20), "means(pixels, labels, 20)", shape=(20, 3), dtype="float32")
    return "A mean for each color, and 0 where there is nothing to average."


@exercise(
    "t21-fit",
    setup=PIXELS + _ROUND,
    hints=[
        "Nothing in the loop may ask the device for a value: no item(), no if, no print.",
        "Each round: labels from nearest, then a palette from means. After the last one, ask nearest for the labels "
        "once more.",
        """
        def fit(pixels, palette, rounds):
            for _ in range(rounds):
                palette = means(pixels, …, len(palette))
            return palette, …
        """,
        """
        def fit(pixels, palette, rounds):
            for _ in range(rounds):
                palette = means(pixels, nearest(pixels, palette), len(palette))
            return palette, nearest(pixels, palette)
        """,
    ],
)
def fit(fit: Callable[..., Any], *, pixels: Any, palette: Any) -> str:
    random = Random(0)
    points = [[random.random() for _ in range(3)] for _ in range(200)]  # no two colors are equally near to one
    before = points[::12][:16]
    few, palette = pixels.new_tensor(points), palette.new_tensor(before)

    def assign(colors: list[list[float]]) -> list[int]:
        return [row.index(min(row)) for row in _squares(points, colors)]

    path = [before]
    for _ in range(4):
        labels, colors = assign(path[-1]), []
        for k in range(len(before)):
            group = [point for point, label in zip(points, labels, strict=True) if label == k]
            colors.append([sum(channel) / len(group) for channel in zip(*group, strict=True)] if group else [0.0] * 3)
        path.append(colors)

    def is_near(mine: Any, other: Any) -> bool:
        return same_value(mine, other, 1e-4) or all(
            abs(a - b) < 1e-3 for row, right in zip(mine, other, strict=True) for a, b in zip(row, right, strict=True)
        )

    with account() as kept:
        told = "`palette` is not as it was given: it has been written to. Make a new tensor in each round."
        result = call(fit, "fit", few, palette, 3, written=told)
    expect(
        isinstance(result, (tuple, list)) and len(result) == 2, "`fit` should return two tensors, palette and labels."
    )
    colors, labels = result
    expect_tensor(colors, "the palette", shape=(len(before), 3))
    expect_tensor(labels, "the labels", shape=(200,), dtype="int64")
    mine = values(colors)
    for rounds in (2, 4):
        expect(not is_near(mine, path[rounds]), f"that is the palette after {rounds} rounds; 3 were asked for.")
    expect(is_near(mine, path[3]), "the palette is not that after three rounds of nearest and means.")
    stale = assign(path[2])
    of_result = [
        row[label] - min(row) < 1e-3 for row, label in zip(_squares(points, mine), values(labels), strict=True)
    ]
    expect(
        all(of_result) or values(labels) != stale,
        "the labels are those of the round before: means has moved the palette since. Ask nearest once more.",
    )
    expect(all(of_result), "the labels are not those of the nearest colors of the palette that is returned.")
    expect_device(colors, "the palette", device(few))
    expect_nothing_moved(
        kept, "fit", "A value that Python looks at comes from the device, and the device waits meanwhile."
    )
    once = call(fit, "fit", few, palette, 1)[0]
    expect(
        is_near(values(once), path[1]),
        "with `rounds` 1 the palette is not that after one round: make as many rounds as `rounds` says.",
    )
    return "Three rounds on the device, without an interruption."


@exercise(
    "t21-unpack",
    setup="""
    labels = torch.arange(4000) * 7 % 16

    def pack(labels):
        return (labels[::2] * 16 + labels[1::2]).to(torch.uint8)
    """,
    hints=[
        "Integer division by 16 gives back the label that was multiplied; the remainder is the other one.",
        "packed // 16 and packed % 16 are two rows of n / 2. Interleave them: stack along dimension 1.",
        """
        def unpack(packed):
            return torch.stack((packed // 16, …), …).view(-1).long()
        """,
        """
        def unpack(packed):
            return torch.stack((packed // 16, packed % 16), 1).view(-1).long()
        """,
    ],
)
def unpack(unpack: Callable[..., Any], *, labels: Any, pack: Callable[..., Any]) -> str:
    for given in (labels, labels.flip(0)[:50], labels[3:7]):
        n, packed = len(given), pack(given)
        before = values(packed)
        back = call(unpack, "unpack", packed)
        name = "unpack(pack(labels))"
        expect_as_given(packed, "packed", before)
        expect_tensor(back, name, shape=(n,))
        own, wanted = values(back), values(given)
        expect(
            own != wanted[::2] + wanted[1::2],
            f"`{name}` has all even positions first, then all odd ones: stack along dimension 1 before you flatten.",
        )
        swapped = [number for pair in zip(wanted[1::2], wanted[::2], strict=True) for number in pair]
        expect(own != swapped, f"`{name}` has the two of each pair swapped.")
        expect(max(own) < 16, f"`{name}` holds {max(own)}: the other half of the byte is still in it.")
        expect_value(back, name, given)
        expect_tensor(back, name, dtype="int64")
    return "Two labels to a byte, and both come back."
