"""Every operator of the table gives what PyTorch gives: its samples in every dtype and layout, in place, with ``out=``.

A test makes all calls of one operator and reports each that differs. `operator_cases` writes the calls down;
`agreement` makes them and holds the tolerances.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from by_day import todays

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

from parity.agreement import (  # noqa: E402  # after the oracle is known to be there
    TOLERANCE,
    Blueprint,
    blueprint,
    disagreement,
    outcome,
)
from parity.ops.operator_cases import (  # noqa: E402  # as above
    COMPLEX,
    DTYPES,
    FLOATS,
    LAYOUTS,
    Case,
    in_place,
    into,
    mixed,
    operand_count,
    sampled,
    with_numbers,
    with_special_values,
    written_out,
)

import tensorglass  # noqa: E402  # as above
from tensorglass.core.left_out import LeftOut, is_left_out  # noqa: E402  # as above
from tensorglass.ops import OPERATORS  # noqa: E402  # as above
from tensorglass.ops.declare.registry import IN_PLACE_FUNCTIONS, Operator  # noqa: E402  # as above
from tensorglass.ops.declare.samples import samples_of  # noqa: E402  # as above

SAMPLED = [row for row in OPERATORS.values() if samples_of(row)]
POINTWISE = [row for row in SAMPLED if row.kind == "pointwise" and row.is_function]
#: What is written to several tensors is tested in `test_several_results_parity`; `sort` in `test_steps_parity`.
SEVERAL_RESULTS = (
    "aminmax",
    "slogdet",
    "sort",
    "topk",
    "kthvalue",
    "median",
    "nanmedian",
    "mode",
    "cummax",
    "cummin",
    "frexp",
    "histogram",
)
#: PyTorch 2.13 reads stray memory where these go along rows that share their cells.
STRAY = ("median", "nanmedian")
SEVERAL = [row for row in POINTWISE if operand_count(row) > 1]
PAIRS = [row for row in POINTWISE if operand_count(row) == 2]
WRITING = [row for row in SAMPLED if row.has_out and row.is_function and row.name not in SEVERAL_RESULTS]

# Sums of terms that cancel are as exact as their terms.
FLOOR = {"reduction": 1.0, "linear algebra": 8.0, "cumulative": 1.0, "Fourier": 8.0}

#: Functions that oscillate are as exact near their zeros.
CANCELLING = tuple(name for name in OPERATORS if "_bessel_" in name)
#: PyTorch's results are accurate to this tolerance only (docs/differences.md), and not at all for huge arguments.
ROUGH = {
    "special_bessel_j0": 1e-8,
    "special_bessel_j1": 1e-8,
    "special_bessel_y0": 1e-8,
    "special_bessel_y1": 1e-8,
    "special_airy_ai": 1e-4,
    "special_zeta": 0.0,
}


AMONG_EQUALS = ("topk", "kthvalue")  #: choose any of equal elements: `test_among_equals_parity` compares them
#: The signs of their vectors are not determined, or PyTorch is wrong for half types or complex diagonals
#: (docs/differences.md); tests/parity/ops/linalg/test_linalg_parity.py compares what is determined.
UP_TO_SIGN = (
    "linalg_qr", "qr", "linalg_svd", "svd", "linalg_eigh", "linalg_eig", "linalg_eigvals", "linalg_matrix_exp",
    "matrix_exp", "cholesky_inverse",
)  # fmt: skip


def name_of(row: Any) -> str:
    return row.name


#: Their refusals are errors of the same kind, in other words (docs/differences-appendix.md).
OTHER_WORDS = ("histc", "histogram", "stft")


def check(row: Operator, cases: Iterable[Case], **closeness: Any) -> None:
    """Make every call in both libraries and list those that differ."""
    number, differing = 0, []
    for case in cases:
        number += 1
        floor = 1.0 if row.name.startswith(CANCELLING) else FLOOR.get(row.kind, 1e-2)
        differs = disagreement(case.name, case.arguments, case.keywords, case.form, floor=floor, **closeness)
        if differs is not None and not (row.name in OTHER_WORDS and _are_refused_alike(case)):
            differing.append(differs)
    assert number, f"no call of {row.name} was made"
    shown = "\n".join(differing[:15])
    assert not differing, f"{len(differing)} of {number} calls of {row.name} differ:\n{shown}"


def _are_refused_alike(case: Case) -> bool:
    ours, theirs = (
        outcome(keyword, case.name, case.arguments, case.keywords, case.form) for keyword in (tensorglass, torch)
    )
    return ours[0] == theirs[0] == "error" and issubclass(ours[1], theirs[1])


def with_in_place(row: Operator, cases: Iterable[Case]) -> Iterable[Case]:
    for case in cases:
        yield case
        # Where elements share cells, PyTorch's products write nonsense (docs/differences.md).
        if row.inplace is not None and (row.kind != "linear algebra" or 0 not in case.arguments[0].stride):
            yield in_place(row, case)


def has_no_complex32(one: str, other: Any) -> bool:
    """Whether the dtypes do not promote to complex32, which tensorglass does not have (docs/differences.md)."""
    return {one, other} not in ({"float16", dtype} for dtype in COMPLEX)


def has_room(operand: Any) -> bool:
    """Whether every dimension of an operand has more than one element, and so a stride that counts."""
    return isinstance(operand, Blueprint) and min(operand.size, default=2) > 1


def test_in_place_functions_are_those_of_pytorch() -> None:
    theirs = {name for name in dir(torch) if name.endswith("_") and not name.startswith("_")}
    assert {
        name for name in theirs if not is_left_out(getattr(tensorglass.Tensor, name, LeftOut))
    } == IN_PLACE_FUNCTIONS


@pytest.mark.sweep(3)
@pytest.mark.parametrize("row", SAMPLED, ids=name_of)
def test_samples_agree_in_every_dtype_and_layout(row: Operator) -> None:
    layouts = [item for item in LAYOUTS[1:] if item != "expanded" or row.name not in STRAY]
    packed = [(dtype, "contiguous") for dtype in DTYPES]
    others = todays([(dtype, layout) for dtype in DTYPES for layout in layouts])
    check(
        row,
        (case for pair in (*packed, *others) for case in with_in_place(row, sampled(row, *pair))),
        elements=row.name not in (*UP_TO_SIGN, *AMONG_EQUALS),
        tolerance=ROUGH.get(row.name, 0.0),
    )


WITH_SPECIAL = [row for row in SAMPLED if row.kind in ("pointwise", "reduction")]


@pytest.mark.sweep
@pytest.mark.parametrize("row", WITH_SPECIAL, ids=name_of)
def test_special_values_agree(row: Operator) -> None:
    for dtype in DTYPES:
        elements = row.name not in ROUGH and (row.differs is None or dtype not in (*FLOATS, *COMPLEX))
        check(row, with_in_place(row, with_special_values(row, dtype)), elements=elements)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("row", SEVERAL, ids=name_of)
def test_operands_of_two_dtypes_agree(row: Operator) -> None:
    pairs = [(one, other) for one in DTYPES for other in DTYPES if has_no_complex32(one, other)]
    check(row, (case for one, other in pairs for case in mixed(row, one, other)))


@pytest.mark.sweep
@pytest.mark.parametrize("row", PAIRS, ids=name_of)
def test_operands_that_are_numbers_agree(row: Operator) -> None:
    for dtype in DTYPES:
        cases = with_numbers(row, dtype)
        check(row, (case for case in cases if dtype != "float16" or complex not in map(type, case.arguments)))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("row", WRITING, ids=name_of)
def test_outputs_agree(row: Operator) -> None:
    cases: list[Case] = []
    for dtype in ("bool", "int64", "float16", "float32", "complex64"):
        for case in sampled(row, dtype):
            kind, result, *_ = outcome(torch, case.name, case.arguments, case.keywords, case.form)
            if kind == "value" and isinstance(result, torch.Tensor):  # those with several results are tested by name
                cases += written_out(row, case, tuple(result.shape), str(result.dtype)[6:])
    if row.kind == "pointwise" and row.differs is None:  # an output that is resized lies as the result would
        permuted = [case for case in sampled(row, "float64", "permuted") if has_room(case.arguments[0])]
        cases += [into(case, blueprint([], "float64", (0,))) for case in permuted]
    # A result of half precision may be written to a tensor of another dtype.
    check(row, cases, tolerance=TOLERANCE["float16"])
