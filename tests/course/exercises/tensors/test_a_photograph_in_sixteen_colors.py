"""What people answer, wrongly and rightly, in the capstone of part 2."""

import pytest
from exercise_answers import assert_told, right_answers, verdict_on, wrong_answers

import tensorglass

CHOSEN = "(labels[:, None] == torch.arange(k, device=labels.device)).float()"
LOOP = "for _ in range(rounds): palette = means(pixels, nearest(pixels, palette), len(palette))"

test_wrong_answers = wrong_answers(
    [
        (
            "t21-nearest",
            "nearest = lambda pixels, palette: ((pixels[:, None] - palette) ** 2).sum(2).argmin(1)",
            "one tensor on the way had 768,000 bytes",
        ),
        (
            "t21-nearest",
            "nearest = lambda pixels, palette: ((palette**2).sum(1) - 2 * (pixels @ palette.t())).argmax(1)",
            "farthest",
        ),
        (
            "t21-nearest",
            "nearest = lambda pixels, palette: ((palette**2).sum(1) - 2 * (pixels @ palette.t())).argmin(0)",
            "shape (16,)",
        ),
        ("t21-nearest", "nearest = lambda pixels, palette: (pixels @ palette.t()).argmax(1)", "is nearer"),
        (
            "t21-nearest",
            "nearest = lambda pixels, palette: ((palette**2).sum(1) - 2 * (pixels @ palette.t())).min(1).values",
            "dtype",
        ),
        ("t21-means", f"means = lambda pixels, labels, k: {CHOSEN}.t() @ pixels", "These are sums".lower()),
        (
            "t21-means",
            f"def means(pixels, labels, k):\n    c = {CHOSEN}\n    return c.t() @ pixels / c.sum(0)[:, None]",
            "is nan",
        ),
        (
            "t21-means",
            f"def means(pixels, labels, k):\n    return {CHOSEN}.t() @ pixels / len(pixels)",
            "the number of all pixels",
        ),
        (
            "t21-means",
            "def means(pixels, labels, k):\n"
            "    n = torch.bincount(labels)\n"
            "    k = len(n)\n"
            f"    return {CHOSEN}.t() @ pixels / n.clamp(min=1)[:, None]",
            "shape (15, 3)",
        ),
        ("t21-fit", f"def fit(pixels, palette, rounds):\n    {LOOP}\n    return palette", "two tensors"),
        (
            "t21-fit",
            "def fit(pixels, palette, rounds):\n"
            "    for _ in range(rounds):\n"
            "        labels = nearest(pixels, palette)\n"
            "        palette = means(pixels, labels, len(palette))\n"
            "    return palette, labels",
            "the round before",
        ),
        (
            "t21-fit",
            "def fit(pixels, palette, rounds):\n"
            "    labels = nearest(pixels, palette)\n"
            "    for _ in range(rounds + 1):\n"
            "        palette = means(pixels, labels, len(palette))\n"
            "        labels = nearest(pixels, palette)\n"
            "    return palette, labels",
            "after 4 rounds",
        ),
        (
            "t21-fit",
            "def fit(pixels, palette, rounds):\n"
            "    for _ in range(rounds):\n"
            "        palette[:] = means(pixels, nearest(pixels, palette), len(palette))\n"
            "    return palette, nearest(pixels, palette)",
            "written to",
        ),
        ("t21-unpack", "unpack = lambda p: torch.cat((p // 16, p % 16)).long()", "all even positions"),
        ("t21-unpack", "unpack = lambda p: torch.stack((p % 16, p // 16), 1).view(-1).long()", "swapped"),
        ("t21-unpack", "unpack = lambda p: torch.stack((p // 16, p), 1).view(-1).long()", "the other half"),
        ("t21-unpack", "unpack = lambda p: torch.stack((p // 16, p % 16), 1).view(-1)", "dtype torch.uint8"),
        ("t21-unpack", "unpack = lambda p: torch.stack((p // 16, p % 16), 1).long()", "shape"),
    ]
)


@pytest.mark.parametrize(
    ("exercise_id", "attempt"),
    [
        (
            "t21-nearest",
            "def nearest(pixels, palette):\n"
            "    pixels, palette = pixels.cpu(), palette.cpu()\n"
            "    return ((palette**2).sum(1) - 2 * (pixels @ palette.t())).argmin(1).to('sim')",
        ),
        (
            "t21-means",
            "def means(pixels, labels, k):\n"
            f"    c = {CHOSEN}\n"
            "    n = torch.tensor([max(1.0, each) for each in c.sum(0).tolist()], device=c.device)\n"
            "    return c.t() @ pixels / n[:, None]",
        ),
        (
            "t21-fit",
            "def fit(pixels, palette, rounds):\n"
            "    labels = nearest(pixels, palette)\n"
            "    for _ in range(rounds):\n"
            "        palette = means(pixels, labels, len(palette))\n"
            "        new = nearest(pixels, palette)\n"
            "        if (new == labels).all():\n"
            "            break\n"
            "        labels = new\n"
            "    return palette, labels",
        ),
    ],
)
def test_a_journey_from_the_device_is_seen(exercise_id, attempt):
    assert_told(verdict_on(tensorglass, exercise_id, attempt), "moved bytes sim:0 -> cpu")


test_right_answers = right_answers(
    [
        (
            "t21-nearest",
            "nearest = lambda pixels, palette: torch.stack([((pixels - c) ** 2).sum(1) for c in palette]).argmin(0)",
        ),
        (
            "t21-nearest",
            "def nearest(pixels, palette):\n"
            "    return torch.einsum('nc,kc->nk', pixels, palette).mul_(2).sub_((palette * palette).sum(1)).argmax(1)",
        ),
        (
            "t21-means",
            "def means(pixels, labels, k):\n"
            "    own = torch.where(torch.arange(k, device=labels.device)[:, None] == labels, 1.0, 0.0)\n"
            "    return (own @ pixels) / (own @ torch.ones_like(pixels[:, :1])).clamp(min=1)",
        ),
        (
            "t21-means",
            "def means(pixels, labels, k):\n"
            f"    c = {CHOSEN}.t()\n"
            "    return (c @ pixels / c.sum(1)[:, None]).nan_to_num()",
        ),
        (
            "t21-means",
            "def means(pixels, labels, k):\n"
            "    sums = pixels.new_zeros(k, 3).index_add_(0, labels, pixels)\n"
            "    count = pixels.new_zeros(k).scatter_add(0, labels, torch.ones_like(pixels[:, 0]))\n"
            "    count[count == 0] = 1\n"
            "    return sums / count[:, None]",
        ),
        (
            "t21-means",
            "def means(pixels, labels, k):\n"
            "    one = torch.nn.functional.one_hot(labels, k).float()\n"
            "    return one.t() @ pixels / one.sum(0).clamp(min=1)[:, None]",
        ),
        (
            "t21-fit",
            "def fit(pixels, palette, rounds):\n"
            "    if rounds == 0:\n"
            "        return palette, nearest(pixels, palette)\n"
            "    return fit(pixels, means(pixels, nearest(pixels, palette), len(palette)), rounds - 1)",
        ),
        (
            "t21-fit",
            "def fit(pixels, palette, rounds):\n"
            "    labels = nearest(pixels, palette)\n"
            "    for _ in range(rounds):\n"
            "        palette = means(pixels, labels, len(palette))\n"
            "        labels = nearest(pixels, palette)\n"
            "    return [palette, labels]",
        ),
        (
            "t21-unpack",
            "def unpack(p):\n"
            "    labels = torch.empty(2 * len(p), dtype=torch.int64)\n"
            "    labels[::2], labels[1::2] = p >> 4, p & 15\n"
            "    return labels",
        ),
        (
            "t21-unpack",
            "unpack = lambda p: ((p.long()[:, None] // torch.tensor([16, 1])) % 16).flatten()",
        ),
    ]
)
