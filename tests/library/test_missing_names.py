"""Names that the namespace does not have: Python's error, and a note on whether it was a slip or is not here yet."""

from __future__ import annotations

import pytest

import tensorglass as torch


def notes_on(name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(torch, name)
    assert str(caught.value) == f"module 'tensorglass' has no attribute '{name}'"
    return "\n".join(getattr(caught.value, "__notes__", []))


def test_a_slip_of_the_keyboard_is_told_the_name_that_is_near() -> None:
    assert "Did you mean zeros" in notes_on("zeross")


def test_a_name_that_only_pytorch_has_is_said_to_be_missing_here() -> None:
    assert notes_on("compile").startswith("PyTorch has torch.compile; tensorglass does not")


def test_a_name_that_nobody_has_and_nothing_resembles_gets_no_guess() -> None:
    assert notes_on("qqqqqq") == "PyTorch has no such name either."


def test_asking_whether_there_is_a_name_stays_an_ordinary_question() -> None:
    assert not hasattr(torch, "compile")
    assert getattr(torch, "__wrapped__", None) is None
    with pytest.raises(ImportError, match="cannot import name 'zeross'"):
        from tensorglass import zeross  # noqa: F401  # it is not there, which is the point
