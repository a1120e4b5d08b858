"""Exercises of notebook 06: an operator of your own, its formulas, its rule, and where to put it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_value, expect_words
from glassroom.exercises.facts import is_tensor, same_value, text, values

FORMULA_NAMES = ("grad", "input", "other", "result")


@exercise(
    "e06-swish",
    setup="""
    x = torch.tensor([0.0, 1.0, -2.0], dtype=torch.float64)
    grad = torch.autograd.grad
    """,
    hints=[
        "A custom operator is an annotated function; its derivative is registered and keeps what it needs.",
        "setup_context keeps x and beta; backward returns a gradient for x, and None for beta.",
        """
        @torch.library.custom_op("course::swish", mutates_args=())
        def swish(x: torch.Tensor, beta: float) -> torch.Tensor:
            return x * (beta * x).sigmoid()

        def keep_input(ctx, inputs, output):
            x, ctx.beta = inputs
            ctx.save_for_backward(…)

        def slope_of_swish(ctx, gradient):
            (x,) = ctx.saved_tensors
            s = (ctx.beta * x).sigmoid()
            return gradient * (…), None

        swish.register_autograd(slope_of_swish, setup_context=keep_input)
        """,
        """
        @torch.library.custom_op("course::swish", mutates_args=())
        def swish(x: torch.Tensor, beta: float) -> torch.Tensor:
            return x * (beta * x).sigmoid()

        def keep_input(ctx, inputs, output):
            x, ctx.beta = inputs
            ctx.save_for_backward(x)

        def slope_of_swish(ctx, gradient):
            (x,) = ctx.saved_tensors
            s = (ctx.beta * x).sigmoid()
            return gradient * (s + ctx.beta * x * s * (1 - s)), None

        swish.register_autograd(slope_of_swish, setup_context=keep_input)
        """,
    ],
)
def swish(swish: Any, *, x: Any, grad: Any) -> str:
    expect(
        hasattr(swish, "register_autograd"),
        f"`swish` is {text(swish)}; it should be a custom operator. torch.library.custom_op makes one of a function.",
    )
    plain = x.detach()
    for beta in (1.0, 0.5):
        returned = call(swish, "swish", plain, beta)
        expect_tensor(returned, f"swish(x, {beta})", shape=tuple(x.shape))
        expect_value(returned, f"swish(x, {beta})", plain * (beta * plain).sigmoid())

    leaf, other = plain.clone().requires_grad_(), plain.clone().requires_grad_()
    arriving = plain.exp()
    (slopes,) = call(lambda: grad((swish(leaf, 0.5) * arriving).sum(), leaf), "walking back")
    (right,) = grad((other * (0.5 * other).sigmoid() * arriving).sum(), other)
    expect(
        not same_value(values(slopes * arriving), values(right)),
        "the derivative is right, but what arrives is left out: the chain rule multiplies by `gradient`.",
    )
    for s in (plain.sigmoid(), (0.5 * plain).sigmoid()):
        expect(
            not same_value(values(slopes), values(arriving * (s + plain * s * (1 - s)))),
            "right for beta = 1, but wrong for other values. Is beta kept, and used in the whole formula?",
        )
    expect_value(slopes, "the gradient of swish(x, 0.5)", right)
    return "An operator of your own, with its derivative."


@exercise(
    "e06-formulas",
    setup="x = torch.tensor([1.0, 2.0])",
    hints=[
        "The derivative of a / b is 1 / b for a, and -a / b ** 2 for b.",
        "-a / b ** 2 is the result divided by -b. Name as parameters what stands in the formula.",
        """
        def for_input(grad, other):
            return …
        def for_other(grad, other, result):
            return -grad * …
        """,
        """
        def for_input(grad, other):
            return grad / other
        def for_other(grad, other, result):
            return -grad * result / other
        """,
    ],
)
def formulas(for_input: Any, for_other: Any, *, x: Any) -> str:
    input, other, grad = (x.new_tensor(numbers) for numbers in ([1.0, 6.0, -3.0], [2.0, -4.0, 0.5], [1.0, 2.0, -1.0]))
    at_hand = {"grad": grad, "input": input, "other": other, "result": input / other}
    right = {"for_input": grad / other, "for_other": -grad * input / (other * other)}
    for name, formula in (("for_input", for_input), ("for_other", for_other)):
        expect(callable(formula) and not is_tensor(formula), f"`{name}` is {text(formula)}; it should be a function.")
        needs = list(inspect.signature(formula).parameters)
        for need in needs:
            expect(need in FORMULA_NAMES, f"`{name}` asks for `{need}`; the table knows grad, input, other and result.")
        returned = call(formula, name, *(at_hand[need] for need in needs))
        expect_tensor(returned, f"{name}({', '.join(needs)})")
        for mistake, shows in (
            (right[name] / grad, "that is the derivative; multiply it by the gradient that arrives."),
            (-right[name], "the sign is wrong."),
        ):
            expect(not same_value(values(returned), values(mistake)), f"`{name}`: {shows}")
        expect_value(returned, f"{name}({', '.join(needs)})", right[name])
        for unneeded in set(needs) - _used(formula, needs, at_hand):
            expect(False, f"`{name}` is right, but it asks for `{unneeded}`, which it does not use: it would be kept.")
    return "Each formula keeps what it names, and no more."


RULES = {
    "rule_of_abs": ("PROMOTE", "given integers, it returns integers."),
    "rule_of_exp": ("FLOAT", "given integers, it returns floating-point numbers."),
    "rule_of_isnan": ("PREDICATE", "it returns True and False, whatever it is given."),
    "rule_of_remainder": ("PROMOTE", "given integers, it returns integers: 7 % 3 is 1, and not 1.0."),
}


@exercise(
    "e06-rules",
    hints=[
        "The rule says what comes out when integers go in.",
        "Try each with torch.tensor([7]), and print the dtype.",
        'rule_of_exp = "FLOAT", rule_of_isnan = "PREDICATE". The other two return integers when given integers.',
        """
        rule_of_abs = "PROMOTE"
        rule_of_exp = "FLOAT"
        rule_of_isnan = "PREDICATE"
        rule_of_remainder = "PROMOTE"
        """,
    ],
)
def rules(rule_of_abs: Any, rule_of_exp: Any, rule_of_isnan: Any, rule_of_remainder: Any) -> str:
    words = {
        name: (right, {rule: f"Look at the dtype: {reason}" for rule, _ in RULES.values() if rule != right})
        for name, (right, reason) in RULES.items()
    }
    expect_words(words, (rule_of_abs, rule_of_exp, rule_of_isnan, rule_of_remainder))
    return "Three rules, and every elementwise operator follows one of them."


WAYS = {
    "experiment": ("function", "A function of operators has a gradient immediately. Begin with that."),
    "from_elsewhere": (
        "custom_op",
        "Autograd cannot look into the other program, and PyTorch does not know our table: it takes a closed box.",
    ),
    "contribution": ("table", "All the forms come with a row of the table, and its tests too."),
}


@exercise(
    "e06-which-way",
    hints=[
        "How many forms are wanted, can autograd see inside, and where must it run?",
        "Each of the three is the answer once.",
        'experiment = "function". Which of the other two runs on PyTorch as well?',
        """
        experiment = "function"
        from_elsewhere = "custom_op"
        contribution = "table"
        """,
    ],
)
def which(experiment: Any, from_elsewhere: Any, contribution: Any) -> str:
    words = {
        name: (best, {choice: reason for choice, _ in WAYS.values() if choice != best})
        for name, (best, reason) in WAYS.items()
    }
    expect_words(words, (experiment, from_elsewhere, contribution))
    return "Each time, the simplest way that does what is needed."


def _used(formula: Callable[..., Any], needs: list[str], at_hand: dict[str, Any]) -> set[str]:
    """The parameters on whose values the formula's value depends."""
    usual = values(formula(*(at_hand[need] for need in needs)))
    used = set()
    for name in needs:
        changed = at_hand | {name: at_hand[name] * 2 + 1}
        if not same_value(values(formula(*(changed[need] for need in needs))), usual):
            used.add(name)
    return used
