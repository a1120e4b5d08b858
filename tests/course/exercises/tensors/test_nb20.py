"""What people answer wrongly in notebook 20 of part 2, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

ROWS = "torch.arange(len(a))"

test_wrong_answers = wrong_answers(
    [
        ("t20-outer", "outer = lambda a, b: a * b[:, None]", "swapped"),
        ("t20-outer", "outer = lambda a, b: a[:, None] + b", "and should be"),
        ("t20-outer", "outer = lambda a, b: torch.outer(a, b)", "uses `outer`"),
        ("t20-outer", "outer = lambda a, b: torch.einsum('i,j->ij', a, b)", "uses `einsum`"),
        ("t20-one-hot", "one_hot = lambda labels, n: torch.eye(n, dtype=torch.int64)[labels]", "uses `eye`"),
        (
            "t20-one-hot",
            "one_hot = lambda labels, n: torch.where(torch.arange(n)[:, None] == labels, 1, 0)",
            "swapped",
        ),
        ("t20-one-hot", "one_hot = lambda labels, n: labels[:, None] == torch.arange(n)", "True and False"),
        ("t20-running", "running = lambda a: a.cumsum(0)", "uses `cumsum`"),
        ("t20-running", f"running = lambda a: torch.where({ROWS}[:, None] > {ROWS}, 1, 0) @ a", "and should be"),
        ("t20-running", f"running = lambda a: torch.where({ROWS}[:, None] <= {ROWS}, 1, 0) @ a", "and should be"),
        ("t20-running", "running = lambda a: torch.tensor([a[:i + 1].sum() for i in range(len(a))])", "uses"),
        ("t20-counts", "counts = lambda labels, n: torch.bincount(labels, minlength=n)", "uses `bincount`"),
        ("t20-counts", "counts = lambda labels, n: (labels[:, None] == torch.arange(n)).sum(0)", "uses `sum`"),
        (
            "t20-counts",
            "counts = lambda labels, n: torch.where(torch.arange(n)[:, None] == labels, 1, 0) @ labels",
            "should be",
        ),
        ("t20-rotate", "rotate = lambda a, k: a.roll(k)", "uses `roll`"),
        ("t20-rotate", f"rotate = lambda a, k: a[({ROWS} + k) % len(a)]", "and should be"),
        ("t20-rotate", f"rotate = lambda a, k: a[{ROWS} - k]", "raised IndexError"),
        ("t20-fit", "fit = lambda a, n: a[:n]", "and should be"),
        (
            "t20-fit",
            "fit = lambda a, n: torch.where(torch.arange(n) < len(a), a[torch.arange(n)], 0)",
            "raised IndexError",
        ),
        ("t20-fit", "fit = lambda a, n: a[torch.arange(n) % len(a)]", "and should be"),
        ("t20-fit", "fit = 3", "it should be a function"),
    ]
)

test_unusual_right_answers = right_answers(
    [
        ("t20-outer", "outer = lambda a, b: a[:, None] @ b[None]"),
        ("t20-outer", "def outer(a, b):\n    column = a[..., None]\n    return b * column"),
        ("t20-one-hot", "one_hot = lambda y, n: (y[:, None] == torch.arange(n)) * 1"),
        ("t20-one-hot", "one_hot = lambda y, n: torch.where(y[:, None] - torch.arange(n)[None] != 0, 0, 1)"),
        ("t20-running", f"running = lambda a: a @ torch.where({ROWS}[:, None] <= {ROWS}, 1, 0)"),
        ("t20-running", f"running = lambda a: (({ROWS}[:, None] >= {ROWS}) * 1) @ a"),
        ("t20-counts", "counts = lambda y, n: (y * 0 + 1) @ torch.where(y[:, None] == torch.arange(n), 1, 0)"),
        ("t20-counts", "counts = lambda y, n: ((torch.arange(n)[:, None] == y) * 1) @ (y ** 0)"),
        ("t20-rotate", f"rotate = lambda a, k: a[{ROWS} - k % len(a)]"),
        ("t20-rotate", f"rotate = lambda a, k: torch.where(({ROWS}[:, None] - k - {ROWS}) % len(a) == 0, 1, 0) @ a"),
        ("t20-fit", f"fit = lambda a, n: torch.where(torch.arange(n)[:, None] == {ROWS}, 1, 0) @ a"),
        ("t20-fit", "fit = lambda a, n: a[torch.arange(n) % len(a)] * (torch.arange(n) < len(a))"),
    ]
)
