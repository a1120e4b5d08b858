"""SciPy is an extra: what needs no SciPy works without it, and as well; the rest says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tensorglass as torch

ROOT = Path(__file__).resolve().parents[2]

#: Calls that work without SciPy, as expressions of `x`, `p` (from -1 to 1), `A` and `B`.
BASE = (
    "torch.erf(x)", "torch.erfc(x)", "torch.erfinv(p)", "torch.lgamma(x)", "torch.digamma(x)", "torch.i0(x)",
    "torch.polygamma(1, x)", "torch.special.ndtr(x)", "torch.special.entr(x)", "torch.sigmoid(x)", "x.half().lgamma()",
    "torch.mvlgamma(x.abs() + 2, 3)", "torch.kaiser_window(8)", "torch.erf(x.to('sim')).cpu()",
    "torch.linalg.solve(A, B)", "torch.linalg.inv(A)", "torch.linalg.det(A)", "torch.linalg.lu(A)[1]",
    "torch.linalg.lu_factor(A)[0]", "torch.linalg.lu_solve(*torch.linalg.lu_factor(A), B)",
    "torch.linalg.inv_ex(A - A)[1]", "torch.linalg.solve_triangular(A, B, upper=True)",
    "torch.linalg.solve_triangular(A, B, upper=False, unitriangular=True)", "torch.linalg.matrix_exp(A / 8)",
    "torch.linalg.qr(A).R.abs()", "torch.linalg.svdvals(A)", "torch.linalg.cholesky(A @ A.mT)",
    "torch.cholesky_solve(B, A)", "torch.geqrf(A)[1]",
)  # fmt: skip
#: Calls that need it.
REST = (
    "torch.special.bessel_j0(x)", "torch.special.airy_ai(x)", "torch.igamma(x, x)", "torch.polygamma(2, x)",
    "torch.special.zeta(x, 1.0)", "torch.special.ndtri(p)", "torch.special.i1(x)", "torch.special.i1(x.to('sim'))",
    "torch.linalg.householder_product(A, B[:, 0])",
)  # fmt: skip
INPUTS = """
x = torch.linspace(-6.7, 9.4, 101, dtype=torch.float64)
p = x / 10
A = torch.arange(9, dtype=torch.float64).reshape(3, 3) + 5 * torch.eye(3, dtype=torch.float64)
B = torch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], dtype=torch.float64)
"""
PROGRAM = f"""
import sys
sys.modules["scipy"] = None
import tensorglass as torch
{INPUTS}
for expression in {BASE!r}:
    print(expression, "->", eval(expression).double().tolist())
for expression in {REST!r}:
    try:
        print(expression, "->", eval(expression))
    except ImportError as error:
        print(expression, "->", error)
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What each call gives in a process without SciPy."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return dict(line.split(" -> ", 1) for line in done.stdout.splitlines())


def flat(numbers: object) -> list[float]:
    return [number for part in numbers for number in flat(part)] if isinstance(numbers, list) else [numbers]  # type: ignore[list-item]  # a number


@pytest.mark.parametrize("expression", BASE)
def test_what_networks_need_gives_the_same_without_scipy(said: dict[str, str], expression: str) -> None:
    names: dict[str, object] = {"torch": torch}
    exec(INPUTS, names)
    wanted = eval(expression, names).double().tolist()
    value = eval(said[expression], {"inf": float("inf"), "nan": float("nan")})
    assert flat(value) == pytest.approx(flat(wanted), rel=1e-12, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("expression", REST)
def test_the_rest_says_what_to_install(said: dict[str, str], expression: str) -> None:
    assert said[expression].endswith("and SciPy is not installed: pip install 'tensorglass[scipy]'")


def test_scipy_is_imported_when_it_is_first_needed() -> None:
    program = (
        "import sys, tensorglass as torch; x = torch.rand(100).erf(); print('scipy' in sys.modules);"
        "torch.special.i1(x); print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
