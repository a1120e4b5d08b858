"""What people answer in notebook 09 of part 2, on joining and splitting, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

STRIP = "batch = torch.stack(images)\nstrip = "
PIECES = "query, key, value = "
JOINED = """
def in_parts():
    left, right = torch.full((2, 2), 1.0), torch.full((2, 4), 2.0)
    whole = torch.cat([left, right], dim=1)
    return whole, left, right
"""
UNWRITTEN = """
def in_parts():
    whole = torch.zeros(2, 6)
    left, right = whole.split([2, 4], dim=1)
"""
COPIED_OUT = """
def in_parts():
    whole = torch.zeros(2, 6)
    left, right = whole[:, :2] + 1, whole[:, 2:] + 2
    return whole, left, right
"""
INTO_OUT = """
def in_parts():
    whole = torch.empty(2, 6)
    left, right = whole.split([2, 4], dim=1)
    torch.cat([torch.full((2, 2), 1.0), torch.full((2, 4), 2.0)], dim=1, out=whole)
    return whole, left, right
"""

WRONG = [
    ("t09-images", "batch = torch.stack(images, dim=1)\nstrip = 0", "does not come first"),
    ("t09-images", "batch = torch.cat(images)\nstrip = 0", "stack makes it"),
    ("t09-images", "batch = torch.cat(images, 1).view(3, 2, 2)\nstrip = 0", "is not the first picture"),
    ("t09-images", STRIP + "torch.cat(images)", "on top of each other"),
    ("t09-images", STRIP + "batch.view(2, 6)", "the first rows of all three"),
    ("t09-images", STRIP + "torch.cat(images)", "more columns"),
    ("t09-zip", "zipped = torch.cat([p, q])", "first all of `p`"),
    ("t09-zip", "zipped = torch.stack([p, q]).view(-1)", "first all of `p`"),
    ("t09-zip", "zipped = torch.stack([p, q], 1)", "The pairs are right"),
    ("t09-zip", "zipped = torch.stack([q, p], 1).view(-1)", "`zipped` holds [10, 1, 20, 2, 30, 3]"),
    ("t09-zip", "zipped = 6", "it should be a tensor"),
    ("t09-places", "indices = torch.cat([row_of, column_of], dim=-1)", "`cat` made the rows longer"),
    ("t09-three", PIECES + "mixed.view(3, 2, 4, 3)", "the numbers are mixed up"),
    ("t09-three", PIECES + "[mixed[..., i::3] for i in range(3)]", "every third number"),
    ("t09-three", PIECES + "[piece.clone() for piece in mixed.chunk(3, -1)]", "`query` is a copy"),
    ("t09-three", PIECES + "mixed.view(2, 4, 3, 3).unbind(-1)", "every third number"),
    ("t09-three", PIECES + "[mixed, mixed, mixed]", "has shape (2, 4, 9)"),
    ("t09-whole", JOINED, "It was joined"),
    ("t09-whole", UNWRITTEN + "    return whole, left, right", "`left` holds"),
    ("t09-whole", COPIED_OUT, "Write with fill_"),
    (
        "t09-whole",
        "def in_parts():\n    whole = torch.empty(2, 6)\n    return whole, *whole.chunk(2, 1)",
        "`left` has shape (2, 3)",
    ),
    ("t09-whole", INTO_OUT, "then copied"),
    ("t09-large", "large = small.repeat(2, 2)", "shows the picture four times"),
    ("t09-large", "large = small.tile((2, 2))", "each *pixel*"),
    ("t09-large", "large = small.repeat_interleave(2, dim=0)", "it grew in one direction"),
    ("t09-large", "large = small.repeat_interleave(4)", "lost its rows"),
    ("t09-places", "indices = torch.stack([row_of, column_of])", "is not a pair"),
    ("t09-places", "indices = torch.stack([column_of, row_of], -1)", "has the column first"),
    ("t09-places", "indices = torch.cartesian_prod(rows, columns)", "in one long list"),
    ("t09-places", 'indices = torch.stack(torch.meshgrid(rows, columns, indexing="xy"), -1)', "the columns come first"),
    ("t09-large", "large = small.repeat_interleave(4).view(4, 4)", "became a whole row"),
]

RIGHT = [
    ("t09-images", "batch = torch.cat([each[None] for each in images])\nstrip = torch.hstack(images)"),
    ("t09-images", STRIP + "batch.permute(1, 0, 2).reshape(2, 6)"),
    ("t09-zip", "zipped = torch.column_stack([p, q]).flatten()"),
    ("t09-three", PIECES + "mixed.split(3, dim=2)"),
    ("t09-three", PIECES + "mixed.view(2, 4, 3, 3).unbind(2)"),
    ("t09-whole", UNWRITTEN + "    whole[:, :2] = 1\n    whole[:, 2:] = 2\n    return whole, left, right"),
    ("t09-large", "large = torch.kron(small, torch.ones(2, 2, dtype=torch.int64))"),
    ("t09-places", "indices = torch.cartesian_prod(rows, columns).view(2, 3, 2)"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_way_passes_as_well = right_answers(RIGHT)
