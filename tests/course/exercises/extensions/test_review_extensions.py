"""What people answer, wrongly and rightly, in the review of part 4."""

from exercise_answers import right_answers, wrong_answers

ONE = "def column(f, x, j):\n    t = torch.zeros_like(x)\n    t[j] = 1\n"

test_wrong_answers = wrong_answers(
    [
        ("e11-column", f"{ONE}    return torch.func.vjp(f, x)[1](t)[0]", "is row 0"),
        (
            "e11-column",
            "column = lambda f, x, j: torch.func.jvp(f, (x,), (torch.ones_like(x),))[1]",
            "sum of all columns",
        ),
        (
            "e11-column",
            "column = lambda f, x, j: torch.stack([\n"
            "    (f(x + 1e-3 * e) - f(x - 1e-3 * e)) / 2e-3 for e in torch.eye(len(x))\n"
            "])[j]",
            "`f` ran 8 times",
        ),
        ("e11-column", f"{ONE}    return torch.func.jvp(f, (x,), (t,))[0]", "and should be"),
        ("e11-column", "column = lambda f, x, j: torch.func.jacrev(f)(x)[:, j]", "made the whole Jacobian"),
        (
            "e11-column",
            "column = lambda f, x, j: torch.autograd.functional.jacobian(f, x)[:, j]",
            "made the whole Jacobian",
        ),
        (
            "e11-column",
            "def column(f, x, j):\n    x = x.clone().requires_grad_()\n    return torch.autograd.grad(f(x)[j], x)[0]",
            "is row 0",
        ),
    ]
)

test_right_answers = right_answers(
    [
        ("e11-column", f"{ONE}    return (f(x + 1e-2 * t) - f(x - 1e-2 * t)) / 2e-2"),
        ("e11-column", f"{ONE}    return torch.autograd.functional.jvp(f, x, t)[1]"),
        (
            "e11-column",
            f"{ONE}"
            "    with torch.autograd.forward_ad.dual_level():\n"
            "        y = f(torch.autograd.forward_ad.make_dual(x, t))\n"
            "        return torch.autograd.forward_ad.unpack_dual(y).tangent",
        ),
    ]
)
