"""What changes a header or asks for one: the same expressions, on many layouts, in both libraries.

Compared are value, dtype, size, stride, offset, version, whether it is a view, what is printed, refusals and warnings.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="PyTorch, the oracle, is not installed: pip install '.[parity]'")

SOURCES = [
    "torch.arange(6).reshape(2, 3)",
    "torch.arange(6).reshape(2, 3).t()",
    "torch.arange(24.).reshape(2, 3, 4).permute(2, 0, 1)",
    "torch.arange(24).reshape(2, 3, 4)[:, 1:2]",
    "torch.arange(5.)[::2]",
    "torch.arange(5.).expand(3, 5)",
    "torch.tensor(3)",
    "torch.zeros(0, 3)",
    "torch.zeros(2, 1, 3, 1)",
    "torch.tensor([1+2j, 3-4j]).conj()",
]
# Each is done to x; y is another header on the storage of x, made before.
ACTIONS = [
    *(f"x.{name}({arguments})" for name, arguments in product(("squeeze_",), ("", "0", "1", "-1", "(0, 1)", "5"))),
    *(f"x.unsqueeze_({dim})" for dim in (0, 1, -1, 4)),
    *(
        f"x.{name}({dims})"
        for name, dims in product(("transpose_", "swapaxes_", "swapdims_"), ("0, 1", "0, -1", "0, 3"))
    ),
    "x.t_()",
    "x.as_strided_((2,), (1,))",
    "x.as_strided_((2, 2), (0, 1), 1)",
    "x.set_()",
    "x.set_(x[:1])",
    "x.resize_(0)",
    "x.data",
    "setattr(x, 'data', x[..., :1])",
    "setattr(x, 'data', 1)",
    "reversed(x)",
    "x.__reversed__()",
    "x.__eq__(np.ones(3))",
    "x.flip(())",
    "x.flip()",
    "x.tile()",
    "x.flip(0)",
    "x.roll(1, 0)",
    "x.repeat(-1, 1)",
    "x.repeat(2, 0, 1, 1)",
    "x.contiguous(memory_format=torch.preserve_format)",
    "x.is_contiguous(memory_format=torch.preserve_format)",
    "x.to(x.dtype, memory_format=torch.contiguous_format)",
    "x.clone(memory_format=None)",
    "x.H",
    "x.mT",
    "x.mH",
    "x.adjoint()",
    "x.view(torch.uint8)",
    "x.size(0)",
    "x.stride(-1)",
    "x.expand(7)",
    "x.tensor_split(torch.tensor(2.))",
    "x.tensor_split(torch.tensor([[1]]))",
    "torch.broadcast_tensors(x, x)[0] is x",
    "int(x)",
    "float(x)",
    "complex(x)",
    "x == np.ones(3)",
    "x == np.ones(x.shape)",
    "x != np.ones(x.shape)",
    "x.type(3)",
    "x.to(float)",
    "copy.deepcopy(x)",
    "torch.Tensor(True)",
    "(1,) + x.shape, x.shape + (1,), 2 * x.shape, type(x.shape[1:]).__name__",
    "x.shape + [1]",
    "torch.Size([1.5])",
    "torch.Size(['a'])",
    "torch.Size([True, torch.tensor(2)])",
    "torch.Size(x.reshape(-1).long() if not x.is_complex() else [])",
]


def facts(value: Any, library: Any) -> Any:
    """What of a result must be the same in both libraries."""
    if isinstance(value, tuple | list):
        return [facts(item, library) for item in value]
    if not isinstance(value, library.Tensor):
        return repr(value)
    header = (tuple(value.shape), value.stride(), value.storage_offset(), value._version, value._is_view())
    return repr(value), *header


def outcome(library: Any, source: str, action: str) -> Any:
    names = {"torch": library, "np": np, "copy": copy}
    names["x"] = eval(source, names)
    names["y"] = names["x"].detach()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = facts(eval(action, names), library)
        except Exception as error:  # whatever it is, the other library must raise the same
            result = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    after = [facts(names[name], library) for name in "xy"]
    return result, after, [str(warning.message).split(" (Triggered")[0] for warning in caught]


@pytest.fixture(autouse=True)
def every_warning() -> Iterator[None]:
    """PyTorch gives some warnings once a process, and so to whichever test comes first."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_header_changes_as_pytorchs(action: str) -> None:
    different = [
        (source, ours, theirs)
        for source in SOURCES
        if (ours := outcome(tensorglass, source, action)) != (theirs := outcome(torch, source, action))
    ]
    assert different == []
