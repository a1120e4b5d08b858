"""What people answer, wrongly and rightly, in the capstone of part 4."""

from exercise_answers import right_answers, wrong_answers

CLASS = """
class LogCosh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}
        return log_cosh(x)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = {saved}
        return {slope}
"""
SAVED = "ctx.saved_tensors"


def function(forward="ctx.save_for_backward(x)", saved=SAVED, slope="gradient * x.tanh()"):
    return CLASS.format(forward=forward, saved=saved, slope=slope)


test_wrong_answers = wrong_answers(
    [
        ("e10-stable", "log_cosh = lambda x: x.cosh().log()", "Never pass a positive number"),
        ("e10-stable", "log_cosh = lambda x: x + torch.log1p((-2 * x).exp()) - 0.6931471805599453", "is inf"),
        ("e10-stable", "log_cosh = lambda x: x.abs() + torch.log1p((-2 * x.abs()).exp())", "by log 2"),
        ("e10-stable", "log_cosh = lambda x: x.abs() - 0.6931471805599453", "and should be"),
        ("e10-stable", "log_cosh = lambda x: x.double().cosh().log().float()", "is inf"),
        ("e10-function", function(slope="x.tanh()"), "leaves out"),
        ("e10-function", function(forward="ctx.save_for_backward(x.tanh())", slope="gradient * x"), "a constant"),
        ("e10-function", function(forward="ctx.x = x", saved="[ctx.x]"), "ctx.x"),
        ("e10-function", function(slope="gradient * x.detach().tanh()"), "no second derivative"),
        (
            "e10-function",
            function().replace(
                "    def backward", "    @torch.autograd.function.once_differentiable\n    def backward"
            ),
            "no second derivative",
        ),
        ("e10-function", function(slope="gradient * (1 - x.tanh() ** 2)"), "it should be"),
        ("e10-function", "LogCosh = log_cosh", "should be a class"),
        ("e10-tangent", "pushed = lambda x, v: (x.tanh(), 1 - x.tanh() ** 2)", "leaves the tangent out"),
        ("e10-tangent", "pushed = lambda x, v: (x.tanh() * v, (1 - x.tanh() ** 2) * v)", "has the tangent once"),
        ("e10-tangent", "pushed = lambda x, v: (x.tanh() * v, -(x.tanh() ** 2) * v**2)", "the acceleration is"),
        ("e10-tangent", "pushed = lambda x, v: x.tanh() * v", "two tensors"),
        ("e10-centre", "center = lambda readings: readings.mean()", "is the mean"),
        ("e10-centre", "center = lambda readings: readings.median()", "is the median"),
        (
            "e10-centre",
            "def center(readings):\n    c = readings.median()\n    for _ in range(3):\n"
            "        c = c + 0.01 * (readings - c).tanh().sum()\n    return c",
            "is still",
        ),
        (
            "e10-centre",
            "def center(readings):\n    c = readings.mean()\n    for _ in range(20):\n"
            "        t = (readings - c).tanh()\n        c = c + t.sum() / (1 - t**2).sum()\n    return c",
            "the center of",
        ),
    ]
)

test_right_answers = right_answers(
    [
        ("e10-stable", "log_cosh = lambda x: torch.logaddexp(x, -x) - 0.6931471805599453"),
        (
            "e10-stable",
            "log_cosh = lambda x: torch.where(x.abs() < 10, x.clamp(-10, 10).cosh().log(), x.abs() - 0.69314718056)",
        ),
        ("e10-function", function(slope="torch.tanh(x).mul(gradient)")),
        (
            "e10-function",
            function(slope="gradient * (1 - 2 / (1 + (2 * x).exp()))"),
        ),
        (
            "e10-function",
            """
class LogCosh(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return log_cosh(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.saved_tensors[0].tanh() * gradient
""",
        ),
        ("e10-tangent", "pushed = lambda x, v: [x.tanh() * v, v * v / x.cosh() ** 2]"),
        (
            "e10-tangent",
            "def pushed(x, v):\n"
            "    x = x.detach().requires_grad_()\n"
            "    (first,) = torch.autograd.grad(x.cosh().log().sum(), x, create_graph=True)\n"
            "    (second,) = torch.autograd.grad(first.sum(), x)\n"
            "    return (first * v).detach(), second * v**2",
        ),
        (
            "e10-centre",
            "def center(readings):\n    c = readings.median()\n    for _ in range(2000):\n"
            "        c = c + 0.1 * (readings - c).tanh().sum()\n    return c.item()",
        ),
        (
            "e10-centre",
            "def center(readings):\n    low, high = readings.min().item(), readings.max().item()\n"
            "    for _ in range(60):\n        c = (low + high) / 2\n"
            "        if (readings.double() - c).tanh().sum() > 0:\n            low = c\n"
            "        else:\n            high = c\n    return c",
        ),
    ]
)
