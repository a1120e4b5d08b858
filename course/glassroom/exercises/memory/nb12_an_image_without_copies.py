"""Exercises of part 1's capstone: views of a photograph, edits that reach it or not, and one copy at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import account
from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import (
    call,
    every_slot,
    expect,
    expect_copy,
    expect_near,
    expect_no_copies,
    expect_tensor,
    expect_view,
    run,
)
from glassroom.exercises.facts import is_contiguous, is_tensor

PHOTO = "photo = (torch.arange(427 * 640 * 3) * 7 % 251).to(torch.uint8).view(427, 640, 3)"
TILES = """
def tiles(frame, size):
    height, width, channels = frame.shape
    return frame.view(height // size, size, width // size, size, channels).transpose(1, 2)
"""
BUDGET = 2_400_000


def _equal(a: Any, b: Any) -> bool:
    """Whether two tensors of one shape hold the same numbers: a photograph is too much for lists."""
    return bool((a == b).all())


@exercise(
    "12-views",
    setup=PHOTO + "\nframe = photo[40:424, 64:576]",
    hints=[
        "Slices, integers and permute make new headers over the same storage.",
        "permute names the old dimensions in their new order; a slice may have a step.",
        """
        planes = frame.permute(…)
        small = frame[::4, …]
        red = small[..., …]
        """,
        """
        planes = frame.permute(2, 0, 1)
        small = frame[::4, ::4]
        red = small[..., 0]
        """,
    ],
)
def views(planes: Any, small: Any, red: Any, *, photo: Any) -> str:
    crop = photo[40:424, 64:576]
    right = {
        "planes": (planes, crop.permute(2, 0, 1), "permute changes the order of dimensions, and copies nothing."),
        "small": (small, crop[::4, ::4], "A slice with a step is a view; a list of indices is not."),
        "red": (red, crop[::4, ::4, 0], "An integer in an index removes a dimension, and copies nothing."),
    }
    with every_slot() as slot:
        for name, (answer, wanted, because) in right.items():
            with slot(name):
                expect_tensor(answer, name, shape=wanted.shape, dtype="uint8")
                if name == "planes" and not _equal(answer, wanted):
                    expect(
                        not _equal(answer, crop.reshape(3, 384, 512)),
                        "`planes` has the right shape, but its pixels are scrambled: reshape and view regroup the "
                        "elements in their old order. To move the channels, use permute.",
                    )
                    turned = crop.permute(2, 1, 0)
                    expect(not _equal(answer, turned.reshape(3, 384, 512)), "`planes` has height and width swapped.")
                told = f"`{name}` holds other pixels. Look at rows, columns and channel once more."
                expect_near(answer, name, wanted, 0.5, told)
                expect_view(answer, name, of=photo, of_name="photo", because=because)
    return "Three more headers over the photograph, and not one byte was copied."


@exercise(
    "12-tiles",
    setup=PHOTO,
    hints=[
        "Height becomes two dimensions, which tile and which row in it, and so does width. view can cut a dimension.",
        "After the cut the order is tile row, row, tile column, column, channel. Two of them have to be swapped.",
        """
        def tiles(frame, size):
            height, width, channels = frame.shape
            cut = frame.view(height // size, size, …, …, channels)
            return cut.transpose(…, …)
        """,
        """
        def tiles(frame, size):
            height, width, channels = frame.shape
            cut = frame.view(height // size, size, width // size, size, channels)
            return cut.transpose(1, 2)
        """,
    ],
)
def tiles(tiles: Callable[..., Any], *, photo: Any) -> str:
    for frame, size in ((photo[40:424, 64:576], 32), (photo[:24, 8:56], 8), (photo[:6, :4], 2)):
        height, width = frame.shape[0] // size, frame.shape[1] // size
        with account() as kept:
            result = call(tiles, "tiles", frame, size)
        name = f"tiles(frame, {size}) of a frame {tuple(frame.shape)}"
        expect_tensor(result, name, shape=(height, width, size, size, 3), dtype="uint8")
        wanted = frame.unfold(0, size, size).unfold(1, size, size).permute(0, 1, 3, 4, 2)
        if not _equal(result, wanted):
            expect(
                not _equal(result, frame.reshape(height, width, size, size, 3)),
                "the shape is right, but the tiles are not: reshape takes the elements in their order, so a tile gets "
                "a piece of one row. Split height and width in two each, then swap two dimensions.",
            )
            expect(not _equal(result, wanted.transpose(2, 3)), "each tile is transposed: its rows are columns.")
            expect(False, f"`{name}` holds other pixels: [r, c] should be frame[r * size : …, c * size : …].")
        because = "Cut with view, which raises where it would have to copy."
        expect_view(result, name, of=photo, of_name="the frame", because=because)
        expect_no_copies(kept, "tiles", because)
    return "A hundred and ninety-two tiles, and not one byte was moved."


@exercise(
    "12-pixelate",
    setup=PHOTO + TILES,
    hints=[
        "What writes into a view writes into its storage. Which step of yours would make a copy?",
        "The mean goes over the two dimensions within a tile; keepdim=True lets it broadcast. Write with [:] or copy_.",
        """
        def pixelate(frame, size):
            cut = tiles(frame, size)
            cut[:] = cut.float().mean(…, keepdim=True)
        """,
        """
        def pixelate(frame, size):
            cut = tiles(frame, size)
            cut[:] = cut.float().mean((2, 3), keepdim=True)
        """,
    ],
)
def pixelate(pixelate: Callable[..., Any], *, photo: Any) -> str:
    for rows, columns, size in ((slice(200, 264), slice(256, 352), 16), (slice(0, 12), slice(4, 16), 4)):
        mine, wanted = photo.clone(), photo.clone()
        part = wanted[rows, columns]
        blocks = part.unfold(0, size, size).unfold(1, size, size)  # rows, columns, channel, row, column
        gray = blocks.float().mean((2, 3, 4), keepdim=True).to(blocks.dtype)
        blocks.copy_(blocks.float().mean((3, 4), keepdim=True))
        run(pixelate, "pixelate", mine[rows, columns], size)
        if _equal(mine, wanted):
            continue
        expect(
            not _equal(mine, photo),
            "nothing has changed in the photograph: the colors went into a copy, or a name was rebound. Write into "
            "the view with cut[:] = … or cut.copy_(…), and look for a reshape before it.",
        )
        windows = mine[rows, columns].unfold(0, size, size).unfold(1, size, size)
        expect(
            not _equal(windows, gray.expand(windows.shape)),
            "each tile has one number for all three channels. Leave the channels out of the mean.",
        )
        outside = mine.clone()
        outside[rows, columns] = photo[rows, columns]
        expect(_equal(outside, photo), "pixels outside `frame` have changed too.")
        apart = int((mine.short() - wanted.short()).abs().max())
        expect(apart > 1, "the colors are one too bright in places: the fraction should be cut off, not rounded.")
        expect(False, "the photograph has changed, but not to the mean color of each tile.")
    return "The mean went into the tiles, and the photograph shows it."


@exercise(
    "12-brighter",
    setup=PHOTO,
    hints=[
        "Two things must not happen: a write into the photograph, and a byte above 255.",
        "Either compute in a wider dtype and convert back, or make sure beforehand that no sum exceeds 255.",
        """
        def brighter(frame, by):
            return frame.clamp(max=…) + by
        """,
        """
        def brighter(frame, by):
            return frame.clamp(max=255 - by) + by
        """,
    ],
)
def brighter(brighter: Callable[..., Any], *, photo: Any) -> str:
    for by in (100, 1, 0):
        mine = photo[40:104, 64:128].clone()
        mine[0, 0, 0] = 255
        before = mine.clone()
        told = "the photograph has changed: an operator that ends in _, an assignment to a slice or += reached it."
        result = call(brighter, "brighter", mine, by, written=told)
        name = f"brighter(frame, {by})"
        expect_tensor(result, name, shape=(64, 64, 3), dtype="uint8")
        wrapped = before + by
        wanted = (before.short() + by).clamp(max=255).to(before.dtype)
        expect(
            _equal(result, wanted) or not _equal(result, wrapped),
            f"`{name}` wraps around: 200 + 100 is 44 in a byte. clamp after the sum comes too late.",
        )
        told = f"`{name}` holds other values: each should be larger by {by}, and at most 255."
        expect_near(result, name, wanted, 0.5, told)
        expect_copy(result, name, of=mine, of_name="frame", because="A preview is a picture of its own.")
    return "A new picture without dark spots, and the photograph is unchanged."


@exercise(
    "12-batch",
    setup=PHOTO + TILES,
    hints=[
        "Change the order with views; then one copy converts the dtype and puts the elements in order.",
        "Channels before rows in the tiles, an empty float32 tensor of that shape, copy_, div_ in place, then view.",
        """
        def prepare(frame):
            cut = tiles(frame, 32).permute(…)
            x = torch.empty(cut.shape)
            x.copy_(…)
            return x.….view(192, 3, 32, 32)
        """,
        """
        def prepare(frame):
            cut = tiles(frame, 32).permute(0, 1, 4, 2, 3)
            x = torch.empty(cut.shape)
            x.copy_(cut)
            return x.div_(255).view(192, 3, 32, 32)
        """,
    ],
)
def batch(prepare: Callable[..., Any], *, photo: Any) -> str:
    frame = photo.clone()[40:424, 64:576]
    with account() as kept:
        told = "the call changed the photograph: div_ reached it through a view."
        result = call(prepare, "prepare", frame, written=told)
    expect_tensor(result, "the result", shape=(192, 3, 32, 32), dtype="float32")
    wanted = frame.unfold(0, 32, 32).unfold(1, 32, 32).reshape(192, 3, 32, 32).float() / 255
    scrambled = frame.unfold(0, 32, 32).unfold(1, 32, 32).permute(0, 1, 3, 4, 2).reshape(192, 3, 32, 32).float() / 255
    expect(
        float((result - scrambled).abs().max()) > 1e-5,
        "the shape is right, but the pixels are scrambled: permute puts channels first, reshape does not.",
    )
    told = "the values are not those of `careless`: tile after tile, channels first, divided by 255."
    expect_near(result, "result", wanted, 1e-5, told)
    expect(is_contiguous(result), "the values are right, but the result is not contiguous: it was never put in order.")
    expect(is_tensor(result) and sum(kept.allocations) > 0, "the result is on memory that was there before.")
    expect(
        sum(kept.allocations) <= BUDGET,
        f"the values are right, but {sum(kept.allocations):,} bytes were allocated in {len(kept.allocations)} "
        f"storages; the budget is {BUDGET:,}. Which step makes a tensor that is used only once?",
    )
    return f"{sum(kept.allocations):,} bytes were allocated: those of the result."
