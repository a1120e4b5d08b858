"""Exercises of notebook 05: the matrix of derivatives, by rows and by columns, and for each sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import functions_called
from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import both_told, is_tensor, same_value, values

SETUP = """
def f(x):
    return torch.stack((x[0] * x[0], x[0] * x[1], x[1] + x[1]))
x = torch.tensor([2.0, 5.0])
"""


@exercise(
    "e05-rows",
    setup=SETUP,
    hints=[
        "A row of the Jacobian is the gradient of one result.",
        "Run f once. For each result, autograd.grad with retain_graph=True; stack the rows.",
        """
        def by_rows(f, x):
            x = x.detach().requires_grad_()
            y = f(x)
            rows = [torch.autograd.grad(result, x, …)[0] for result in y]
            return …
        """,
        """
        def by_rows(f, x):
            x = x.detach().requires_grad_()
            y = f(x)
            rows = [torch.autograd.grad(result, x, retain_graph=True)[0] for result in y]
            return torch.stack(rows)
        """,
    ],
)
def by_rows(by_rows: Callable[..., Any], *, f: Any, x: Any) -> str:
    runs: list[Any] = []

    def counted(x: Any) -> Any:
        runs.append(x)
        return f(x)

    at = x.detach().clone()
    returned, right = call(by_rows, "by_rows", counted, at), _jacobian_of_f(at)
    sums = [[sum(row[column] for row in right[: last + 1]) for column in range(2)] for last in range(3)]
    for mistake, shows in (
        ([sums[-1]] * 3, "every row is the sum of all: `.grad` adds up, and each row is that same tensor."),
        (sums, "each row has those above it added: `.grad` adds up. Empty it for each row, or use autograd.grad."),
    ):
        expect(not (is_tensor(returned) and same_value(values(returned), mistake)), shows)
    _expect_jacobian(returned, "by_rows(f, x)", right)
    expect(
        len(runs) == 1,
        f"the matrix is right, but f ran {len(runs)} times for it. With retain_graph=True once is enough.",
    )
    _expect_untouched(at)
    wide = x.new_tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    _expect_jacobian(
        call(by_rows, "by_rows", _neighbors, wide), "by_rows of another function", _jacobian_of_neighbors(wide)
    )
    return "Row i tells how result i moves with each input, and f ran once."


@exercise(
    "e05-columns",
    setup=SETUP,
    hints=[
        "A column of the Jacobian tells where all results move if one input moves.",
        "torch.func.jvp for each row of torch.eye(len(x)); its second result is a column. stack(…, dim=1).",
        """
        def by_columns(f, x):
            columns = [torch.func.jvp(f, (x,), (…,))[1] for direction in torch.eye(len(x))]
            return torch.stack(columns, …)
        """,
        """
        def by_columns(f, x):
            columns = [torch.func.jvp(f, (x,), (direction,))[1] for direction in torch.eye(len(x))]
            return torch.stack(columns, dim=1)
        """,
    ],
)
def by_columns(by_columns: Callable[..., Any], *, f: Any, x: Any) -> str:
    at = x.detach().clone()
    with functions_called() as called:
        returned = call(by_columns, "by_columns", f, at)
    results = values(f(at))
    expect(
        not is_tensor(returned)
        or not any(same_value(values(returned), wrong) for wrong in ([results] * 2, [[one] * 2 for one in results])),
        "these are the results of f. torch.func.jvp returns the results and their tangents: take the second.",
    )
    _expect_jacobian(returned, "by_columns(f, x)", _jacobian_of_f(at))
    for ready in ("jacfwd", "jacrev", "jacobian"):
        expect(
            ready not in called, f"the matrix is right, but `{ready}` made it. Build it yourself, from torch.func.jvp."
        )
    expect(
        called.keys() & {"jvp", "make_dual"},
        "the matrix is right, but it was made by walking back, a row at a time. Go forward: let one input move, and "
        "torch.func.jvp says where all results move. That is a column.",
    )
    wide = x.new_tensor([1.0, 2.0, 3.0, 4.0])
    returned = call(by_columns, "by_columns", _neighbors, wide)
    _expect_jacobian(returned, "by_columns of another function", _jacobian_of_neighbors(wide))
    return "Each column says where all results move when one input does."


TASKS = {
    "camera": ("jacrev", "There are 2 results and 500 inputs: a walk for each result is the cheaper one."),
    "orbit": ("jacfwd", "There are 1000 results and 6 inputs: a walk for each input is the cheaper one."),
    "wind": ("jvp", "A direction of the inputs is given, and only the product is wanted, not the matrix."),
    "blame": ("vjp", "Weights of the results are given, and only the product is wanted, not the matrix."),
}


@exercise(
    "e05-cheaper",
    hints=[
        "Reverse mode costs a walk for each result, forward mode one for each input.",
        "Is the matrix wanted, or a product? Then: which are fewer, or what is given, inputs or results?",
        'camera = "jacrev", and wind = "jvp". Each of the other two is the answer once.',
        """
        camera = "jacrev"
        orbit = "jacfwd"
        wind = "jvp"
        blame = "vjp"
        """,
    ],
)
def cheaper(camera: Any, orbit: Any, wind: Any, blame: Any) -> str:
    words = {
        name: (best, {choice: reason for choice, _ in TASKS.values() if choice != best})
        for name, (best, reason) in TASKS.items()
    }
    expect_words(words, (camera, orbit, wind, blame))
    return "Count results and inputs, and ask for no matrix where a product will do."


@exercise(
    "e05-samples",
    setup="""
    xs = torch.tensor([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0]])
    ys = torch.tensor([1.0, 0.0, 2.0])
    w = torch.tensor([1.0, -1.0])
    def error(w, x, y):
        return ((w * x).sum() - y) ** 2
    """,
    hints=[
        "First the gradient of one sample, then that for all of them.",
        "torch.func.grad(error) differentiates for w. vmap gives w whole, and one slice of xs and ys each: in_dims.",
        """
        def each_gradient(w, xs, ys):
            gradient = torch.func.grad(error)
            return torch.func.vmap(gradient, in_dims=…)(w, xs, ys)
        """,
        """
        def each_gradient(w, xs, ys):
            gradient = torch.func.grad(error)
            return torch.func.vmap(gradient, in_dims=(None, 0, 0))(w, xs, ys)
        """,
    ],
)
def each_gradient(each_gradient: Callable[..., Any], *, w: Any, xs: Any, ys: Any) -> str:
    try:
        returned = call(each_gradient, "each_gradient", w, xs, ys)
    except Misconception as told:
        expect(
            "grad_and_value" not in str(told.__context__),  # which PyTorch names where the result is no single number
            "`grad` wants a function that returns one number, and this one returns one for each sample. Take `grad` of "
            "one sample's error first, then `vmap`, and let it slice `ys` as it slices `xs`.",
        )
        expect(
            "in_dims is not compatible" not in str(told),
            "`in_dims` has an entry for each argument, so three here: for w, for xs and for ys.",
        )
        raise
    missed = (xs * w).sum(dim=1) - ys
    right = 2 * missed[:, None] * xs
    expect_tensor(returned, "each_gradient(w, xs, ys)")
    for mistake, shows in (
        (right.sum(dim=0), "that is the sum over the samples, as backward gives it. Each sample's is wanted."),
        (right.mean(dim=0), "that is the mean over the samples. Each sample's is wanted."),
        (2 * missed[:, None] * w, "that is the gradient for the sample `x`; you need the one for `w`."),
        (missed * missed, "these are the errors; their gradients for `w` were asked for."),
    ):
        expect(not same_value(values(returned), values(mistake)), shows)
    expect_tensor(returned, "each_gradient(w, xs, ys)", shape=tuple(xs.shape), dtype="float32")
    expect_value(returned, "each_gradient(w, xs, ys)", right)
    elsewhere = call(each_gradient, "each_gradient", w + 1, xs, ys)
    expect_value(elsewhere, "each_gradient(w + 1, xs, ys)", 2 * ((xs * (w + 1)).sum(dim=1) - ys)[:, None] * xs)
    return "Each sample has a gradient of its own: a row of the result."


@exercise(
    "e05-bend",
    setup="""
    x = torch.tensor([3.0, 5.0])
    v = torch.tensor([1.0, -1.0])
    """,
    hints=[
        "The gradient is a function. Where does it move, if x moves in the direction v?",
        "torch.func.jvp of torch.func.grad(f), at (x,), with the tangents (v,). Its second result is the answer.",
        """
        def bend(f, x, v):
            gradient, moved = torch.func.jvp(…, (x,), (v,))
            return moved
        """,
        """
        def bend(f, x, v):
            gradient, moved = torch.func.jvp(torch.func.grad(f), (x,), (v,))
            return moved
        """,
    ],
)
def bend(bend: Callable[..., Any], *, x: Any, v: Any) -> str:
    at = x.detach().clone()
    with functions_called() as called:
        returned = call(bend, "bend", _bent, at, v.detach())
    expect(
        not isinstance(returned, (tuple, list)),
        "`bend` returns a tuple: torch.func.jvp gives a result and its tangent. The tangent is the answer.",
    )
    expect_tensor(returned, "bend(f, x, v)", dtype="float32")
    (x0, x1), (v0, v1) = values(at), values(v)
    gradient = [3 * x0 * x0 * x1, x0**3]
    for mistake, shows in (
        (gradient, "that is the gradient. Of what jvp returns, the second is the tangent."),
        (gradient[0] * v0 + gradient[1] * v1, "that is the slope of f in the direction v. It is `grad(f)` that moves."),
        ([6 * x0 * x1 + 3 * x0 * x0, 3 * x0 * x0], "that is the Hessian times ones. Where is v?"),
    ):
        expect(not same_value(values(returned), mistake), shows)
    right = [6 * x0 * x1 * v0 + 3 * x0 * x0 * v1, 3 * x0 * x0 * v0]
    mine, truth = both_told(values(returned), right)
    expect(
        same_value(values(returned), right),
        f"{mine} is not the Hessian times v, {truth}: which function does jvp move, and in which direction?",
    )
    _expect_untouched(at)
    elsewhere = call(bend, "bend", _cubes, at, v.detach())
    expect_value(elsewhere, "bend(f, x, v) for f(x) = (x ** 3).sum()", 6 * at * v.detach())
    for ready in ("hessian", "jacfwd", "jacrev", "jacobian"):
        expect(
            ready not in called,
            f"the product is right, but `{ready}` made the whole matrix for it. Go forward once, along v, through the "
            "gradient.",
        )
    return "How the gradient moves along v: two numbers, and no matrix."


def _jacobian_of_f(x: Any) -> list[list[float]]:
    x0, x1 = values(x)
    return [[2 * x0, 0.0], [x1, x0], [0.0, 2.0]]


def _neighbors(x: Any) -> Any:
    """A result for each pair of neighbors among the inputs: their product."""
    return x[1:] * x[:-1]


def _jacobian_of_neighbors(x: Any) -> list[list[float]]:
    pairs, last = list(zip(values(x), values(x)[1:], strict=False)), len(x) - 2
    return [[0.0] * place + [right, left] + [0.0] * (last - place) for place, (left, right) in enumerate(pairs)]


def _cubes(x: Any) -> Any:
    return (x**3).sum()


def _bent(x: Any) -> Any:
    return x[0] * x[0] * x[0] * x[1]


def _expect_jacobian(returned: Any, name: str, right: list[list[float]]) -> None:
    """The matrix, with the usual mistakes told apart."""
    expect(
        not isinstance(returned, (tuple, list)),
        f"`{name}` is a {type(returned).__name__}; make one tensor of its pieces.",
    )
    expect_tensor(returned, name)
    transposed = [list(column) for column in zip(*right, strict=True)]
    expect(
        not same_value(values(returned), transposed),
        f"`{name}` lies on its side: the rows should be the results, and the columns the inputs.",
    )
    expect(
        not same_value(values(returned), [sum(column) for column in transposed]),
        f"`{name}` is the sum of the rows, one backward from all results together.",
    )
    expect_tensor(returned, name, shape=(len(right), len(right[0])))
    expect_value(returned, name, right)
    expect_tensor(returned, name, dtype="float32")


def _expect_untouched(tensor: Any) -> None:
    expect(
        not tensor.requires_grad and tensor.grad is None,
        "the values are right, but the caller's `x` requires grad now. Use a detach() of it.",
    )
