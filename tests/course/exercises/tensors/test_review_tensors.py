"""What people answer, wrongly and rightly, in the review of part 2."""

from exercise_answers import right_answers, wrong_answers

HOT = "def hot(x, k): return (x[:, None] == torch.arange(k)).long()\n"

test_wrong_answers = wrong_answers(
    [
        (
            "t22-confusion",
            "def confusion(truth, said, k):\n"
            "    table = torch.zeros(k, k, dtype=torch.int64)\n"
            "    table[truth, said] += 1\n"
            "    return table",
            "no number above 1",
        ),
        (
            "t22-confusion",
            "confusion = lambda truth, said, k: torch.bincount(said * k + truth, minlength=k * k).view(k, k)",
            "in its rows",
        ),
        (
            "t22-confusion",
            "confusion = lambda truth, said, k: torch.bincount(truth * k + said).view(k, k)",
            "raised",
        ),
        (
            "t22-confusion",
            HOT + "confusion = lambda truth, said, k: hot(truth, k).float().t() @ hot(said, k).float()",
            "dtype torch.float32",
        ),
        ("t22-confusion", HOT + "confusion = lambda truth, said, k: hot(truth, k) @ hot(said, k).t()", "shape"),
    ]
)

test_right_answers = right_answers(
    [
        ("t22-confusion", HOT + "confusion = lambda truth, said, k: hot(truth, k).t() @ hot(said, k)"),
        (
            "t22-confusion",
            "def confusion(truth, said, k):\n"
            "    table = torch.zeros(k, k, dtype=torch.int64)\n"
            "    table.index_put_((truth, said), torch.ones_like(said), accumulate=True)\n"
            "    return table",
        ),
        (
            "t22-confusion",
            "def confusion(truth, said, k):\n"
            "    table = torch.zeros(k, k, dtype=torch.int64)\n"
            "    for row, column in zip(truth, said):\n"
            "        table[row, column] += 1\n"
            "    return table",
        ),
    ]
)
