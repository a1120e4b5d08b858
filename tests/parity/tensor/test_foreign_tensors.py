"""Each library refuses the other's tensors as it refuses every foreign object: with a TypeError."""

from __future__ import annotations

from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

LIBRARIES = pytest.mark.parametrize(
    ("caller", "other"), [(torch, tensorglass), (tensorglass, torch)], ids=["PyTorch", "ours"]
)


@LIBRARIES
@pytest.mark.parametrize("kind", ["tensor", "parameter", "subclass"])
def test_a_call_on_the_other_librarys_tensor_is_a_type_error(caller: Any, other: Any, kind: str) -> None:
    foreign = other.ones(2)
    if kind == "parameter":
        foreign = other.nn.Parameter(foreign)
    elif kind == "subclass":
        foreign = foreign.as_subclass(type("Sub", (other.Tensor,), {}))
    own = caller.ones(2)
    for call in (
        lambda: caller.sin(foreign),
        lambda: caller.add(foreign, 1),
        lambda: own + foreign,
        lambda: foreign + own,
        lambda: own.add_(foreign),
        lambda: caller.cat([own, foreign]),
        lambda: caller.nn.functional.relu(foreign),
        lambda: caller.nn.Linear(2, 1)(foreign),
    ):
        with pytest.raises(TypeError):
            call()
    assert foreign.add(1).tolist() == [2, 2]
