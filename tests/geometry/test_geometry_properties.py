"""What must hold for every header, told by walking its cells one by one.

`cells` maps each index to the storage cell of its element, straight from the definition of a stride. A view
is right if it finds, at each of its indices, the cell that the meaning of the operator says.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorglass import geometry

settings.register_profile("geometry", deadline=None)
settings.load_profile("geometry")

lengths = st.integers(0, 4)
sizes = st.lists(lengths, max_size=4).map(tuple)


@st.composite
def headers(draw: st.DrawFn, least_dims: int = 0) -> geometry.Header:
    size = tuple(draw(st.lists(lengths, min_size=least_dims, max_size=4)))
    stride = tuple(draw(st.integers(0, 12)) for _ in size)
    return size, stride, draw(st.integers(0, 5))


def indices(size: geometry.Ints) -> list[geometry.Ints]:
    return list(itertools.product(*map(range, size)))


def cells(header: geometry.Header) -> dict[geometry.Ints, int]:
    size, stride, offset = header
    return {index: offset + sum(i * step for i, step in zip(index, stride, strict=True)) for index in indices(size)}


def in_order(header: geometry.Header) -> list[int]:
    return list(cells(header).values())


def any_dim(header: geometry.Header, draw: st.DataObject) -> int:
    return draw.draw(st.integers(-len(header[0]), len(header[0]) - 1))


# Strides


@given(sizes)
def test_contiguous_strides_count_the_cells_in_order(size: geometry.Ints) -> None:
    stride = geometry.contiguous_strides(size)
    assert in_order((size, stride, 0)) == list(range(geometry.numel(size)))
    assert geometry.is_contiguous(size, stride)
    assert all(step > 0 for step in stride)


@given(headers())
def test_contiguous_means_cells_in_order(header: geometry.Header) -> None:
    size, stride, offset = header
    in_sequence = in_order(header) == list(range(offset, offset + geometry.numel(size)))
    assert geometry.is_contiguous(size, stride) == in_sequence


@given(headers())
def test_dense_means_every_cell_of_one_run_once(header: geometry.Header) -> None:
    size, stride, offset = header
    one_run_once = sorted(in_order(header)) == list(range(offset, offset + geometry.numel(size)))
    assert geometry.is_non_overlapping_and_dense(size, stride) == one_run_once


@given(headers())
def test_preserved_strides_are_dense_and_stay_when_applied_again(header: geometry.Header) -> None:
    size, stride, _ = header
    preserved = geometry.preserved_strides(size, stride)
    assert geometry.is_non_overlapping_and_dense(size, preserved)
    assert geometry.preserved_strides(size, preserved) == preserved


@given(sizes.filter(lambda size: 0 not in size), st.data())
def test_pointwise_results_keep_the_order_of_a_dense_operand(size: geometry.Ints, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(size))))
    stride = geometry.packed_strides(size, order)
    strides = geometry.elementwise_strides(size, [(size, stride), ((), ())])
    assert in_order((size, strides, 0)) == in_order((size, stride, 0))


@given(headers())
def test_channels_last_is_the_channels_packed_closest(header: geometry.Header) -> None:
    size, stride, _ = header
    for is_so, order in [
        (geometry.is_channels_last, (0, 2, 3, 1)),
        (geometry.is_channels_last_3d, (0, 2, 3, 4, 1)),
    ]:
        if len(size) == len(order) and 0 not in size:
            assert is_so(size, stride) == geometry.is_contiguous(*geometry.permute(size, stride, 0, order)[:2])
        elif len(size) != len(order):
            assert not is_so(size, stride)


@given(headers())
def test_storage_nbytes_reach_the_last_cell_and_no_further(header: geometry.Header) -> None:
    last = max(in_order(header), default=-1)
    assert geometry.storage_nbytes(*header, 8) == 8 * (last + 1)


@given(headers())
def test_byte_range_goes_from_the_first_cell_to_the_last(header: geometry.Header) -> None:
    visited = in_order(header)
    begin, end = geometry.byte_range(*header, 4)
    assert begin == 4 * header[2]
    assert end == (4 * (max(visited) + 1) if visited else begin)


# Broadcasting


@given(headers(), st.data())
def test_expand_repeats_the_cells(header: geometry.Header, data: st.DataObject) -> None:
    size = header[0]
    lead = data.draw(st.lists(st.integers(0, 3), max_size=2))
    wanted = [data.draw(st.integers(0, 3)) if length == 1 else length for length in size]
    expanded = geometry.expand(*header, (*lead, *wanted))
    own = cells(header)
    for index, cell in cells(expanded).items():
        trailing = index[len(lead) :]
        assert cell == own[tuple(0 if length == 1 else i for i, length in zip(trailing, size, strict=True))]
    assert in_order((expanded[0], geometry.broadcast_strides(size, header[1], expanded[0]), header[2])) == (
        in_order(expanded)
    )


@given(sizes, sizes)
def test_broadcasting_does_not_depend_on_the_order_of_the_operands(a: geometry.Ints, b: geometry.Ints) -> None:
    def meet(*operands: geometry.Ints) -> geometry.Ints | None:
        try:
            return geometry.broadcast_shapes(*operands)
        except RuntimeError:
            return None

    assert meet(a, b) == meet(b, a)
    assert meet(a, a) == a
    common = meet(a, b)
    if common is not None:
        assert meet(common, a) == common == meet(common, b)


# Views


@given(headers(least_dims=1), st.data())
def test_transpose_twice_is_no_change(header: geometry.Header, data: st.DataObject) -> None:
    a, b = any_dim(header, data), any_dim(header, data)
    assert geometry.transpose(*geometry.transpose(*header, a, b), a, b) == header


@given(headers(), st.data())
def test_permute_finds_the_cell_of_the_permuted_index(header: geometry.Header, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(header[0]))))
    own = cells(header)
    for index, cell in cells(geometry.permute(*header, order)).items():
        original = [0] * len(index)
        for place, dim in enumerate(order):
            original[dim] = index[place]
        assert cell == own[tuple(original)]


@given(headers(least_dims=1), st.data())
def test_movedim_back_is_no_change(header: geometry.Header, data: st.DataObject) -> None:
    a, b = any_dim(header, data), any_dim(header, data)
    assert geometry.movedim(*geometry.movedim(*header, a, b), b, a) == header


@given(headers(), st.data())
def test_squeeze_undoes_unsqueeze(header: geometry.Header, data: st.DataObject) -> None:
    dim = data.draw(st.integers(-len(header[0]) - 1, len(header[0])))
    longer = geometry.unsqueeze(*header, dim)
    assert in_order(longer) == in_order(header)
    assert geometry.squeeze(*longer, dim) == header


@given(headers(least_dims=1), st.data())
def test_slice_picks_what_a_python_slice_picks(header: geometry.Header, data: st.DataObject) -> None:
    dim = any_dim(header, data)
    bound = st.none() | st.integers(-6, 6)
    chosen = slice(data.draw(bound), data.draw(bound), data.draw(st.integers(1, 3)))
    positions = range(header[0][dim])[chosen]
    sliced = geometry.slice_(*header, dim, chosen.start, chosen.stop, chosen.step)
    picked = [geometry.select(*header, dim, position) for position in positions]
    assert sliced[0][dim] == len(positions)
    assert [geometry.select(*sliced, dim, i) for i in range(len(positions))] == picked
    assert geometry.index_slice(*header, dim % len(header[0]), chosen) == sliced


@given(headers(least_dims=1), st.data())
def test_select_holds_one_index(header: geometry.Header, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, len(header[0]) - 1))
    own = cells(header)
    for position in range(header[0][dim]):
        selected = geometry.select(*header, dim, position)
        assert selected == geometry.select(*header, dim, position - header[0][dim])
        for index, cell in cells(selected).items():
            assert cell == own[(*index[:dim], position, *index[dim:])]


@given(headers(least_dims=2), st.integers(-4, 4))
def test_diagonal_steps_along_two_dimensions_at_once(header: geometry.Header, k: int) -> None:
    own = cells(header)
    diagonal = geometry.diagonal(*header, k)
    rows, columns = header[0][:2]
    assert diagonal[0][-1] == sum(0 <= row + k < columns for row in range(rows))
    for index, cell in cells(diagonal).items():
        row = index[-1] - min(k, 0)
        assert cell == own[(row, row + k, *index[:-1])]


@given(headers(least_dims=1), st.integers(0, 4), st.integers(1, 3))
def test_unfold_slides_a_window(header: geometry.Header, window: int, step: int) -> None:
    if window > header[0][0]:
        with pytest.raises(RuntimeError, match="maximum size for tensor"):
            geometry.unfold(*header, 0, window, step)
        return
    windows = geometry.unfold(*header, 0, window, step)
    for number in range(windows[0][0]):
        windowed = geometry.select(*windows, 0, number)
        part = geometry.narrow(*header, 0, number * step, window)
        assert in_order(geometry.movedim(*windowed, -1, 0)) == in_order(part)


def factorings(elements: int, ndim: int) -> list[geometry.Ints]:
    divisors = [d for d in range(1, elements + 1) if elements % d == 0]
    return [size for size in itertools.product(divisors, repeat=ndim) if geometry.numel(size) == elements]


def test_view_is_possible_exactly_where_strides_exist_that_keep_the_order_of_the_cells() -> None:
    for size in [(2, 3), (2, 2, 2), (1, 4), (3, 1, 2), (4, 3), (2, 1, 2, 2)]:
        for stride in itertools.product([0, 1, 2, 3, 6], repeat=len(size)):
            wanted = in_order((size, stride, 0))
            for new_size in factorings(geometry.numel(size), 2):
                strides = geometry.view_strides(size, stride, new_size)
                # Strides that keep the order can only be these: one step along each dimension.
                ends = [wanted[place] - wanted[0] for place in (new_size[1] % len(wanted), 1 % len(wanted))]
                possible = in_order((new_size, tuple(ends), 0)) == wanted
                if strides is not None:
                    assert in_order((new_size, strides, 0)) == wanted
                else:
                    assert not possible
                assert (strides is not None) == possible


@given(headers(), st.data())
def test_view_and_back_finds_the_same_cells(header: geometry.Header, data: st.DataObject) -> None:
    elements = geometry.numel(header[0])
    new_size = data.draw(st.sampled_from(factorings(elements, 2))) if elements else (0, 5)
    if geometry.view_strides(header[0], header[1], new_size) is None:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            geometry.view(*header, new_size)
    else:
        there = geometry.view(*header, new_size)
        assert in_order(there) == in_order(header)
        assert in_order(geometry.view(*there, header[0])) == in_order(header)


@given(headers(least_dims=1), st.data())
def test_unflatten_then_flatten_is_no_change_of_size(header: geometry.Header, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, len(header[0]) - 1))
    if header[0][dim] == 0:
        return
    parts = data.draw(st.sampled_from(factorings(header[0][dim], 2)))
    cut = geometry.unflatten(*header, dim, parts)
    assert in_order(cut) == in_order(header)
    assert geometry.flatten_size(cut[0], dim, dim + 1) == header[0]


@given(sizes.filter(bool), st.integers(1, 6), st.data())
def test_parts_follow_each_other_and_make_up_the_whole(size: geometry.Ints, number: int, data: st.DataObject) -> None:
    dim = data.draw(st.integers(0, len(size) - 1))
    for parts in (
        geometry.split(size, number, dim),
        geometry.chunk(size, number, dim),
        geometry.tensor_split(size, number, dim),
        geometry.split_with_sizes(size, [length for _, length in geometry.chunk(size, number, dim)], dim),
    ):
        assert [place for start, length in parts for place in range(start, start + length)] == list(range(size[dim]))
    fair = [length for _, length in geometry.tensor_split(size, number, dim)]
    assert max(fair) - min(fair) <= 1


@given(headers())
def test_real_and_imaginary_parts_lie_in_turn(header: geometry.Header) -> None:
    pairs = geometry.view_as_real(*header)
    assert geometry.view_as_complex(*pairs) == header
    assert cells(geometry.real(*header)) == cells(geometry.select(*pairs, -1, 0))
    assert cells(geometry.imag(*header)) == cells(geometry.select(*pairs, -1, 1))


@given(headers(least_dims=1), st.sampled_from([2, 4, 8]))
def test_smaller_elements_lie_in_the_bytes_of_the_larger(header: geometry.Header, ratio: int) -> None:
    size, stride, offset = header
    header = size, (*stride[:-1], 1), offset
    smaller = geometry.view_dtype(*header, 8, 8 // ratio, "Long", "…")
    assert in_order(smaller) == [cell * ratio + part for cell in in_order(header) for part in range(ratio)]
    assert geometry.view_dtype(*smaller, 8 // ratio, 8, "…", "Long") == header


# Overlap


@given(headers())
def test_self_overlaps_is_exact(header: geometry.Header) -> None:
    visited = in_order(header)
    assert geometry.self_overlaps(header[0], header[1]) == (len(set(visited)) < len(visited))


def test_self_overlaps_is_exact_on_all_small_strides() -> None:
    for size in [(2, 3), (3, 3), (2, 2, 3), (4, 1, 2)]:
        for stride in itertools.product(range(7), repeat=len(size)):
            visited = in_order((size, stride, 0))
            assert geometry.self_overlaps(size, stride) == (len(set(visited)) < len(visited)), (size, stride)


def test_self_overlaps_of_huge_tensors_is_answered_without_walking_them() -> None:
    assert not geometry.self_overlaps((10**6, 10**6), (10**6, 1))
    assert geometry.self_overlaps((10**6, 10**6), (10**6 - 1, 1))
    assert geometry.self_overlaps((10**9, 10**9), (3, 2))
    assert geometry.self_overlaps((10**9, 10**9, 10**9), (7, 5, 3))


@given(headers())
def test_the_quick_answer_about_overlap_is_never_wrong(header: geometry.Header) -> None:
    size, stride, _ = header
    answer = geometry.has_internal_overlap(size, stride)
    if answer is geometry.InternalOverlap.YES and geometry.numel(size):
        assert geometry.self_overlaps(size, stride)
    if answer is geometry.InternalOverlap.NO:
        assert not geometry.self_overlaps(size, stride)


@given(headers(), headers())
def test_the_quick_answer_about_two_tensors_is_never_wrong(a: geometry.Header, b: geometry.Header) -> None:
    answer = geometry.overlap_status(a, 4, b, 4)
    shared = set(in_order(a)) & set(in_order(b))
    if answer is geometry.Overlap.NO:
        assert not shared
    elif answer is geometry.Overlap.PARTIAL:
        assert shared
    elif answer is geometry.Overlap.FULL:
        assert set(in_order(a)) == set(in_order(b))
