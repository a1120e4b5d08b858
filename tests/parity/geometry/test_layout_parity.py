"""Views: every answer of `tensorglass.geometry` is asked of PyTorch too: the same header, or the same refusal."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from parity.geometry.layout_headers import (
    assert_same_parts,
    assert_same_view,
    bounds,
    dims,
    header_of,
    headers,
    many,
    outcome,
    small,
    tensor_of,
    torch,
)

from tensorglass import geometry

# Rearranging


@many
@given(headers(), dims, dims)
def test_transpose(header: geometry.Header, a: int, b: int) -> None:
    assert_same_view(header, lambda x: x.transpose(a, b), lambda *h: geometry.transpose(*h, a, b))


@many
@given(headers())
def test_t(header: geometry.Header) -> None:
    assert_same_view(header, lambda x: x.t(), geometry.t)


@many
@given(headers(), st.data())
def test_permute(header: geometry.Header, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(header[0]))) | st.lists(dims, max_size=4))
    assert_same_view(header, lambda x: x.permute(order), lambda *h: geometry.permute(*h, order))


@many
@given(headers(), st.lists(dims, max_size=3), st.lists(dims, max_size=3))
def test_movedim(header: geometry.Header, source: list[int], destination: list[int]) -> None:
    assert_same_view(
        header, lambda x: x.movedim(source, destination), lambda *h: geometry.movedim(*h, source, destination)
    )


@many
@given(headers(), st.integers(-3, 2), st.integers(-3, 2))
def test_movedim_of_one(header: geometry.Header, source: int, destination: int) -> None:
    assert_same_view(
        header, lambda x: x.movedim(source, destination), lambda *h: geometry.movedim(*h, source, destination)
    )


@many
@given(headers(), dims | st.lists(dims, max_size=3).map(tuple))
def test_squeeze(header: geometry.Header, dim: int | tuple[int, ...]) -> None:
    assert_same_view(header, lambda x: x.squeeze(dim), lambda *h: geometry.squeeze(*h, dim))
    assert_same_view(header, lambda x: x.squeeze(), geometry.squeeze)


@many
@given(headers(), dims)
def test_unsqueeze(header: geometry.Header, dim: int) -> None:
    assert_same_view(header, lambda x: x.unsqueeze(dim), lambda *h: geometry.unsqueeze(*h, dim))


# Picking cells


@many
@given(headers(), dims, small)
def test_select(header: geometry.Header, dim: int, index: int) -> None:
    assert_same_view(header, lambda x: x.select(dim, index), lambda *h: geometry.select(*h, dim, index))


@many
@given(headers().filter(lambda h: h[0]), st.data(), small)
def test_index_by_an_integer(header: geometry.Header, data: st.DataObject, index: int) -> None:
    dim = data.draw(st.integers(0, len(header[0]) - 1))
    key = (slice(None),) * dim + (index,)
    assert_same_view(header, lambda x: x[key], lambda *h: geometry.index_integer(*h, dim, index, dim))


@many
@given(headers(), dims, bounds, bounds, st.integers(-1, 4))
def test_slice_function(header: geometry.Header, dim: int, start: int | None, end: int | None, step: int) -> None:
    assert_same_view(
        header,
        lambda x: torch.ops.aten.slice(x, dim, start, end, step),
        lambda *h: geometry.slice_(*h, dim, start, end, step),
    )


@many
@given(headers(), st.data(), bounds, bounds, st.none() | st.integers(-1, 4))
def test_index_by_a_slice(
    header: geometry.Header, data: st.DataObject, start: int | None, end: int | None, step: int | None
) -> None:
    dim = data.draw(st.integers(0, max(len(header[0]) - 1, 0)))
    chosen = slice(start, end, step)
    key = (*[slice(None)] * dim, chosen) if dim else chosen
    assert_same_view(header, lambda x: x[key], lambda *h: geometry.index_slice(*h, dim, chosen))


@many
@given(headers(), dims, small, small)
def test_narrow(header: geometry.Header, dim: int, start: int, length: int) -> None:
    assert_same_view(header, lambda x: x.narrow(dim, start, length), lambda *h: geometry.narrow(*h, dim, start, length))


@many
@given(headers(), small, dims, dims)
def test_diagonal(header: geometry.Header, k: int, dim1: int, dim2: int) -> None:
    assert_same_view(header, lambda x: x.diagonal(k, dim1, dim2), lambda *h: geometry.diagonal(*h, k, dim1, dim2))


@many
@given(headers(), dims, small, small)
def test_unfold(header: geometry.Header, dim: int, window: int, step: int) -> None:
    assert_same_view(header, lambda x: x.unfold(dim, window, step), lambda *h: geometry.unfold(*h, dim, window, step))


@many
@given(st.lists(st.integers(-2, 5), max_size=3), st.lists(st.integers(-1, 5), max_size=3), st.integers(-1, 20))
def test_as_strided_stays_within_the_storage(size: list[int], stride: list[int], offset: int) -> None:
    tensor = torch.zeros(16)
    assert outcome(lambda: geometry.as_strided(tuple(size), tuple(stride), offset, 4, 64)) == outcome(
        lambda: header_of(tensor.as_strided(size, stride, offset))
    )


# Reshaping

new_lengths = st.sampled_from([-2, -1, -1, 0, 1, 1, 2, 2, 3, 4, 6, 8, 12])


@st.composite
def regrouped(draw: st.DrawFn, size: geometry.Ints) -> list[int]:
    """Sizes with the same number of elements: dimensions merged and split, ones inserted, sometimes a -1."""
    factors = []
    for length in size:
        while length in (4, 6) and draw(st.booleans()):
            factors.append(2)
            length //= 2
        factors.append(length)
    groups: list[int] = []
    for factor in factors:
        if groups and draw(st.booleans()):
            groups[-1] *= factor
        else:
            groups.append(factor)
        if draw(st.integers(0, 4)) == 0:
            groups.append(1)
    if groups and draw(st.integers(0, 3)) == 0:
        groups[draw(st.integers(0, len(groups) - 1))] = -1
    return groups


@many
@given(headers(), st.data())
def test_view(header: geometry.Header, data: st.DataObject) -> None:
    shape = data.draw(regrouped(header[0]) | st.lists(new_lengths, max_size=4))
    assert_same_view(header, lambda x: x.view(shape), lambda *h: geometry.view(*h, shape))


@many
@given(headers(), st.data())
def test_view_strides_say_whether_reshape_copies(header: geometry.Header, data: st.DataObject) -> None:
    shape = data.draw(regrouped(header[0]))
    tensor = tensor_of(header)
    answer = outcome(lambda: tensor.reshape(shape))
    if isinstance(answer, tuple):
        assert outcome(lambda: geometry.infer_size(shape, geometry.numel(header[0]))) == answer
        return
    stride = geometry.view_strides(header[0], header[1], tuple(answer.shape))
    if answer.numel():
        assert (stride is not None) == (answer.data_ptr() == tensor.data_ptr())
    if stride is not None:
        assert stride == answer.stride()


def test_view_of_every_small_permuted_matrix_stack() -> None:
    for size in itertools.product([1, 2, 3], repeat=3):
        for order in itertools.permutations(range(3)):
            tensor = torch.zeros(size).permute(order)
            elements = tensor.numel()
            for shape in itertools.product([1, 2, 3, 4, 6, 9], repeat=2):
                if shape[0] * shape[1] == elements:
                    expected = outcome(lambda t=tensor, s=shape: header_of(t.view(s)))
                    header = header_of(tensor)
                    assert outcome(lambda h=header, s=shape: geometry.view(*h, s)) == expected


@many
@given(headers(), dims, dims)
def test_flatten(header: geometry.Header, start: int, end: int) -> None:
    tensor = tensor_of(header)
    assert outcome(lambda: geometry.flatten_size(header[0], start, end)) == outcome(
        lambda: tuple(tensor.flatten(start, end).shape)
    )


@many
@given(headers(), dims, st.lists(st.sampled_from([-2, -1, 0, 1, 1, 2, 3, 4]), max_size=3))
def test_unflatten(header: geometry.Header, dim: int, sizes: list[int]) -> None:
    assert_same_view(header, lambda x: x.unflatten(dim, sizes), lambda *h: geometry.unflatten(*h, dim, sizes))


# Cutting


@many
@given(headers(), small, dims)
def test_split(header: geometry.Header, split_size: int, dim: int) -> None:
    assert_same_parts(
        header, lambda x: x.split(split_size, dim), lambda: (dim, geometry.split(header[0], split_size, dim))
    )


@many
@given(headers(), st.lists(st.integers(-1, 3), max_size=3), dims)
def test_split_with_sizes(header: geometry.Header, sizes: list[int], dim: int) -> None:
    assert_same_parts(
        header, lambda x: x.split(sizes, dim), lambda: (dim, geometry.split_with_sizes(header[0], sizes, dim))
    )


@many
@given(headers(), small, dims)
def test_chunk(header: geometry.Header, chunks: int, dim: int) -> None:
    assert_same_parts(header, lambda x: x.chunk(chunks, dim), lambda: (dim, geometry.chunk(header[0], chunks, dim)))


@many
@given(headers(), small | st.lists(st.integers(-8, 8), max_size=4), dims)
def test_tensor_split(header: geometry.Header, where: int | list[int], dim: int) -> None:
    assert_same_parts(
        header,
        lambda x: x.tensor_split(where, dim),
        lambda: (dim, geometry.tensor_split(header[0], where, dim)),
    )


@many
@given(headers(), small | st.lists(small, max_size=3), st.sampled_from(["hsplit", "vsplit", "dsplit"]))
def test_stacking_splits(header: geometry.Header, where: int | list[int], name: str) -> None:
    assert_same_parts(header, lambda x: getattr(x, name)(where), lambda: getattr(geometry, name)(header[0], where))
