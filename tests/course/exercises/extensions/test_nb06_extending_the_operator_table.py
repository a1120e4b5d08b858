"""What people answer wrongly in notebook 06 of part 4, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

SWISH = """
@torch.library.custom_op("course::swish_of_a_test", mutates_args=())
def swish(x: torch.Tensor, beta: float) -> torch.Tensor:
    return {forward}

def keep_input(ctx, inputs, output):
    x, ctx.beta = inputs
    {keep}

def slope_of_swish(ctx, gradient):
    {back}

{register}
"""
FORWARD = "x * (beta * x).sigmoid()"
KEEP = "ctx.save_for_backward(x)"
SIGMOID = "(x,) = ctx.saved_tensors; s = (ctx.beta * x).sigmoid(); "
BACK = SIGMOID + "return gradient * (s + ctx.beta * x * s * (1 - s)), None"
REGISTER = "swish.register_autograd(slope_of_swish, setup_context=keep_input)"
READY_MADE = "s = (ctx.beta * x).sigmoid(); ctx.save_for_backward(s + ctx.beta * x * s * (1 - s))"

FORMULAS = "{0}\n{1}"
FOR_INPUT = "def for_input(grad, other): return grad / other"
FOR_OTHER = "def for_other(grad, other, result): return -grad * result / other"
RULES = "rule_of_abs, rule_of_exp, rule_of_isnan, rule_of_remainder = "
WHICH = "experiment, from_elsewhere, contribution = "

WRONG = [
    ("e06-swish", "def swish(x, beta): return x * (beta * x).sigmoid()", "it should be a custom operator"),
    ("e06-swish", SWISH.format(forward=FORWARD, keep=KEEP, back=BACK, register="pass"), "no autograd formula"),
    ("e06-swish", SWISH.format(forward="x * x.sigmoid()", keep=KEEP, back=BACK, register=REGISTER), "holds"),
    ("e06-swish", SWISH.format(forward="x", keep=KEEP, back=BACK, register=REGISTER), "may not alias"),
    (
        "e06-swish",
        SWISH.format(forward=FORWARD, keep=KEEP, back=BACK.replace(", None", ""), register=REGISTER),
        "returned 2 where 3 gradients are needed",
    ),
    (
        "e06-swish",
        SWISH.format(forward=FORWARD, keep=KEEP, back=BACK.replace("ctx.beta * ", ""), register=REGISTER),
        "Is beta kept",
    ),
    (
        "e06-swish",
        SWISH.format(forward=FORWARD, keep=KEEP, back=SIGMOID + "return gradient * s, None", register=REGISTER),
        "the gradient of swish(x, 0.5)",
    ),
    ("e06-formulas", FORMULAS.format("for_input = 1", FOR_OTHER), "it should be a function"),
    (
        "e06-formulas",
        FORMULAS.format("def for_input(gradient, other): return gradient / other", FOR_OTHER),
        "the table",
    ),
    ("e06-formulas", FORMULAS.format("def for_input(other): return 1 / other", FOR_OTHER), "multiply it"),
    ("e06-formulas", FORMULAS.format(FOR_INPUT, FOR_OTHER.replace("-grad", "grad")), "the sign is wrong"),
    ("e06-formulas", FORMULAS.format(FOR_INPUT, FOR_OTHER.replace("/ other", "* other")), "holds"),
    (
        "e06-formulas",
        FORMULAS.format("def for_input(grad, input, other): return grad / other", FOR_OTHER),
        "asks for `input`",
    ),
    ("e06-rules", RULES + "'FLOAT', 'FLOAT', 'PREDICATE', 'PROMOTE'", "given integers, it returns integers"),
    ("e06-rules", RULES + "'PROMOTE', 'PROMOTE', 'PREDICATE', 'PROMOTE'", "floating-point numbers"),
    ("e06-rules", RULES + "'PROMOTE', 'FLOAT', 'PROMOTE', 'PROMOTE'", "True and False"),
    ("e06-rules", RULES + "'PROMOTE', 'FLOAT', 'PREDICATE', 'FLOAT'", "7 % 3"),
    ("e06-which-way", WHICH + "'table', 'custom_op', 'table'", "Begin with that"),
    ("e06-which-way", WHICH + "'function', 'table', 'table'", "PyTorch does not know our table"),
    ("e06-which-way", WHICH + "'function', 'custom_op', 'custom_op'", "All the forms"),
]

ALSO_RIGHT = [
    (
        "e06-swish",
        SWISH.format(
            forward=FORWARD, keep=READY_MADE, back="return gradient * ctx.saved_tensors[0], None", register=REGISTER
        ),
    ),
    (
        "e06-formulas",
        FORMULAS.format(FOR_INPUT, "def for_other(input, other, grad): return -grad * input / other.square()"),
    ),
    ("e06-formulas", FORMULAS.format("for_input = lambda grad, other: grad * other.reciprocal()", FOR_OTHER)),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
