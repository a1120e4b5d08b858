"""What people answer wrongly in notebook 06 on networks, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, verdict_on, wrong_answers

CONVOLVE = """
def convolve(images, weight):
    height, width = weight.shape[2:]
    windows = images.unfold(2, height, 1).unfold(3, width, 1)
    return torch.einsum("nchwij,ocij->nohw", windows, weight)
"""
BY_MATMUL = """
def convolve(images, weight):
    n, _, tall, wide = images.shape
    o, _, height, width = weight.shape
    columns = torch.nn.functional.unfold(images, (height, width))
    return (weight.flatten(1) @ columns).view(n, o, tall - height + 1, wide - width + 1)
"""
BY_STRIDES = """
def convolve(images, weight):
    n, c, tall, wide = images.shape
    o, _, height, width = weight.shape
    a, b, down, right = images.stride()
    size = (n, c, tall - height + 1, wide - width + 1, height, width)
    windows = images.as_strided(size, (a, b, down, right, down, right), images.storage_offset())
    return (windows.unsqueeze(1) * weight[:, :, None, None]).sum((2, 5, 6))
"""
POOL = """
def max_pool(maps):
    n, c, height, width = maps.shape
    return maps.view(n, c, height // 2, 2, width // 2, 2).amax((3, 5))
"""

WRONG = [
    ("n06-tiles", "tiles = image.view(3, 4, 2, 2)", "does not lie in one piece"),
    ("n06-tiles", "tiles = image.unfold(0, 2, 1).unfold(1, 2, 1)", "overlap"),
    ("n06-tiles", "tiles = image.as_strided((3, 4, 2, 2), (16, 2, 1, 8))", "each tile is transposed"),
    ("n06-tiles", "tiles = image.view(3, 2, 4, 2).permute(0, 2, 1, 3).contiguous()", "is a copy"),
    ("n06-tiles", "tiles = image.as_strided((3, 4, 2, 2), (8, 2, 8, 1))", "it should "),
    ("n06-tiles", "tiles = image.view(3, 2, 4, 2)", "Swap these two"),
    ("n06-tiles", "tiles = image.tolist()", "it should be a tensor"),
    ("n06-convolve", CONVOLVE.replace(", weight)\n", ", weight.flip(2, 3))\n"), "filters are flipped"),
    ("n06-convolve", CONVOLVE.replace("->nohw", "->nchw"), "has shape"),
    (
        "n06-convolve",
        CONVOLVE.replace("height, 1)", "height, height)").replace("width, 1)", "width, width)"),
        "move by their own length",
    ),
    ("n06-convolve", CONVOLVE.replace("weight)\n", "weight).relu()\n"), "A convolution alone has no ReLU"),
    ("n06-convolve", CONVOLVE.replace("return ", "return 2 * "), "it should "),
    ("n06-convolve", CONVOLVE.replace("weight)\n", "weight.detach())\n"), "would learn nothing"),
    ("n06-convolve", "def convolve(images, weight): return torch.conv2d(images, weight)", "the library's own"),
    ("n06-convolve", "def convolve(images, weight): return images", "has shape"),
    ("n06-convolve", "def convolve(images, weight): images.unfold(2, 2, 1)", "returned nothing"),
    ("n06-mix", "def mix(picture, recipe): return recipe @ picture.view(3, -1)", "not a picture yet"),
    (
        "n06-mix",
        "def mix(picture, recipe): return (recipe @ picture.view(-1, 3).t()).view(2, 4, 5)",
        "does not transpose",
    ),
    ("n06-mix", "def mix(picture, recipe): return picture.permute(1, 2, 0) @ recipe.t()", "the channels come last"),
    (
        "n06-mix",
        CONVOLVE + "def mix(picture, recipe): return convolve(picture[None], recipe[:, :, None, None])[0]",
        "it makes windows, of one pixel each",
    ),
    (
        "n06-mix",
        "def mix(picture, recipe): return (recipe @ picture.permute(1, 2, 0).reshape(3, -1)).view(2, 4, 5)",
        "mixed up",
    ),
    ("n06-mix", "def mix(picture, recipe): return torch.conv2d(picture, recipe[:, :, None, None])", "One @ is enough"),
    ("n06-mix", "def mix(picture, recipe): return recipe @ picture", "Merge height and width first"),
    (
        "n06-mix",
        "def mix(picture, recipe): return (recipe.detach() @ picture.flatten(1)).view(2, 4, 5)",
        "would learn nothing",
    ),
    (
        "n06-mix",
        "def mix(picture, recipe): return (recipe @ picture.flatten(1)).view(-1, 4, 5)",
        "for a picture of (3, 2, 5) and a recipe of (2, 3) the result has shape (1, 4, 5)",
    ),
    (
        "n06-mix",
        "def mix(picture, recipe):\n    return torch.stack([sum(r[c] * picture[c] for c in range(3)) for r in recipe])",
        "for a picture of (4, 2, 5) and a recipe of (3, 4)",
    ),
    (
        "n06-mix",
        "def mix(picture, recipe): return (picture.view(3, -1).t() @ recipe.t()).view(-1, *picture.shape[1:])",
        "the new channels come last in it",
    ),
    ("n06-pool", POOL.replace("amax((3, 5))", "amax(3, 5)"), "Several dimensions go in one tuple"),
    ("n06-pool", POOL.replace("n, c, height // 2", "2, 2, height // 2"), "raised"),
    ("n06-pool", POOL.replace("amax", "mean"), "the mean of each tile"),
    (
        "n06-pool",
        POOL.replace("height // 2, 2, width // 2, 2", "height // 2, width // 2, 2, 2").replace("3, 5", "4, 5"),
        "four numbers in a row",
    ),
    ("n06-pool", POOL.replace("3, 5", "2, 4"), "amax went over its dimensions 2 and 4"),
    ("n06-pool", POOL.replace("3, 5", "4, 5"), "Those within a tile go"),
    ("n06-pool", POOL.replace("height // 2", "height / 2"), "// makes an int"),
    ("n06-pool", POOL.replace("amax((3, 5))", "max((3, 5))"), "amax and amin take several dimensions"),
    ("n06-pool", "def max_pool(maps): return maps[:, :, ::2, ::2]", "the first number of each tile"),
    ("n06-pool", "def max_pool(maps): return torch.nn.functional.max_pool2d(maps, 2)", "the library's own pooling"),
    ("n06-pool", POOL.replace("maps.view", "maps.detach().view"), "or were detached"),
    (
        "n06-sizes",
        "conv1, pool1, conv2, pool2, parameters2 = (6, 32, 32), (6, 16, 16), (16, 12, 12), (16, 6, 6), 2416",
        "right with padding",
    ),
    (
        "n06-sizes",
        "conv1, pool1, conv2, pool2, parameters2 = (6, 28, 28), (6, 14, 14), (96, 10, 10), (96, 5, 5), 2416",
        "16 filters, 16 maps",
    ),
    (
        "n06-sizes",
        "conv1, pool1, conv2, pool2, parameters2 = (6, 28, 28), (6, 14, 14), (16, 10, 10), (16, 5, 5), 416",
        "six channels deep",
    ),
    (
        "n06-sizes",
        "conv1, pool1, conv2, pool2, parameters2 = (6, 28, 28), (6, 14, 14), (16, 10, 10), (16, 5, 5), 2400",
        "has a bias, too",
    ),
    ("n06-sizes", "conv1, pool1, conv2, pool2, parameters2 = 28, 14, 10, 5, 2416", "a tuple of 3"),
]

ALSO_RIGHT = [
    ("n06-tiles", "tiles = image.view(3, 2, 4, 2).permute(0, 2, 1, 3)"),
    ("n06-tiles", "tiles = image.unfold(0, 2, 2).unfold(1, 2, 2)"),
    ("n06-convolve", BY_MATMUL),
    ("n06-convolve", BY_STRIDES),
    ("n06-mix", "def mix(picture, recipe): return torch.einsum('oc,chw->ohw', recipe, picture)"),
    ("n06-mix", "def mix(picture, recipe): return (recipe @ picture.flatten(1)).unflatten(1, picture.shape[1:])"),
    (
        "n06-mix",
        "def mix(picture, recipe):\n"
        "    return torch.nn.functional.linear(picture.permute(1, 2, 0), recipe).permute(2, 0, 1)",
    ),
    ("n06-pool", "def max_pool(maps): return maps.unfold(2, 2, 2).unfold(3, 2, 2).amax((-2, -1))"),
    (
        "n06-pool",
        "def max_pool(maps):\n"
        "    rows = torch.maximum(maps[..., ::2, :], maps[..., 1::2, :])\n"
        "    return torch.maximum(rows[..., ::2], rows[..., 1::2])",
    ),
    (
        "n06-sizes",
        "conv1, pool1, conv2, pool2, parameters2 = [6, 28, 28], [6, 14, 14], [16, 10, 10], [16, 5, 5], 16 * 151",
    ),
    (
        "n06-sizes",
        "first, second, pool = torch.nn.Conv2d(1, 6, 5), torch.nn.Conv2d(6, 16, 5), torch.nn.MaxPool2d(2)\n"
        "maps = first(torch.zeros(1, 32, 32))\n"
        "conv1, pool1, conv2 = maps.shape, pool(maps).shape, second(pool(maps)).shape\n"
        "pool2 = pool(second(pool(maps))).shape\n"
        "parameters2 = sum(each.numel() for each in second.parameters())",
    ),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


BY_PLACES = """
def convolve(images, weight):
    height, width = weight.shape[2:]
    down, right = images.shape[2] - height + 1, images.shape[3] - width + 1
    maps = torch.zeros(len(images), len(weight), down, right)
    for i in range(down):
        for j in range(right):
            maps[:, :, i, j] = torch.einsum("nchw,ochw->no", images[:, :, i:i + height, j:j + width], weight)
    return maps
"""
BY_SUMS = """
def mix(picture, recipe):
    return torch.stack([sum(r[c] * picture[c] for c in range(len(picture))) for r in recipe])
"""
BY_SLICES = """
def max_pool(maps):
    return torch.stack([maps[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]).amax(0)
"""


@pytest.mark.parametrize(
    ("exercise_id", "shorter", "longer", "told"),
    [
        ("n06-convolve", CONVOLVE, BY_PLACES, "Windows and one product need no loop."),
        ("n06-convolve", BY_MATMUL, BY_PLACES, "Windows and one product need no loop."),
        ("n06-mix", ALSO_RIGHT[4][1], BY_SUMS, "One product of two matrices makes all of them at once."),
        ("n06-pool", POOL, BY_SLICES, "One view with six dimensions and one amax do the same."),
    ],
)
def test_a_long_way_is_right_and_the_short_one_is_told(torch, exercise_id, shorter, longer, told):
    short, long = (verdict_on(torch, exercise_id, attempt) for attempt in (shorter, longer))
    assert short.solved, short.message
    assert long.solved, long.message
    assert told in long.message
    assert told not in short.message
