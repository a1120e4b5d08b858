"""The index explorer: what it reads, picks, counts and refuses is what PyTorch does, and nothing typed is ever run."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from index_cases import as_numpy, cases, names

import tensorglass
from glassroom import explore_index

torch = pytest.importorskip("torch", reason="the index explorer is compared with PyTorch")


def truth(tensor: Any, typed: str, held: dict[str, Any]) -> tuple[Any, ...]:
    """What PyTorch makes of an index: a header, whether it is a view, the elements; or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eval(f"x[{typed}]", {"x": tensor, **held})
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0]
    is_view = result._base is not None or result is tensor
    return tuple(result.shape), result.stride(), result.storage_offset(), is_view, result.flatten().tolist()


def test_everything_that_is_read_leads_where_pytorch_leads() -> None:
    held = names(torch)
    read = refused = 0
    for tensor, typed in cases(torch, 1500, seed=1):
        story = explore_index(tensor, typed, **held).indexing
        if story.refused is not None and not story.refused.error.endswith("Error"):
            continue  # it is not read here, and says so
        expected = truth(tensor, typed, held)
        if story.refused is not None:
            assert (story.refused.error, str(story.refused)) == expected, (typed, tensor.shape)
            refused += 1
            continue
        led = story.led
        elements = [float(tensor[led.source(index)]) for index in product(*map(range, led.size))]
        facts = (led.size, led.stride, led.offset, led.is_view, elements)
        if 0 in led.size and len(expected) == 5:  # the strides of an empty tensor do not matter
            facts, expected = (facts[0], *facts[3:]), (expected[0], *expected[3:])
        assert facts == expected, (typed, tensor.shape)
        picked = Counter(led.source(index) for index in product(*map(range, led.size)))
        cells = list(product(*map(range, story.size)))
        assert [story.times(index) > 0 for index in cells] == [picked[index] > 0 for index in cells], typed
        read += 1
    assert min(read, refused) > 400


@pytest.mark.parametrize(
    "typed", ["__import__('os')", "x.shape", "(lambda: 1)()", "rows + 1", "x[0](1)", "f'{x}'", "\x00", "(" * 500]
)
def test_what_is_typed_is_read_and_never_run(typed: str) -> None:
    story = explore_index(torch.zeros(2), typed, rows=[0]).indexing
    assert story.refused.error == "not read here"
    assert "not read here" in story.lines()[1]


@pytest.mark.parametrize("library", [torch, tensorglass, np], ids=["torch", "tensorglass", "numpy"])
def test_tensors_of_every_library_are_indexed_with_their_values(library: Any) -> None:
    x = library.arange(12).reshape(3, 4)
    rows = library.zeros(2, dtype=library.int64) + 2
    explored = explore_index(x, "rows, ::2", rows=rows)
    header = "" if library is np else ", stride (2, 1), offset 0"  # only NumPy knows the layout of its copy
    assert explored.indexing.lines()[:2] == [
        f"x[rows, ::2]: size (2, 2){header}",
        "result[i, j] is x[rows[i], 2·j]",
    ]
    assert explored.text.endswith("result (2, 2), a copy\n   8  10\n   8  10")


SEVERAL_FAULTS = (":0", "1.5", "[3]]")  # for these NumPy may name another mistake first, or use its own words


def test_arrays_of_numpy_are_indexed_in_numpys_way() -> None:
    held = {name: value.numpy() if isinstance(value, torch.Tensor) else value for name, value in names(torch).items()}
    read = refused = 0
    for tensor, typed in cases(torch, 1500, seed=3):
        x = as_numpy(tensor)
        story = explore_index(x, typed, **held).indexing
        if story.refused is not None and not story.refused.error.endswith("Error"):
            continue  # it is not read here, and says so
        try:
            result = eval(f"x[{typed}]", {"x": x, **held})
        except (IndexError, ValueError, TypeError) as error:
            kind, message = type(error).__name__, str(error)
            assert story.refused is not None, (typed, x.shape)
            if not any(part in typed for part in SEVERAL_FAULTS):
                assert (story.refused.error, str(story.refused)) == (kind, message), typed
            refused += 1
            continue
        led = story.led
        assert led is not None, (typed, x.shape)
        assert led.size == np.shape(result)
        assert [x[led.source(index)] for index in np.ndindex(*led.size)] == np.ravel(result).tolist()
        assert led.is_number == (not isinstance(result, np.ndarray))
        if np.size(result):
            assert led.is_view == np.shares_memory(result, x) or led.is_number
        if led.is_view and np.size(result):
            begin = (result.__array_interface__["data"][0] - x.__array_interface__["data"][0]) // x.itemsize
            strides = [step // x.itemsize for step in result.strides]
            longer = [dim for dim, n in enumerate(led.size) if n > 1]
            assert (led.offset, [led.stride[dim] for dim in longer]) == (begin, [strides[dim] for dim in longer]), typed
        read += 1
    assert min(read, refused) > 400


def test_numbers_that_are_no_positions_are_refused_in_pytorchs_words() -> None:
    x = torch.zeros(2)
    story = explore_index(x, "1.5").indexing
    assert (story.refused.error, str(story.refused)) == truth(x, "1.5", {})


def test_a_view_has_the_tensors_color_and_a_copy_has_none() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert explore_index(x, "1").svg.count('class="boxes hue0"') == 2
    assert explore_index(x, "[1]").svg.count('class="boxes hue0"') == 1


def test_offsets_and_strides_are_those_of_the_tensor_that_is_given() -> None:
    x = torch.arange(20.0).reshape(4, 5)[1:, ::2]
    lines = explore_index(x, "1:, -1").indexing.lines()
    assert lines[0] == "x[1:, -1]: size (2,), stride (5,), offset 14"
    assert x[1:, -1].storage_offset() == 14


def test_broadcasting_of_index_tensors_is_reported_and_drawn() -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    told = explore_index(x, "rows[:, None], :, [1, 1, 2]", rows=torch.tensor([0, 1]))
    assert "are read together, as (2, 3), which goes to the front, as other dimensions lie between theirs." in told.text
    assert "2 positions are picked more than once" in told.text
    assert "rows[:, None] (2, 1), stretched to (2, 3)\n  0  0  0\n  1  1  1" in told.text
    assert "which stands in the place of their dimensions" in explore_index(x, "0, [0, 1], [1, 1]").text


def test_large_tensors_cost_what_is_shown() -> None:
    explored = explore_index(torch.zeros(1).expand(10**9), "5::10000000")
    assert explored.indexing.led.size == (100,)
    assert len(explored.svg) < 30_000
    assert len(str(explored.state())) < 10_000
    assert "x > 2 needs all values" in explore_index(torch.zeros(1).expand(10**9), "x > 2").text.replace("t0", "x")


def test_sizes_stand_for_tensors_and_no_index_for_all() -> None:
    assert explore_index((2, 3)).text.startswith("x[...]: size (2, 3), stride (3, 1), offset 0")
    assert explore_index(5, "::2").indexing.led.size == (3,)


def test_what_is_no_tensor_and_no_index_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a tensor, an array or a size, not str"):
        explore_index("abc")
    with pytest.raises(TypeError, match="rows: tensors used as indices must be long"):
        explore_index(torch.zeros(2), "rows", rows=torch.zeros(2))
    with pytest.raises(TypeError, match="rows is no index"):
        explore_index(torch.zeros(2), "rows", rows=object())
    with pytest.raises(ValueError, match="up to 6 dimensions"):
        explore_index((1,) * 7)


def test_markup_in_what_is_typed_and_named_is_only_text() -> None:
    drawn = explore_index(torch.zeros(2), "<script>alert(1)</script>", **{"<script>": [0]})
    assert "<script>alert" not in drawn.svg + drawn.live
    assert drawn.live.count("</script>") == 1
