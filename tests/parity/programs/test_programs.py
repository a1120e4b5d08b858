"""Random programs give on tensorglass what they give on PyTorch: values, dtypes, layouts, sharing, versions, errors."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

from parity.programs.writer import Writer, run  # noqa: E402  # after the oracle is known to be there

PROGRAMS = int(os.environ.get("TENSORGLASS_PROGRAMS", "5000"))
BATCH = 50


def header(tensor: Any) -> tuple[Any, ...]:
    return (
        repr(tensor.dtype),
        tuple(tensor.shape),
        tensor.stride(),
        tensor.storage_offset(),
        tensor.untyped_storage().nbytes(),
        tensor._version,
        tensor.is_contiguous(),
        tensor._is_view(),
    )


def sharing(values: dict[str, Any]) -> dict[str, str]:
    """For each variable the first one on the same storage."""
    first: dict[int, str] = {}
    empty = {name for name, value in values.items() if name != "torch" and not value.untyped_storage().nbytes()}
    return {
        name: first.setdefault(value.untyped_storage().data_ptr(), name)
        for name, value in values.items()
        if name != "torch" and name not in empty
    }


def same_values(ours: Any, theirs: Any) -> bool:
    theirs = theirs.resolve_conj()
    elements, expected = ours.tolist(), theirs.tolist()
    if elements == expected:
        return True
    if theirs.dtype in (torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128):
        tolerance = 2e-3 if theirs.dtype is torch.float16 else 1e-5
        if not theirs.is_contiguous() or theirs.dim() == 0:
            theirs = theirs.clone()
        mine = torch.tensor(elements, dtype=theirs.dtype).reshape(theirs.shape)
        return torch.allclose(mine, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)
    return False


def compare(seed: int) -> None:
    program = Writer(seed, torch).write(14)
    ours: dict[str, Any] = {"torch": tensorglass}
    theirs: dict[str, Any] = {"torch": torch}
    for line, statement in enumerate(program):
        our_error, their_error = run(statement, ours), run(statement, theirs)
        so_far = "\n".join(program[: line + 1])
        if their_error is not None:
            assert our_error is not None, f"PyTorch raises {their_error!r}, tensorglass does not:\n{so_far}"
            assert type(our_error) is type(their_error), f"{our_error!r} is not {their_error!r}:\n{so_far}"
            assert first_line(our_error) == first_line(their_error), so_far
        elif our_error is not None:
            raise AssertionError(f"tensorglass raises, PyTorch does not:\n{so_far}") from our_error
        assert ours.keys() == theirs.keys(), so_far
        for name in ours:
            if name != "torch":
                assert header(ours[name]) == header(theirs[name]), f"{name} in\n{so_far}"
                assert same_values(ours[name], theirs[name]), (
                    f"{name} is {ours[name].tolist()}, on PyTorch {theirs[name].tolist()}, in\n{so_far}"
                )
        assert sharing(ours) == sharing(theirs), so_far


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_random_programs_agree_with_pytorch(batch: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(batch * BATCH, (batch + 1) * BATCH):
            compare(seed)
