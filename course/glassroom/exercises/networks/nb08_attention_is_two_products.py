"""Exercises of notebook 08 on networks: attention, the causal mask, heads as views, queries in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_near, expect_tensor, expect_value, expect_view
from glassroom.exercises.facts import copies_of, is_tensor, leaf_of, same_value, shape, values
from glassroom.translations.templates import word

OTHER_D = (
    "for queries of 8 numbers it is right, for queries of 3 it is not. The root is that of d, however long "
    "queries are: q.shape[-1]."
)


def attended(q: Any, k: Any, v: Any, factor: float | None = None, dim: int = -1) -> Any:
    """Attention by the formula, or with another factor or another dimension for softmax."""
    factor = shape(q)[-1] ** -0.5 if factor is None else factor
    return (q @ k.transpose(-1, -2) * factor).softmax(dim) @ v


def lower(q: Any) -> Any:
    """The lower triangle of ones, as a float tensor, of the positions of q."""
    n = shape(q)[-2]
    return q.new_ones(n, n).tril()


def is_same(result: Any, wanted: Any) -> bool:
    return bool(same_value(values(result), values(wanted), 1e-5))


def gives(function: Callable[..., Any], name: str, arguments: tuple[Any, ...], wanted: Any) -> bool:
    """Whether the learner's function returns these values, and raises nothing."""
    try:
        returned = call(function, name, *arguments)
    except Misconception:
        return False
    return is_tensor(returned) and shape(returned) == shape(wanted) and is_same(returned, wanted)


@exercise(
    "n08-attention",
    setup="q, k, v = torch.randn(5, 8), torch.randn(7, 8), torch.randn(7, 3)",
    hints=[
        "Two products: queries with keys, and shares with values. Between them a factor and softmax.",
        "k.transpose(-1, -2) turns the keys of stacks, too; t() is for matrices alone. Shares add up to 1 over the "
        "keys, the last dimension.",
        """
        def attention(q, k, v):
            scores = q @ … / q.shape[-1] ** 0.5
            return scores.softmax(dim=…) @ v
        """,
        """
        def attention(q, k, v):
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            return scores.softmax(dim=-1) @ v
        """,
    ],
)
def attention(attention: Callable[..., Any], *, q: Any, k: Any, v: Any) -> str:
    q, k, v = copies_of(q, k, v)
    own = call(attention, "attention", q, k, v)
    right = attended(q, k, v)
    expect_tensor(own, "attention(q, k, v)", shape=shape(right))
    d = shape(q)[-1]
    shown = {
        word("The scores are not divided by the root of d."): attended(q, k, v, 1.0),
        word("The scores are divided by d; it is the root of d that makes their spread 1."): attended(q, k, v, 1 / d),
        word("The scores are multiplied by the root of d, and not divided by it."): attended(q, k, v, d**0.5),
        word("softmax went along the queries: dimension 0. Each *query's* shares should add up to 1."): attended(
            q, k, v, dim=-2
        ),
        word("The mixtures are divided by the root of d; it is the scores that are divided, before softmax."): attended(
            q, k, v, 1.0
        )
        / d**0.5,
        word("The root is taken of the number of queries; it is that of d, the length of a query."): attended(
            q, k, v, shape(q)[-2] ** -0.5
        ),
        word("softmax is missing: those are mixtures with the bare scores."): q @ k.transpose(-1, -2) / d**0.5 @ v,
        word("`** 1/2` is not a root: `**` comes first, and then all is divided by 2. Write `** 0.5`."): attended(
            q, k, v, 0.5 / d
        ),
        word("The root is taken of the number of keys; it is that of d, the length of a query."): attended(
            q, k, v, shape(k)[-2] ** -0.5
        ),
        word("The root is taken of the length of a value; it is that of d, the length of a query."): attended(
            q, k, v, shape(v)[-1] ** -0.5
        ),
    }
    for mistake, wrong in shown.items():
        expect(is_same(wrong, right) or not is_same(own, wrong), mistake)
    told = "the shape is right, but the numbers are not those of the formula."
    expect_near(own, "attention(q, k, v)", right, 1e-5, told)
    wanting = [leaf_of(tensor) for tensor in (q, k, v)]
    watched = call(attention, "attention", *wanting)
    if watched.requires_grad:
        watched.sum().backward()
    expect(
        all(tensor.grad is not None for tensor in wanting),
        "the numbers are right, but no gradient comes back to queries, keys and values: something was detached.",
    )
    stacks = [q.expand(2, *shape(q)) * 1, (k * 0.5).expand(2, *shape(k)) * 1, v.expand(2, *shape(v)) * 1]
    deep = call(attention, "attention", *stacks)
    expect_tensor(deep, "attention of stacks", shape=(2, *shape(right)), dtype="float32")
    expect(
        is_same(deep, attended(*stacks)),
        "for single matrices it is right, for stacks of them it is not. Count dimensions from the end: −1 and −2.",
    )
    thin = (q[..., :3] * 1, k[..., :3] * 1, v)
    expect(gives(attention, "attention", thin, attended(*thin)), OTHER_D)
    return "Two products and a softmax: that is all of it."


@exercise(
    "n08-causal",
    setup="q, k, v = torch.randn(2, 5, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 3)",
    hints=[
        "A score of minus infinity becomes a share of 0, and the other shares still add up to 1.",
        "The allowed positions are torch.ones(n, n, dtype=torch.bool).tril(). masked_fill fills where its mask is "
        "True, so it needs the opposite.",
        """
        def causal(q, k, v):
            n = q.shape[-2]
            allowed = torch.ones(n, n, dtype=torch.bool).tril()
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            return scores.masked_fill(…, float("-inf")).softmax(dim=-1) @ v
        """,
        """
        def causal(q, k, v):
            n = q.shape[-2]
            allowed = torch.ones(n, n, dtype=torch.bool).tril()
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            return scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1) @ v
        """,
    ],
)
def causal(causal: Callable[..., Any], *, q: Any, k: Any, v: Any) -> str:
    q, k, v = copies_of(q, k, v)
    returned = call(causal, "causal", q, k, v)
    scores = q @ k.transpose(-1, -2) / shape(q)[-1] ** 0.5
    below = lower(q)
    hidden = below == 0
    right = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v
    expect_tensor(returned, "causal(q, k, v)", shape=shape(right), dtype="float32")
    expect(
        not is_same(returned, attended(q, k, v)),
        "that is attention without a mask: every position sees the later ones.",
    )
    expect(
        not is_same(returned, (scores.softmax(-1) * below) @ v),
        "the shares were set to 0 after softmax, so a row no longer adds up to 1. Hide the *scores*, before it.",
    )
    expect(
        not is_same(returned, (scores * below).softmax(-1) @ v),
        "the hidden scores are 0, and a score of 0 still gets a share. Only minus infinity gets none.",
    )
    expect(
        not is_same(returned, scores.masked_fill(hidden.transpose(0, 1), float("-inf")).softmax(-1) @ v),
        "the triangle is the wrong one: each position sees itself and the *later* ones. Which half does tril leave?",
    )
    expect(
        not bool(returned.isnan().any()),
        "there are nans in it: some position may see nothing. Every position sees at least itself: the "
        "diagonal is allowed. (masked_fill fills where its mask is True.)",
    )
    expect(
        not is_same(returned, (q @ k.transpose(-1, -2)).masked_fill(hidden, float("-inf")).softmax(-1) @ v),
        "the mask is right; the scores are not divided by the root of d.",
    )
    one_more = below + below.diagonal(0).diag().roll(1, 1).triu()
    expect(
        not is_same(returned, scores.masked_fill(one_more == 0, float("-inf")).softmax(-1) @ v),
        "each position sees itself, those before it, and the next one: the triangle is one diagonal too large.",
    )
    expect(
        not is_same(returned, scores.masked_fill(hidden, float("-inf")).softmax(-2) @ v),
        "softmax went along the queries: dimension −2. Each *query's* shares should add up to 1.",
    )
    expect_near(returned, "causal(q, k, v)", right, 1e-5, "the numbers are not those of causal attention.")
    longer = [tensor[..., :3, :] * 1 for tensor in (q, k, v)]
    expect(
        is_same(call(causal, "causal", *longer), right[..., :3, :]),
        "with three positions instead of five the first three results should be the same, and they are not.",
    )
    thin = (q[..., :3] * 1, k[..., :3] * 1, v)
    scores = thin[0] @ thin[1].transpose(-1, -2) / 3**0.5
    expect(
        gives(causal, "causal", thin, scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v),
        OTHER_D,
    )
    return "No position has a share of what comes later."


@exercise(
    "n08-heads",
    setup="x = torch.arange(48.0).view(2, 3, 8)",
    hints=[
        "Splitting the last dimension is a view; swapping heads and positions is a transpose.",
        "x.view(N, n, heads, -1) is (N, n, heads, d // heads). Then swap dimensions 1 and 2. join goes the "
        "same way back, and merges the last two.",
        """
        def split(x, heads):
            return x.view(x.shape[0], x.shape[1], heads, -1).transpose(…, …)

        def join(y):
            return y.transpose(1, 2).flatten(…)
        """,
        """
        def split(x, heads):
            return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)

        def join(y):
            return y.transpose(1, 2).flatten(2)
        """,
    ],
)
def heads(split: Callable[..., Any], join: Callable[..., Any], *, x: Any) -> str:
    n, positions, d = shape(x)
    for count in (2, 4):
        parts = call(split, "split", x, count)
        right = x.unflatten(2, (count, -1)).transpose(1, 2)
        expect_tensor(parts, f"split(x, {count})")
        expect(
            shape(parts) != (n, positions, count, d // count),
            "`split` leaves the positions before the heads. For the products, heads have to stand before positions: "
            "swap dimensions 1 and 2.",
        )
        expect_tensor(parts, f"split(x, {count})", shape=shape(right))
        expect(
            not same_value(values(parts), values(x.reshape(n, count, positions, d // count))),
            "the shape is right and the numbers are mixed up: view cut across positions, so that a head has half of "
            "one position and half of another. Split the last dimension, then transpose.",
        )
        expect(
            not same_value(values(parts), values(x.unflatten(2, (-1, count)).permute(0, 3, 1, 2))),
            "the shape is right, but the heads take turns within a position. A head has neighboring numbers: in the "
            "view, heads come before the numbers of a head, (N, n, heads, d // heads).",
        )
        expect_value(parts, f"split(x, {count})", right)
        expect_view(parts, "split(x, heads)", of=x, of_name="x", because="view and transpose copy nothing.")
        own = right.contiguous()
        back = call(join, "join", own)
        expect_tensor(back, "join(y)", shape=(n, positions, d))
        expect(
            not same_value(values(back), values(own.reshape(n, positions, d))),
            "`join` merged without transposing first, and mixed up positions and heads.",
        )
        expect_value(back, "join(y)", x)
    small = x[:1, :2, :4] * 1
    apart = small.unflatten(2, (2, -1)).transpose(1, 2) * 1
    expect(
        gives(split, "split", (small, 2), apart),
        "`split` is right for an x of shape (2, 3, 8), but not for one of shape (1, 2, 4): take the sizes "
        "from x.shape.",
    )
    expect(
        gives(join, "join", (apart,), small),
        "`join` is right for (2, 3, 8), but not for (1, 2, 4): take the sizes from y.shape.",
    )
    return "Cutting into heads is free; joining what they found is a copy."


@exercise(
    "n08-pieces",
    setup="q, k, v = torch.randn(2, 10, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 3)",
    hints=[
        "Queries do not know of each other, so some of them can be answered first, and others later.",
        "q.split(length, dim=-2) gives the pieces as views, the last one shorter. Each meets all keys and values.",
        """
        def in_pieces(q, k, v, length, attention):
            return torch.cat([attention(piece, …, …) for piece in q.split(length, dim=-2)], dim=-2)
        """,
        """
        def in_pieces(q, k, v, length, attention):
            return torch.cat([attention(piece, k, v) for piece in q.split(length, dim=-2)], dim=-2)
        """,
    ],
)
def pieces(in_pieces: Callable[..., Any], *, q: Any, k: Any, v: Any) -> str:
    seen: list[tuple[int, int]] = []

    def watched(piece: Any, keys: Any, values_: Any) -> Any:
        seen.append((shape(piece)[-2], shape(keys)[-2]))
        return attended(piece, keys, values_)

    q, k, v = copies_of(q, k, v)
    try:
        returned = call(in_pieces, "in_pieces", q, k, v, 4, watched)
    except Misconception as raised:
        expect(
            "must match except in dimension 0" not in str(raised),
            "torch.cat joins along dimension 0 if you name no other. Here the pieces go along dimension −2.",
        )
        raise
    queries, keys = shape(q)[-2], shape(k)[-2]
    expect(
        all(count == keys for _, count in seen),
        "the keys were cut as well. Each piece of the queries has to meet *all* keys, or its shares add up wrongly.",
    )
    lengths = [count for count, _ in seen]
    expect(bool(lengths), "`attention`, which you were given, was never called.")
    expect(
        max(lengths) <= 4,
        f"a piece had {max(lengths)} queries; `length` was 4, and the table of scores should be no higher.",
    )
    expect(
        sum(lengths) == queries,
        f"the pieces had {lengths} queries; together they should be all {queries}, the last piece being shorter.",
    )
    expect(is_tensor(returned), "the pieces' results should be joined into one tensor, along dimension −2.")
    expect_tensor(returned, "in_pieces(…)", shape=(*shape(q)[:-1], shape(v)[-1]), dtype="float32")
    expect(is_same(returned, attended(q, k, v)), "the results are not in the order of the queries.")
    expect(lengths == [4, 4, 2], f"the pieces had {lengths} queries; with length 4 they are [4, 4, 2].")
    seen.clear()
    call(in_pieces, "in_pieces", q, k, v, 5, watched)
    lengths = [count for count, _ in seen]
    expect(lengths == [5, 5], f"the pieces had {lengths} queries; with length 5 they are [5, 5].")
    return "The same results, and a table of scores no higher than a piece."
