"""Exercises of notebook 06 on networks: windows by strides, one product, channels, pooling, sizes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, every_slot, expect, expect_equal, expect_tensor, expect_value, expect_view
from glassroom.exercises.facts import leaf_of, names_at, same_value, shape, values
from glassroom.records.columns import joined

MOST_NODES_OF_WINDOWS = 24  # of a graph that makes windows and takes one product; a loop over places has more
MOST_NODES_OF_A_PRODUCT = 16
MOST_NODES_OF_TILES = 6


def nodes_of(tensor: Any) -> set[Any]:
    """All nodes that a result was computed by."""
    waiting, seen = [tensor.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [following for following, _ in node.next_functions]
    return seen


def node_names(tensor: Any) -> set[str]:
    """Names of all nodes that a result was computed by."""
    return set().union(*map(names_at, nodes_of(tensor)))


def by_product(images: Any, weight: Any) -> Any:
    """The convolution of (N, C, H, W) and (O, C, h, w), from windows and one product."""
    height, width = shape(weight)[2:]
    windows = images.unfold(2, height, 1).unfold(3, width, 1).permute(0, 2, 3, 1, 4, 5)
    products = windows.flatten(3) @ weight.flatten(1).t()
    return products.permute(0, 3, 1, 2)


@exercise(
    "n06-tiles",
    setup="image = torch.arange(48.0).view(6, 8)",
    hints=[
        "A tile is a window that moves by its own length: two rows down, or two columns to the right.",
        "unfold(dimension, size, step) made the windows above, with the step 1. Two calls again, one for the rows and "
        "one for the columns. (as_strided does it in one, with the four strides written by hand.)",
        "tiles = image.unfold(0, 2, …).unfold(1, 2, …)",
        "tiles = image.unfold(0, 2, 2).unfold(1, 2, 2)",
    ],
)
def tiles(tiles: Any, *, image: Any) -> str:
    expect_tensor(tiles, "tiles")
    expect(
        shape(tiles) != (5, 7, 2, 2),
        "`tiles` has shape (5, 7, 2, 2): its windows move by 1 and overlap. Tiles move by 2, their own length.",
    )
    expect(
        shape(tiles) != (3, 2, 4, 2),
        "`tiles` has shape (3, 2, 4, 2): the rows within a tile stand before the tiles of a row. Swap these two "
        "dimensions.",
    )
    expect_tensor(tiles, "tiles", shape=(3, 4, 2, 2))
    own = values(tiles)
    expect(
        not same_value(own, values(image.reshape(3, 4, 2, 2))),
        "`tiles` has the right shape, and its first tile is 0, 1, 2, 3: view keeps the reading order, and a tile does "
        "not lie in one piece. Its second row is 8 cells further.",
    )
    right = image.unfold(0, 2, 2).unfold(1, 2, 2)
    expect(
        not same_value(own, values(right.transpose(2, 3))),
        "each tile is transposed: within a tile, a row down is 8 cells and a column to the right is 1.",
    )
    expect_value(tiles, "tiles", right)
    expect_view(tiles, "tiles", of=image, of_name="image", because="Four strides say where every tile is.")
    return "Twelve tiles, and not one element moved: a header of strides (16, 2, 8, 1)."


@exercise(
    "n06-convolve",
    setup="""
    batch = torch.arange(240.0).view(2, 3, 5, 8) % 7
    filters = torch.arange(48.0).view(4, 3, 2, 2) % 5
    """,
    hints=[
        "Make all windows with two calls of unfold, then multiply by the filters and add up over channels, "
        "rows and columns of a window.",
        "unfold(2, height, 1).unfold(3, width, 1) is (N, C, H', W', height, width). Three of these six are summed "
        "away; the filters bring O instead.",
        """
        def convolve(images, weight):
            height, width = weight.shape[2:]
            windows = images.unfold(2, height, 1).unfold(3, width, 1)
            return torch.einsum("nchwij,…->nohw", windows, weight)
        """,
        """
        def convolve(images, weight):
            height, width = weight.shape[2:]
            windows = images.unfold(2, height, 1).unfold(3, width, 1)
            return torch.einsum("nchwij,ocij->nohw", windows, weight)
        """,
    ],
)
def convolve(convolve: Callable[[Any, Any], Any], *, batch: Any, filters: Any) -> str:
    tall = filters.repeat(1, 1, 2, 1)[:, :, :3]
    for images, weight in (
        (batch, filters),
        (batch[:1, :, 1:], filters[:, :, :, :1]),
        (batch, tall),
        (batch, -filters),
    ):
        maps = call(convolve, "convolve", images, weight)
        right = by_product(images, weight)
        expect_tensor(maps, "convolve(images, weight)")
        size = f"For images {shape(images)} and weights {shape(weight)}"
        height, width = shape(weight)[2:]
        side_by_side = (len(images), len(weight), shape(images)[2] // height, shape(images)[3] // width)
        expect(
            shape(maps) == shape(right) or shape(maps) != side_by_side,
            f"{size} the result has shape {shape(maps)}: the windows move by their own length, as tiles do. Those of a "
            "convolution move by 1 and overlap.",
        )
        expect(
            shape(maps) == shape(right),
            f"{size} the result has shape {shape(maps)}; it should be {shape(right)}: "
            "pictures, filters, rows of windows, columns of windows.",
        )
        own = values(maps)
        expect(
            same_value(own, values(right)) or not same_value(own, values(by_product(images, weight.flip(2, 3)))),
            "the filters are flipped. Networks do not do that: pixel i of a window meets weight i of the filter.",
        )
        windows = images.unfold(2, height, 1).unfold(3, width, 1)
        as_they_lie = windows.reshape(len(images), -1, weight[0].numel()) @ weight.flatten(1).t()
        expect(
            same_value(own, values(right))
            or not same_value(own, values(as_they_lie.transpose(1, 2).reshape(shape(right)))),
            "the windows are mixed up: reshape merges dimensions that stand side by side, and the channels do not "
            "stand beside the window's rows and columns. Permute first.",
        )
        expect(
            same_value(own, values(right))
            or not same_value(own, values(right.permute(0, 2, 3, 1).reshape(shape(right)))),
            "the maps are mixed up: in the product the filters come last, and reshape does not move them. Transpose "
            "first.",
        )
        expect(
            same_value(own, values(right)) or not same_value(own, values(right.clamp(min=0))),
            "negative numbers have become 0. A convolution alone has no ReLU.",
        )
        expect_value(maps, "convolve(images, weight)", right)
    watched = call(convolve, "convolve", batch, filters.detach().clone().requires_grad_())
    expect(
        getattr(watched, "grad_fn", None) is not None,
        "the values are right, but the weights would learn nothing: they left the tensors, or were detached.",
    )
    expect(
        not any(name.startswith("Convolution") for name in node_names(watched)),
        "the numbers are right, but that calls the library's own convolution. Make them yourself: windows and one "
        "product.",
    )
    lesson = "The same numbers as torch.conv2d, without its help."
    if len(nodes_of(watched)) > MOST_NODES_OF_WINDOWS:
        lesson = joined(lesson, "Windows and one product need no loop.")
    return lesson


@exercise(
    "n06-mix",
    setup="""
    recipe = torch.tensor([[0.299, 0.587, 0.114], [1.0, 0.0, -1.0]])
    picture = torch.arange(60.0).view(3, 4, 5)
    """,
    hints=[
        "Each pixel is a column of C channels, and the recipe is multiplied by each column: that is recipe @ matrix.",
        "The matrix is (C, H * W): the picture with its last two dimensions merged. The product gets its height and "
        "width back afterwards.",
        """
        def mix(picture, recipe):
            flat = recipe @ picture.view(…, -1)
            return flat.view(len(recipe), …)
        """,
        """
        def mix(picture, recipe):
            flat = recipe @ picture.view(len(picture), -1)
            return flat.view(len(recipe), *picture.shape[1:])
        """,
    ],
)
def mix(mix: Callable[[Any, Any], Any], *, picture: Any, recipe: Any) -> str:
    mixed = _mixed(mix, picture, recipe)
    expect_tensor(mixed, "mix(picture, recipe)")
    flat = recipe @ picture.flatten(1)
    expect(
        shape(mixed) != shape(flat),
        f"the result has shape {shape(mixed)}: the numbers may be right, but it is not a picture yet. "
        "Give it its height and width back.",
    )
    expect(
        shape(mixed) != (4, 5, 2),
        "the result has shape (4, 5, 2): the channels come last. They come first in a picture: permute(2, 0, 1).",
    )
    expect_tensor(mixed, "mix(picture, recipe)", shape=(2, 4, 5))
    expect(
        not same_value(values(mixed.flatten(1)), values(recipe @ picture.reshape(-1, 3).t())),
        "the pixels are mixed up: reshape(-1, C) does not transpose. It cuts the numbers, in reading order, into rows "
        "of C, and a row then holds neighbors of one channel. view(C, -1) has a row for each channel.",
    )
    mixed_up = recipe @ picture.permute(1, 2, 0).reshape(3, -1)
    as_pixels = picture.reshape(-1, 3) @ recipe.t()
    expect(
        not same_value(values(mixed.flatten(1)), values(mixed_up))
        and not same_value(values(mixed.flatten()), values(as_pixels.flatten())),
        "the pixels are mixed up: view and reshape keep the reading order. With the channels last, they "
        "cannot give (C, H * W); here the channels come first already.",
    )
    expect(
        not same_value(values(mixed.flatten()), values(flat.t().flatten())),
        "the maps are mixed up: that product has a row for each pixel, so the new channels come last in it, and view "
        "and reshape do not move them. Transpose it first, or multiply the other way around: in recipe @ matrix the "
        "channels come first.",
    )
    expect_value(mixed, "mix(picture, recipe)", flat.view(2, 4, 5))
    watched = call(mix, "mix", leaf_of(picture), leaf_of(recipe))
    expect(
        getattr(call(mix, "mix", picture, leaf_of(recipe)), "grad_fn", None) is not None,
        "the values are right, but the recipe would learn nothing: it left the tensors, or was detached, on the way.",
    )
    expect(
        not any(name.startswith("Convolution") for name in node_names(watched)),
        "that is the library's own convolution. One @ is enough.",
    )
    expect(
        not any(name.startswith(("Unfold", "Im2Col")) for name in node_names(watched)),
        "the numbers are right, but that is a convolution: it makes windows, of one pixel each. View the picture as "
        "(C, H * W), and one @ is enough.",
    )
    _expect_any_size_mixed(mix, picture, recipe)
    lesson = "Each new pixel is a sum of the channels of one old pixel: there are no windows to write out."
    if len(nodes_of(watched)) > MOST_NODES_OF_A_PRODUCT:
        lesson = joined(lesson, "One product of two matrices makes all of them at once.")
    return lesson


def _expect_any_size_mixed(mix: Callable[[Any, Any], Any], picture: Any, recipe: Any) -> None:
    """Pictures of another height, and recipes for another number of channels, are mixed too."""
    wider = picture.flatten()[:40].view(4, 2, 5)
    for given, weights in ((picture[:, :2].contiguous(), recipe), (wider, wider.flatten()[:12].view(3, 4) % 5)):
        sizes = f"for a picture of {shape(given)} and a recipe of {shape(weights)}"
        mixed = call(mix, "mix", given, weights)
        right = (weights @ given.flatten(1)).view(len(weights), *shape(given)[1:])
        expect_tensor(mixed, "mix(picture, recipe)")
        expect(
            shape(mixed) == shape(right),
            f"{sizes} the result has shape {shape(mixed)}; it should be {shape(right)}. Is a number of the other "
            "picture's written into the function? The shapes of its arguments have them all.",
        )
        expect_value(mixed, f"mix(picture, recipe), {sizes},", right)


def _mixed(mix: Callable[[Any, Any], Any], picture: Any, recipe: Any) -> Any:
    """What the learner's function makes; the error of a product with a picture of three dimensions is explained."""
    try:
        return call(mix, "mix", picture, recipe)
    except Misconception as misconception:
        expect(
            "first two dimensions of batch2" not in str(misconception),
            '`mix` raised "Expected size for first two dimensions of batch2 tensor": of three dimensions, @ takes the '
            "first for a batch, so the picture is three matrices of (4, 5). Merge height and width first, into one "
            "matrix, (C, H * W).",
        )
        raise


@exercise(
    "n06-pool",
    setup="maps = (torch.arange(96.0).view(2, 2, 4, 6) * 7) % 31",
    hints=[
        "Splitting a dimension is always possible by view. Split the height into pairs of rows, the width into pairs "
        "of columns.",
        "After the view there are six dimensions: n, c, row of tiles, row in a tile, column of tiles, column in a "
        "tile. The largest is taken over two of them.",
        """
        def max_pool(maps):
            n, c, height, width = maps.shape
            return maps.view(n, c, height // 2, 2, …, 2).amax((…, …))
        """,
        """
        def max_pool(maps):
            n, c, height, width = maps.shape
            return maps.view(n, c, height // 2, 2, width // 2, 2).amax((3, 5))
        """,
    ],
)
def max_pool(max_pool: Callable[[Any], Any], *, maps: Any) -> str:
    taller = (maps.repeat(3, 1, 2, 1) * 7 % 5)[:, :, :6]
    for given in (maps, taller):
        name = "max_pool(maps)" if given is maps else f"max_pool(maps), for maps of {shape(given)},"
        in_tiles = given.unfold(2, 2, 2).unfold(3, 2, 2)
        right = in_tiles.amax((4, 5))
        pooled = call(max_pool, "max_pool", given)
        expect_tensor(pooled, name)
        _expect_the_twos_gone(pooled, given)
        expect(
            shape(pooled) == shape(right),
            f"For maps of {shape(given)} the result has shape {shape(pooled)}; it should be {shape(right)}.",
        )
        own = values(pooled)
        expect(
            not same_value(own, values(in_tiles.mean((4, 5)))),
            "that is the mean of each tile, as LeNet had it in 1998. The largest number was asked for.",
        )
        n, c, height, width = shape(given)
        expect(
            not same_value(own, values(given.reshape(n, c, height // 2, width // 2, 2, 2).amax((4, 5)))),
            "the shape is right, but the tiles are not: four numbers in a row were taken together. The 2 of the height "
            "belongs next to the height, the 2 of the width next to the width.",
        )
        expect(
            not same_value(own, values(given.reshape(n, c, 2, height // 2, 2, width // 2).amax((2, 4)))),
            "the shape is right, but the tiles are not: the upper half was compared with the lower one. In `view`, the "
            "number of tiles comes first, then the 2.",
        )
        expect(
            not same_value(own, values(given[:, :, ::2, ::2])),
            "that is the first number of each tile. The largest was asked for.",
        )
        expect_value(pooled, name, right)
    watched = call(max_pool, "max_pool", maps.detach().clone().requires_grad_())
    expect(
        getattr(watched, "grad_fn", None) is not None,
        "the numbers are right, but no gradient finds its way back: the maps left the tensors, or were detached.",
    )
    expect(
        not any(name.startswith(("MaxPool", "AdaptiveMaxPool")) for name in node_names(watched)),
        "the numbers are right, but that calls the library's own pooling. Make them yourself: one view and one amax "
        "are enough.",
    )
    lesson = "The largest number of every tile, and a gradient finds its way back to it."
    if len(nodes_of(watched)) > MOST_NODES_OF_TILES:
        lesson = joined(lesson, "One view with six dimensions and one amax do the same.")
    return lesson


def _expect_the_twos_gone(pooled: Any, maps: Any) -> None:
    """After the right view, the largest number was taken over the two dimensions of a tile, and over no others."""
    n, c, height, width = shape(maps)
    split, own = maps.reshape(n, c, height // 2, 2, width // 2, 2), values(pooled)
    for over in (pair for pair in combinations(range(6), 2) if pair != (3, 5)):
        expect(
            not same_value(own, values(split.amax(over))),
            f"the view is right, and amax went over its dimensions {over[0]} and {over[1]}: for maps of {shape(maps)} "
            f"the result has shape {shape(pooled)}. The dimensions are, from 0: n, c, row of tiles, row in a tile, "
            "column of tiles, column in a tile. Those within a tile go.",
        )


@exercise(
    "n06-sizes",
    hints=[
        "A convolution changes the number of channels to the number of its filters; pooling leaves it alone.",
        "(size + 2p − k) // s + 1, with p = 0 and s = 1 for these convolutions: 32 − 5 + 1. Pooling halves.",
        "conv1 is (6, 28, 28), pool1 (6, 14, 14). Each of the 16 filters of conv2 is 6 channels deep.",
        """
        conv1 = (6, 28, 28)
        pool1 = (6, 14, 14)
        conv2 = (16, 10, 10)
        pool2 = (16, 5, 5)
        parameters2 = 16 * 6 * 5 * 5 + 16
        """,
    ],
)
def sizes(conv1: Any, pool1: Any, conv2: Any, pool2: Any, parameters2: Any) -> str:
    padded = "That would be right with padding. Without it, a window of 5 fits into 32 pixels at 32 − 5 + 1 places."
    with every_slot():
        expect_equal(
            conv1,
            "conv1",
            (6, 28, 28),
            mistakes={
                (6, 32, 32): padded,
                (6, 27, 27): "32 − 5 is how far the window can move; with its first position that is one more.",
                (1, 28, 28): "Every filter makes a map, and there are six.",
            },
        )
        expect_equal(
            pool1,
            "pool1",
            (6, 14, 14),
            mistakes={
                (3, 14, 14): "Pooling works on each map alone: there are still six.",
                (6, 27, 27): "Tiles do not overlap: they move by 2, not by 1.",
            },
        )
        expect_equal(
            conv2,
            "conv2",
            (16, 10, 10),
            mistakes={
                (96, 10, 10): "Each filter looks at all six maps and makes one: 16 filters, 16 maps.",
                (16, 14, 14): padded.replace("32", "14"),
                (22, 10, 10): "The new maps take the place of the old ones: 16, not 6 + 16.",
            },
        )
        expect_equal(
            pool2, "pool2", (16, 5, 5), mistakes={(8, 5, 5): "Pooling works on each map alone: there are still 16."}
        )
        expect_equal(
            parameters2,
            "parameters2",
            16 * 6 * 5 * 5 + 16,
            mistakes={
                16 * 6 * 5 * 5: "Those are the weights; each filter has a bias, too.",
                16 * 5 * 5 + 16: "Each filter is six channels deep, and has 25 weights for each of them.",
                16 * 5 * 5: "Each filter is six channels deep, and has a bias.",
                16 * 6 * 5 * 5 + 16 * 6: "A filter adds everything up into one number, so it has one bias, not six.",
            },
        )
    return "From 1,024 pixels to 400 numbers, by 156 and 2,416 parameters."
