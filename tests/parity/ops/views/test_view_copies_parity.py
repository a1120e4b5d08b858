"""Views that are copied immediately, against PyTorch: what they refuse, and several results written to ``out=``."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from parity.expressions import difference

import tensorglass

X = "torch.arange(6.).reshape(3, 2)"
C = "torch.view_as_complex(torch.arange(6.).reshape(3, 2))"

CALLS = [
    f"torch.permute_copy({X}, (0, 0))", f"torch.permute_copy({X}, 1, 0)", f"torch.transpose_copy({X}, 0, 5)",
    f"torch.view_copy({X}, (4,))", f"torch.view_copy({X}.t(), (6,))", f"torch.view_copy({X}, torch.int32)",
    f"torch.view_copy({X}, torch.float64)", f"torch.view_copy({X}, 'a')", f"torch.expand_copy({X}, (2, 2, 2))",
    f"torch.expand_copy({X}, (3, 2), implicit=True)", f"torch.slice_copy({X}, 0, 1, None, 0)",
    f"torch.select_copy({X}, 0, 7)", f"torch.as_strided_copy({X}, (2,), (-1,))",
    f"torch.as_strided_copy({X}, (2,), (3,))",
    f"torch.as_strided_copy({X}, (20,), (1,))", f"torch.narrow_copy({X}, 0, -1, 1)", f"{X}.narrow_copy(0, 1, 1)",
    f"torch.narrow_copy({X}, 0, torch.tensor(1), 1)", f"torch.t_copy({X}[None])", f"torch.alias_copy({C}.conj())",
    f"torch.view_as_real_copy({C})", f"torch.view_as_real_copy({X})", f"torch.view_as_complex_copy({X})",
    f"torch.view_as_complex_copy({X}.t())", "torch.alias_copy(3)", f"torch.transpose_copy({X}, 0)",
    f"torch.unfold_copy({X}, 0, 7, 1)", f"torch.unbind_copy({X}[0, 0])", f"torch.split_copy({X}, -1)",
    f"torch.split_copy({X}, 2, out=torch.empty(0))",
]  # fmt: skip


@pytest.mark.parametrize("expression", CALLS)
def test_results_and_refusals_are_pytorchs(expression: str) -> None:
    assert difference(expression, tensorglass, torch) is None


def written(library: Any, name: str, arguments: Any, sizes: Any, dtype: str = "float32") -> Any:
    """What `name` makes of tensors of these sizes as its ``out``: the elements, or the refusal."""
    out = [library.zeros(size, dtype=getattr(library, dtype)) for size in sizes]
    try:
        result = getattr(library, name)(library.arange(6.0).reshape(3, 2), *arguments, out=out)
    except (RuntimeError, TypeError) as error:
        return str(error).splitlines()[0]
    return result, [each.tolist() for each in out]


@pytest.mark.parametrize(
    ("name", "arguments", "right"),
    [
        ("split_copy", (2,), [(2, 2), (1, 2)]),
        ("split_with_sizes_copy", ([1, 2],), [(1, 2), (2, 2)]),
        ("unbind_copy", (1,), [(3,), (3,)]),
    ],
)
def test_pieces_are_written_to_outputs_as_pytorch_writes_them(name: str, arguments: Any, right: Any) -> None:
    for sizes, dtype in ((right, "float32"), (right[:1], "float32"), (right, "float64"), ([(0,)] * 2, "float32")):
        assert written(tensorglass, name, arguments, sizes, dtype) == written(torch, name, arguments, sizes, dtype)
