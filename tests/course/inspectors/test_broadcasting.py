"""The broadcast explorer: its sizes, strides, words and reads are PyTorch's, for every library's tensors."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tensorglass
from glassroom import explore_broadcast
from glassroom.inspectors.broadcasting.broadcast import Broadcast, Operand
from tensorglass.geometry import contiguous_strides

torch = pytest.importorskip("torch", reason="the broadcast explorer is compared with PyTorch")

SIZES = st.lists(st.lists(st.sampled_from([1, 1, 2, 3, 3, 0]), max_size=4).map(tuple), min_size=1, max_size=4)


def meeting(*sizes: tuple[int, ...]) -> Broadcast:
    return Broadcast(tuple(Operand("abcd"[at], size, contiguous_strides(size)) for at, size in enumerate(sizes)))


@given(SIZES)
def test_sizes_meet_or_are_refused_as_pytorch_does(sizes: list[tuple[int, ...]]) -> None:
    met = meeting(*sizes)
    try:
        expected = torch.broadcast_tensors(*map(torch.empty, sizes))
        size, refusal = tuple(expected[0].shape), ""
    except RuntimeError as error:
        expected, size, refusal = (), None, str(error)
    assert (met.size, met.refusal) == (size, refusal)
    for operand, tensor in zip(met.operands, expected, strict=False):
        strides = zip(tensor.stride(), met.stretched_stride(operand), met.size, strict=True)
        assert all(theirs == ours for theirs, ours, n in strides if n > 1)


@given(SIZES)
def test_each_cell_of_the_result_reads_the_cells_that_it_is_said_to_read(sizes: list[tuple[int, ...]]) -> None:
    met = meeting(*sizes)
    assume(met.size is not None)
    for operand in met.operands:
        numbered = np.arange(np.prod(operand.size, dtype=int)).reshape(operand.size)
        stretched = np.broadcast_to(numbered, met.size)
        firsts = [index for index in np.ndindex(*met.size) if met.is_first(operand, index)]
        for index in np.ndindex(*met.size):
            assert stretched[index] == numbered[met.read_by(operand, index)]
        if 0 not in met.size:
            assert sorted(stretched[index] for index in firsts) == list(range(numbered.size))


@given(SIZES)
def test_what_is_suggested_fits_and_the_dimension_blamed_is_at_fault(sizes: list[tuple[int, ...]]) -> None:
    met = meeting(*sizes)
    assume(met.size is None)
    bad = met.bad_dim()
    assert f"Dimension {bad}: " in met.lines()[2]
    for line in met.lines()[3:]:
        name, index = re.match(r"(\w)(\[.*\]) has size", line).groups()
        tensors = [torch.empty(size) for size in sizes]
        at = "abcd".index(name)
        tensors[at] = eval(f"tensor{index}", {"tensor": tensors[at]})
        torch.broadcast_tensors(*tensors)


@given(SIZES)
def test_in_place_works_for_the_operands_that_are_said_to_take_the_result(sizes: list[tuple[int, ...]]) -> None:
    met = meeting(*sizes)
    assume(met.size is not None)
    for operand in met.operands:
        target, other = torch.empty(operand.size), torch.empty(met.size)
        if operand in met.stretched():
            with pytest.raises(RuntimeError) as caught:
                target.add_(other)
            if operand is met.stretched()[0]:
                assert str(caught.value) in met.lines()[-1]
        else:
            target.add_(other)


def test_a_tensor_whose_elements_share_cells_is_not_said_to_take_the_result() -> None:
    whole, shared, row = torch.zeros(4, 3), torch.zeros(4, 1).expand(4, 3), torch.zeros(3)
    said = explore_broadcast(whole, shared, row).broadcast.lines()[-1]
    assert said.startswith(
        "In place: whole can take the result, shared cannot (several of the elements share a cell), row"
    )
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        shared.add_(whole)
    assert explore_broadcast(shared[:0], whole[:0]).broadcast.lines()[-1] == "In place: each can take the result."


def test_of_an_empty_result_nothing_is_said_to_be_read() -> None:
    assert "Nothing is read: the result has no elements." in explore_broadcast((0, 3), (1, 3)).broadcast.lines()


@pytest.mark.parametrize("library", [torch, tensorglass, np], ids=["torch", "tensorglass", "numpy"])
def test_tensors_of_every_library_are_drawn_with_their_values(library: object) -> None:
    a = library.arange(3).reshape(3, 1)
    b = (library.arange(8) * 10)[::2]
    text = explore_broadcast(a, b).text
    assert text.startswith("a (3, 1) and b (4,) → (3, 4)\nresult[i, j] reads a[i, 0] and b[j]\n")
    assert [line.split() for line in text.splitlines()[-3:]] == [
        ["0", "20", "40", "60"],
        *[["(0)", "(20)", "(40)", "(60)"]] * 2,
    ]
    assert "0 bytes are copied" in text


def test_strides_of_views_are_their_own() -> None:
    a = torch.arange(12.0).reshape(3, 4)[:, ::2]
    table = {row[0]: row for row in explore_broadcast(a, (5, 1, 1)).broadcast.table()}
    assert table["a (3, 2)"][-2] == "stride (4, 2) → (0, 4, 2)"
    assert table["b (5, 1, 1)"][1:4] == ["5", "1→3", "1→2"]


def test_lists_dicts_sizes_and_names_are_taken() -> None:
    xs = [torch.zeros(2), torch.zeros(1)]
    named = explore_broadcast(xs, {"w": np.zeros((3, 1))}, 2, [1], scale=())
    operands = [(operand.name, operand.size) for operand in named.broadcast.operands]
    sizes = [(2,), (1,), (3, 1), (2,), (1,), ()]
    assert operands == list(zip(["xs[0]", "xs[1]", "b['w']", "c", "d", "scale"], sizes, strict=True))


def test_expressions_go_by_letters() -> None:
    explorer = explore_broadcast(torch.zeros(2, 1) + 1, torch.zeros(3) * 2)
    assert [operand.name for operand in explorer.broadcast.operands] == ["a", "b"]


def test_the_same_tensor_twice_is_two_operands() -> None:
    a = torch.zeros(2)
    assert len(explore_broadcast(a, a).broadcast.operands) == 2


def test_what_is_no_operand_is_refused() -> None:
    with pytest.raises(TypeError, match="explore_broadcast takes tensors and arrays"):
        explore_broadcast(torch.zeros(2), 2.5)
    with pytest.raises(ValueError, match="no length of a size is negative"):
        explore_broadcast((2, -1))
    with pytest.raises(ValueError, match="1 to 6 operands, not 0"):
        explore_broadcast()
    with pytest.raises(ValueError, match="1 to 6 operands, not 7"):
        explore_broadcast(*[(2,)] * 7)
    with pytest.raises(ValueError, match="up to 6 dimensions"):
        explore_broadcast((1,) * 7)


def test_large_operands_cost_what_is_shown() -> None:
    explored = explore_broadcast(torch.zeros(1).expand(10**9), (10**5, 1))
    assert len(explored.svg) < 60_000
    assert len(str(explored.state())) < 10_000
    assert "result (100000, 1000000000), in part" in explored.svg


def test_markup_in_a_name_is_only_a_name() -> None:
    drawn = explore_broadcast(**{"<script>": (2, 1), "b": (3,)})
    assert "&lt;script&gt; (2, 1)" in drawn.svg
    assert "<script> (2, 1)" not in drawn.svg + drawn.live


def test_the_same_operands_give_the_same_picture() -> None:
    def forms() -> list[str]:
        drawn = explore_broadcast(torch.arange(6).reshape(2, 3, 1), (4,))
        return [drawn.text, drawn.svg, drawn.html]

    assert forms() == forms()


def test_text_and_picture_show_every_operand_cell_and_every_read() -> None:
    a = torch.tensor([[1.5], [2.5]])
    drawn = explore_broadcast(a, b=(3,))
    for i, j in product(range(2), range(3)):
        assert f">a[{i},0] {i + 1.5}</text>" in drawn.svg
        assert f">b[{j}]</text>" in drawn.svg
    again = 2 * 2 + 3  # a's cells twice more each, b's once more
    assert (
        len(re.findall(r"\([\d.]+\)", drawn.text.partition("\n\na (")[2]))
        == drawn.svg.count('class="box again"')
        == again
    )
