"""What people answer wrongly in notebook 03 of part 4, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, wrong_answers

NUMERICAL = """
def numerical(f, x, eps):
    result = torch.zeros_like(x)
    for i in range(len(x)):
        step = torch.zeros_like(x)
        step[i] = eps
        result[i] = {quotient}
    return result
"""
NUMERICAL_IN_PLACE = """
def numerical(f, x, eps):
    result = torch.zeros_like(x)
    for i in range(len(x)):
        x[i] += eps
        above = f(x)
        x[i] -= 2 * eps
        result[i] = (above - f(x)) / (2 * eps)
        {restore}
    return result
"""
NUMERICAL_ALL_AT_ONCE = """
def numerical(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)
"""

FUNCTION = """
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {arguments}):
        ctx.save_for_backward({saved})
        return {forward}

    @staticmethod
    def backward(ctx, gradient):
        {saved} = ctx.saved_tensors
        return {gradients}
"""


def mended(forward="matrix @ x + b", matrix="gradient.unsqueeze(1) * x", x="matrix.t() @ gradient", b="gradient"):
    return FUNCTION.format(
        name="Mended",
        arguments="matrix, x, b",
        saved="matrix, x",
        forward=forward,
        gradients=f"{matrix}, {x}, {b}",
    )


def product(gradients):
    return FUNCTION.format(name="Product", arguments="u, v", saved="u, v", forward="u * v", gradients=gradients)


CURE = "single, near_zero, transposed, noisy, all_zeros = "

IS_RIGHT = """
def is_right(function, *inputs):
    doubles = {doubles}
    return {answer}
"""
DOUBLES = "[each.detach().double().requires_grad_() for each in inputs]"
FIRST = "torch.autograd.gradcheck(function, doubles, raise_exception=False)"
SECOND = "torch.autograd.gradgradcheck(function, doubles, raise_exception=False)"
WITH_TRY = """
def is_right(function, *inputs):
    doubles = tuple(each.detach().to(torch.float64).requires_grad_() for each in inputs)
    try:
        torch.autograd.gradcheck(function, doubles)
        return torch.autograd.gradgradcheck(function, doubles)
    except RuntimeError:
        return False
"""

WRONG = [
    ("e03-numerical", NUMERICAL.format(quotient="(f(x + step) - f(x)) / eps"), "in one direction only"),
    ("e03-numerical", NUMERICAL.format(quotient="(f(x + step) - f(x - step)) / eps"), "2 * eps apart"),
    ("e03-numerical", NUMERICAL.format(quotient="(f(x - step) - f(x + step)) / (2 * eps)"), "holds"),
    (
        "e03-numerical",
        NUMERICAL.format(quotient="f(x + step) - f(x - step) / (2 * eps)"),
        "only the second value was divided",
    ),
    (
        "e03-numerical",
        NUMERICAL.format(quotient="(f(x + step) - f(x - step)) / (2 * eps)").replace("    return", "        return"),
        "`return` stands inside the loop",
    ),
    (
        "e03-numerical",
        "def numerical(f, x, eps):\n    y = x.clone().requires_grad_()\n    return torch.autograd.grad(f(y), y)[0]",
        "that is the exact gradient",
    ),
    ("e03-numerical", NUMERICAL_IN_PLACE.format(restore="pass"), "was changed and not put back"),
    ("e03-numerical", NUMERICAL_ALL_AT_ONCE, "all elements moved at once"),
    ("e03-numerical", NUMERICAL.format(quotient="(f(x + step) - f(x - step)) / 2 * eps"), "write `/ (2 * eps)`"),
    ("e03-numerical", NUMERICAL.format(quotient="(f(x + step) - f(x)) / (2 * eps)"), "`before = x[i]` is a view"),
    ("e03-numerical", NUMERICAL.format(quotient="(f(x) - f(x)) / (2 * eps)"), "the two points are the same"),
    ("e03-mended", mended(x="(matrix.t() @ gradient).flip(0)"), "input 1, `x`"),
    (
        "e03-mended",
        mended(matrix="torch.ones_like(matrix) * x"),
        "gradcheck still finds a mismatch with respect to input 0",
    ),
    ("e03-mended", mended(b="gradient * 2"), "the numerical one times 2"),
    ("e03-mended", mended(x="matrix.t().sum(1)"), "the same numbers in every column"),
    ("e03-mended", mended(x="(matrix.t() @ gradient).flip(0)"), "the right numbers, in other places"),
    ("e03-mended", mended(forward="matrix @ x"), "`Mended.apply(matrix, x, b)`"),
    ("e03-mended", "def Mended(matrix, x, b): return matrix @ x + b", "a class that derives from"),
    ("e03-cure", CURE + "'mend', 'move', 'mend', 'seed', 'mend'", "Seven digits"),
    ("e03-cure", CURE + "'double', 'mend', 'mend', 'seed', 'mend'", "the other side of the kink"),
    ("e03-cure", CURE + "'double', 'move', 'move', 'seed', 'mend'", "lacks a transpose"),
    ("e03-cure", CURE + "'double', 'move', 'mend', 'double', 'mend'", "two different functions"),
    ("e03-cure", CURE + "'double', 'move', 'mend', 'seed', 'seed'", "depends on `v`"),
    ("e03-cure", CURE + "1, 2, 3, 4, 5", "it should "),
    ("e03-is-right", IS_RIGHT.format(doubles=DOUBLES, answer=FIRST), "ask gradgradcheck"),
    ("e03-is-right", IS_RIGHT.format(doubles=DOUBLES, answer="True"), "One factor is detached"),
    ("e03-is-right", IS_RIGHT.format(doubles=DOUBLES, answer="False"), "convert them"),
    (
        "e03-is-right",
        IS_RIGHT.format(doubles="[each.requires_grad_().double() for each in inputs]", answer=f"{FIRST} and {SECOND}"),
        "works in place",
    ),
    (
        "e03-is-right",
        IS_RIGHT.format(
            doubles="[inputs[0].double().requires_grad_(), *[each.double() for each in inputs[1:]]]",
            answer=f"{FIRST} and {SECOND}",
        ),
        "Do all the inputs require",
    ),
    ("e03-is-right", IS_RIGHT.format(doubles="inputs", answer=f"{FIRST} and {SECOND}"), "raised ValueError"),
    ("e03-complex-product", product("v.conj(), u.conj()"), "is missing from the formula"),
    ("e03-complex-product", product("gradient * v, gradient * u"), "the *conjugate*"),
    ("e03-complex-product", product("gradient * u.conj(), gradient * v.conj()"), "for real numbers already"),
    ("e03-complex-product", product("gradient.conj() * v, gradient.conj() * u"), "the *conjugate*"),
    ("e03-complex-product", "def Product(u, v): return u * v", "a class that derives from"),
]

ALSO_RIGHT = [
    ("e03-numerical", NUMERICAL_IN_PLACE.format(restore="x[i] += eps")),
    ("e03-mended", mended(matrix="torch.outer(gradient, x)", x="gradient @ matrix")),
    ("e03-mended", mended() + "inputs = (matrix, torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64), b)\n"),
    ("e03-is-right", WITH_TRY),
    ("e03-complex-product", product("v.conj() * gradient, (u * gradient.conj()).conj()")),
]

# answers that check in float32
test_wrong_answer_is_told_what_it_shows = pytest.mark.filterwarnings("ignore:Input #0 requires gradient:UserWarning")(
    wrong_answers(WRONG)
)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
