"""`apply_` calls a function for every element, as PyTorch's do."""

from __future__ import annotations

from typing import Any

import pytest
from parity.agreement import torch

import tensorglass


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_functions_are_called_for_every_element(dtype: str) -> None:
    def results(library: Any) -> list[Any]:
        x = library.tensor([[1, 2, 3], [4, 5, 6]], dtype=getattr(library, dtype))
        turned = x.clone().t()
        return [
            x.clone().apply_(lambda value: value * 2 + 1).tolist(),
            turned.apply_(lambda value: value - 1).tolist(),
            x.clone()[:, 1].apply_(abs)._version,
        ]

    assert results(tensorglass) == results(torch)


def test_a_refusal_is_pytorchs() -> None:
    def refusal(library: Any) -> tuple[str, str]:
        with pytest.raises(RuntimeError) as caught:
            library.ones(2, requires_grad=True).apply_(abs)
        return type(caught.value).__name__, str(caught.value).splitlines()[0]

    assert refusal(tensorglass) == refusal(torch)
