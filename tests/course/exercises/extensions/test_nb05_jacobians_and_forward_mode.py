"""What people answer wrongly in notebook 05 of part 4, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

ROWS = """
def by_rows(f, x):
    {leaf}
    y = f(x)
    rows = [torch.autograd.grad(result, x, retain_graph=True)[0] for result in y]
    return {result}
"""
OWN_LEAF = "x = x.detach().requires_grad_()"
AGAIN_AND_AGAIN = """
def by_rows(f, x):
    x = x.detach().requires_grad_()
    return torch.stack([torch.autograd.grad(f(x)[row], x)[0] for row in range(len(f(x)))])
"""
ONE_BACKWARD = """
def by_rows(f, x):
    x = x.detach().requires_grad_()
    f(x).sum().backward()
    return x.grad
"""
THREE_ROWS = """
def by_rows(f, x):
    x = x.detach().requires_grad_()
    y = f(x)
    return torch.stack([torch.autograd.grad(y[row], x, retain_graph=True)[0] for row in range(3)])[:, :2]
"""

COLUMNS = """
def by_columns(f, x):
    columns = [torch.func.jvp(f, (x,), ({direction},))[1] for direction in torch.eye(len(x))]
    return {result}
"""
SAMPLES = """
def each_gradient(w, xs, ys):
    return {result}
"""
BEND = """
def bend(f, x, v):
    return {result}
"""
CHEAPER = "camera, orbit, wind, blame = "

ROWS_BY_GRAD = """
def by_rows(f, x):
    x = x.detach().requires_grad_()
    y, rows = f(x), []
    for result in y:
        result.backward(retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)
"""
COLUMNS_OF_RESULTS = """
def by_columns(f, x):
    return torch.stack([torch.func.jvp(f, (x,), (each,))[0] for each in torch.eye(len(x))], dim=1)
"""

WRONG = [
    (
        "e05-rows",
        ROWS.replace("retain_graph=True)[0]", "retain_graph=True)").format(leaf=OWN_LEAF, result="torch.stack(rows)"),
        "take [0]",
    ),
    (
        "e05-rows",
        ROWS.replace("in y]", "in [y[row] for row in range(3)]]").format(leaf=OWN_LEAF, result="torch.stack(rows)"),
        "of another function",
    ),
    (
        "e05-columns",
        COLUMNS.replace(")[1]", ")").format(direction="direction", result="torch.stack(columns, dim=1)"),
        "take [1]",
    ),
    (
        "e05-columns",
        COLUMNS.replace("(x,), ({direction},)", "x, {direction}").format(direction="direction", result="columns"),
        "takes two tuples",
    ),
    (
        "e05-columns",
        COLUMNS.replace("len(x)", "len(f(x))").format(direction="direction", result="torch.stack(columns, dim=1)"),
        "A direction has a number for each input",
    ),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.vmap(torch.func.grad(error), in_dims=(None, 0))(w, xs, ys)"),
        "so three here",
    ),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.vmap(torch.func.grad(error), in_dims=(None, 0, None))(w, xs, ys)"),
        "let it slice `ys`",
    ),
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="rows"), "make one tensor"),
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="torch.stack(rows, dim=1)"), "lies on its side"),
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="sum(rows)"), "the sum of the rows"),
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="torch.stack(rows).double()"), "dtype torch.float64"),
    ("e05-columns", COLUMNS.format(direction="direction", result="torch.stack(columns, 1).double()"), "dtype torch.f"),
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="torch.cat(rows)"), "has shape (6,)"),
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="torch.stack(rows) * 2"), "it should hold [[4.0"),
    ("e05-rows", ROWS.format(leaf="x.requires_grad_()", result="torch.stack(rows)"), "requires grad now"),
    ("e05-rows", ROWS.format(leaf="pass", result="torch.stack(rows)"), "raised RuntimeError"),
    ("e05-rows", AGAIN_AND_AGAIN, "f ran 4 times"),
    ("e05-rows", ONE_BACKWARD, "the sum of the rows"),
    ("e05-rows", THREE_ROWS, "of another function"),
    ("e05-columns", COLUMNS.format(direction="direction", result="columns"), "make one tensor"),
    ("e05-columns", COLUMNS.format(direction="direction", result="torch.stack(columns)"), "lies on its side"),
    (
        "e05-columns",
        COLUMNS.format(direction="2 * direction", result="torch.stack(columns, dim=1)"),
        "it should hold [[4.0",
    ),
    ("e05-columns", COLUMNS.format(direction="direction", result="sum(columns)"), "has shape (3,)"),
    ("e05-cheaper", CHEAPER + "'jacfwd', 'jacfwd', 'jvp', 'vjp'", "2 results and 500 inputs"),
    ("e05-cheaper", CHEAPER + "'jacrev', 'jacrev', 'jvp', 'vjp'", "1000 results and 6 inputs"),
    ("e05-cheaper", CHEAPER + "'jacrev', 'jacfwd', 'jacfwd', 'vjp'", "A direction of the inputs"),
    ("e05-cheaper", CHEAPER + "'jacrev', 'jacfwd', 'jvp', 'jvp'", "Weights of the results"),
    ("e05-samples", SAMPLES.format(result="torch.func.grad(error)(w, xs[0], ys[0])"), "has shape (2,)"),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.grad(lambda w: ((xs * w).sum(1) - ys).square().sum())(w)"),
        "the sum over the samples",
    ),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.grad(lambda w: ((xs * w).sum(1) - ys).square().mean())(w)"),
        "the mean over the samples",
    ),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.vmap(torch.func.grad(error, argnums=1), in_dims=(None, 0, 0))(w, xs, ys)"),
        "the gradient for the sample",
    ),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.vmap(error, in_dims=(None, 0, 0))(w, xs, ys)"),
        "these are the errors",
    ),
    ("e05-samples", SAMPLES.format(result="torch.func.vmap(torch.func.grad(error))(w, xs, ys)"), "raised"),
    (
        "e05-samples",
        SAMPLES.format(result="torch.func.grad(torch.func.vmap(error, in_dims=(None, 0, 0)))(w, xs, ys)"),
        "one sample's error first",
    ),
    ("e05-samples", SAMPLES.format(result="xs * 2"), "it should hold [[-4.0"),
    ("e05-rows", ROWS_BY_GRAD, "each row is that same tensor"),
    ("e05-rows", ROWS_BY_GRAD.replace("x.grad)", "x.grad.clone())"), "those above it added"),
    ("e05-columns", COLUMNS_OF_RESULTS, "take the second"),
    ("e05-bend", BEND.format(result="torch.func.jvp(torch.func.grad(f), (x,), (v,))"), "returns a tuple"),
    ("e05-bend", BEND.format(result="torch.func.jvp(torch.func.grad(f), (x,), (v,))[0]"), "that is the gradient"),
    ("e05-bend", BEND.format(result="torch.func.jvp(f, (x,), (v,))[1]"), "in the direction v"),
    (
        "e05-bend",
        BEND.format(result="torch.func.jvp(torch.func.grad(f), (x,), (torch.ones(2),))[1]"),
        "the Hessian times ones",
    ),
    ("e05-bend", BEND.format(result="v * 2"), "is not the Hessian times v"),
    ("e05-bend", BEND.format(result="torch.func.hessian(f)(x) @ v"), "made the whole matrix"),
    (
        "e05-bend",
        BEND.format(result="torch.func.jvp(torch.func.grad(f), (x.requires_grad_(),), (v,))[1].detach()"),
        "requires grad now",
    ),
]

ALSO_RIGHT = [
    ("e05-rows", ROWS.format(leaf=OWN_LEAF, result="torch.vstack(rows)")),
    ("e05-rows", "def by_rows(f, x): return torch.func.jacrev(f)(x)"),
    ("e05-columns", COLUMNS.format(direction="direction", result="torch.stack(columns).t()")),
    ("e05-bend", BEND.format(result="torch.func.grad(lambda z: (torch.func.grad(f)(z) * v).sum())(x)")),
    ("e05-samples", SAMPLES.format(result="2 * ((xs * w).sum(1, keepdim=True) - ys[:, None]) * xs")),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
