"""Exercises of notebook 10 of part 2: which dimensions of two tensors meet, and which of them are summed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_value
from glassroom.exercises.facts import first_sentence, is_tensor, same_value, shape, text, values


@exercise(
    "t10-own",
    setup="""
    matrices = torch.arange(18.0).view(3, 2, 3)
    vectors = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    """,
    hints=[
        "Two dimensions are one matrix. Three vectors have to become three matrices, of one column each.",
        "vectors[:, :, None] has size (3, 3, 1): that is a batch. The product has size (3, 2, 1).",
        "turned = (matrices @ vectors[…])[:, :, …]",
        "turned = (matrices @ vectors[:, :, None])[:, :, 0]",
    ],
)
def own(turned: Any, *, matrices: Any, vectors: Any) -> str:
    expect_tensor(turned, "turned")
    expect(
        shape(turned) != (3, 2, 3),
        "`turned` has shape (3, 2, 3): every matrix was multiplied by all vectors together, as though they were one "
        "matrix.",
    )
    expect(
        shape(turned) != (3, 2, 1),
        "The products are right, but each still has the dimension that was added: (3, 2, 1). Remove it.",
    )
    expect_tensor(turned, "turned", shape=(3, 2))
    wanted = (matrices * vectors[:, None]).sum(2)
    expect(
        not same_value(values(turned), values((matrices * vectors.t()[:, None]).sum(2))),
        "`turned` multiplies matrix `i` by *column* `i` of `vectors`; the vectors are its rows.",
    )
    expect_value(turned, "turned", wanted)
    return "Three products, and the batch is dimension 0 of both."


SPELLED = """
A = torch.arange(6.0).view(2, 3)
v = torch.tensor([1.0, 2.0, 3.0])
square = torch.arange(9.0).view(3, 3)
einsum = torch.einsum
"""


def spelled(name: str, letters: Any, einsum: Callable[..., Any], *operands: Any) -> Any:
    """What einsum makes of the learner's letters; what it raises becomes a sentence."""
    if not isinstance(letters, str):
        asked = "it should be a string of letters, such as 'ij->i'"
        raise Misconception(f"`{name}` is {text(letters)}; {asked}.")
    try:
        return einsum(letters, *operands)
    except (RuntimeError, ValueError) as error:
        raise Misconception(f"`{name}` is {letters!r}, and that raises {first_sentence(error)}") from None


@exercise(
    "t10-letters",
    setup=SPELLED,
    hints=[
        "A letter for each dimension of each operand. What should be summed is left out after the arrow.",
        "columns keeps one letter. In gram, the two rows need different letters, and the columns the same one.",
        """
        columns = "ij->…"
        gram = "ij,kj->…"
        form = "i,ij,j->…"
        """,
        """
        columns = "ij->j"
        gram = "ij,kj->ik"
        form = "i,ij,j->"
        """,
    ],
)
def letters(columns: Any, gram: Any, form: Any, *, A: Any, v: Any, square: Any, einsum: Callable[..., Any]) -> str:
    sums = spelled("columns", columns, einsum, A)
    expect(
        not same_value(values(sums), values(A.sum(1))),
        f"`columns` is {text(columns)}: that keeps the rows and sums along each of them. Keep the other letter.",
    )
    expect_tensor(sums, f'einsum("{columns}", A)', shape=(3,), value=values(A.sum(0)))
    table = spelled("gram", gram, einsum, A, A)
    for wrong, shown in [
        ((A * A).sum(1), "multiplies each row with *itself* only. Two rows need two letters"),
        (A.t() @ A, "multiplies columns with columns"),
        (A * A, "sums nothing"),
    ]:
        expect(not same_value(values(table), values(wrong)), f"`gram` is {text(gram)}: that {shown}.")
    expect_tensor(table, f'einsum("{gram}", A, A)', shape=(2, 2), value=values(A @ A.t()))
    number = spelled("form", form, einsum, v, square, v)
    expect(
        shape(number) == (),
        f"`form` is {text(form)}, and gives a tensor of shape {shape(number)}. For one number, leave nothing after the "
        "arrow.",
    )
    expect_value(number, f'einsum("{form}", v, square, v)', v @ square @ v)
    return "A letter kept is a dimension of the result, a letter left out is a sum."


@exercise(
    "t10-heads",
    setup="""
    queries = torch.arange(48.0).view(2, 4, 2, 3) / 10
    keys = torch.arange(60.0).view(2, 5, 2, 3) / 10
    """,
    hints=[
        "Batch and head run together, the numbers are summed, and the positions of both stay.",
        "queries are b q h n. In keys only the position has a letter of its own. Four letters remain.",
        'scores = torch.einsum("bqhn,bkhn->…", queries, keys)',
        'scores = torch.einsum("bqhn,bkhn->bhqk", queries, keys)',
    ],
)
def heads(scores: Any, *, queries: Any, keys: Any) -> str:
    wanted = queries.permute(0, 2, 1, 3) @ keys.permute(0, 2, 3, 1)
    expect_tensor(scores, "scores")
    expect(
        shape(scores) != (2, 4, 5),
        "`scores` has shape (2, 4, 5): the heads were summed. Their letter has to appear after the arrow.",
    )
    expect(
        shape(scores) != (2, 4, 5, 2),
        "`scores` has the right numbers, with the head last. The order after the arrow is the order of the dimensions.",
    )
    expect(
        shape(scores) != (2, 2, 5, 4),
        "`scores` has the key's position before the query's. The order after the arrow is the order of the dimensions.",
    )
    mixed = queries.reshape(2, 2, 4, 3) @ keys.reshape(2, 2, 5, 3).transpose(-1, -2)
    expect(
        not same_value(values(scores), values(mixed)),
        "the shape is right, but the numbers are mixed up: view and reshape keep the reading order. To put heads "
        "before positions, transpose.",
    )
    expect_tensor(scores, "scores", shape=(2, 2, 4, 5), value=values(wanted))
    return "`b` and `h` run together, `n` is summed, and `q` and `k` remain."


@exercise(
    "t10-never",
    setup="small = torch.tensor([1.0, 2.0, 3.0])\nlarge = torch.ones(10_000_000)",
    hints=[
        "The parentheses may be moved: (u wᵀ) x is u (wᵀ x).",
        "wᵀ x is one number. Compute it first.",
        """
        def apply(u, w, x):
            return u * (…)
        """,
        """
        def apply(u, w, x):
            return u * (w @ x)
        """,
    ],
)
def never(apply: Callable[..., Any], *, small: Any, large: Any) -> str:
    u, w, x = small, small + 1, small * 2 - 3
    result = call(apply, "apply", u, w, x)
    expect(
        not is_tensor(result) or shape(result) != (),
        "`apply` gives one number: that is the product of `w` and `x`. `u` is missing.",
    )
    expect_tensor(result, "apply(u, w, x)", shape=(3,))
    expect(
        not same_value(values(result), values(w * (u @ x))),
        "`apply` gives w · (u · x): the first argument of `outer` goes down the rows, so it is the one that remains.",
    )
    expect_value(result, "apply(u, w, x)", u * (w @ x))
    try:
        long = apply(large, large, large)
    except (RuntimeError, MemoryError):
        raise Misconception(
            "For three numbers the result is right. For ten million, the matrix of all products does not fit into any "
            "memory: multiply `w` and `x` first."
        ) from None
    expect(
        is_tensor(long) and shape(long) == shape(large) and bool((long == len(large)).all()),
        "For vectors of three the result is right, but for vectors of ten million it is not.",
    )
    return "One number, and one vector: the matrix of 400 terabytes was never made."


@exercise(
    "t10-line",
    setup="t = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0])\ny = torch.tensor([1.0, 3.0, 4.0, 8.0, 9.0])",
    hints=[
        "Each point is an equation: slope · t + intercept · 1 = y.",
        "X has two columns, t and ones: stack them with the new dimension last.",
        """
        X = torch.stack([t, torch.ones(5)], dim=…)
        slope, intercept = torch.linalg.lstsq(…, …).solution
        """,
        """
        X = torch.stack([t, torch.ones(5)], dim=1)
        slope, intercept = torch.linalg.lstsq(X, y).solution
        """,
    ],
)
def line(slope: Any, intercept: Any, *, t: Any, y: Any) -> str:
    middle_t, middle_y = t.mean(), y.mean()
    wanted = ((t - middle_t) * (y - middle_y)).sum() / ((t - middle_t) ** 2).sum()
    right = [round(float(wanted), 3), round(float(middle_y - wanted * middle_t), 3)]
    expect(
        all(
            isinstance(tensor, (int, float)) or (is_tensor(tensor) and tensor.numel() == 1)
            for tensor in (slope, intercept)
        ),
        "`slope` and `intercept` should be one number each.",
    )
    line = [round(float(slope), 3), round(float(intercept), 3)]
    expect(line != right[::-1], "`slope` and `intercept` are swapped: they come in the order of X's columns.")
    expect(
        line[0] != round(float((t * y).sum() / (t * t).sum()), 3),
        f"`slope` is {line[0]}: that is the best line through the origin. The column of ones is missing in X.",
    )
    expect(line == right, f"The line {line[0]} t + {line[1]} is not the one nearest to the points.")
    return f"{right[0]:g} t + {right[1]:g}: nearer to the five points than any other line."
