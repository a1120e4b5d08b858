"""What people answer in notebook 10 of part 2, on linear algebra, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

SPELL = "columns, gram, form = "
SCORES = "scores = torch.einsum('{}', queries, keys)"
SWAPPED = """
X = torch.stack([torch.ones(5), t], dim=1)
slope, intercept = torch.linalg.lstsq(X, y).solution
"""
THROUGH_THE_ORIGIN = """
slope, intercept = torch.linalg.lstsq(t[:, None], y).solution[0], 0.0
"""
TWO_POINTS = "slope, intercept = (y[4] - y[0]) / 4, y[0]"
NORMAL = """
X = torch.stack([t, torch.ones(5)], dim=1)
slope, intercept = torch.linalg.solve(X.T @ X, X.T @ y)
"""

WRONG = [
    ("t10-own", "turned = matrices @ vectors", "all vectors together"),
    ("t10-own", "turned = matrices @ vectors[:, :, None]", "still has the dimension that was added"),
    ("t10-own", "turned = (matrices @ vectors.t()[:, :, None])[:, :, 0]", "*column* `i`"),
    ("t10-own", "turned = matrices[0] @ vectors", "has shape (2, 3)"),
    ("t10-own", "turned = [values for values in vectors]", "it should be a tensor"),
    ("t10-letters", SPELL + "'ij->i', 'ij,kj->ik', 'i,ij,j->'", "keeps the rows"),
    ("t10-letters", SPELL + "'ij->j', 'ij,ij->i', 'i,ij,j->'", "with *itself* only"),
    ("t10-letters", SPELL + "'ij->j', 'ij,ik->jk', 'i,ij,j->'", "columns with columns"),
    ("t10-letters", SPELL + "'ij->j', 'ij,ij->ij', 'i,ij,j->'", "sums nothing"),
    ("t10-letters", SPELL + "'ij->j', 'ij,jk->ik', 'i,ij,j->'", "that raises RuntimeError: einsum()"),
    ("t10-letters", SPELL + "'ij->j', 'ij,kj->ik', 'i,ij,j->ij'", "leave nothing after the arrow"),
    ("t10-letters", SPELL + "'ij->j', 'ij,kj->ik', 'i,ij,i->'", '`einsum("i,ij,i->", v, square, v)` holds'),
    ("t10-letters", SPELL + "A.sum(0), 'ij,kj->ik', 'i,ij,j->'", "a string of letters"),
    ("t10-heads", SCORES.format("bqhn,bkhn->bqk"), "the heads were summed"),
    ("t10-heads", SCORES.format("bqhn,bkhn->bqkh"), "with the head last"),
    ("t10-heads", SCORES.format("bqhn,bkhn->bhkq"), "the key's position before the query's"),
    ("t10-heads", SCORES.format("bqhn,bkin->bhqk"), "`scores[0, 0, 0, 0]` is 0.19; it should be 0.05"),
    ("t10-never", "def apply(u, w, x): return torch.outer(u, w) @ x", "does not fit into any memory"),
    ("t10-never", "def apply(u, w, x): return u[:, None] * w @ x", "does not fit into any memory"),
    ("t10-never", "def apply(u, w, x): return w @ x", "`u` is missing"),
    ("t10-never", "def apply(u, w, x): return w * (u @ x)", "it is the one that remains"),
    ("t10-never", "def apply(u, w, x): return u * w * x", "`apply(u, w, x)` holds"),
    ("t10-line", SWAPPED, "are swapped: they"),
    ("t10-line", THROUGH_THE_ORIGIN, "through the origin"),
    ("t10-line", TWO_POINTS, "is not the one nearest"),
    ("t10-line", "slope = intercept = y", "one number each"),
]

RIGHT = [
    ("t10-own", "turned = torch.einsum('bij,bj->bi', matrices, vectors)"),
    ("t10-own", "turned = torch.stack([m @ v for m, v in zip(matrices, vectors)])"),
    ("t10-own", "turned = torch.bmm(matrices, vectors.unsqueeze(-1)).squeeze(-1)"),
    ("t10-letters", SPELL + "'ab->b', '...j,kj->...k', 'j,jk,k'"),
    ("t10-heads", "scores = queries.transpose(1, 2) @ keys.transpose(1, 2).mT"),
    ("t10-never", "def apply(u, w, x): return (w * x).sum() * u"),
    ("t10-line", NORMAL),
    ("t10-line", "slope, intercept = 2.1, 0.8"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_way_passes_as_well = right_answers(RIGHT)
