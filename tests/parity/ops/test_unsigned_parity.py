"""uint16, uint32 and uint64: what PyTorch's operators do with them, where PyTorch has written them for these dtypes.

Every operator of the table is asked, with the calls that `operator_cases` writes down. How such tensors are made,
converted and written to is asked by expressions; `test_dtypes_parity` asks about the dtypes themselves. Where PyTorch
has no kernel for them, tensorglass computes as with other integers (docs/differences.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

from parity.agreement import outcome as outcome_of_call  # noqa: E402  # after the oracle is known to be there
from parity.expressions import outcome  # noqa: E402  # as above
from parity.ops.operator_cases import (  # noqa: E402  # as above
    WIDE_UNSIGNED,
    Case,
    in_place,
    mixed,
    sampled,
    with_numbers,
    with_special_values,
    written_out,
)
from parity.ops.test_operators_parity import (  # noqa: E402  # as above
    PAIRS,
    ROUGH,
    SAMPLED,
    SEVERAL,
    UP_TO_SIGN,
    WITH_SPECIAL,
    WRITING,
    name_of,
    with_in_place,
)
from parity.ops.test_operators_parity import check as check_all  # noqa: E402  # as above

import tensorglass  # noqa: E402  # as above
from tensorglass.ops.declare.registry import Operator  # noqa: E402  # as above

#: PyTorch's own assertion fails.
BROKEN = ("renorm",)
#: PyTorch promotes their operands in another order, or not at all (docs/differences.md).
PROMOTING = ("rsub", "float_power", "ldexp", "addcdiv")
#: PyTorch refuses them in some layouts (docs/differences.md).
FLIPPED = ("flip", "fliplr", "flipud", "rot90")


def check(row: Operator, cases: Iterable[Case], **closeness: Any) -> None:
    """Compare the calls for which PyTorch has kernels."""
    written = [case for case in cases if _is_written(case)]
    if written:
        check_all(row, written, **closeness)


def _is_written(case: Case) -> bool:
    kind, error, *_ = outcome_of_call(torch, case.name, case.arguments, case.keywords, case.form)
    return kind == "value" or not issubclass(error, NotImplementedError)


@pytest.mark.sweep
@pytest.mark.parametrize("row", [row for row in SAMPLED if row.name not in (*BROKEN, *FLIPPED)], ids=name_of)
def test_samples_agree(row: Operator) -> None:
    layouts = ("contiguous", "permuted", "sliced")
    cases = (case for dtype in WIDE_UNSIGNED for layout in layouts for case in sampled(row, dtype, layout))
    check(row, with_in_place(row, cases), elements=row.name not in UP_TO_SIGN, tolerance=ROUGH.get(row.name, 0.0))


@pytest.mark.parametrize("row", [row for row in WITH_SPECIAL if row.name not in ROUGH], ids=name_of)
def test_special_values_agree(row: Operator) -> None:
    check(row, (case for dtype in WIDE_UNSIGNED for case in with_in_place(row, with_special_values(row, dtype))))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("row", [row for row in SEVERAL if row.name not in PROMOTING], ids=name_of)
def test_operands_of_two_dtypes_agree(row: Operator) -> None:
    others = ("bool", "uint8", "int64", "float32", "float64", "complex64", *WIDE_UNSIGNED)
    pairs = [pair for wide in WIDE_UNSIGNED for other in others for pair in ((wide, other), (other, wide))]
    check(row, (case for pair in pairs for case in mixed(row, *pair)))


@pytest.mark.sweep
@pytest.mark.parametrize("row", PAIRS, ids=name_of)
def test_operands_that_are_numbers_agree(row: Operator) -> None:
    check(row, (with_number for dtype in WIDE_UNSIGNED for with_number in with_numbers(row, dtype)))


@pytest.mark.sweep
@pytest.mark.parametrize("row", [row for row in WRITING if row.name not in BROKEN], ids=name_of)
def test_outputs_agree(row: Operator) -> None:
    cases = []
    for case in sampled(row, "uint32"):
        kind, result, *_ = outcome_of_call(torch, case.name, case.arguments, case.keywords, case.form)
        if kind == "value" and isinstance(result, torch.Tensor):
            cases += written_out(row, case, tuple(result.shape), str(result.dtype)[6:])
    if cases:
        check(row, cases, tolerance=2e-3)
    elif row.inplace is not None:
        check(row, (in_place(row, case) for case in sampled(row, "uint32")))


# --- made, converted, written to -------------------------------------------------------------------------------------

EXPRESSIONS = """
torch.tensor([0, 1, 255, 60000], dtype=U)
torch.tensor(3, dtype=U)
torch.tensor([], dtype=U)
torch.tensor([True, 1, 2], dtype=U)
torch.tensor([-1], dtype=U)
torch.tensor([70000], dtype=U)
torch.tensor([5 * 10**9], dtype=U)
torch.tensor([2**63], dtype=U)
torch.tensor([2**64 - 1], dtype=U)
torch.tensor(2**64, dtype=U)
torch.tensor([1.7], dtype=U)
torch.tensor([1.7, -1.0], dtype=U)
torch.tensor([float("nan")], dtype=U)
torch.tensor([1j], dtype=U)
torch.tensor(["a"], dtype=U)
torch.tensor([None], dtype=U)
torch.tensor([[1, 2], [3]], dtype=U)
torch.tensor(np.array([1, 2**16 - 1], "uint64"), dtype=U)
torch.tensor([np.uint64(3)], dtype=U)
torch.tensor([np.float32(3)], dtype=U)
torch.tensor([torch.tensor(5)], dtype=U)
torch.tensor([torch.tensor(5, dtype=U), torch.tensor(7, dtype=U)])
torch.tensor([torch.tensor(5, dtype=U), 7])
torch.tensor([np.uint64(2**63)])
torch.as_tensor(np.uint16(3))
torch.from_numpy(np.array([1, 2**32 - 1], "uint32"))
torch.asarray(np.array([1, 2**64 - 1], "uint64"))
torch.frombuffer(bytearray(b"12345678"), dtype=U)
torch.from_dlpack(np.array([1, 2], "uint16"))
torch.zeros(2, dtype=U)
torch.empty_like(torch.ones(2), dtype=U).zero_()
torch.full((2,), 3, dtype=U)
torch.full((2,), -1, dtype=U)
torch.full((2,), 70000, dtype=U)
torch.full((2,), 2**64 - 1, dtype=U)
torch.full((2,), -(2**63), dtype=U)
torch.full((2,), 1.7, dtype=U)
torch.arange(3, dtype=U)
torch.range(0, 3, dtype=U)
torch.linspace(0, 3, 4, dtype=U)
torch.linspace(3, 3, 1, dtype=U)
torch.logspace(0, 1, 2, dtype=U)
torch.eye(2, dtype=U)
torch.randperm(3, dtype=U)
torch.rand(2, dtype=U)
torch.tril_indices(2, 2, dtype=U)
[torch.manual_seed(1), torch.randint(0, 10, (4,), dtype=U)][1]
[torch.manual_seed(1), torch.randint(0, 70000, (4,), dtype=U)][1]
[torch.manual_seed(1), torch.randint(2**40, 2**62, (4,), dtype=U)][1]
[torch.manual_seed(1), torch.zeros(4, dtype=U).random_(0, 2**63 - 1)][1]
[torch.manual_seed(1), torch.randint_like(torch.zeros(4, dtype=U), 9)][1]
torch.randint(-1, 5, (2,), dtype=U)
torch.zeros(3, dtype=U).random_()
torch.zeros(3, dtype=U).random_(0, 2**64)
torch.zeros(3, dtype=U).bernoulli_()
torch.bernoulli(torch.zeros(3, dtype=U))
torch.zeros(3, dtype=U).geometric_(0.5)
torch.zeros(3, dtype=U).cauchy_()
torch.tensor([1.9, -1.9, 300.0, 70000.0]).to(U)
torch.tensor([1.9, 300.0], dtype=torch.float16).to(U)
torch.tensor([2.0**63, 1.8e19], dtype=torch.float64).to(U)
torch.tensor([-1, 70000, 2**40]).to(U)
torch.tensor([True, False]).to(U)
torch.tensor([3 + 4j]).to(U)
torch.full((2,), 2**64 - 1, dtype=torch.uint64).to(U)
[torch.full((2,), 2**64 - 1, dtype=torch.uint64).to(U).to(each) for each in (torch.int8, torch.int64, torch.float32)]
torch.tensor([3, 5], dtype=U).to(torch.complex64)
torch.tensor([3, 5], dtype=U).bool()
torch.tensor([3, 5], dtype=U).view(torch.uint8)
torch.tensor([3, 5], dtype=torch.uint16).view(torch.int16)
torch.tensor([3, 5], dtype=U).type()
torch.zeros(2).type("torch.UInt32Tensor")
torch.zeros(2).type(U)
torch.zeros(2).type_as(torch.zeros(1, dtype=U))
torch.tensor([3, 5], dtype=U).tolist()
[type(torch.tensor(3, dtype=U).item()), bool(torch.tensor(3, dtype=U)), float(torch.tensor(3, dtype=U))]
[1, 2, 3][torch.tensor(2, dtype=U)]
f"{torch.tensor(3, dtype=U):d}"
torch.tensor([3, 5], dtype=U).numpy().dtype
np.asarray(torch.tensor([3, 5], dtype=U))
torch.tensor([3, 5], dtype=U).requires_grad_()
torch.tensor([3, 5], dtype=U).new_tensor([1, 2])
torch.tensor([3, 5], dtype=U)[torch.tensor([1, 0])]
torch.tensor([3, 5], dtype=U)[torch.tensor([True, False])]
torch.arange(9)[torch.tensor([3, 5], dtype=U)]
torch.tensor([3, 5], dtype=U).unfold(0, 2, 1)
torch.zeros(2, 2, dtype=U).fill_diagonal_(3)
torch.zeros(2, dtype=U).fill_(-1)
torch.zeros(2, dtype=U).copy_(torch.tensor([1, -1]))
torch.zeros(2, dtype=U).masked_fill_(torch.tensor([True, False]), 1)
torch.zeros(3, dtype=U).scatter(0, torch.tensor([0]), 3)
torch.zeros(3, dtype=U).scatter(0, torch.tensor([0]), torch.ones(1, dtype=U), reduce="add")
torch.zeros(3, dtype=U).scatter_reduce(0, torch.tensor([0]), torch.ones(1, dtype=U), "mean")
torch.zeros(3, dtype=U).scatter_reduce(0, torch.tensor([0]), torch.ones(1, dtype=U), "sum", include_self=False)
torch.zeros(3, dtype=U).put(torch.tensor([0]), torch.ones(1, dtype=U))
torch.zeros(3, dtype=U).index_put((torch.tensor([0]),), torch.ones(1, dtype=U))
torch.zeros(3, dtype=U).__setitem__(torch.tensor([0]), 5)
torch.zeros(3, dtype=U).__setitem__(torch.tensor([True, False, True]), 5)
torch.zeros(3, dtype=U).median()
torch.ones(2).sum(dtype=U)
torch.ones(2, dtype=torch.uint8).prod(dtype=U)
torch.isin(torch.tensor([3, 5], dtype=U), 3)
torch.isin(torch.tensor([3, 5], dtype=U), torch.tensor([3], dtype=U))
torch.isin(torch.tensor([3, 5], dtype=U), torch.tensor([3] * 60, dtype=U))
torch.searchsorted(torch.tensor([3, 5], dtype=U), 4)
torch.tensor([3, 5], dtype=U) == -1
torch.tensor([3, 5], dtype=U) == 2**63
torch.tensor([3, 5], dtype=U) * 70000
torch.tensor([3, 5], dtype=U) & -1
torch.tensor([3, 5], dtype=U) + 1.5
torch.tensor([3, 5], dtype=U) ** 0
torch.tensor([3, 5], dtype=U) * torch.tensor(2j)
torch.tensor([3, 5], dtype=U) * torch.tensor(2, dtype=torch.int64)
torch.tensor([3, 5], dtype=U).clamp(1, 4)
torch.tensor([3, 5], dtype=U).clamp(min=4)
torch.tensor([3, 5], dtype=U).clamp(max=torch.tensor([3, 5], dtype=U))
torch.ones(2, 3, 4, dtype=U).flip(0)
torch.tensor([3, 5], dtype=U).storage()
torch.tensor([3, 5], dtype=U).storage().type()
torch.TypedStorage([1, 2], dtype=U)
[x := torch.tensor([3, 5], dtype=U).storage(), x.fill_(7), x.short(), x.tolist()]
""".strip().split("\n")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_prints_what_pytorchs_prints(expression: str) -> None:
    for dtype in WIDE_UNSIGNED:
        asked = expression.replace("U)", f"torch.{dtype})").replace("U,", f"torch.{dtype},")
        wanted = outcome(torch, asked)[0]
        if "not implemented for" not in wanted:
            assert outcome(tensorglass, asked)[0] == wanted, asked  # warnings are not compared: PyTorch warns only once


@pytest.mark.parametrize("value", ["1", "-1", "65536", "2**40", "2**63", "1.7", "-1.7", "True", "2j", "float('nan')"])
def test_what_is_assigned_fits_or_is_refused_as_in_pytorch(value: str) -> None:
    for dtype in WIDE_UNSIGNED:
        for place in ("1", "slice(None)"):
            asked = f"[x := torch.zeros(3, dtype=torch.{dtype}), x.__setitem__({place}, {value}), x]"
            assert outcome(tensorglass, asked) == outcome(torch, asked), asked


# --- where PyTorch has no kernel -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDE_UNSIGNED)
@pytest.mark.parametrize("compute", [
    lambda library, x: x + x,
    lambda library, x: x // 2,
    lambda library, x: x % 3,
    lambda library, x: x.cumsum(0),
    lambda library, x: x.max(),
    lambda library, x: x.argsort(),
    lambda library, x: x < 4,
    lambda library, x: x @ x,
    lambda library, x: x.clone().index_add_(0, library.tensor([0, 0]), x[:2]),
    lambda library, x: x.gather(0, library.tensor([2, 0])),
    lambda library, x: library.searchsorted(x.sort()[0], x),
])  # fmt: skip
def test_they_compute_as_other_integers(compute: Any, dtype: str) -> None:
    numbers = [3, 7, 5]
    result = compute(tensorglass, tensorglass.tensor(numbers, dtype=getattr(tensorglass, dtype)))
    assert result.tolist() == compute(torch, torch.tensor(numbers)).tolist()


# --- saved -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDE_UNSIGNED)
@pytest.mark.parametrize(("writer", "reader"), [(tensorglass, torch), (torch, tensorglass), (tensorglass, tensorglass)])
def test_checkpoints_are_exchanged(writer: Any, reader: Any, dtype: str, tmp_path: Path) -> None:
    kind = getattr(writer, dtype)
    base = writer.tensor([[1, 2, 3], [4, 5, 2**16 - 1]]).to(kind)
    writer.save({"base": base, "turned": base.t(), "part": base[1:], "kind": kind}, tmp_path / "a.pt")
    loaded = reader.load(tmp_path / "a.pt")
    assert loaded["kind"] is getattr(reader, dtype)
    for name, expected in (("base", base), ("turned", base.t()), ("part", base[1:])):
        assert loaded[name].dtype is getattr(reader, dtype)
        assert loaded[name].tolist() == expected.tolist()
        assert loaded[name].stride() == expected.stride()
    assert loaded["turned"].untyped_storage().data_ptr() == loaded["base"].untyped_storage().data_ptr()
