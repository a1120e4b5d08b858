"""explore_strides: its verdicts are those of PyTorch, and what it cannot draw is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassroom.inspectors.strides.arithmetic import examine
from glassroom.inspectors.strides.inspector import explore_strides

torch = pytest.importorskip("torch", reason="the stride explorer is compared with PyTorch")


HEADERS = st.integers(0, 3).flatmap(
    lambda dims: st.tuples(
        st.lists(st.integers(0, 4), min_size=dims, max_size=dims),
        st.lists(st.integers(-1, 6), min_size=dims, max_size=dims),
        st.integers(-1, 14),
    )
)


@given(HEADERS)
@settings(max_examples=400, deadline=None)
def test_the_explorer_judges_as_pytorch_does(header: tuple[list[int], list[int], int]) -> None:
    size, stride, offset = header
    x = torch.arange(12.0)
    verdict = examine(12, 4, size, stride, offset)
    if verdict.kind in ("refused", "out of bounds"):
        with pytest.raises(RuntimeError, match=re.escape(verdict.sentence)):
            torch.as_strided(x, size, stride, offset)
        return
    t = torch.as_strided(x, size, stride, offset)
    assert (verdict.kind == "contiguous") == t.is_contiguous()
    if verdict.kind != "contiguous":
        reached = t.flatten().tolist()
        assert (verdict.kind == "overlapping") == (len(set(reached)) < len(reached))
        dense = sorted(reached) == list(range(int(min(reached)), int(max(reached)) + 1))
        assert (verdict.kind == "dense") == dense
    drawn = explore_strides(x, size, stride, offset).snapshot.headers[0]
    assert [cell.value for cell in drawn.cells] == t.flatten().tolist()


def test_the_explorer_begins_with_the_tensors_own_header() -> None:
    x = torch.arange(12.0).view(3, 4)[1:, ::2]
    explorer = explore_strides(x)
    assert (explorer.size, explorer.stride, explorer.offset) == (
        tuple(x.shape),
        x.stride(),
        x.storage_offset(),
    )
    assert explorer.code == "torch.as_strided(x, (2, 2), (4, 2), 4)"


def test_the_explorers_text_and_picture_cross_out_what_lies_outside() -> None:
    explorer = explore_strides(10, (3, 4), (4, 1))
    assert "out of bounds for storage of size 40" in explorer.text
    assert explorer.text.count("✕") == explorer.svg.count('class="cell lost"') == 2


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"tensor_or_n": 65}, "0 to 64 cells"),
        ({"tensor_or_n": -1}, "0 to 64 cells"),
        ({"size": (2,), "stride": (1, 1)}, "as long"),
        ({"size": (-1,)}, "no size negative"),
    ],
)
def test_the_explorer_refuses_what_it_cannot_draw(bad, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        explore_strides(**bad)
