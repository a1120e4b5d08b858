"""Exercises of notebook 04: derivatives that have derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.account import functions_called
from glassroom.exercises.engine import Misconception, exercise
from glassroom.exercises.expect import call, expect, expect_saved_by_context, expect_tensor, expect_value
from glassroom.exercises.extensions.own_functions import applied
from glassroom.exercises.facts import is_tensor, same_value, text, values


@exercise(
    "e04-order",
    setup="x = torch.tensor(0.5)",
    hints=[
        "A derivative that was recorded has a derivative itself.",
        "Ask for the gradient of f(x), then for the gradient of that, order times, each with create_graph=True.",
        """
        def derivative(f, x, order):
            x = x.detach().requires_grad_()
            result = f(x)
            for _ in range(order):
                (result,) = torch.autograd.grad(result, x, …)
            return result
        """,
        """
        def derivative(f, x, order):
            x = x.detach().requires_grad_()
            result = f(x)
            for _ in range(order):
                (result,) = torch.autograd.grad(result, x, create_graph=True)
            return result
        """,
    ],
)
def derivative(derivative: Callable[..., Any], *, x: Any) -> str:
    at = x.detach().clone()
    right = [at.sin(), at.cos(), -at.sin(), -at.cos()]  # the derivatives of the sine, round and round
    for order in (1, 2, 3, 6):
        slope = _recorded(derivative, "derivative", _sine, at, order)
        _expect_no_tuple(slope, "derivative")
        expect_tensor(slope, f"derivative(f, x, {order})", shape=())
        expect(
            order != 1 or not same_value(values(slope), values(right[2])),
            "of order 1 it gives the second derivative. Take `order` gradients, whatever `order` is.",
        )
        expect(
            order == 1 or not same_value(values(slope), values(right[1])),
            f"of order {order} it gives the first derivative. Ask for the gradient of the gradient, `order` times.",
        )
        expect(
            not same_value(values(slope), values(right[(order - 1) % 4])),
            f"of order {order} it gives what order {order - 1} should give: one gradient too few.",
        )
        expect(
            order != 2 or not same_value(values(slope), values(right[1] + right[2])),
            "of order 2 it gives the first derivative plus the second: backward adds to .grad. torch.autograd.grad "
            "gives each of them alone.",
        )
        expect_value(slope, f"derivative(sine, x, {order})", right[order % 4])
    _expect_untouched(at)
    elsewhere = _recorded(derivative, "derivative", _quartic, at, 2)
    expect_value(elsewhere, "derivative(f, x, 2) for f(x) = x ** 4 - 3 * x", 12 * at**2)
    return "Each time the way back was recorded, so that it could be walked back again."


@exercise(
    "e04-penalty",
    setup="""
    points = torch.tensor([[1.0, 2.0], [0.0, -1.0], [0.5, 0.5]])
    weights = torch.tensor([2.0, -1.0], requires_grad=True)
    def critic(rows):
        return (rows * weights).sum(dim=1).tanh()
    """,
    hints=[
        "The gradient with respect to the input is a part of a loss: it must be recorded.",
        "autograd.grad of model(points).sum() for points of your own, with create_graph=True; then norm(dim=1).",
        """
        def penalty(model, points):
            points = points.detach().requires_grad_()
            (slopes,) = torch.autograd.grad(model(points).sum(), points, …)
            return ((slopes.norm(dim=1) - 1) ** 2).mean()
        """,
        """
        def penalty(model, points):
            points = points.detach().requires_grad_()
            (slopes,) = torch.autograd.grad(model(points).sum(), points, create_graph=True)
            return ((slopes.norm(dim=1) - 1) ** 2).mean()
        """,
    ],
)
def penalty(penalty: Callable[..., Any], *, critic: Any, points: Any, weights: Any) -> str:
    mine, before = points.detach().clone(), weights.grad
    weights.grad = None
    try:
        returned = call(penalty, "penalty", critic, mine)
        touched = weights.grad is not None
        weights.grad = None
        if is_tensor(returned) and returned.requires_grad and returned.numel() == 1:
            returned.backward()
        reached = weights.grad
    finally:
        weights.grad = before
    _expect_no_tuple(returned, "penalty")
    expect_tensor(returned, "penalty(critic, points)", shape=())

    # The slope of tanh(row · weights) is (1 - tanh²) times the weights, so its length can be written down.
    leaf = weights.detach().clone().requires_grad_()
    scores = (mine.detach() * leaf).sum(dim=1).tanh()
    lengths = (1 - scores * scores) * (leaf * leaf).sum().sqrt()
    right = ((lengths - 1) ** 2).mean()
    together = ((lengths * lengths).sum().sqrt() - 1) ** 2
    long = lengths.detach()
    by_column = ((1 - scores * scores).square().sum().sqrt() * leaf.abs()).detach()
    mistakes = {
        float(((by_column - 1) ** 2).mean()): "norm(dim=0) gives the lengths of the columns, of which there is one for "
        "each input. Each row has a length of its own: norm(dim=1).",
        float(((long / len(mine) - 1) ** 2).mean()): "the scores' mean divides each gradient by the number of rows. "
        "Walk back from their sum.",
        float((long - 1).mean() ** 2): "the square of the mean is not the mean of the squares: square for each row "
        "first.",
        float(((long - 1) ** 2).sum()): "that is the sum over the rows; their mean was asked for.",
        float((long**2 - 1).mean()): "(length - 1) ** 2 squares the distance from 1, and not the length.",
    }
    for mistake, shows in mistakes.items():
        expect(not same_value(values(returned), mistake), shows)
    expect(
        not same_value(values(returned), values((lengths**2).mean())),
        "that is the mean of the squared lengths; what is penalized is their distance from 1.",
    )
    expect(
        not same_value(values(returned), values(together)),
        "that is the length of all gradients together. Each row has a length of its own: norm(dim=1).",
    )
    expect_value(returned, "penalty(critic, points)", right.detach())
    expect(
        returned.requires_grad,
        "the number is right, but it has no history: in a loss it would be a constant. It needs create_graph=True.",
    )
    right.backward()
    expect(
        reached is not None and same_value(values(reached), values(leaf.grad)),
        "the number is right, but its gradient for the weights is not. Was a part of it detached?",
    )
    other = call(penalty, "penalty", _plane, mine)
    expect(
        is_tensor(other) and same_value(values(other), 16.0),  # all slopes are 3 and 4, and their length is 5
        "for another model, 3 * row[0] + 4 * row[1], it is not 16. It should ask the `model` that it is given, and not "
        "`critic`.",
    )
    elsewhere = call(penalty, "penalty", critic, mine[:2])
    expect(
        is_tensor(elsewhere) and same_value(values(elsewhere), values(((long[:2] - 1) ** 2).mean())),
        "for the first two points alone it is another number than it should be. It should take the `points` that it is "
        "given.",
    )
    expect(not touched, "the number is right, but the weights' `.grad` was filled. autograd.grad fills none.")
    _expect_untouched(mine, name="points")
    return "A gradient of a gradient: its history leads to the weights, and no .grad was filled on the way."


@exercise(
    "e04-product",
    setup="""
    x = torch.tensor([3.0, 5.0])
    v = torch.tensor([1.0, -1.0])
    """,
    hints=[
        "Walking back from the slopes with the weights v gives v times the Hessian.",
        "The slopes with create_graph=True; then torch.autograd.grad(slopes, x, grad_outputs=v).",
        """
        def product(f, x, v):
            x = x.detach().requires_grad_()
            (slopes,) = torch.autograd.grad(f(x), x, create_graph=True)
            (result,) = torch.autograd.grad(slopes, …)
            return result
        """,
        """
        def product(f, x, v):
            x = x.detach().requires_grad_()
            (slopes,) = torch.autograd.grad(f(x), x, create_graph=True)
            (result,) = torch.autograd.grad(slopes, x, grad_outputs=v)
            return result
        """,
    ],
)
def product(product: Callable[..., Any], *, x: Any, v: Any) -> str:
    at = x.detach().clone()
    x0, x1 = values(at)
    v0, v1 = values(v)
    with functions_called() as called:
        returned = _recorded(product, "product", _bent, at, v.detach())
    _expect_no_tuple(returned, "product")
    expect(
        not (is_tensor(returned) and returned.dim() == 0),
        "`product` returns one number, the slope in the direction v. The product with the Hessian is the gradient of "
        "that number.",
    )
    expect_tensor(returned, "product(f, x, v)", shape=(2,), dtype="float32")
    wrong = {
        (2 * x0 * x1, x0 * x0): "that is the gradient of f. Walk back from it once more.",
        (2 * x1 + 2 * x0, 2 * x0): "that is the sum of the Hessian's rows, as `slopes.sum()` gives it. Where is v?",
        ((2 * x1 + 2 * x0) * v0, 2 * x0 * v1): "that is the sum of the Hessian's rows, multiplied by v afterwards. v "
        "weighs the slopes before they are added up: grad_outputs=v.",
        (2 * x1 * v0, 0.0): "that is the Hessian's diagonal times v. The inputs interact, so the whole matrix counts.",
    }
    for mistake, shows in wrong.items():
        expect(not same_value(values(returned), mistake), shows)
    expect(
        same_value(values(returned), (2 * x1 * v0 + 2 * x0 * v1, 2 * x0 * v0)), _not_it(returned, "the Hessian times v")
    )
    expect(
        not returned.requires_grad,
        "the product is right, but it has a history. The second gradient needs no create_graph.",
    )
    _expect_untouched(at)
    for ready in ("hessian", "jacfwd", "jacrev", "jacobian"):
        expect(
            ready not in called,
            f"the product is right, but `{ready}` made the whole matrix for it. Walk back from the slopes, "
            "once, with v.",
        )
    many = at.new_tensor([1.0, -2.0, 0.5, 3.0, -1.0, 2.0])
    another = (
        "for another f, x and v, of six numbers, it is not the Hessian times v. It should be made of what it is given."
    )
    try:
        returned = _recorded(product, "product", _chained, many, many + 1)
    except Misconception:
        expect(False, another)
    before, after, weights = many[:-1], many[1:], many + 1
    right = many * 0
    right[:-1] += 2 * after * weights[:-1] + 2 * before * weights[1:]
    right[1:] += 2 * before * weights[:-1]
    expect(
        same_value(values(returned), values(right)),
        another,
    )
    return "The Hessian times v: what the curvature does in one direction."


@exercise(
    "e04-newton",
    setup="x = torch.tensor(2.0, dtype=torch.float64)",
    hints=[
        "The slope is a gradient; the curvature is the gradient of the slope.",
        "The slope with create_graph=True, the curvature from it, and detach() the new x.",
        """
        def newton_step(f, x):
            x = x.detach().requires_grad_()
            (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
            (curvature,) = …
            return (x - slope / curvature).detach()
        """,
        """
        def newton_step(f, x):
            x = x.detach().requires_grad_()
            (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
            (curvature,) = torch.autograd.grad(slope, x)
            return (x - slope / curvature).detach()
        """,
    ],
)
def newton_step(newton_step: Callable[..., Any], *, x: Any) -> str:
    at = x.detach().clone()
    returned = _recorded(newton_step, "newton_step", _quartic, at)
    _expect_no_tuple(returned, "newton_step")
    expect_tensor(returned, "newton_step(f, x)", shape=(), dtype="float64")
    place = values(at)
    slope, curvature = 4 * place**3 - 3, 12 * place**2
    wrong = {
        place - slope: "that is a step of gradient descent with rate 1. The curvature says how large the step is.",
        place - curvature / slope: "slope and curvature are the wrong way around.",
        place + slope / curvature: "that goes uphill: the step is *against* the slope.",
        place - _quartic(place) / slope: "that is Newton's method for f = 0. The bottom is where the *slope* is 0.",
    }
    for mistake, shows in wrong.items():
        expect(not same_value(values(returned), mistake), shows)
    expect(same_value(values(returned), place - slope / curvature), _not_it(returned, "x - slope / curvature"))
    other = _recorded(newton_step, "newton_step", _sine, at / 2)
    sine_step = values((at / 2 + (at / 2).cos() / (at / 2).sin()).detach())
    expect(
        is_tensor(other) and same_value(values(other), sine_step),
        "for another f and x it is not x - slope / curvature. It should be computed from what is given: `f` and `x`.",
    )
    expect(
        not returned.requires_grad or returned.grad_fn is not None,
        "the step is right, and it has no history; but it requires grad, so all that is computed from it is recorded. "
        "Leave out requires_grad_().",
    )
    expect(
        not returned.requires_grad,
        "the step is right, but the new x carries the graph that it was made with. Let go of it: detach().",
    )
    _expect_untouched(at)
    return "One step to the bottom of the parabola, and no graph comes along."


@exercise(
    "e04-bell",
    setup="""
    x = torch.tensor([0.0, 0.5, 2.0], dtype=torch.float64)
    grad = torch.autograd.grad
    """,
    hints=[
        "What backward computes from saved inputs and results can be recorded; what forward computed cannot.",
        "Save x and the result; in backward, multiply grad by -2, x and the result.",
        """
        class Bell(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                result = (-x * x).exp()
                ctx.save_for_backward(…)
                return result

            @staticmethod
            def backward(ctx, grad):
                x, result = ctx.saved_tensors
                return …
        """,
        """
        class Bell(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                result = (-x * x).exp()
                ctx.save_for_backward(x, result)
                return result

            @staticmethod
            def backward(ctx, grad):
                x, result = ctx.saved_tensors
                return grad * -2 * x * result
        """,
    ],
)
def bell(Bell: Any, *, x: Any, grad: Any) -> str:
    leaf, other = x.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()
    returned, right = applied(Bell, "Bell", leaf), (-other * other).exp()
    expect_tensor(returned, "Bell.apply(x)", shape=tuple(x.shape))
    expect_value(returned, "Bell.apply(x)", right.detach())
    expect(returned.requires_grad, "nothing was recorded: is the result made by `apply`, and returned as it is?")
    expect_saved_by_context(returned.grad_fn, "Bell")
    (slopes,) = call(lambda: grad((returned * returned).sum(), leaf, create_graph=True), "its backward")
    whole = (-4 * other * right * right).detach()
    expect(
        not same_value(values(slopes), values((whole / (2 * right)).detach())),
        "what goes on does not depend on what arrives. Multiply by `grad`.",
    )
    expect(
        not same_value(values(slopes), values((2 * right * right).detach())),
        "the inner derivative, that of -x * x, is missing: -2 * x.",
    )
    expect_value(slopes, "the gradient of the sum of Bell.apply(x) ** 2", whole)
    expect(
        slopes.requires_grad,
        "the first derivative is right, but nothing of it was recorded: is `backward` written with tensors' operators?",
    )
    found_bends = call(lambda: grad(slopes.sum(), leaf, allow_unused=True), "walking back from the first derivative")[0]
    if found_bends is None:
        _expect_no_refusal(slopes)
    (bends,) = grad((-4 * other * right * right).sum(), other)
    expect(
        found_bends is not None and same_value(values(found_bends), values(bends)),
        "the first derivative is right, but the second is not: a part of the first is a constant. Which factor did "
        "`forward` compute, or `detach` cut off?",
    )
    return "Its backward is made of saved inputs and results, so it has a derivative like any computation."


def _expect_no_refusal(slopes: Any) -> None:
    """The way back from the slopes is not refused by once_differentiable, whose node leads to no leaf."""
    try:
        slopes.sum().backward()
    except RuntimeError as error:
        expect(
            "once_differentiable" not in str(error),
            "the first derivative is right, but the second is not there: @once_differentiable stands above `backward`, "
            "and refuses it. Leave it out; this backward can be recorded.",
        )


def _recorded(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """What the learner's function returns; the errors of a gradient without a history become sentences."""
    try:
        return call(function, name, *arguments)
    except Misconception as misconception:
        told = str(misconception)
        expect(
            "element 0 of tensors does not require grad" not in told,
            f'`{name}` raised "element 0 of tensors does not require grad": it takes the gradient of something that '
            "has no history. A gradient has one only with create_graph=True, and f(x) only if x requires grad: "
            "x = x.detach().requires_grad_().",
        )
        expect(
            "grad can be implicitly created only for scalar outputs" not in told,
            f'`{name}` raised "grad can be implicitly created only for scalar outputs": there are several slopes, and '
            "each needs a weight. Here these are v: grad_outputs=v.",
        )
        expect(
            "Mismatch in shape: grad_output" not in told,
            f'`{name}` raised "Mismatch in shape": grad_outputs has a weight for each number that the gradient is '
            "taken of. f(x) is one number; v weighs the slopes, so it belongs to the second grad.",
        )
        raise


def _sine(x: Any) -> Any:
    return x.sin()


def _bent(x: Any) -> Any:
    return x[0] * x[0] * x[1]


def _plane(rows: Any) -> Any:
    return 3 * rows[:, 0] + 4 * rows[:, 1]


def _chained(x: Any) -> Any:
    return (x[:-1] * x[:-1] * x[1:]).sum()


def _quartic(x: Any) -> Any:
    return x**4 - 3 * x


def _expect_no_tuple(returned: Any, name: str) -> None:
    expect(
        not isinstance(returned, (tuple, list)),
        f"`{name}` returns a tuple, as autograd.grad does: take the one gradient out of it.",
    )


def _expect_untouched(tensor: Any, name: str = "x") -> None:
    expect(
        is_tensor(tensor) and not tensor.requires_grad and tensor.grad is None,
        f"the values are right, but the caller's `{name}` requires grad now. Use a detach() of it.",
    )


def _not_it(returned: Any, wanted: str) -> str:
    return f"{text(values(returned))} is not {wanted}."
