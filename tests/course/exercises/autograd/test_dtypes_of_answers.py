"""Answers that are right except for their dtype: float64, which was not asked for, takes twice the bytes."""

from exercise_answers import wrong_answers

WIDER = [
    ("a04-target", "loss = ((prediction - target.detach()) ** 2).sum(dtype=torch.float64)"),
    ("a04-freeze", "loss = (head.detach() * (first * x)).double().sum()"),
    ("a06-unroll", "def unroll(u, steps): return torch.stack([u.double() ** t for t in range(steps + 1)])"),
    ("a11-double", "def doubled(x): return 2 * x.double() - x.detach()"),
    ("a11-reverse", "def turned(x): return (2 * x.detach() - x).double()"),
    ("a11-round", "def rounded(x): return x.double() + (x.round() - x).detach()"),
    ("a11-one", "def scaled(a, b): return a * b.detach().double()"),
    (
        "a11-clip",
        "def tame(x):\n    y = x.double() * 1\n    y.register_hook(lambda grad: grad.clamp(-1, 1))\n    return y",
    ),
    ("a11-share", "def shared(x): return x.mean() + (x - x.mean()).detach().double()"),
]

test_a_wider_dtype_than_asked_for_is_told = wrong_answers(
    [(exercise_id, attempt, "has dtype torch.float64") for exercise_id, attempt in WIDER]
)
