"""What the tests of `tensorglass.geometry` against PyTorch have in common: headers made up, and answers compared.

Hypothesis makes up the headers, the odd ones among them (0-dim, size 0 and 1, stride 0).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from tensorglass import geometry

torch = pytest.importorskip("torch", reason="PyTorch, the oracle, is not installed: pip install '.[parity]'")

CELLS = 2**15
lengths = st.sampled_from([0, 1, 1, 2, 2, 3, 4, 6])
steps = st.sampled_from([0, 1, 1, 2, 3, 4, 6, 7, 12])
dims = st.integers(-5, 5)
small = st.integers(-4, 7)
bounds = st.none() | st.integers(-9, 9)


@st.composite
def headers(draw: st.DrawFn, most_dims: int = 4) -> geometry.Header:
    """Headers of every kind: contiguous, permuted, sliced, expanded, and with any strides at all."""
    size = tuple(draw(st.lists(lengths, max_size=most_dims)))
    offset = draw(st.sampled_from([0, 0, 1, 2, 4, 7]))
    kind = draw(st.sampled_from(["contiguous", "permuted", "sliced", "expanded", "any"]))
    if kind == "any":
        return size, tuple(draw(steps) for _ in size), offset
    if kind == "expanded":
        own = tuple(1 if draw(st.booleans()) else length for length in size)
        return size, geometry.broadcast_strides(own, geometry.contiguous_strides(own), size), offset
    stride = geometry.contiguous_strides(size)
    if kind == "sliced":
        stride = tuple(step * draw(st.sampled_from([1, 2])) for step in stride)
    if kind == "permuted":
        order = draw(st.permutations(range(len(size))))
        size, stride = tuple(size[d] for d in order), tuple(stride[d] for d in order)
    return size, stride, offset


def tensor_of(header: geometry.Header, dtype: Any = None, cells: int = CELLS) -> Any:
    size, stride, offset = header
    return torch.zeros(cells, dtype=dtype or torch.float32).as_strided(size, stride, offset)


def header_of(tensor: Any) -> geometry.Header:
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


def outcome(ask: Callable[[], Any]) -> Any:
    """The answer, or how the refusal reads."""
    try:
        return ask()
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return type(error), str(error).split("\n")[0]


def assert_same_view(header: geometry.Header, in_torch: Callable[[Any], Any], in_layout: Callable[..., Any]) -> None:
    tensor = tensor_of(header)
    expected = outcome(lambda: header_of(in_torch(tensor)))
    assert outcome(lambda: in_layout(*header)) == expected


def assert_same_parts(header: geometry.Header, in_torch: Callable[[Any], Any], in_layout: Callable[[], Any]) -> None:
    """`in_layout` returns the dimension and its parts."""

    def views() -> list[geometry.Header]:
        dim, parts = in_layout()
        return [geometry.slice_(*header, dim, start, start + length) for start, length in parts]

    tensor = tensor_of(header)
    assert outcome(views) == outcome(lambda: [header_of(part) for part in in_torch(tensor)])


many = settings(max_examples=200, deadline=None)
