"""Matrices in factors, and equations with them, against PyTorch: what is refused, ``out=``, and odd sizes."""

from __future__ import annotations

import pytest
import torch
from parity.expressions import difference

import tensorglass

A = "(torch.linspace(-2, 3, 9, dtype=torch.float64).cos().reshape(3, 3) + torch.eye(3))"
BATCH = f"torch.stack([{A}, {A}.mT @ {A}])"
RIGHT = "torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(3, 2)"
WIDE = "torch.linspace(-2, 3, 8, dtype=torch.float64).sin().reshape(2, 4)"
ZERO = "torch.zeros(3, 3)"
LU, PIVOTS = (f"torch.linalg.lu_factor({A})[{place}]" for place in (0, 1))
LUS = f"*torch.linalg.lu_factor({BATCH})"
FACTOR = f"torch.linalg.cholesky({A}.mT @ {A})"
NONE, NONES = "torch.empty(0, dtype=torch.float64)", "torch.empty(0)"
INTS = "torch.empty(0, dtype=torch.int32)"

MATRICES = (
    A, BATCH, WIDE, f"{WIDE}.mT", f"torch.stack([{WIDE}, {WIDE}.cos()])", ZERO, "torch.zeros(2, 3, 3)", f"{A}.int()",
    f"{A}.half()", f"{A}[0]", f"{A}.cfloat() * (1 + 2j)", "torch.zeros(0, 0)", "torch.zeros(2, 0, 3)", "3",
)  # fmt: skip
FACTORS = [
    f"torch.{name}({matrix})"
    for name in ("linalg.lu_factor", "linalg.lu_factor_ex", "linalg.lu")
    for matrix in MATRICES
]
TOGETHER = [
    f"torch.linalg.lu({A}, pivot=False)", f"torch.linalg.lu_factor({A}, pivot=False)",
    f"torch.linalg.lu_factor_ex({ZERO}, check_errors=True)",
    f"torch.linalg.lu_factor({A}, out=({NONE}, {INTS}))", f"torch.linalg.lu_factor({A}, out=({NONES}, {NONES}))",
    f"torch.linalg.lu({A}, out=({NONE}, {NONE}, {NONE}))",
    f"torch.linalg.lu_factor_ex({A}, out=({NONE}, {INTS}, {INTS}))",
    f"torch.lu_unpack({LU}, {PIVOTS})", f"torch.lu_unpack({LUS})", f"torch.lu_unpack({LU}, {PIVOTS}, False)",
    f"torch.lu_unpack({LU}, {PIVOTS}, unpack_pivots=False)", f"torch.lu_unpack({LU}, {PIVOTS}, False, False)",
    f"torch.lu_unpack({LU}, {PIVOTS}.long())", f"torch.lu_unpack({LU}[0], {PIVOTS})",
    f"torch.lu_unpack({LU}, {PIVOTS}[:2])", f"torch.lu_unpack({LU}.int(), {PIVOTS})",
    f"torch.lu_unpack({LU}.half(), {PIVOTS})", f"torch.lu_unpack({LU}, {PIVOTS} * 0)",
    f"torch.lu_unpack({LU}, {PIVOTS} + 8)", f"torch.lu_unpack({LU}, {PIVOTS}, out=({NONE}, {NONE}, {NONE}))",
    f"torch.lu_unpack({LU}, {PIVOTS}, out=({NONE}, {NONE}))", f"torch.lu_unpack({LU}, 3)",
]  # fmt: skip
SOLVING = [
    f"torch.linalg.lu_solve({LU}, {PIVOTS}, {rest})"
    for rest in (
        RIGHT, f"{RIGHT}.mT, left=False", f"{RIGHT}, adjoint=True", f"{RIGHT}.mT, left=False, adjoint=True",
        f"{RIGHT}[:, 0]", f"{RIGHT}.float()", f"{RIGHT}[:2]", f"{BATCH}", f"{RIGHT}[:, :0]", f"{RIGHT}, out={NONES}",
        f"{RIGHT}, out={NONE}", "3",
    )
] + [
    f"torch.linalg.lu_solve({LUS}, {RIGHT})", f"torch.linalg.lu_solve({LU}, {PIVOTS}.long(), {RIGHT})",
    f"torch.linalg.lu_solve({LU}, {PIVOTS}[:2], {RIGHT})", f"torch.linalg.lu_solve({WIDE}, {PIVOTS}, {RIGHT})",
    f"torch.linalg.lu_solve({LU}, {PIVOTS}[None], {RIGHT})", f"torch.linalg.lu_solve({LU}, {PIVOTS} * 0, {RIGHT})",
    f"torch.linalg.lu_solve({LU}, {PIVOTS} + 8, {RIGHT})", f"torch.linalg.lu_solve({A}.int(), {PIVOTS}, {A}.int())",
    f"torch.linalg.lu_solve({LU}.half(), {PIVOTS}, {RIGHT}.half())",
    f"torch.linalg.lu_solve(*torch.linalg.lu_factor({A}.cfloat() * (1 + 2j)), {A}.cfloat() * 1j, adjoint=True)",
]  # fmt: skip
BY_CHOLESKY = [
    f"torch.cholesky_solve({rest})"
    for rest in (
        f"{RIGHT}, {FACTOR}", f"{RIGHT}, {FACTOR}.mT, True", f"{RIGHT}[:, 0], {FACTOR}", f"{RIGHT}, {FACTOR}[0]",
        f"{RIGHT}[:2], {FACTOR}", f"{RIGHT}, {WIDE}", f"{RIGHT}.float(), {FACTOR}", f"{RIGHT}.int(), {FACTOR}.int()",
        f"{RIGHT}.half(), {FACTOR}.half()", f"{RIGHT}, {FACTOR}, out={NONES}", f"{RIGHT}, {FACTOR}, out={INTS}",
        f"{RIGHT}, {ZERO}.double()", f"{BATCH}, {FACTOR}", f"{RIGHT}, 3", f"{RIGHT}[:, :0], {FACTOR}",
    )
] + [
    f"torch.cholesky_inverse({rest})"
    for rest in (
        FACTOR, f"{FACTOR}.mT, True", f"{FACTOR}[0]", WIDE, f"{FACTOR}.int()", f"{FACTOR}.half()", ZERO,
        f"torch.stack([{FACTOR}, {ZERO}])", f"{FACTOR}, out={NONES}", f"{FACTOR}, 3", "3",
        f"torch.linalg.cholesky({A}.cdouble().mT @ {A}.cdouble())",
        f"torch.linalg.cholesky(({A} + 2j * {A}.mT).mH @ ({A} + 2j * {A}.mT))",
    )
]  # fmt: skip

TALL = "(torch.arange(12, dtype=torch.float64).square() * 0.618 % 1).reshape(4, 3)"
TAU = "torch.tensor([0.5, 1.5, 0.25]).double()"
TALLS, TAUS = f"torch.stack([{TALL}, {TALL}.cos()])", f"torch.stack([{TAU}, -{TAU}])"
REFLECTIONS = [
    f"torch.linalg.householder_product({rest})"
    for rest in (
        f"{TALLS}, {TAUS}", f"{TALL}, {TAU}[:2]", f"{TALL}, {TAU}.repeat(2)", f"{TALL}.mT, {TAU}", f"{TALL}[0], {TAU}",
        f"{TALLS}, {TAU}", f"{TALLS}, {TAUS}[:1]", f"{TALL}, {TAU}.float()", f"{TALL}.int(), {TAU}.int()",
        f"{TALL}.half(), {TAU}.half()", f"{TALLS}[:0], {TAUS}[:0]", f"{TALL}, {TAU}, out={NONES}", f"{TALL}, 3",
        f"{TALL}.cdouble() * 1j, {TAU}.cdouble() * (1 + 1j)",
    )
]  # fmt: skip


@pytest.mark.parametrize("expression", REFLECTIONS + FACTORS + TOGETHER + SOLVING + BY_CHOLESKY)
def test_results_and_refusals_are_pytorchs(expression: str) -> None:
    assert difference(expression, tensorglass, torch) is None


@pytest.mark.parametrize("size", [(100, 100), (70, 40), (33, 90)])
def test_large_matrices_are_factored_as_pytorch_does(size: tuple[int, int]) -> None:
    matrix = f"(torch.arange({size[0] * size[1]}, dtype=torch.float64).square() * 0.618034 % 1).reshape{size}"
    assert difference(f"torch.linalg.lu_factor({matrix})", tensorglass, torch, close=1e-7) is None
