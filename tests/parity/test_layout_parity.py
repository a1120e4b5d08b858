"""Every answer of `tensorglass.geometry` is asked of PyTorch too: the same header, or the same error and line.

Hypothesis makes up the headers, the odd ones among them (0-dim, size 0 and 1, stride 0), and the arguments,
the impossible ones among them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
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
    """Sizes with as many elements: lengths joined and cut, ones put in, at times a -1."""
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


# Broadcasting

meeting = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)


@many
@given(meeting, meeting)
def test_broadcast_shapes_of_two_operands(a: geometry.Ints, b: geometry.Ints) -> None:
    expected = outcome(lambda: tuple((torch.zeros(a) + torch.zeros(b)).shape))
    assert outcome(lambda: geometry.broadcast_shapes(a, b)) == expected


@many
@given(meeting, meeting, meeting)
def test_broadcast_shapes_of_three_operands(a: geometry.Ints, b: geometry.Ints, c: geometry.Ints) -> None:
    sizes = a, b, c
    expected = outcome(lambda: tuple(torch.addcmul(*map(torch.zeros, sizes)).shape))
    assert outcome(lambda: geometry.broadcast_shapes(*sizes)) == expected


@many
@given(st.lists(st.lists(st.integers(-1, 3), max_size=3).map(tuple) | st.integers(-1, 3), max_size=4))
def test_public_broadcast_shapes(shapes: list[Any]) -> None:
    expected = outcome(lambda: tuple(torch.broadcast_shapes(*shapes)))
    assert outcome(lambda: geometry.public_broadcast_shapes(*shapes)) == expected


@many
@given(headers(most_dims=3), st.data())
def test_expand(header: geometry.Header, data: st.DataObject) -> None:
    fitting = [data.draw(st.sampled_from([length, -1, 3, length])) for length in header[0]]
    lead = data.draw(st.lists(st.integers(-1, 3), max_size=2))
    new_size = tuple(data.draw(st.just([*lead, *fitting]) | st.lists(st.integers(-2, 3), max_size=4)))
    assert_same_view(header, lambda x: x.expand(new_size), lambda *h: geometry.expand(*h, new_size))


# Strides of new tensors and questions about given ones


@many
@given(headers(most_dims=5))
def test_contiguity_in_every_memory_format(header: geometry.Header) -> None:
    size, stride, _ = header
    tensor = tensor_of(header)
    assert geometry.is_contiguous(size, stride) == tensor.is_contiguous()
    assert geometry.is_channels_last(size, stride) == (
        len(size) == 4 and tensor.is_contiguous(memory_format=torch.channels_last)
    )
    assert geometry.is_channels_last_3d(size, stride) == (
        len(size) == 5 and tensor.is_contiguous(memory_format=torch.channels_last_3d)
    )
    dense = torch.ops.aten.is_non_overlapping_and_dense.default(tensor)
    assert geometry.is_non_overlapping_and_dense(size, stride) == dense


@many
@given(st.lists(lengths, max_size=5).map(tuple))
def test_strides_of_new_tensors(size: geometry.Ints) -> None:
    assert geometry.contiguous_strides(size) == torch.empty(size).stride()
    if len(size) == 4:
        new = torch.empty(size, memory_format=torch.channels_last)
        assert geometry.channels_last_strides(size) == new.stride()
    if len(size) == 5:
        new = torch.empty(size, memory_format=torch.channels_last_3d)
        assert geometry.channels_last_3d_strides(size) == new.stride()


@many
@given(headers(most_dims=5))
def test_preserved_strides(header: geometry.Header) -> None:
    tensor = tensor_of(header)
    expected = geometry.preserved_strides(header[0], header[1])
    assert expected == tensor.clone().stride()
    assert expected == torch.empty_like(tensor).stride()


@st.composite
def operands(draw: st.DrawFn) -> list[geometry.Header]:
    """Headers that meet: of one size, or some of their dimensions 1 or missing, in any order in memory."""
    size = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 2, 3, 4]), max_size=4)))
    found = []
    for _ in range(draw(st.integers(1, 3))):
        own = size
        if draw(st.integers(0, 2)) == 0:
            own = tuple(1 if draw(st.integers(0, 2)) == 0 else length for length in own)
            own = own[draw(st.integers(0, len(own))) :]
        order = draw(st.permutations(range(len(own))))
        packed = geometry.contiguous_strides(tuple(own[d] for d in order))
        stride = tuple(packed[order.index(d)] for d in range(len(own)))
        change = draw(st.integers(0, 5))
        if change == 0:
            stride = tuple(step * 2 for step in stride)
        elif change == 1:
            stride = tuple(draw(steps) for _ in own)
        elif change == 2:
            stride = tuple(0 if draw(st.booleans()) else step for step in stride)
        found.append((own, stride, 0))
    return found


@settings(max_examples=600, deadline=None)
@given(operands())
def test_strides_of_a_pointwise_result(headers: list[geometry.Header]) -> None:
    tensors = [tensor_of(header) for header in headers]
    function = {1: torch.neg, 2: torch.add, 3: torch.addcmul}[len(tensors)]
    result = function(*tensors)
    found = geometry.elementwise_strides(tuple(result.shape), [header[:2] for header in headers])
    assert found == result.stride()


@many
@given(operands())
def test_a_python_number_takes_part_as_a_0_dim_operand(headers: list[geometry.Header]) -> None:
    header = headers[0]
    expected = (tensor_of(header) + 1.5).stride()
    assert geometry.elementwise_strides(header[0], [header[:2], ((), ())]) == expected


@many
@given(st.lists(st.integers(-2, 5), max_size=3).map(tuple))
def test_bytes_of_a_new_tensor(size: geometry.Ints) -> None:
    def in_torch() -> int:
        nbytes: int = torch.empty(size).untyped_storage().nbytes()
        return nbytes

    assert outcome(lambda: geometry.contiguous_nbytes(size, 4)) == outcome(in_torch)


@many
@given(headers())
def test_bytes_that_a_header_needs(header: geometry.Header) -> None:
    size, stride, _ = header
    expected = torch.empty_strided(size, stride).untyped_storage().nbytes()
    assert geometry.storage_nbytes(size, stride, 0, 4) == expected


def test_impossible_sizes_are_refused_in_the_same_words() -> None:
    for size in [(2**40, 2**40), (2**62, 2), (2**62, 4), (2**61,)]:
        expected = outcome(lambda s=size: torch.empty(s))
        assert outcome(lambda s=size: geometry.contiguous_nbytes(s, 4)) == expected
    for size, stride in [((2**40, 2), (2**40, 1)), ((2, 3), (1, -1)), ((2,), (2**62,))]:
        expected = outcome(lambda s=size, t=stride: torch.empty_strided(s, t))
        assert outcome(lambda s=size, t=stride: geometry.storage_nbytes(s, t, 0, 2**23)) == expected


# Other element sizes

DTYPES = {
    "Byte": (1, torch.uint8),
    "Short": (2, torch.int16),
    "Half": (2, torch.float16),
    "Float": (4, torch.float32),
    "Long": (8, torch.int64),
    "ComplexDouble": (16, torch.complex128),
}


@many
@given(headers(), st.sampled_from(sorted(DTYPES)), st.sampled_from(sorted(DTYPES)))
def test_view_dtype(header: geometry.Header, old: str, new: str) -> None:
    (old_itemsize, old_dtype), (new_itemsize, new_dtype) = DTYPES[old], DTYPES[new]
    tensor = tensor_of(header, old_dtype)
    expected = outcome(lambda: header_of(tensor.view(new_dtype)))
    assert outcome(lambda: geometry.view_dtype(*header, old_itemsize, new_itemsize, old, new)) == expected


@many
@given(headers())
def test_complex_as_real_and_its_parts(header: geometry.Header) -> None:
    tensor = tensor_of(header, torch.complex64)
    assert geometry.view_as_real(*header) == header_of(torch.view_as_real(tensor))
    assert geometry.real(*header) == header_of(tensor.real)
    assert geometry.imag(*header) == header_of(tensor.imag)


@many
@given(headers(), st.booleans())
def test_view_as_complex(header: geometry.Header, pairs: bool) -> None:
    if pairs:
        header = geometry.view_as_real(*header)
    assert_same_view(header, torch.view_as_complex, geometry.view_as_complex)


# Overlap


@many
@given(headers())
def test_in_place_writes_are_refused_where_a_cell_is_seen_to_be_reached_twice(header: geometry.Header) -> None:
    tensor = tensor_of(header)
    expected = outcome(lambda: tensor.add_(1) is None)
    assert outcome(lambda: geometry.check_writable(header[0], header[1]) is not None) == expected


@st.composite
def two_headers_of_one_size(draw: st.DrawFn) -> tuple[geometry.Header, geometry.Header]:
    size = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3)))
    found = []
    for _ in range(2):
        order = draw(st.permutations(range(len(size))))
        packed = geometry.contiguous_strides(tuple(size[d] for d in order))
        spread = draw(st.sampled_from([1, 1, 1, 2]))
        stride = tuple(packed[order.index(d)] * spread for d in range(len(size)))
        found.append((size, stride, draw(st.integers(0, 8))))
    return found[0], found[1]


@many
@given(two_headers_of_one_size())
def test_results_that_share_cells_with_an_operand_are_refused(
    pair: tuple[geometry.Header, geometry.Header],
) -> None:
    written, read = pair
    cells = torch.zeros(CELLS)
    out, operand = cells.as_strided(*written), cells.as_strided(*read)
    expected = outcome(lambda: torch.neg(operand, out=out) is None)
    assert outcome(lambda: geometry.check_no_partial_overlap(written, 4, read, 4) is not None) == expected


@many
@given(two_headers_of_one_size())
def test_indices_that_share_cells_with_the_result_are_refused(
    pair: tuple[geometry.Header, geometry.Header],
) -> None:
    written, read = pair
    cells = torch.zeros(CELLS, dtype=torch.int64)
    out, index = cells.as_strided(*written), cells.as_strided(*read)
    if out.dim() == 0 or geometry.has_internal_overlap(written[0], written[1]) is geometry.InternalOverlap.YES:
        return
    expected = outcome(lambda: out.scatter_(0, index, 0) is None)
    assert outcome(lambda: geometry.check_no_overlap(written, 8, read, 8) is not None) == expected
