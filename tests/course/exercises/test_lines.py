"""What checks, hints and predictions print fits into a notebook's width."""

import re

from hypothesis import given
from hypothesis import strategies as st

from glassroom.exercises import check, predict
from glassroom.exercises.lines import WIDTH, in_lines
from glassroom.records.columns import columns, pieces

FULL_WIDTH = re.compile("[\u1100-\u115f\u2e80-\uffff\U00020000-\U0003ffff]")
WORDS = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30), min_size=1, max_size=40)


@given(WORDS)
def test_lines_are_broken_between_words_and_nothing_is_lost(words: list[str]) -> None:
    lines = in_lines(" ".join(words)).splitlines()
    assert all(columns(line) <= WIDTH for line in lines)
    assert "".join("".join(lines).split()) == "".join(words)  # between full-width characters no blank is needed
    if not any(FULL_WIDTH.search(word) for word in words):
        assert " ".join(lines).split() == words
    assert all(line.startswith("  ") for line in lines[1:])


@given(st.text("aBc1_. ", min_size=1, max_size=60), st.integers(2, 20))
def test_pieces_are_no_wider_than_asked_and_nothing_is_lost(text: str, longest: int) -> None:
    assert "".join(pieces(text, longest)) == text
    assert all(len(piece) <= longest for piece in pieces(text, longest) if piece.strip())


def test_a_long_name_is_broken_between_its_words() -> None:
    name = "AVeryLongNameThatSomebodyWroteBackward"
    assert pieces(name, 32) == ["AVeryLongNameThatSomebodyWrote", "Backward"]
    assert pieces("its_name_is_longer", 10) == ["its_name_", "is_longer"]


def test_a_check_and_a_prediction_print_long_sentences_in_lines(capsys) -> None:
    check("t02-labels", "no tensor at all, but a sentence that is longer than any line of a notebook is wide", 1, 2, 3)
    predict("what " * 40, value=1).reveal(2)
    assert all(len(line) <= WIDTH for line in capsys.readouterr().out.splitlines())


def test_chinese_is_broken_at_the_width_of_a_terminal_and_no_line_begins_with_a_comma() -> None:
    sentence = "张量是存储上的一个头部，记着大小、步长和偏移。" * 8 + "`a.t()` 与 `a` 共享存储。"
    lines = in_lines(sentence).splitlines()
    assert len(lines) > 3
    assert all(WIDTH - 12 < columns(line) <= WIDTH for line in lines[:-1])
    assert not any(line.strip().startswith(("，", "。", "、")) for line in lines)
    assert "".join("".join(lines).split()) == sentence.replace(" ", "")
