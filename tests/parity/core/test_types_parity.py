"""Types as arguments and in messages: Python's stand for dtypes, and ours are called by PyTorch's names."""

from __future__ import annotations

import pytest
import torch
from parity.expressions import outcome

import tensorglass

X = "torch.ones(2)"
TAKING_DTYPES = (
    *[f"{X}.{name}({dim}dtype=%s)" for name in ("sum", "mean", "prod") for dim in ("", "0, ")],
    *[f"{X}.{name}(0, dtype=%s)" for name in ("cumsum", "cumprod", "softmax", "log_softmax")],
    *[f"torch.linalg.{name}(torch.eye(2), dtype=%s)" for name in ("norm", "vector_norm", "matrix_norm")],
    f"torch.special.softmax({X}, 0, dtype=%s)", f"torch.softmax({X}, 0, %s)",
    f"{X}.sum((0,), keepdim=True, dtype=%s)", f"{X}.view(%s)", f"{X}.view(dtype=%s)", f"{X}.to(%s)",
    f"{X}.to('cpu', %s)", f"torch.full_like({X}, 1, dtype=%s)", "torch.zeros(2, dtype=%s)", "torch.eye(2, dtype=%s)",
    "torch.arange(3, dtype=%s)", "torch.linspace(0, 1, 3, dtype=%s)", "torch.tensor([1], dtype=%s)",
    "torch.frombuffer(bytearray(8), dtype=%s)", "torch.tril_indices(2, 2, dtype=%s)", "torch.finfo(%s).bits",
    "torch.promote_types(%s, torch.int8)", "torch.can_cast(%s, torch.int8)", f"{X}.new_ones(2, dtype=%s)",
)  # fmt: skip


@pytest.mark.parametrize("kind", ["bool", "int", "float", "complex", "str"])
@pytest.mark.parametrize("expression", TAKING_DTYPES)
def test_types_of_pythons_numbers_stand_for_dtypes(expression: str, kind: str) -> None:
    assert outcome(tensorglass, expression % kind) == outcome(torch, expression % kind)


THINGS = (
    "torch.float32", "torch.device('cpu')", "torch.Size([2])", f"{X}.untyped_storage()", "torch.strided",
    "torch.preserve_format", "torch.finfo()", "torch.Generator()", f"{X}.max(0)", f"{X}.sort()",
    "torch.linalg.qr(torch.eye(2))", "torch.no_grad()", f"({X}.requires_grad_() * 2).grad_fn", "None", "object()",
)  # fmt: skip
USES = ("torch.add(torch.ones(2), %s)", "torch.cat([%s])", "torch.ones(2) - %s", "%s - 1", "%s.no_such_name")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("thing", THINGS)
def test_messages_call_things_by_pytorchs_names(thing: str, use: str) -> None:
    assert outcome(tensorglass, use % thing) == outcome(torch, use % thing)
