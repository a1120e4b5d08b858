"""What people answer wrongly in notebook 04 of part 4, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, wrong_answers

DERIVATIVE = """
def derivative(f, x, order):
    {leaf}
    result = f(x)
    for _ in range({times}):
        {step}
    return {result}
"""
OWN_LEAF, SAME_LEAF = "x = x.detach().requires_grad_()", "x.requires_grad_()"
RECORDED = "(result,) = torch.autograd.grad(result, x, create_graph=True)"
UNRECORDED = "(result,) = torch.autograd.grad(result, x, retain_graph=True)"

PENALTY = """
def penalty(model, points):
    {leaf}
    {slopes}
    return {result}
"""
OWN_POINTS = "points = points.detach().requires_grad_()"
SLOPES = "(slopes,) = torch.autograd.grad(model(points).sum(), points, create_graph=True)"
SLOPES_OF_NOW = "(slopes,) = torch.autograd.grad(model(points).sum(), points)"
SLOPES_BY_BACKWARD = "model(points).sum().backward(create_graph=True); slopes = points.grad"
DISTANCE = "((slopes.norm(dim=1) - 1) ** 2).mean()"

PRODUCT = """
def product(f, x, v):
    {leaf}
    (slopes,) = torch.autograd.grad(f(x), x, create_graph=True)
    {rest}
"""

NEWTON = """
def newton_step(f, x):
    {leaf}
    (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, x, create_graph=True)
    return {result}
"""

BELL = """
class Bell(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = (-x * x).exp()
        {save}
        return result

    @staticmethod
    def backward(ctx, grad):
        {back}
"""
SAVE_BOTH = "ctx.save_for_backward(x, result)"
COMPUTE = "x, result = ctx.saved_tensors; return grad * -2 * x * result"
ONCE = """
class Bell(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = (-x * x).exp()
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, result = ctx.saved_tensors
        return grad * -2 * x * result
"""

WRONG = [
    (
        "e04-order",
        DERIVATIVE.format(leaf=OWN_LEAF, times="order", step=UNRECORDED, result="result"),
        "does not require",
    ),
    ("e04-order", DERIVATIVE.format(leaf=OWN_LEAF, times="1", step=RECORDED, result="result"), "the first derivative"),
    (
        "e04-order",
        DERIVATIVE.format(leaf=OWN_LEAF, times="order", step=RECORDED, result="(result,)"),
        "returns a tuple",
    ),
    (
        "e04-order",
        DERIVATIVE.format(leaf=OWN_LEAF, times="order - 1", step=RECORDED, result="result"),
        "one gradient too few",
    ),
    (
        "e04-order",
        DERIVATIVE.format(leaf=OWN_LEAF, times="2", step=RECORDED, result="result"),
        "whatever `order` is",
    ),
    (
        "e04-order",
        DERIVATIVE.format(leaf=OWN_LEAF, times="order", step=RECORDED.replace("(result,)", "result"), result="result"),
        "take the one gradient out of it",
    ),
    (
        "e04-order",
        DERIVATIVE.format(leaf=SAME_LEAF, times="order", step=RECORDED, result="result"),
        "requires grad now",
    ),
    (
        "e04-order",
        DERIVATIVE.format(leaf="pass", times="order", step=RECORDED, result="result"),
        "does not require grad",
    ),
    ("e04-penalty", PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES_OF_NOW, result=DISTANCE), "it has no history"),
    ("e04-penalty", PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES, result=DISTANCE + ".detach()"), "it has no history"),
    ("e04-penalty", PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES, result="((slopes.norm() - 1) ** 2)"), "together"),
    (
        "e04-penalty",
        PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES, result=DISTANCE.replace("dim=1", "dim=0")),
        "the lengths of the columns",
    ),
    (
        "e04-penalty",
        PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES.replace("(slopes,)", "slopes"), result=DISTANCE),
        "take the tensor out of it",
    ),
    (
        "e04-penalty",
        PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES, result="(slopes**2).sum(1).mean()"),
        "squared lengths",
    ),
    (
        "e04-penalty",
        PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES, result=DISTANCE.replace("mean", "sum")),
        "sum over the rows",
    ),
    (
        "e04-penalty",
        PENALTY.format(
            leaf=OWN_POINTS,
            slopes=SLOPES,
            result=DISTANCE.replace("slopes.", "slopes.detach().") + " + 0 * slopes.sum()",
        ),
        "its gradient for the weights is not",
    ),
    ("e04-penalty", PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES_BY_BACKWARD, result=DISTANCE), "`.grad` was filled"),
    (
        "e04-penalty",
        PENALTY.format(leaf="points.requires_grad_()", slopes=SLOPES, result=DISTANCE),
        "requires grad now",
    ),
    ("e04-product", PRODUCT.format(leaf=OWN_LEAF, rest="return slopes"), "the gradient of f"),
    (
        "e04-product",
        PRODUCT.format(leaf=OWN_LEAF, rest="return torch.autograd.grad(slopes, x)[0]").replace(
            "create_graph", "grad_outputs=v, create_graph"
        ),
        "it belongs to the second grad",
    ),
    ("e04-product", PRODUCT.format(leaf=OWN_LEAF, rest="return slopes * v"), "not the Hessian times v"),
    (
        "e04-product",
        PRODUCT.format(leaf=OWN_LEAF, rest="return torch.autograd.grad(slopes.sum(), x)[0]"),
        "Where is v?",
    ),
    ("e04-product", PRODUCT.format(leaf=OWN_LEAF, rest="return torch.autograd.grad(slopes, x, v)"), "returns a tuple"),
    (
        "e04-product",
        PRODUCT.format(leaf=OWN_LEAF, rest="return torch.autograd.grad(slopes, x)[0]"),
        "Here these are v: grad_outputs=v",
    ),
    (
        "e04-product",
        PRODUCT.format(leaf=OWN_LEAF, rest="return torch.tensor([2 * x[1], 0.0]) * v"),
        "the Hessian's diagonal",
    ),
    (
        "e04-product",
        PRODUCT.format(leaf=OWN_LEAF, rest="return torch.autograd.grad(slopes, x, v, create_graph=True)[0]"),
        "it has a history",
    ),
    ("e04-product", "product = lambda f, x, v: torch.func.hessian(f)(x) @ v", "`hessian` made the whole matrix"),
    (
        "e04-product",
        PRODUCT.format(leaf=SAME_LEAF, rest="return torch.autograd.grad(slopes, x, v)[0]"),
        "requires grad now",
    ),
    ("e04-product", "def product(f, x, v): return torch.tensor([4.0, 6.0])", "for another f, x and v"),
    (
        "e04-product",
        "def product(f, x, v): return torch.tensor([[2 * x[1], 2 * x[0]], [2 * x[0], 0.0]]) @ v",
        "for another f, x and v",
    ),
    (
        "e04-newton",
        "def newton_step(f, x): return torch.tensor(1.3958333333333335, dtype=torch.float64)",
        "for another f and x",
    ),
    (
        "e04-newton",
        NEWTON.format(leaf=OWN_LEAF, result="(x - slope / curvature).detach().requires_grad_()"),
        "but it requires grad",
    ),
    (
        "e04-order",
        "def derivative(f, x, order): return [x.sin, x.cos, lambda: -x.sin(), lambda: -x.cos()][order % 4]()",
        "for f(x) = x ** 4",
    ),
    (
        "e04-penalty",
        PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES.replace("model(", "critic("), result=DISTANCE),
        "It should ask the `model`",
    ),
    (
        "e04-penalty",
        "given = points\n"
        + PENALTY.format(leaf="points = given.detach().requires_grad_()", slopes=SLOPES, result=DISTANCE),
        "for the first two points alone",
    ),
    ("e04-bell", ONCE, "@once_differentiable stands above"),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="x - slope / curvature"), "Let go of it"),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="(x - slope).detach()"), "gradient descent"),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="(x + slope / curvature).detach()"), "uphill"),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="(x - f(x) / slope).detach()"), "for f = 0"),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="(x - curvature / slope).detach()"), "the wrong way around"),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="(x - slope / curvature).item()"), "it should be a tensor"),
    ("e04-newton", NEWTON.format(leaf=SAME_LEAF, result="(x - slope / curvature).detach()"), "requires grad now"),
    ("e04-bell", "Bell = lambda x: (-x * x).exp()", "a class that derives from"),
    ("e04-bell", BELL.format(save=SAVE_BOTH, back=COMPUTE.replace("-2 * ", "")), "the gradient of the sum"),
    (
        "e04-bell",
        BELL.format(save="ctx.save_for_backward(-2 * x * result)", back="return grad * ctx.saved_tensors[0]"),
        "the second is not",
    ),
    (
        "e04-bell",
        BELL.format(save=SAVE_BOTH, back=COMPUTE.replace("return", "x = x.detach(); return")),
        "the second is not",
    ),
    ("e04-bell", BELL.format(save=SAVE_BOTH, back="return None"), "no gradient arrives"),
    ("e04-bell", BELL.format(save=SAVE_BOTH, back="with torch.no_grad(): " + COMPUTE), "was recorded"),
    ("e04-bell", ONCE, "the second is not"),
]

ALSO_RIGHT = [
    ("e04-order", DERIVATIVE.format(leaf=OWN_LEAF, times="order", step=RECORDED, result="result.detach()")),
    (
        "e04-penalty",
        PENALTY.format(leaf=OWN_POINTS, slopes=SLOPES, result="(((slopes * slopes).sum(1).sqrt() - 1) ** 2).mean()"),
    ),
    ("e04-product", PRODUCT.format(leaf=OWN_LEAF, rest="return torch.autograd.grad((slopes * v).sum(), x)[0]")),
    ("e04-newton", NEWTON.format(leaf=OWN_LEAF, result="x.detach() - (slope / curvature).detach()")),
    ("e04-product", "product = lambda f, x, v: torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]"),
    ("e04-product", "product = lambda f, x, v: torch.autograd.functional.hvp(f, x, v)[1]"),
    ("e04-product", "product = lambda f, x, v: torch.autograd.functional.vhp(f, x, v)[1]"),
    (
        "e04-bell",
        BELL.format(
            save="ctx.save_for_backward(x)", back="(x,) = ctx.saved_tensors; return -2 * x * (-x * x).exp() * grad"
        ),
    ),
]

test_wrong_answer_is_told_what_it_shows = pytest.mark.filterwarnings(
    "ignore:Using backward.. with create_graph=True will create a reference cycle"
)(wrong_answers(WRONG))
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
