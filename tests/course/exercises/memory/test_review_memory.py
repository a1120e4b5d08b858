"""What people answer, wrongly and rightly, in the review of part 1."""

from exercise_answers import right_answers, wrong_answers

HALVES = "h = x.shape[1] // 2\n    "

test_wrong_answers = wrong_answers(
    [
        ("13-swap", f"def swap(x):\n    {HALVES}x[:, :h], x[:, h:] = x[:, h:], x[:, :h]", "overwritten before"),
        ("13-swap", "def swap(x):\n    left, right = x.chunk(2, 1)\n    left, right = right, left", "nothing in x"),
        ("13-swap", f"def swap(x):\n    {HALVES}return torch.cat((x[:, h:], x[:, :h]), 1)", "nothing in x"),
        ("13-swap", f"def swap(x):\n    {HALVES}x[:] = x.roll(h, 1)", "one half has"),
        ("13-swap", "def swap(x):\n    x[:] = x.flip(1)", "other values"),
        (
            "13-swap",
            "def swap(x):\n"
            "    y = x.view(-1)\n"
            "    h = x.shape[1] // 2\n"
            "    kept = x[:, :h].clone()\n"
            "    x[:, :h] = x[:, h:]\n"
            "    x[:, h:] = kept",
            "raised RuntimeError",
        ),
    ]
)

test_right_answers = right_answers(
    [
        (
            "13-swap",
            "def swap(x):\n    a, b = x.chunk(2, 1)\n    a ^= b\n    b ^= a\n    a ^= b",
        ),
        (
            "13-swap",
            f"def swap(x):\n    {HALVES}kept = x[:, h:].clone()\n    x[:, h:] = x[:, :h]\n    x[:, :h] = kept",
        ),
        (
            "13-swap",
            "def swap(x):\n"
            "    for row in x:\n"
            "        a, b = row.view(2, -1)\n"
            "        kept = a.clone()\n"
            "        a[:] = b\n"
            "        b[:] = kept",
        ),
    ]
)
