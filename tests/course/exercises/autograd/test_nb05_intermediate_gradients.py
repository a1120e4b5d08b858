"""What people answer wrongly in notebook 05 of part 3, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, wrong_answers

CHAIN = """
def chain(w, x):
    a = w * x
    b = a.tanh()
    c = b.tanh()
    {before}
    c.sum().backward()
    {after}
    return {result}
"""
KEEP_ALL = "[result.retain_grad() for result in (a, b, c)]"
ASK_FOR_ALL = """
def chain(w, x):
    a = w * x
    b = a.tanh()
    c = b.tanh()
    return torch.autograd.grad(c.sum(), (a, b, c))
"""

SALIENCY = """
def saliency(model, x):
    image = x.detach().requires_grad_()
    {how}
"""
SALIENCY_ON_X = """
def saliency(model, x):
    return torch.autograd.grad(model(x.requires_grad_()), x)[0].abs()
"""
SALIENCY_OF_WEIGHTS = "def saliency(model, x): return torch.autograd.grad(model(x), weights)[0].abs()"

LIMIT = """
def limit(tensor, largest):
    def scale(gradient):
        norm = (gradient * gradient).sum().sqrt()
        {scale}
    {register}
"""
REGISTER = "return tensor.register_hook(scale)"
RIGHT_SCALE = "return gradient * (largest / norm) if norm > largest else gradient"
IN_PLACE = "if norm > largest: gradient.mul_(largest / norm)"

STEP = """
def step_at_once(leaf):
    with torch.no_grad():
        {step}
    {end}
"""
WHICH = "penalty, reversal, debugging, frugal = "

WRONG = [
    ("a05-chain", CHAIN.format(before="pass", after="pass", result="a.grad, b.grad, c.grad"), "was not asked"),
    ("a05-chain", CHAIN.format(before="pass", after=KEEP_ALL, result="a.grad, b.grad, c.grad"), "before backward ran"),
    (
        "a05-chain",
        CHAIN.format(before=KEEP_ALL, after="pass", result="c.grad, b.grad, a.grad"),
        "the gradient of `c`: the order is a, b, c",
    ),
    ("a05-chain", CHAIN.format(before=KEEP_ALL, after="pass", result="w.grad, b.grad, c.grad"), "the gradient of `w`"),
    ("a05-chain", CHAIN.format(before=KEEP_ALL, after="pass", result="a.grad"), "it should return three gradients"),
    ("a05-chain", CHAIN.format(before=KEEP_ALL, after="pass", result="a, b, c"), "`a` is the tensor itself"),
    (
        "a05-limit",
        LIMIT.format(scale="return largest / norm if norm > largest else None", register=REGISTER),
        "takes the gradient's place",
    ),
    (
        "a05-limit",
        LIMIT.format(scale="return gradient * (largest / norm**2) if norm > largest else None", register=REGISTER),
        "the *root* of that sum",
    ),
    (
        "a05-step-at-once",
        "def step_at_once(leaf):\n    leaf -= 0.1 * leaf.grad\n    leaf.grad = None",
        "called outside of backward, its step is recorded",
    ),
    ("a05-saliency", SALIENCY.format(how="return torch.autograd.grad(model(image), image)"), "returns a tuple"),
    ("a05-saliency", SALIENCY.format(how="return torch.autograd.grad(model(image), image)[0]"), "its absolute value"),
    ("a05-saliency", SALIENCY.format(how="model(image).backward(); return image.grad.abs()"), "`.grad` was filled"),
    ("a05-saliency", "def saliency(model, x): return torch.autograd.grad(model(x), x)[0]", "raised RuntimeError"),
    ("a05-saliency", SALIENCY_ON_X, "requires grad now"),
    ("a05-saliency", SALIENCY_OF_WEIGHTS, "the gradient of the weights"),
    ("a05-limit", LIMIT.format(scale=RIGHT_SCALE, register="return None"), "Does it end with `return`?"),
    ("a05-limit", LIMIT.format(scale=RIGHT_SCALE, register="return 1"), "went on as it came"),
    ("a05-limit", LIMIT.format(scale="gradient * (largest / norm)", register=REGISTER), "went on as it came"),
    ("a05-limit", LIMIT.format(scale="return gradient * (largest / norm)", register=REGISTER), "short enough"),
    ("a05-limit", LIMIT.format(scale="return gradient.clamp(-largest, largest)", register=REGISTER), "cut off"),
    (
        "a05-limit",
        LIMIT.format(scale="return gradient * min(1, largest / norm**1.5)", register=REGISTER),
        "times `largest` / norm",
    ),
    ("a05-limit", LIMIT.format(scale=IN_PLACE, register=REGISTER), "*another* tensor"),
    (
        "a05-limit",
        LIMIT.format(scale=RIGHT_SCALE, register="tensor.register_hook(scale); return scale"),
        "it should return the handle",
    ),
    ("a05-step-at-once", STEP.format(step="leaf = leaf - 0.1 * leaf.grad", end="pass"), "as it was"),
    (
        "a05-step-at-once",
        STEP.format(step="leaf -= leaf.grad", end="leaf.grad = None"),
        "took the whole gradient",
    ),
    ("a05-step-at-once", STEP.format(step="leaf += 0.1 * leaf.grad", end="leaf.grad = None"), "went up the gradient"),
    ("a05-step-at-once", STEP.format(step="leaf -= 0.1 * leaf", end="leaf.grad = None"), "0.1 of the leaf itself"),
    ("a05-step-at-once", STEP.format(step="leaf -= 0.1 * leaf.grad", end="pass"), "None lets go"),
    ("a05-step-at-once", STEP.format(step="leaf -= 0.1 * leaf.grad", end="leaf.grad.zero_()"), "None lets go"),
    ("a05-step-at-once", "def step_at_once(leaf): leaf.gradient", "within backward, `step_at_once` raised"),
    ("a05-step-at-once", "step_at_once = 0.1", "it should be a function"),
    ("a05-which", WHICH + "'retain_grad', 'hook', 'retain_grad', 'post hook'", "fills no `.grad`"),
    ("a05-which", WHICH + "'grad', 'post hook', 'retain_grad', 'post hook'", "goes on in the gradient's place"),
    ("a05-which", WHICH + "'grad', 'hook', 'hook', 'post hook'", "Backward runs anyway"),
    ("a05-which", WHICH + "'grad', 'hook', 'retain_grad', 'hook'", "once `.grad` is complete"),
]

ALSO_RIGHT = [
    ("a05-chain", ASK_FOR_ALL),
    ("a05-saliency", SALIENCY.format(how="return torch.autograd.grad(model(image), [image])[0].abs()")),
    ("a05-limit", LIMIT.format(scale=RIGHT_SCALE, register=REGISTER)),
    ("a05-limit", LIMIT.format(scale="return gradient * (largest / norm).clamp(max=1)", register=REGISTER)),
    ("a05-step-at-once", STEP.format(step="leaf.sub_(leaf.grad, alpha=0.1)", end="leaf.grad = None")),
]

test_wrong_answer_is_told_what_it_shows = pytest.mark.filterwarnings(
    "ignore:The .grad attribute of a Tensor that is not a leaf"
)(wrong_answers(WRONG))
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
