"""What people answer on sorting two tensors alike, masks, NumPy's deviation, two libraries, and full memory."""

from exercise_answers import right_answers, wrong_answers

LARGEST = """
def largest(run, size):
    while size > 0:
        try:
            run(size)
            return size
        except {error}:
            {smaller}
    return 0
"""
LARGEST_BY_RECURSION = """
def largest(run, size):
    if size == 0:
        return 0
    try:
        run(size)
    except RuntimeError:
        return largest(run, size // 2)
    return size
"""
LARGEST_BY_LIST = """
def largest(run, size):
    for tried in [size >> power for power in range(size.bit_length())]:
        try:
            run(tried)
        except torch.cuda.OutOfMemoryError:
            continue
        return tried
    return 0
"""
NO_CHECK_FOR_NOTHING = """
def largest(run, size):
    while True:
        try:
            run(size)
            return size
        except torch.OutOfMemoryError:
            size //= 2
"""
TOGETHER_BY_COLUMNS = """
def shuffled(x, y, generator):
    both = torch.cat([x, y.view(-1, 1)], 1)[torch.rand(len(y), generator=generator).argsort()]
    return both[:, :-1], both[:, -1].long()
"""
TOGETHER_IN_PLACE = """
def shuffled(x, y, generator):
    order = torch.randperm(len(x), generator=generator)
    x[:] = x[order]
    y[:] = y[order]
    return x, y
"""
UNIT_BY_EINSUM = "def unit(x, xp): return x / xp.sqrt(xp.einsum('ij,ij->i', x, x))[:, None]"
SAME_IN_PYTHON = """
def same(x, y):
    return all(a == b or (a != a and b != b) for a, b in zip(x.tolist(), y.tolist()))
"""

TOGETHER = """
def shuffled(x, y, generator):
    order = torch.randperm(len(x), generator=generator)
    return {}
"""
WRONG = [
    (
        "t03-together",
        "def shuffled(x, y, generator):\n    return x[torch.randperm(len(x), generator=generator)], "
        "y[torch.randperm(len(y), generator=generator)]",
        "two different orders",
    ),
    (
        "t03-together",
        "def shuffled(x, y, generator): order = torch.randperm(len(x)); return x[order], y[order]",
        "not drawn from `generator`",
    ),
    ("t03-together", "def shuffled(x, y, generator): return x, y", "nothing was shuffled"),
    (
        "t03-together",
        "def shuffled(x, y, generator): o = torch.randperm(x.numel(), generator=generator); return x[o], y[o]",
        "raised IndexError",
    ),
    (
        "t03-together",
        "def shuffled(x, y, generator):\n    order = torch.randperm(len(x), generator=generator.manual_seed(0))\n"
        "    return x[order], y[order]",
        "was seeded again inside",
    ),
    ("t03-together", TOGETHER.format("x[order], order"), "holds the order itself"),
    ("t03-together", TOGETHER.format("x[order], order + 0"), "holds the order itself"),
    ("t03-together", TOGETHER.format("x[order], y"), "the labels in the old one"),
    ("t03-together", TOGETHER.format("x, y[order]"), "the rows in the old one"),
    ("t03-together", TOGETHER.format("x[order], y[order.argsort()]"), "in two different orders"),
    ("t03-together", TOGETHER.format("x[order][1:], y[order]"), "has shape (9, 2); `x` has (10, 2)."),
    ("t03-together", TOGETHER.format("x[order], y[order][1:]"), "has shape (9,); `y` has (10,)."),
    ("t03-together", TOGETHER.format("x[order] * 2, y[order]"), "come up twice, or not at all"),
    ("t03-together", TOGETHER.format("x.roll(int(order[0]) or 1, 0), y.roll(int(order[0]) or 1)"), "no random order"),
    ("t03-together", "def shuffled(x, y, generator): return x.flip(0), y.flip(0)", "gives the same order"),
    ("t03-together", "def shuffled(x, y, generator): return x.flip(0)", "should return two tensors"),
    (
        "t03-together",
        "def shuffled(x, y, generator):\n    order = torch.randint(len(x), (len(x),), generator=generator)\n"
        "    return x[order], y[order]",
        "come up twice",
    ),
    ("t03-together", "def shuffled(x, y, generator): return y, x", "First the rows, then the labels"),
    ("t06-outside", "def outside(x, low, high): return (x > low) & (x < high)", "between the two limits"),
    (
        "t06-filled",
        "def filled(readings, value): return torch.where(readings.isnan(), readings, value)",
        "second argument",
    ),
    ("t06-filled", "def filled(readings, value): return readings[~readings.isnan()]", "left the missing reading out"),
    (
        "t06-filled",
        "def filled(readings, value): return torch.fmax(readings, torch.tensor(value))",
        "the larger of two",
    ),
    ("t06-filled", "filled = lambda r, value: r.nan_to_num(value, float('inf'))", "-inf has become -3.4e+38"),
    ("t06-filled", "filled = lambda r, value: torch.where(r > -math.inf, r, value)", "-inf has become 20"),
    ("t06-filled", "filled = lambda r, value: torch.where(r.isnan(), value, r.abs())", "-inf has become inf"),
    ("t06-filled", "filled = lambda r, value: torch.where(r.isnan(), value, r.clamp(min=-2))", "-inf has become -2"),
    ("t06-filled", "filled = lambda r, value: torch.where(odd.isnan(), value, odd)", "it should be (7,)"),
    (
        "t06-filled",
        "def filled(readings, value): new = readings.clone(); new[1] = value; return new",
        "the nan is still there",
    ),
    ("t06-filled", "filled = lambda r, value: torch.where(r.isnan(), value, r) if r.isnan().any() else r", "itself"),
    ("t06-same", "same = lambda x, y: bool((x == y) | (x.isnan() & y.isnan()))", ".all() makes one of them all"),
    ("t06-same", "same = lambda x, y: ((x == y) | (x.isnan() & y.isnan())).item()", ".all() makes one of them all"),
    ("t06-same", "same = lambda x, y: (x == y) | (x.isnan() & y.isnan())", "holds an answer for each element"),
    ("t06-same", "same = lambda x, y: torch.isclose(x, y, equal_nan=True).all().item()", "isclose take a small"),
    ("t06-outside", "outside = lambda x, low, high: (v < low) | (v > high)", "it should be (5,)"),
    ("t06-same", "def same(x, y): return torch.equal(x[~x.isnan()], y[~y.isnan()])", "each nan meets a 1"),
    ("t06-same", "def same(x, y): return bool(((x == y) or (x.isnan() and y.isnan())).all())", "asks a whole tensor"),
    ("t03-together", TOGETHER_IN_PLACE, "themselves were changed"),
    ("t06-outside", "def outside(x, low, high): return (x < low) & (x > high)", "no element is both"),
    ("t06-outside", "def outside(x, low, high): return (x >= low) & (x <= high)", "True inside"),
    ("t06-outside", "def outside(x, low, high): return (x <= low) | (x >= high)", "The ends themselves"),
    ("t06-outside", "def outside(x, low, high): return (x > low) | (x < high)", "3 is True, though it lies between"),
    ("t06-outside", "def outside(x, low, high): return ~(x > low) & (x < high)", "the element 5 should be True."),
    ("t06-outside", "def outside(x, low, high): return x < low or x > high", "asks a whole tensor for one answer"),
    ("t06-outside", "def outside(x, low, high): return x[(x < low) | (x > high)]", "The mask itself was asked for"),
    ("t06-outside", "def outside(x, low, high): return ((x < low) | (x > high)).float()", "a mask of bools"),
    ("t06-same", "def same(x, y): return torch.allclose(x, y, equal_nan=True)", "1 and 1.000001 are not equal"),
    ("t06-same", "def same(x, y): return torch.equal(x, y)", "though each nan meets a nan"),
    (
        "t06-same",
        "def same(x, y): return torch.equal(x.nan_to_num(-999, math.inf), y.nan_to_num(-999, math.inf))",
        "a nan meets -999",
    ),
    (
        "t06-same",
        "def same(x, y): return torch.equal(x.nan_to_num(0.125), y.nan_to_num(0.125))",
        "the largest number of float32",
    ),
    ("t06-same", "def same(x, y): return (x == y).all()", "it should be a plain bool"),
    ("t06-same", "def same(x, y): return bool(((x == y) | x.isnan()).all())", "a nan meets a 0"),
    ("t06-same", "def same(x, y): return torch.equal(x.nan_to_num(0), y.nan_to_num(0))", "a nan meets a 0"),
    ("t06-same", "def same(x, y): return bool((x.isnan() == y.isnan()).all())", "1 meets infinity"),
    ("t11-standard", "def standardized(x): return (x - x.mean(0)) / x.std(0)", "unless you say otherwise"),
    (
        "t11-standard",
        "def standardized(x): return (x - x.mean(1, keepdim=True)) / x.std(1, correction=0, keepdim=True)",
        "each row was standardized",
    ),
    ("t11-standard", "def standardized(x): return (x - x.mean(0)) / x.var(0, correction=0)", "it should "),
    ("t11-standard", "def standardized(x): return (x - x.mean()) / x.std(correction=0)", "it should "),
    ("t11-standard", "def standardized(x): x -= x.mean(0); return x / x.std(0, correction=0)", "is not what it was"),
    ("t13-unit", "def unit(x, xp): return x / xp.sqrt(xp.sum(x * x))", "the length of the whole"),
    (
        "t13-unit",
        "def unit(x, xp): return x / xp.sqrt(xp.sum(xp.asarray(x, dtype=xp.float64) ** 2, axis=-1, keepdims=True))",
        "made float64 of float32",
    ),
    ("t13-unit", "def unit(x, xp): return x / xp.sum(x * x, axis=-1, keepdims=True)", "the length is its root"),
    ("t13-unit", "def unit(x, xp): return torch.nn.functional.normalize(torch.as_tensor(x))", "Let `xp` compute"),
    (
        "t13-unit",
        "def unit(x, xp):\n    import numpy as np\n    x = np.asarray(x)\n"
        "    return x / np.sqrt((x * x).sum(-1, keepdims=True))",
        "Let `xp` compute",
    ),
    ("t13-unit", "def unit(x, xp): return x / xp.sqrt(xp.sum(x * x, axis=-1))", "raised"),
    ("t17-largest", LARGEST.format(error="Exception", smaller="size //= 2"), "is swallowed"),
    ("t17-largest", LARGEST.format(error="torch.OutOfMemoryError", smaller="size -= 1"), "It should halve"),
    ("t17-largest", LARGEST.format(error="ValueError", smaller="size //= 2"), "raised OutOfMemoryError"),
    ("t17-largest", NO_CHECK_FOR_NOTHING, "not worth a try"),
    ("t17-largest", LARGEST.format(error="torch.OutOfMemoryError", smaller="pass"), "never stops trying"),
    ("t17-largest", "def largest(run, size): return run(size)", "it should return the size"),
]
RIGHT = [
    ("t03-together", TOGETHER.format("x.index_select(0, order), y.take(order)")),
    ("t03-together", TOGETHER.format("x[order], y[order].float()")),
    ("t03-together", TOGETHER_BY_COLUMNS),
    (
        "t03-together",
        "def shuffled(x, y, generator):\n    order = torch.randperm(len(y), generator=generator).tolist()\n"
        "    return [torch.stack([each[at] for at in order]) for each in (x, y)]",
    ),
    ("t06-outside", "def outside(x, low, high): return ~((x >= low) & (x <= high))"),
    ("t06-outside", "def outside(x, low, high): return torch.logical_or(x.lt(low), x.gt(high))"),
    ("t06-outside", "def outside(x, low, high): return x.clamp(low, high) != x"),
    ("t06-same", "def same(x, y): return torch.allclose(x, y, rtol=0, atol=0, equal_nan=True)"),
    ("t06-same", SAME_IN_PYTHON),
    ("t11-standard", "def standardized(x): return (x - x.mean(0)) / (x.var(0, unbiased=False) ** 0.5)"),
    ("t11-standard", "def standardized(x): c = x - x.mean(axis=0); return c / (c * c).mean(0).sqrt()"),
    ("t13-unit", UNIT_BY_EINSUM),
    ("t13-unit", "def unit(x, xp): return x / xp.linalg.norm(x, axis=-1, keepdims=True)"),
    ("t13-unit", "def unit(x, xp): return x / (x * x).sum(-1)[..., None] ** 0.5"),
    ("t17-largest", LARGEST_BY_RECURSION),
    ("t17-largest", LARGEST_BY_LIST),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_taken = right_answers(RIGHT)
