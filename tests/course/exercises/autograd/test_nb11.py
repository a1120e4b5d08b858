"""What people answer wrongly in notebook 11 of part 3, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

HOOKED = "def tame(x):\n    y = {}\n    y.register_hook(lambda g: {})\n    return y"

test_wrong_answers = wrong_answers(
    [
        ("a10-double", "doubled = lambda x: x", "as it arrives"),
        ("a10-double", "doubled = lambda x: 2 * x", "The value of `doubled`"),
        ("a10-double", "doubled = lambda x: 2 * x.detach() - x", "should be [6"),
        ("a10-double", "doubled = lambda x: x.detach()", "all of it is detached"),
        ("a10-reverse", "turned = lambda x: -x", "The value of `turned`"),
        ("a10-reverse", "turned = lambda x: x - x.detach() + x.detach()", "as it arrives"),
        ("a10-reverse", "turned = lambda x: 2 * x - x.detach()", "should be [-3"),
        ("a10-round", "rounded = lambda x: x.round()", "the gradient is 0"),
        ("a10-round", "rounded = lambda x: x + (x - x.round()).detach()", "The value of `rounded`"),
        ("a10-round", "rounded = lambda x: x.detach().round()", "all of it is detached"),
        ("a10-one", "scaled = lambda a, b: a * b", "still reaches b"),
        ("a10-one", "scaled = lambda a, b: a.detach() * b", "still reaches b"),
        ("a10-one", "scaled = lambda a, b: (a * b).detach()", "all of it is detached"),
        ("a10-one", "def scaled(a, b):\n    b.requires_grad_(False)\n    return a * b", "what the caller owns"),
        ("a10-root", "root = lambda x: torch.where(x > 0, x.sqrt(), 0.0)", "nan"),
        ("a10-root", "root = lambda x: x.sqrt()", "The value of `root`"),
        (
            "a10-root",
            "root = lambda x: x.clamp(min=1e-12).sqrt() * (x > 0).detach() + x * 0 + x - x.detach()",
            "gradient",
        ),
        ("a10-root", "root = lambda x: x.abs().sqrt() * (x > 0)", "gradient of x is"),
        ("a10-clip", "tame = lambda x: x * 1", "as it arrives"),
        ("a10-clip", "tame = lambda x: x.clamp(-1, 1)", "The value of `tame`"),
        ("a10-clip", "def tame(x):\n    x.register_hook(lambda g: g.clamp(-1, 1))\n    return x * 1", "stays on x"),
        ("a10-clip", HOOKED.format("x * 1", "None"), "as it arrives"),
    ]
)

test_unusual_right_answers = right_answers(
    [
        ("a10-double", "doubled = lambda x: x + (x - x.detach())"),
        ("a10-double", "def doubled(x):\n    y = x * 1\n    y.register_hook(lambda g: 2 * g)\n    return y"),
        ("a10-reverse", "turned = lambda x: x.detach() - (x - x.detach())"),
        ("a10-reverse", "def turned(x):\n    y = x.clone()\n    y.register_hook(torch.neg)\n    return y"),
        ("a10-round", "rounded = lambda x: x.round().detach() + x - x.detach()"),
        (
            "a10-round",
            "class Round(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x):\n"
            "        return x.round()\n"
            "    @staticmethod\n"
            "    def backward(ctx, grad):\n"
            "        return grad\n"
            "rounded = Round.apply",
        ),
        ("a10-one", "scaled = lambda a, b: a * b.data"),
        ("a10-one", "def scaled(a, b):\n    with torch.no_grad():\n        c = b * 1\n    return a * c"),
        ("a10-root", "root = lambda x: torch.where(x > 0, x, 1).sqrt() * (x > 0)"),
        ("a10-root", "def root(x):\n    m = x > 0\n    y = torch.zeros_like(x)\n    y[m] = x[m].sqrt()\n    return y"),
        ("a10-clip", HOOKED.format("x.clone()", "torch.clamp(g, min=-1, max=1)")),
        ("a10-clip", HOOKED.format("x.view_as(x)", "g.maximum(-torch.ones_like(g)).minimum(torch.ones_like(g))")),
    ]
)
