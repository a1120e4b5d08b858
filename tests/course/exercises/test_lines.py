"""What checks, hints and predictions print fits into a notebook's width."""

from hypothesis import given
from hypothesis import strategies as st

from glassroom.exercises import check, predict
from glassroom.exercises.lines import WIDTH, in_lines

WORDS = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30), min_size=1, max_size=40)


@given(WORDS)
def test_lines_are_broken_between_words_and_nothing_is_lost(words: list[str]) -> None:
    lines = in_lines(" ".join(words)).splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert " ".join(lines).split() == words
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_check_and_a_prediction_print_long_sentences_in_lines(capsys) -> None:
    check("t02-labels", "no tensor at all, but a sentence that is longer than any line of a notebook is wide", 1, 2, 3)
    predict("what " * 40, value=1).reveal(2)
    assert all(len(line) <= WIDTH for line in capsys.readouterr().out.splitlines())
