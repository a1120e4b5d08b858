"""What people answer wrongly in notebook 08 on networks, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

ATTENTION = """
def attention(q, k, v):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return scores.softmax(dim=-1) @ v
"""
CAUSAL = """
def causal(q, k, v):
    n = q.shape[-2]
    allowed = torch.ones(n, n, dtype=torch.bool).tril()
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1) @ v
"""
BY_TRIU = """
def causal(q, k, v):
    scores = torch.einsum("...nd,...md->...nm", q, k) / q.size(-1) ** 0.5
    above = torch.full(scores.shape[-2:], float("-inf")).triu(1)
    return torch.softmax(scores + above, -1) @ v
"""
ROW_BY_ROW = """
def causal(q, k, v):
    made = []
    for i in range(q.shape[-2]):
        scores = q[..., i : i + 1, :] @ k[..., : i + 1, :].transpose(-1, -2) / q.shape[-1] ** 0.5
        made.append(scores.softmax(-1) @ v[..., : i + 1, :])
    return torch.cat(made, dim=-2)
"""
SPLIT = "def split(x, heads): return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)\n"
JOIN = "def join(y): return y.transpose(1, 2).flatten(2)\n"
NAMES_OF_OTHERS = "q, k, v = (torch.randn(2, 4, 16, 8).requires_grad_() * 1 for _ in range(3))\n"
PIECES = """
def in_pieces(q, k, v, length, attention):
    return torch.cat([attention(piece, k, v) for piece in q.split(length, dim=-2)], dim=-2)
"""
INTO_ONE = """
def in_pieces(q, k, v, length, attention):
    made = torch.empty(*q.shape[:-1], v.shape[-1])
    for start in range(0, q.shape[-2], length):
        made[..., start : start + length, :] = attention(q[..., start : start + length, :], k, v)
    return made
"""

WRONG = [
    ("n08-attention", ATTENTION.replace(" / q.shape[-1] ** 0.5", ""), "not divided by the root"),
    ("n08-attention", ATTENTION.replace(" ** 0.5", ""), "divided by d; it is the root"),
    ("n08-attention", ATTENTION.replace("/ q", "* q"), "multiplied by the root"),
    (
        "n08-attention",
        ATTENTION.replace(" / q.shape[-1] ** 0.5", "").replace("@ v", "@ v / q.shape[-1] ** 0.5"),
        "it is the scores that are divided",
    ),
    ("n08-attention", ATTENTION.replace("q.shape[-1] ** 0.5", "len(q) ** 0.5"), "the number of queries"),
    ("n08-attention", ATTENTION.replace("** 0.5", "** 1/2"), "`** 1/2` is not a root"),
    ("n08-attention", ATTENTION.replace("dim=-1", "dim=0"), "along the queries"),
    ("n08-attention", ATTENTION.replace(".softmax(dim=-1)", ""), "softmax is missing"),
    ("n08-attention", ATTENTION.replace("q.shape[-1]", "k.shape[-2]"), "number of keys"),
    ("n08-attention", ATTENTION.replace("q.shape[-1]", "v.shape[-1]"), "the length of a value"),
    ("n08-attention", ATTENTION.replace("q.shape[-1]", "8"), "for queries of 3 it is not"),
    ("n08-attention", ATTENTION.replace("dim=-1", "dim=1"), "for stacks of them it is not"),
    ("n08-attention", ATTENTION.replace("k.transpose(-1, -2)", "k.t()"), "raised RuntimeError"),
    ("n08-attention", ATTENTION.replace(" @ v", ""), "has shape (5, 7)"),
    ("n08-causal", CAUSAL.replace(".masked_fill(~allowed, float('-inf'))".replace("'", '"'), ""), "without a mask"),
    (
        "n08-causal",
        CAUSAL.replace('.masked_fill(~allowed, float("-inf")).softmax(dim=-1)', ".softmax(dim=-1) * allowed"),
        "after softmax",
    ),
    ("n08-causal", CAUSAL.replace('float("-inf")', "0"), "still gets a share"),
    ("n08-causal", CAUSAL.replace("tril()", "triu()"), "the wrong one"),
    ("n08-causal", CAUSAL.replace("tril()", "tril(-1)"), "may see nothing"),
    ("n08-causal", CAUSAL.replace(" / q.shape[-1] ** 0.5", ""), "not divided by the root"),
    ("n08-causal", CAUSAL.replace("~allowed", "allowed"), "nans"),
    ("n08-causal", CAUSAL.replace("softmax(dim=-1)", "softmax(dim=-2)"), "along the queries"),
    ("n08-causal", CAUSAL.replace("q.shape[-1] ** 0.5", "8**0.5"), "for queries of 3 it is not"),
    ("n08-causal", CAUSAL.replace("n = q.shape[-2]", "n = 5"), "raised RuntimeError"),
    (
        "n08-heads",
        "def split(x, heads): return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)\n" + JOIN,
        "take turns",
    ),
    ("n08-heads", SPLIT.replace("x.shape[0], x.shape[1]", "2, 3") + JOIN, "take the sizes from x.shape"),
    ("n08-heads", SPLIT.replace("-1)", "4 if heads == 2 else 2)") + JOIN, "take the sizes from x.shape"),
    (
        "n08-heads",
        SPLIT + "def join(y): return y.transpose(1, 2).reshape(2, 3, 8)",
        "take the sizes from y.shape",
    ),
    ("n08-heads", SPLIT.replace("-1)", "x.shape[-1] / heads)") + JOIN, "// makes an int"),
    ("n08-heads", SPLIT.replace(".transpose(1, 2)", "") + JOIN, "leaves the positions before the heads"),
    ("n08-heads", "def split(x, heads): return x.view(x.shape[0], heads, x.shape[1], -1)\n" + JOIN, "mixed up"),
    ("n08-heads", SPLIT.replace("transpose(1, 2)", "transpose(1, 2).contiguous()") + JOIN, "is a copy"),
    ("n08-heads", SPLIT + "def join(y): return y.reshape(y.shape[0], y.shape[2], -1)", "without transposing"),
    ("n08-heads", SPLIT + "def join(y): return y.transpose(1, 2)", "has shape"),
    (
        "n08-heads",
        SPLIT + "def join(y): return y.transpose(1, 2).view(y.shape[0], y.shape[2], -1)",
        "raised RuntimeError",
    ),
    ("n08-pieces", "def in_pieces(q, k, v, length, attention): return attention(q, k, v)", "`length` was 4"),
    (
        "n08-pieces",
        PIECES.replace("(piece, k, v)", "(piece, k[..., :4, :], v[..., :4, :])"),
        "The keys were cut".lower(),
    ),
    (
        "n08-pieces",
        PIECES.replace("torch.cat([", "(lambda made, dim: made)([").replace("], dim=-2)", "], dim=0)"),
        "joined into one tensor",
    ),
    ("n08-pieces", PIECES.replace("q.split(length, dim=-2)", "q.split(length, dim=-2)[:-1]"), "all 10"),
    ("n08-pieces", PIECES.replace("q.split(length, dim=-2)", "q.split(length, dim=-2)[::-1]"), "in the order"),
    ("n08-pieces", PIECES.replace("q.split(length, dim=-2)", "q.split(1, dim=-2)"), "[4, 4, 2]"),
    ("n08-pieces", PIECES.replace("q.split(length, dim=-2)", "q.split(length)"), "`length` was 4"),
    ("n08-pieces", PIECES.replace("], dim=-2)", "])"), "joins along dimension 0"),
]

ALSO_RIGHT = [
    ("n08-attention", "attention = torch.nn.functional.scaled_dot_product_attention"),
    ("n08-attention", "def attention(q, k, v):\n"
     "    scores = torch.einsum('...nd,...md->...nm', q * q.shape[-1] ** -0.5, k)\n"
     "    shares = (scores - scores.amax(-1, keepdim=True)).exp()\n"
     "    return (shares / shares.sum(-1, keepdim=True)) @ v"),
    ("n08-attention", ATTENTION + NAMES_OF_OTHERS),
    ("n08-causal", CAUSAL + NAMES_OF_OTHERS),
    ("n08-causal", BY_TRIU),
    ("n08-causal", ROW_BY_ROW),
    ("n08-causal", "def causal(q, k, v):\n"
     "    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)"),
    ("n08-heads", "def split(x, heads): return x.unflatten(-1, (heads, -1)).permute(0, 2, 1, 3)\n"
     "def join(y): return torch.cat(y.unbind(1), dim=-1)"),
    ("n08-heads", "def split(x, heads):\n"
     "    n, positions, d = x.shape\n"
     "    return x.as_strided((n, heads, positions, d // heads), (positions * d, d // heads, d, 1))\n"
     "def join(y): return y.permute(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)"),
    ("n08-pieces", INTO_ONE),
    ("n08-pieces", "def in_pieces(q, k, v, length, attention):\n"
     "    return torch.cat([attention(each, k, v) for each in torch.split(q, length, 1)], 1)"),
]  # fmt: skip

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
