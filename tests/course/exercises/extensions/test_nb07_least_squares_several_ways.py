"""What people answer wrongly in notebook 07 of part 4, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

GRADIENT = """
def gradient(A, y, p):
    residual = {residual}
    return {result}
"""
RESIDUAL = "A @ p - y"

RATE = """
def largest_rate(hessian):
    (a, b), (_, d) = hessian
    m, half = (a + d) / 2, ((a - d) ** 2 / 4 + b**2).sqrt()
    return {result}
"""

MEAN_SQUARE = """
class MeanSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, p, A, y):
        residual = A @ p - y
        {keep}
        return {result}

    @staticmethod
    def backward(ctx, gradient):
        return {back}
"""
SLOPES = "2 / len(y) * (A.t() @ residual)"
KEEP = f"ctx.save_for_backward({SLOPES})"
MEAN = "(residual**2).mean()"
BACK = "gradient * ctx.saved_tensors[0], None, None"
LATER = "2 / len(ctx.saved_tensors[1]) * (ctx.saved_tensors[0].t() @ ctx.saved_tensors[1]) * gradient, None, None"

NEWTON = """
def newton(loss, p, steps):
    {before}
    for _ in range(steps):
        {step}
    return p
"""
STEP = "p = p - solve(torch.func.hessian(loss)(p), torch.func.grad(loss)(p))"
WHICH = "calibration, network, decay, vocabulary = "

WRONG = [
    ("e07-gradient", GRADIENT.format(residual=RESIDUAL, result="2 * (A.t() @ residual)"), "of the *sum*"),
    ("e07-gradient", GRADIENT.format(residual=RESIDUAL, result="(A.t() @ residual) / len(y)"), "has a 2"),
    ("e07-gradient", GRADIENT.format(residual="y - A @ p", result=SLOPES), "points downhill"),
    ("e07-gradient", GRADIENT.format(residual=RESIDUAL, result="2 / 5 * (A.t() @ residual)"), "the number of points"),
    ("e07-gradient", GRADIENT.format(residual=RESIDUAL, result="2 * residual"), "has shape (5,)"),
    ("e07-gradient", GRADIENT.format(residual=RESIDUAL, result="A @ residual"), "raised RuntimeError"),
    ("e07-rate", RATE.format(result="m + half"), "the largest curvature"),
    ("e07-rate", RATE.format(result="1 / (m + half)"), "above twice that"),
    ("e07-rate", RATE.format(result="2 / (m - half)"), "*smaller* eigenvalue"),
    ("e07-rate", RATE.format(result="2 / m"), "The larger eigenvalue there is"),
    ("e07-rate", RATE.format(result="2 / half"), "add `m` to it"),
    ("e07-rate", RATE.format(result="2 / (m + half**2)"), "take its root first"),
    ("e07-rate", RATE.format(result="hessian"), "it should return one number"),
    ("e07-mean-square", "def MeanSquare(p, A, y): return ((A @ p - y) ** 2).mean()", "a class that derives from"),
    ("e07-mean-square", MEAN_SQUARE.format(keep=KEEP, result="(residual**2).sum()", back=BACK), "holds"),
    (
        "e07-mean-square",
        MEAN_SQUARE.format(keep="ctx.save_for_backward(A, residual)", result=MEAN, back=LATER),
        "15 numbers are kept",
    ),
    (
        "e07-mean-square",
        MEAN_SQUARE.format(keep=f"ctx.g = {SLOPES}", result=MEAN, back="gradient * ctx.g, None, None"),
        "ctx.save_for_backward",
    ),
    (
        "e07-mean-square",
        MEAN_SQUARE.format(keep=KEEP, result=MEAN, back="ctx.saved_tensors[0], None, None"),
        "multiply by it",
    ),
    (
        "e07-mean-square",
        MEAN_SQUARE.format(keep=KEEP, result=MEAN, back="gradient * ctx.saved_tensors[0]"),
        "returned 1 where 3 gradients are needed",
    ),
    (
        "e07-mean-square",
        MEAN_SQUARE.format(keep=KEEP, result=MEAN, back="-gradient * ctx.saved_tensors[0], None, None"),
        "the gradient of 3",
    ),
    ("e07-mean-square", MEAN_SQUARE.format(keep=KEEP, result=MEAN, back="None, None, None"), "no gradient arrives"),
    ("e07-newton", NEWTON.format(before="pass", step="q = p"), "where it was"),
    ("e07-newton", NEWTON.format(before="pass", step=STEP.replace("p - solve", "p + solve")), "leads uphill"),
    ("e07-newton", NEWTON.format(before="pass", step="p = p - 0.001 * torch.func.grad(loss)(p)"), "after six steps"),
    (
        "e07-newton",
        NEWTON.format(before="start = p", step=STEP.replace("hessian(loss)(p)", "hessian(loss)(start)")),
        "at the *new* p",
    ),
    ("e07-newton", NEWTON.format(before="pass", step=STEP.replace("grad(loss)(p)", "grad(loss)")), "raised"),
    ("e07-which", WHICH + "'newton', 'autograd', 'newton', 'function'", "solved once"),
    ("e07-which", WHICH + "'formula', 'newton', 'newton', 'function'", "but not for a matrix"),
    ("e07-which", WHICH + "'formula', 'autograd', 'formula', 'function'", "squares the error"),
    ("e07-which", WHICH + "'formula', 'autograd', 'newton', 'autograd'", "keep no residual"),
]

ALSO_RIGHT = [
    ("e07-gradient", GRADIENT.format(residual=RESIDUAL, result="(residual @ A) * 2 / y.numel()")),
    ("e07-rate", RATE.format(result="(2 / (m + half)).item()")),
    ("e07-mean-square", MEAN_SQUARE.format(keep=KEEP, result=MEAN, back=BACK)),
    (
        "e07-newton",
        NEWTON.format(
            before="both = torch.func.hessian(loss)", step="p = p - solve(both(p), torch.func.grad(loss)(p))"
        ),
    ),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
