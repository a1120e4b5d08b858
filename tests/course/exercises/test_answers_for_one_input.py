"""Answers that fit only the notebook's own inputs. Checks detect them by other inputs, the dtype, and writes."""

import ast
import inspect
import re
from contextlib import suppress
from types import FunctionType

import pytest
from exercise_answers import COURSE, wrong_answers

from glassroom.exercises import exercises, judge
from glassroom.exercises._answer_key import hints_of, setup_of
from glassroom.exercises.account import account
from glassroom.exercises.engine import Misconception
from glassroom.exercises.expect import call

CLIPPED = hints_of("a13-clipped")[-1]
WRITES = "writes into the tensor that it is given"

WRONG = [
    ("t01-batch", "def covariance(x): x.mul_(1); return x.mT @ x", WRITES),
    ("t07-loss", "def loss(p, t): p.sub_(t[:, None]); return p.square().mean()", WRITES),
    ("a09-length", "def lengths(rows): rows.data.abs_(); return rows.norm(dim=1)", WRITES),
    ("n08-attention", "def attention(q, k, v): q /= q.shape[-1] ** 0.5; return (q @ k.mT).softmax(-1) @ v", WRITES),
    (
        "06-small-bill",
        "def two_rows(big): return torch.arange(0, 1000000, 1000) + torch.tensor([[0], [1]])",
        "two_rows",
    ),
    ("06-small-bill", "def two_rows(big): return big[:, :2].t().contiguous().view(2, 1000)", "invalid for input"),
    (
        "07-price",
        """
def flat_and_price(tensor):
    flat = tensor.reshape(-1)
    return flat, 0 if flat.data_ptr() == tensor.untyped_storage().data_ptr() else flat.nbytes
""",
        "the last rows of a contiguous tensor there is a view",
    ),
    ("08-centered", "def centered(x): return x - 3", "another x"),
    ("t05-bell", "def bell(x, out): return out.copy_(x).square_().div_(-2).exp_().view(7)", "invalid for input"),
    ("04-a-block", "block = m[rows[:, None], columns].float()", "has dtype torch.float32"),
    ("t07-gaps", "gaps = (places[:, None] - places).abs().double()", "has dtype torch.float64"),
    (
        "t09-whole",
        """
def in_parts():
    whole = torch.empty(2, 6)
    left, right = whole.split([2, 4], dim=1)
    left.fill_(1)
    return whole, left, right
""",
        "right",
    ),
    (
        "t21-means",
        """
def means(pixels, labels, k):
    chosen = (labels[:, None] == torch.arange(k, device=labels.device)).float()
    return chosen.t() @ pixels / chosen.sum(0).clamp(min=2)[:, None]
""",
        "the mean of color 7",
    ),
    (
        "a05-saliency",
        "def saliency(model, x): return (weights * (1 - (weights * x).tanh() ** 2)).detach().abs()",
        "another model",
    ),
    (
        "a07-record",
        """
def record(h, written):
    largest = h.detach().max().item()
    h.register_hook(lambda g: written.append((largest, g.abs().max().item())))
""",
        "written[0]",
    ),
    (
        "a08-parts",
        """
def in_parts(steps, x, parts):
    def run(some, y):
        for step in some: y = step(y)
        return y
    return torch.utils.checkpoint.checkpoint(run, steps, x, use_reentrant=False)
""",
        "results alive after the forward with parts=3: 0",
    ),
    ("a10-multiply", "def multiply_rule(grad, a, b): return grad * b, torch.tensor(GRAD_A)", "gradient of b"),
    ("a04-step", hints_of("a04-step")[-1].replace("rate *", "0.25 *"), "use `rate`"),
    ("a06-step", hints_of("a06-step")[-1].replace("rate *", "0.25 *"), "use `rate`"),
    ("e03-mended", hints_of("e03-mended")[-1].replace("        matrix, x = ctx.saved_tensors\n", ""), "not theirs"),
    ("e03-is-right", hints_of("e03-is-right")[-1].replace("each.detach()", "each"), "works in place"),
    (
        "e05-bend",
        "def bend(f, x, v): return torch.func.jvp(torch.func.grad(f), (v,), (x,))[1]",
        "is not the Hessian times v",
    ),
    ("e06-swish", hints_of("e06-swish")[-1].replace("return gradient * (", "return ("), "what arrives is left out"),
    ("e09-small", hints_of("e09-small")[-1].replace(", zeroed=zeroed", ""), "`zeroed` should go on"),
    (
        "n06-convolve",
        """
def convolve(images, weight):
    windows = images.unfold(2, 2, 1).unfold(3, weight.shape[3], 1)
    return torch.einsum("nchwij,ocij->nohw", windows, weight)
""",
        "raised",
    ),
    (
        "n06-pool",
        "def max_pool(maps): n, c, h, w = maps.shape; return maps.view(n, c, 2, 2, w // 2, 2).amax((3, 5))",
        "raised",
    ),
    (
        "n08-pieces",
        "def in_pieces(q, k, v, length, attention): return torch.cat([attention(p, k, v) for p in q.split(4, -2)], -2)",
        "with length 5",
    ),
    (
        "n02-dropout",
        "def dropout(x, p, training): return x * (torch.rand_like(x) >= p) / 0.8 if training else x",
        "p = 0.5",
    ),
    ("n03-adam", hints_of("n03-adam")[-1].replace("rate *", "0.1 *"), "twice the rate"),
    ("n07-truncate", hints_of("n07-truncate")[-1].replace("split(length)", "split(4)"), "with a length of 5"),
    ("n10-step", hints_of("n10-step")[-1].replace("/ scale", "/ 1024"), "with a scale of 256"),
    (
        "a13-clipped",
        hints_of("a13-clipped")[-1].replace("limit", "1.0").replace("x, 1.0", "x, limit"),
        "limit 4",
    ),
]

test_an_answer_for_one_input_is_told = wrong_answers(WRONG, GRAD_A=[6.0, 20.0])


FUNCTIONS = [
    id
    for id in sorted(exercises())
    if re.match(r"e\d|n01", id) and hints_of(id)[-1].lstrip().startswith(("def ", "import"))
]


@pytest.mark.parametrize("id", FUNCTIONS)
def test_a_function_that_returns_what_is_right_for_the_first_call_alone_is_refused(torch, id):
    names = _model(torch, id, hints_of(id)[-1])
    for name in exercises()[id].answers:
        if isinstance(names[name], FunctionType):
            names[name] = always_the_first(names[name])
    parameters = inspect.signature(exercises()[id].examine).parameters.values()
    given = {each.name: names[each.name] for each in parameters if each.kind is each.KEYWORD_ONLY}
    verdict = judge(id, *(names[name] for name in exercises()[id].answers), **given)
    assert not verdict.solved, verdict.message


def always_the_first(function):
    results = []

    def constant(*arguments):
        results.append(results[0] if results else function(*arguments))
        return results[0]

    return constant


def test_a_check_that_looks_whether_something_was_written_leaves_no_trace_in_an_account(torch):
    with account() as kept:
        call(lambda x: 1, "f", kept.watched(torch.ones(2, 3)))
        call(lambda x: 1, "f", torch.ones(6).view(2, 3).t())
    assert (kept.calls, kept.copies, len(kept.allocations)) == ([], [], 2)


def test_a_tensor_in_a_list_is_not_written_to_either(torch):
    with pytest.raises(Misconception, match="writes into the tensor"):
        call(lambda pair: pair[0].add_(1), "f", [torch.ones(2), 1])


def test_what_the_code_of_an_answer_raises_later_is_called_its_own(torch):
    verdict = judge("a05-limit", *answer_that_fails(torch), w=torch.ones(2, requires_grad=True), x=torch.ones(2))
    assert verdict.message.startswith("while it was checked, your code raised NameError"), verdict.message


def answer_that_fails(torch):
    names = {"torch": torch}
    exec("def limit(tensor, largest): return tensor.register_hook(lambda g: g * norm)", names)
    return [names["limit"]]


def test_an_answer_that_writes_into_what_is_given_spoils_no_answer_after_it():
    """In a notebook, both get the same tensors, which another cell has created."""
    import tensorglass as torch

    def writing(function):
        def overwrites(*arguments):
            for argument in arguments:
                if isinstance(argument, torch.Tensor):
                    with suppress(RuntimeError), torch.no_grad():
                        argument.copy_(argument.flip(0) + 3)
            return function(*arguments)

        return overwrites

    tried = 0
    for id, exercise in COURSE.items():
        names = _model(torch, id, hints_of(id)[-1])
        answers, given = [names[name] for name in exercise.answers], {name: names[name] for name in exercise.given}
        if given and any(isinstance(answer, FunctionType) for answer in answers):
            judge(id, *(writing(answer) if isinstance(answer, FunctionType) else answer for answer in answers), **given)
            verdict = judge(id, *answers, **given)
            assert verdict.solved, (id, verdict.message)
            tried += 1
    assert tried > 100


def test_a_backward_that_returns_nothing_is_told_what_it_lacks():
    import tensorglass as torch

    class Forgotten(ast.NodeTransformer):
        def visit_FunctionDef(self, function):
            if function.name == "backward":
                function.body = [
                    ast.Expr(statement.value) if isinstance(statement, ast.Return) else statement
                    for statement in function.body
                ]
            return function

    tried = 0
    for id, exercise in COURSE.items():
        if "def backward(ctx" in hints_of(id)[-1]:
            written = ast.unparse(ast.fix_missing_locations(Forgotten().visit(ast.parse(hints_of(id)[-1]))))
            names = _model(torch, id, written)
            verdict = judge(
                id, *(names[name] for name in exercise.answers), **{name: names[name] for name in exercise.given}
            )
            assert not verdict.solved
            assert "raised" not in verdict.message, (id, verdict.message)
            assert "gradient" in verdict.message, (id, verdict.message)
            tried += 1
    assert tried > 5


def _model(torch, id, answer):
    """The names that an exercise's setup and this answer make."""
    names = {"torch": torch, "F": torch.nn.functional}
    exec("import math, numpy as np", names)
    exec(setup_of(id), names)
    exec(answer, names)
    return names
