"""What people answer, wrongly and rightly, in the review of part 3."""

from exercise_answers import right_answers, wrong_answers

CLIP = "lambda g: g.clamp(-limit, limit)"
FUNCTION = """
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(-ctx.limit, ctx.limit), None


clipped = Clip.apply
"""

test_wrong_answers = wrong_answers(
    [
        ("a13-clipped", "clipped = lambda x, limit: x.clamp(-limit, limit)", "on their way forward"),
        ("a13-clipped", "clipped = lambda x, limit: x.view_as(x)", "nothing has clipped it"),
        ("a13-clipped", "clipped = lambda x, limit: x.clone()", "is a copy"),
        ("a13-clipped", "clipped = lambda x, limit: x.detach()", "does not require grad"),
        (
            "a13-clipped",
            f"def clipped(x, limit):\n    if x.requires_grad:\n        x.register_hook({CLIP})\n    return x",
            "the hook is on `x` itself",
        ),
        (
            "a13-clipped",
            "def clipped(x, limit):\n    y = x.view_as(x)\n    if y.requires_grad:\n"
            "        y.register_hook(lambda g: g.abs().clamp(max=limit))\n    return y",
            "the sign is lost",
        ),
        (
            "a13-clipped",
            f"def clipped(x, limit):\n    y = x.view_as(x)\n    y.register_hook({CLIP})\n    return y",
            "raised RuntimeError",
        ),
    ]
)

test_right_answers = right_answers(
    [
        ("a13-clipped", FUNCTION),
        (
            "a13-clipped",
            "def clipped(x, limit):\n    y = x[...]\n    if x.requires_grad:\n"
            "        y.register_hook(lambda g: torch.where(g > limit, limit, torch.where(g < -limit, -limit, g)))\n"
            "    return y",
        ),
        (
            "a13-clipped",
            f"def clipped(x, limit):\n    y = x.expand(x.shape)\n    if y.requires_grad:\n"
            f"        y.register_hook({CLIP})\n    return y",
        ),
    ]
)
