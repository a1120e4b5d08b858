"""What people answer on creating tensors and on random numbers, and what the checks tell them, on both libraries."""

from exercise_answers import right_answers, wrong_answers

IN_PLACE = """
def centered(data):
    x = torch.as_tensor(data, dtype=torch.float64)
    x -= x.mean()
    return x
"""
COPIED_ARRAYS_ONLY = """
def centered(data):
    x = torch.as_tensor(data.copy() if hasattr(data, "copy") else data, dtype=torch.float64)
    x -= x.mean()
    return x
"""
RESEEDED = """
def split(count, seed):
    torch.manual_seed(seed)
    return torch.randperm(count)
"""

SPLIT = """
def split(count, seed):
    generator = torch.Generator().manual_seed(seed)
    return {}
"""
WRONG = [
    ("t02-labels", "labels = torch.Tensor([2, 0, 16777217])", "lost its last digit"),
    ("t02-labels", "labels = torch.Tensor([2, 0, 16777217]).long()", "too late"),
    ("t02-labels", "labels = torch.tensor([2, 0, 16777217.0], dtype=torch.float64)", "has dtype torch.float64"),
    ("t02-labels", "labels = [2, 0, 16777217]", "it should be a tensor"),
    ("t12-centred", IN_PLACE, "its argument is changed"),
    ("t12-centred", COPIED_ARRAYS_ONLY, "returns that same tensor"),
    ("t12-centred", "def centered(data): return torch.tensor(data).double()", "holds"),
    ("t12-centred", "def centered(data): return data - data.mean()", "is a NumPy array"),
    ("t12-centred", "def centered(data): return torch.Tensor(data) - torch.Tensor(data).mean()", "dtype torch.float32"),
    ("t12-centred", "def centered(data): return torch.from_numpy(data) - data.mean()", "raised"),
    ("t02-times", "times = torch.linspace(1, 2, 11)", "unless it is told otherwise"),
    ("t02-times", "times = torch.arange(1, 2, 0.1, dtype=torch.float64)", "ten points"),
    ("t02-times", "times = torch.linspace(1, 2, 11).double()", "float32 on the way"),
    ("t02-times", "times = torch.linspace(1, 2, 12, dtype=torch.float64)", "one step too many"),
    ("t02-ones", "def ones_for(x): return torch.ones(x.shape[0], 1)", "has dtype torch.float32"),
    ("t02-ones", "def ones_for(x): return torch.ones_like(x)", "as wide as x"),
    ("t02-ones", "def ones_for(x): return x.new_ones(x.shape[0])", "A column has two"),
    ("t02-ones", "def ones_for(x): return x.new_full((2, 1), 1)", "it should be (3, 1)"),
    ("t02-ones", "def ones_for(x): return x.new_zeros(x.shape[0], 1)", "holds"),
    ("t03-throws", "def throws(count): return torch.randint(7, (count, 2))", "shows a 0"),
    ("t03-throws", "def throws(count): return torch.randint(1, 6, (count, 2))", "leaves its upper end out"),
    ("t03-throws", "def throws(count): return torch.randint(1, 8, (count, 2))", "shows a 7"),
    ("t03-throws", "def throws(count): return torch.rand(count, 2) * 6 + 1", "has dtype torch.float32"),
    ("t03-throws", "def throws(count): return (torch.rand(count, 2) * 5).round().int() + 1", "the two ends rarer"),
    ("t03-throws", "def throws(count): return torch.randint(1, 7, (count, 2)).float()", "use an integer dtype"),
    (
        "t03-throws",
        "def throws(count): return torch.randint(1, 7, (count, 1)).expand(count, 2)",
        "always show the same",
    ),
    (
        "t03-throws",
        "def throws(count): return torch.randint(1, 7, (count, 2), generator=torch.Generator().manual_seed(2))",
        "two calls give the same",
    ),
    (
        "t03-throws",
        "def throws(count): return torch.stack([torch.randperm(6)[:2] + 1 for _ in range(count)])",
        "never show the same",
    ),
    (
        "t03-split",
        "def split(count, seed): return torch.randperm(count, generator=torch.Generator(seed))",
        "is a device, and not a seed",
    ),
    ("t03-split", RESEEDED, "draws from it next"),
    ("t03-split", "def split(count, seed): return torch.randperm(count)", "does not depend on `seed` alone"),
    ("t03-split", "def split(count, seed): return torch.arange(count)", "it should be shuffled"),
    (
        "t03-split",
        "def split(count, seed): return torch.randperm(count, generator=torch.Generator().manual_seed(0))",
        "depend on `seed`",
    ),
    ("t03-split", "def split(count, seed): return torch.randint(count, (count,))", "come up twice, and others not"),
    (
        "t03-split",
        SPLIT.format("torch.randperm(count, generator=generator) + 1"),
        "holds 50, which is not one of 0 … 49",
    ),
    ("t03-split", SPLIT.format("torch.arange(count).roll(seed)"), "no random order"),
    ("t03-split", SPLIT.format("torch.arange(count).roll(seed).flip(0)"), "no random order"),
    ("t03-split", SPLIT.format("torch.randperm(50, generator=generator)"), "`split(7, 3)` has shape (50,)"),
    ("t03-split", SPLIT.format("torch.randperm(count, generator=generator).tolist()"), "it should be a tensor"),
    ("t03-split", SPLIT.format("torch.randperm(count, generator=generator).float()"), "integers were asked for"),
    ("t03-split", SPLIT.format("torch.randperm(count, generator=generator.manual_seed(3))"), "gives the same order as"),
    ("t03-throws", "def throws(count): return torch.tensor([[1, 6]] * count)", "never came up: [2, 3, 4, 5]"),
    ("t03-throws", "def throws(count): return torch.full((count, 2), 3)", "never came up: [1, 2, 4, 5, 6]"),
    ("t03-throws", "def throws(count): return torch.randint(2, 9, (count, 2))", "a die shows 7; it has the"),
    ("t03-throws", "def throws(count): return torch.randint(-3, 7, (count, 2))", "a die shows"),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)

test_another_way_passes_as_well = right_answers(
    [
        ("t02-labels", "labels = torch.as_tensor([2, 0, 16777217])"),
        ("t12-centred", "def centered(data): x = torch.tensor(data, dtype=torch.float64); x -= x.mean(); return x"),
        ("t02-labels", "labels = torch.tensor([2, 0, 16777217], dtype=torch.int32)"),
        ("t02-times", "times = 1 + torch.arange(11, dtype=torch.float64) / 10"),
        ("t02-ones", "def ones_for(x): return torch.ones_like(x[:, :1])"),
        ("t02-ones", "def ones_for(x): return torch.ones(len(x), 1, dtype=x.dtype, device=x.device)"),
        ("t03-throws", "def throws(count): return torch.randint(6, (count, 2)) + 1"),
        ("t03-split", SPLIT.format("torch.randperm(count, generator=generator, dtype=torch.int32)")),
        ("t03-split", SPLIT.format("torch.randperm(count, generator=generator).to(torch.uint8)")),
        ("t03-split", SPLIT.format("torch.rand(count, generator=generator).argsort()")),
        ("t03-throws", "def throws(count): return torch.randint(1, 7, (count, 2), dtype=torch.int32)"),
        ("t03-throws", "def throws(count): return (torch.rand(count, 2) * 6).int() + 1"),
        ("t03-throws", "def throws(count): return torch.randint(1, 7, (count, 2), dtype=torch.uint8)"),
        (
            "t03-split",
            "def split(count, seed): return torch.rand(count, generator=torch.Generator().manual_seed(seed)).argsort()",
        ),
    ]
)
