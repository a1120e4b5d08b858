"""Programs about gradients of gradients: with shortcuts, without them and on PyTorch they give the same."""

from __future__ import annotations

import importlib

import pytest
from attacks import programs

COUNT = 250


@pytest.mark.parametrize("batch", range(4))
def test_shortcuts_come_to_what_the_plain_way_and_pytorch_come_to(batch: int) -> None:
    report = programs.run(COUNT, seed=batch * COUNT)
    assert report["tried"] == COUNT
    assert report["differences"] == []


def test_most_programs_run_to_their_end() -> None:
    torch = importlib.import_module("tensorglass")
    whole = [not once["refused"] for seed in range(200) for once in programs.seen(torch, programs.program(seed))]
    assert sum(whole) > len(whole) / 2


@pytest.mark.parametrize("layout", programs.LAYOUTS)
def test_a_result_that_is_kept_wrongly_is_noticed(layout: str) -> None:
    """The comparison sees one flag, one stride, one version and one element in the last run of a program."""
    torch = importlib.import_module("tensorglass")
    size, view = programs.LAYOUTS[layout]
    text = f"x = torch.ones({size}, dtype=torch.complex128){view}.requires_grad_()\ny = x.exp()"
    for fact, other in (("requires_grad", False), ("strides", [7]), ("flags", [False, False, 1]), ("node", None)):
        one, two = programs.seen(torch, text), programs.seen(torch, text)
        assert programs.difference(one, two) is None
        two[2]["variables"]["y"][fact] = other
        assert programs.difference(one, two) is not None
        assert programs.difference(one, two, is_other_library=True) is not None
