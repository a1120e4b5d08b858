"""Broadcasting, strides, lengths in bytes and overlaps: every answer of `tensorglass.geometry` is PyTorch's."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from parity.geometry.layout_headers import (
    CELLS,
    assert_same_view,
    header_of,
    headers,
    lengths,
    many,
    outcome,
    steps,
    tensor_of,
    torch,
)

from tensorglass import geometry

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
    drawn = []
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
        drawn.append((own, stride, 0))
    return drawn


@settings(max_examples=600, deadline=None)
@given(operands())
def test_strides_of_a_pointwise_result(headers: list[geometry.Header]) -> None:
    tensors = [tensor_of(header) for header in headers]
    function = {1: torch.neg, 2: torch.add, 3: torch.addcmul}[len(tensors)]
    result = function(*tensors)
    strides = geometry.elementwise_strides(tuple(result.shape), [header[:2] for header in headers])
    assert strides == result.stride()


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
    headers = []
    for _ in range(2):
        order = draw(st.permutations(range(len(size))))
        packed = geometry.contiguous_strides(tuple(size[d] for d in order))
        spread = draw(st.sampled_from([1, 1, 1, 2]))
        stride = tuple(packed[order.index(d)] * spread for d in range(len(size)))
        headers.append((size, stride, draw(st.integers(0, 8))))
    return headers[0], headers[1]


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
