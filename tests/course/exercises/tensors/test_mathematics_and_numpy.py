"""What people answer on mathematics, masks and NumPy's names, and what the checks tell them, on both libraries."""

import pytest
from exercise_answers import assert_told, right_answers, verdict_on, wrong_answers

import tensorglass

WRONG = [
    ("t05-bell", "def bell(x, out): torch.square(x, out=out).div_(-2).exp_(); return x", "returned `x`"),
    ("t05-bell", "def bell(x, out): return (-x * x / 2).exp()", "a new tensor was made"),
    ("t05-bell", "def bell(x, out): return x.mul_(x).mul_(-0.5).exp_()", "changed the tensor x"),
    ("t05-bell", "def bell(x, out): torch.mul(x, x, out=out); out.mul_(-0.5).exp_()", "returned nothing"),
    ("t05-bell", "def bell(x, out): torch.mul(x, x, out=out); return out.exp_()", "it should "),
    ("t05-turned", "def turned(degrees): return degrees % 360", "Shift, and shift back"),
    ("t05-turned", "def turned(degrees): return (degrees - 180) % 360 + 180", "Shift *up* by 180 before"),
    ("t05-growth", "def growth(rate, days): return rate * days", "Each day's interest earns interest, too"),
    ("t05-turned", "def turned(degrees): return degrees % 180", "A whole turn has 360 degrees"),
    (
        "t05-bell",
        "def bell(x, out):\n    torch.mul(x, x, out=out)\n    out.mul_(-0.5).exp()\n    return out",
        "the exponent alone",
    ),
    ("t05-turned", "def turned(degrees): return torch.fmod(degrees + 180, 360) - 180", "use %"),
    ("t05-turned", "def turned(degrees): return -((180 - degrees) % 360 - 180)", "the upper end is left out"),
    (
        "t05-bell",
        "def bell(x, out): torch.mul(x, x, out=out); return out.mul_(0.5).exp_()",
        "the minus sign in the exponent is missing",
    ),
    ("t05-turned", "def turned(degrees): return (degrees + 180) % 360", "shift back by 180"),
    ("t05-turned", "def turned(degrees): return degrees % 360 - 180", "*before* the remainder"),
    ("t05-turned", "def turned(degrees): return degrees % 180", "it should be -90.0"),
    ("t05-growth", "def growth(rate, days): return days * torch.log1p(rate)", "exp(…) − 1 of it"),
    ("t05-turned", "def turned(degrees): return degrees - 360", "it should be 0.0"),
    ("t05-growth", "def growth(rate, days): return (1 + rate) ** days - 1", "is 0. The rate was lost"),
    ("t05-growth", "def growth(rate, days): return torch.exp(days * torch.log1p(rate)) - 1", "1 was subtracted"),
    ("t05-growth", "def growth(rate, days): return torch.exp(days * torch.log1p(rate))", "how much it has grown"),
    ("t05-growth", "def growth(rate, days): return days * rate", "it should be"),
    ("t05-growth", "def growth(rate, days): return ((1 + rate.double()) ** days - 1)", "dtype torch.float64"),
    ("t06-filled", "def filled(readings, value): return readings.nan_to_num(value)", "concern the infinite ones too"),
    (
        "t06-filled",
        "def filled(readings, value): return torch.where(readings == float('nan'), value, readings)",
        "look for it with ==",
    ),
    (
        "t06-filled",
        "def filled(readings, value): readings[readings.isnan()] = value; return readings",
        "the readings themselves",
    ),
    ("t06-filled", "def filled(readings, value): return torch.where(readings.isnan(), 0.0, readings)", "has become 0"),
    (
        "t06-filled",
        "def filled(readings, value): return torch.where(readings.isfinite(), readings, value)",
        "the infinite reading",
    ),
    (
        "t11-translated",
        "def backwards(x): x = x.double().clamp(min=0); return x.flatten().sqrt() / x.numel()",
        "in the order they came in",
    ),
    (
        "t11-translated",
        "def backwards(x): return x.clamp(min=0).flatten().flip(0).sqrt() / x.numel()",
        "has dtype torch.float32",
    ),
    (
        "t11-translated",
        "def backwards(x): return x.double().clamp(min=0).flip(0).sqrt() / x.numel()",
        "it should be (6,)",
    ),
    (
        "t11-translated",
        "def backwards(x): return x.double().flatten()[::-1].sqrt() / x.numel()",
        "step must be greater than zero",
    ),
    (
        "t11-translated",
        "def backwards(x): x = x.clamp_(min=0).double(); return x.flatten().flip(0).sqrt() / x.numel()",
        "its argument is not what it was",
    ),
    (
        "t11-translated",
        "def backwards(x): return torch.maximum(x.double(), 0).flatten().flip(0).sqrt() / x.numel()",
        "must be Tensor, not int",
    ),
]

test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)


@pytest.mark.parametrize(
    "body",
    [
        "return torch.exp(-(x**2) / 2, out=out)",
        "out.copy_(torch.exp(-x * x / 2)); return out",
        "return torch.mul(x, x * -0.5, out=out).exp_()",
    ],
)
def test_bell_is_told_of_tensors_that_it_made_on_the_way(body):
    verdict = verdict_on(tensorglass, "t05-bell", f"def bell(x, out): {body}")  # the library that counts
    assert_told(verdict, "bytes on the way")


test_another_way_passes_as_well = right_answers(
    [
        ("t05-bell", "def bell(x, out): return torch.exp(torch.mul(torch.mul(x, x, out=out), -0.5, out=out), out=out)"),
        ("t05-bell", "def bell(x, out): return out.copy_(x).square_().div_(-2).exp_()"),
        ("t05-turned", "def turned(degrees): return torch.remainder(degrees - 180, 360) - 180"),
        ("t05-growth", "def growth(rate, days): return torch.log1p(rate).mul(days).expm1()"),
        ("t06-filled", "def filled(readings, value): return readings.masked_fill(readings.isnan(), value)"),
        ("t06-filled", "def filled(readings, value): return torch.where(readings == readings, readings, value)"),
        (
            "t11-translated",
            "def backwards(x):\n"
            "    x = torch.maximum(x.to(torch.float64), torch.tensor(0.0, dtype=torch.float64))\n"
            "    return torch.sqrt(torch.flip(x.reshape(-1), (0,))) / x.numel()",
        ),
    ]
)
