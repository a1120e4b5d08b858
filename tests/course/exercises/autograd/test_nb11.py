"""What people answer wrongly in notebook 11 of part 3, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

HOOKED = "def tame(x):\n    y = {}\n    y.register_hook(lambda g: {})\n    return y"

test_wrong_answers = wrong_answers(
    [
        ("a11-double", "doubled = lambda x: x", "as it arrives"),
        ("a11-double", "doubled = lambda x: 2 * x", "The value of `doubled`"),
        ("a11-double", "doubled = lambda x: 2 * x.detach() - x", "should be [6"),
        ("a11-double", "doubled = lambda x: x.detach()", "all of it is detached"),
        ("a11-reverse", "turned = lambda x: -x", "The value of `turned`"),
        ("a11-reverse", "turned = lambda x: x - x.detach() + x.detach()", "as it arrives"),
        ("a11-reverse", "turned = lambda x: 2 * x - x.detach()", "should be [-3"),
        ("a11-round", "rounded = lambda x: x.round()", "the gradient is 0"),
        ("a11-round", "rounded = lambda x: x + (x - x.round()).detach()", "The value of `rounded`"),
        ("a11-round", "rounded = lambda x: x.detach().round()", "all of it is detached"),
        ("a11-one", "scaled = lambda a, b: a * b", "still reaches b"),
        ("a11-one", "scaled = lambda a, b: a.detach() * b", "still reaches b"),
        ("a11-one", "scaled = lambda a, b: (a * b).detach()", "all of it is detached"),
        ("a11-one", "def scaled(a, b):\n    b.requires_grad_(False)\n    return a * b", "what the caller owns"),
        ("a11-share", "shared = lambda x: x.mean() + (x - x.mean())", "as it arrives"),
        ("a11-share", "shared = lambda x: x.mean()", "shape"),
        ("a11-share", "shared = lambda x: x.mean().expand_as(x)", "The value of `shared`"),
        ("a11-share", "shared = lambda x: x.sum() + (x - x.sum()).detach()", "It should get the mean"),
        ("a11-share", "shared = lambda x: x / len(x) + (x - x / len(x)).detach()", "each element keeps its own"),
        ("a11-share", "shared = lambda x: x - x.mean() + x.mean().detach()", "keep only the mean"),
        ("a11-share", "shared = lambda x: x.detach() + 0 * x.mean()", "gradient of x is"),
        ("a11-double", "doubled = lambda x: (2 * x - x.detach()).double()", "dtype torch.float64"),
        ("a11-round", "rounded = lambda x: x + (x.round().double() - x).detach()", "dtype torch.float64"),
        ("a11-clip", "tame = lambda x: x * 1", "as it arrives"),
        ("a11-clip", "tame = lambda x: x.clamp(-1, 1)", "The value of `tame`"),
        ("a11-clip", "def tame(x):\n    x.register_hook(lambda g: g.clamp(-1, 1))\n    return x * 1", "stays on x"),
        ("a11-clip", HOOKED.format("x * 1", "None"), "as it arrives"),
    ]
)

test_unusual_right_answers = right_answers(
    [
        ("a11-double", "doubled = lambda x: x + (x - x.detach())"),
        ("a11-double", "def doubled(x):\n    y = x * 1\n    y.register_hook(lambda g: 2 * g)\n    return y"),
        ("a11-reverse", "turned = lambda x: x.detach() - (x - x.detach())"),
        ("a11-reverse", "def turned(x):\n    y = x.clone()\n    y.register_hook(torch.neg)\n    return y"),
        ("a11-round", "rounded = lambda x: x.round().detach() + x - x.detach()"),
        (
            "a11-round",
            "class Round(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x):\n"
            "        return x.round()\n"
            "    @staticmethod\n"
            "    def backward(ctx, grad):\n"
            "        return grad\n"
            "rounded = Round.apply",
        ),
        ("a11-one", "scaled = lambda a, b: a * b.data"),
        ("a11-one", "def scaled(a, b):\n    with torch.no_grad():\n        c = b * 1\n    return a * c"),
        ("a11-share", "def shared(x):\n    m = x.mean()\n    return x.detach() + m - m.detach()"),
        ("a11-share", HOOKED.replace("tame", "shared").format("x.clone()", "g.mean().expand_as(g)")),
        ("a11-share", "shared = lambda x: x.data + (x - x.data).mean()"),
        ("a11-clip", HOOKED.format("x.clone()", "torch.clamp(g, min=-1, max=1)")),
        ("a11-clip", HOOKED.format("x.view_as(x)", "g.maximum(-torch.ones_like(g)).minimum(torch.ones_like(g))")),
    ]
)
