"""What people answer wrongly in notebook 10 on networks, and what the checks tell them."""

from exercise_answers import right_answers, verdict_on, wrong_answers

import tensorglass
from glassroom.exercises._answer_key import hints_of

LEFT = "a, b, c, d = 4096.0, 256.0, 1.0, float('inf')"
CAST = """
def half_linear(x, weight, bias, half):
    return x.to(half) @ weight.to(half).t() + bias.to(half)
"""
STEP = """
def scaled_step(parameters, scale, rate):
    if not all(parameter.grad.isfinite().all() for parameter in parameters):
        return scale / 2
    with torch.no_grad():
        for parameter in parameters:
            parameter -= rate * (parameter.grad / scale)
    return scale
"""
ONE_BY_ONE = """
def scaled_step(parameters, scale, rate):
    with torch.no_grad():
        for parameter in parameters:
            if not parameter.grad.isfinite().all():
                return scale / 2
            parameter -= rate * (parameter.grad / scale)
    return scale
"""
BY_SUM = """
def scaled_step(parameters, scale, rate):
    total = sum((parameter.grad * 0).sum() for parameter in parameters).item()
    if total != total:
        return scale * 0.5
    for parameter in parameters:
        parameter.grad.div_(scale)
    torch.optim.SGD(parameters, lr=rate).step()
    return scale
"""
PARALLEL = """
def parallel(batch, weight, devices, apply):
    parts = batch.chunk(len(devices))
    results = [apply(part.to(each), weight.to(each)) for part, each in zip(parts, devices)]
    return torch.cat([result.to(devices[0]) for result in results])
"""
BY_SLICES = """
def parallel(batch, weight, devices, apply):
    made = []
    for number, each in enumerate(devices):
        part = batch[number * len(batch) // len(devices) : (number + 1) * len(batch) // len(devices)]
        made.append(apply(part.to(each), weight.to(each)).to(devices[0]))
    return torch.concatenate(made)
"""
REDUCE = """
def all_reduce(gradients):
    home = gradients[0].device
    mean = sum(gradient.to(home) for gradient in gradients) / len(gradients)
    for gradient in gradients:
        gradient.copy_(mean)
"""
IN_A_CHAIN = """
def all_reduce(gradients):
    for before, after in zip(gradients, gradients[1:]):
        after += before.to(after.device)
    gradients[-1] /= len(gradients)
    for gradient in gradients[:-1]:
        gradient[:] = gradients[-1].to(gradient.device)
"""

WRONG = [
    ("n10-left", LEFT.replace("4096.0", "4097"), "in steps of 4"),
    ("n10-left", LEFT.replace("256.0", "258.0"), "the even fraction"),
    ("n10-left", LEFT.replace("256.0", "257"), "in steps of 2"),
    ("n10-left", LEFT.replace("1.0,", "1.0004,"), "The next float16 after 1"),
    ("n10-left", LEFT.replace("float('inf')", "65504.0"), "becomes infinite"),
    ("n10-left", LEFT.replace("float('inf')", "70000"), "The largest float16"),
    ("n10-left", LEFT.replace("float('inf')", "'inf'"), "it should "),
    ("n10-cast", CAST.replace(" + bias.to(half)", ""), "the bias is missing"),
    ("n10-cast", CAST.replace("bias.to(half)", "bias"), "it was converted back"),
    (
        "n10-cast",
        "def half_linear(x, weight, bias, half): return x @ weight.t() + bias",
        "Half the bytes are the point",
    ),
    (
        "n10-cast",
        CAST.replace("return ", "return (").replace("bias.to(half)", "bias.to(half)).float()"),
        "converted back",
    ),
    (
        "n10-cast",
        CAST.replace("weight.to(half)", "weight.detach().to(half)").replace("bias.to", "bias.detach().to"),
        "no gradient finds its way",
    ),
    ("n10-cast", CAST.replace("weight.to(half)", "weight.data.to(half)"), "no gradient arrived at `weight`"),
    (
        "n10-cast",
        CAST.replace("    return", "    weight.data = weight.data.to(half)\n    return"),
        "own tensors were converted",
    ),
    ("n10-cast", CAST.replace(".t()", ""), "raised RuntimeError"),
    ("n10-step", ONE_BY_ONE, "changed already"),
    ("n10-step", STEP.replace("(parameter.grad / scale)", "parameter.grad"), "Divide by `scale`"),
    ("n10-step", STEP.replace("-=", "+="), "uphill"),
    ("n10-step", STEP.replace("parameter -=", "parameter = parameter -"), "changed in place"),
    ("n10-step", STEP.replace("not all(parameter.grad.isfinite().all()", "any(parameter.grad.isinf().any()"), "a nan"),
    ("n10-step", STEP.replace("return scale / 2", "return scale"), "halve it"),
    ("n10-step", STEP.replace("return scale / 2", "pass"), "Leave this step out"),
    ("n10-step", STEP.replace("    with torch.no_grad():", "    if True:"), "raised RuntimeError"),
    ("n10-step", STEP.replace("    return scale\n", "    return scale * 2\n"), "larger scale"),
    (
        "n10-parallel",
        "def parallel(batch, weight, devices, apply):\n    return apply(batch.to(devices[0]), weight.to(devices[0]))",
        "each gets one part",
    ),
    ("n10-parallel", PARALLEL.replace("part.to(each), weight", "batch.to(each), weight"), "each once"),
    ("n10-parallel", PARALLEL.replace("weight.to(each)", "weight.detach().to(each)"), "no way back"),
    ("n10-parallel", PARALLEL.replace("for result in results]", "for result in results[::-1]]"), "it should "),
    ("n10-parallel", PARALLEL.replace("torch.cat([", "sum([").replace("])\n", "])\n"), "has shape"),
    ("n10-parallel", PARALLEL.replace("batch.chunk(len(devices))", "batch.split([5, 1])"), "most of the work"),
    (
        "n10-parallel",
        PARALLEL.replace("    return torch.cat([result.to(devices[0]) for result in results])", "    return results"),
        "it should be a tensor",
    ),
    ("n10-reduce", REDUCE.replace(" / len(gradients)", ""), "that is the sum"),
    ("n10-reduce", REDUCE.replace("gradient.copy_(mean)", "gradient = mean"), "as they were"),
    (
        "n10-reduce",
        REDUCE.replace("    for gradient in gradients:\n        gradient.copy_(mean)", "    gradients[0].copy_(mean)"),
        "the others do not",
    ),
    ("n10-reduce", REDUCE.replace("gradient.copy_(mean)", "gradient.data = mean"), "other storages"),
    (
        "n10-reduce",
        "def all_reduce(gradients):\n    for gradient in gradients:\n"
        "        gradient.copy_(sum(each.to(gradient.device) for each in gradients) / len(gradients))",
        "before the first is overwritten",
    ),
    ("n10-reduce", "all_reduce = 3", "it should be a function"),
]

ALSO_RIGHT = [
    ("n10-left", "a, b, c, d = (torch.tensor(x, dtype=t).item() for x, t in [(4097., torch.float16), "
     "(257., torch.bfloat16), (1.0004, torch.float16), (7e4, torch.float16)])"),
    ("n10-left", "a, b, c, d = 4096, 256, 1, torch.inf"),
    ("n10-cast", "def half_linear(x, weight, bias, half):\n"
     "    return torch.nn.functional.linear(x.to(half), weight.to(half), bias.to(half))"),
    ("n10-cast", "def half_linear(x, weight, bias, half):\n"
     "    with torch.autocast('cpu', dtype=half):\n"
     "        return torch.nn.functional.linear(x, weight, bias)"),
    ("n10-step", BY_SUM),
    ("n10-step", STEP.replace("isfinite().all()", "sum().isfinite()").replace(
        "parameter -= rate * (parameter.grad / scale)", "parameter.sub_(parameter.grad, alpha=rate / scale)")),
    ("n10-parallel", BY_SLICES),
    ("n10-parallel", PARALLEL.replace("batch.chunk(len(devices))", "batch.tensor_split(len(devices))").replace(
        "torch.cat", "torch.vstack")),
    ("n10-reduce", IN_A_CHAIN),
    ("n10-reduce", REDUCE.replace("sum(gradient.to(home) for gradient in gradients) / len(gradients)",
                                  "torch.stack([gradient.to(home) for gradient in gradients]).mean(0)")),
]  # fmt: skip

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)

TWO_DEVICES = """
devices = [torch.device("sim", 0), torch.device("sim", 1)]
weight = torch.ones(2, device=devices[0], requires_grad=True)
"""


def on_two_devices(exercise_id: str, attempt: str):
    """The verdict on an answer that uses two devices, which only tensorglass has here."""
    return verdict_on(tensorglass, exercise_id, TWO_DEVICES + attempt)


def test_right_answers_are_right_on_two_devices():
    for exercise_id, attempts in {"n10-parallel": (PARALLEL, BY_SLICES), "n10-reduce": (REDUCE, IN_A_CHAIN)}.items():
        for attempt in (*attempts, hints_of(exercise_id)[-1]):
            verdict = on_two_devices(exercise_id, attempt)
            assert verdict.solved, verdict.message


def test_what_stays_on_one_of_two_devices_is_reported():
    told = {
        PARALLEL.replace("weight.to(each)", "weight"): "needs both in one place",
        PARALLEL.replace("zip(parts, devices)", "zip(parts, devices[:1] * 2)"): "it was the turn of",
        PARALLEL.replace("devices[0]) for", "devices[1]) for"): "should come together on",
    }
    for attempt, words in told.items():
        assert words in on_two_devices("n10-parallel", attempt).message
    assert "raised RuntimeError" in on_two_devices("n10-reduce", REDUCE.replace(".to(home)", "")).message
