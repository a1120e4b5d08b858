"""Checks of notebooks 03 to 06 tell those whose answer is wrong which misconception it shows."""

from textwrap import dedent

import pytest

from glassroom.exercises import exercises, judge

COURSE = exercises()

WRONG = [
    ("03-header-of-a-slice", "size, stride, offset = (2, 3), (6, 1), 8", "doubles the stride"),
    ("03-header-of-a-slice", "size, stride, offset = (2, 4), (12, 1), 8", "end of a slice is not part"),
    ("03-header-of-a-slice", "size, stride, offset = (2, 3), (12, 1), 64", "counts bytes"),
    ("03-find-the-key", "first, second = cube[1, :, 2], cube[:, ::2]", "it should begin at 15"),
    ("03-find-the-key", "first, second = cube[1, :, 3].clone(), cube[:, ::2]", "is a copy"),
    ("03-find-the-key", "first, second = cube[1, :, 3], cube[:, :2]", "has stride (12, 4, 1)"),
    ("03-paint-the-frame", "", "still all 0"),
    ("03-paint-the-frame", "board = torch.ones(5, 7)", "a new tensor"),
    ("03-paint-the-frame", "board[...] = 1", "part of the inside"),
    ("03-paint-the-frame", "board[0] = 1", "the bottom row"),
    ("03-paint-the-frame", "board[::4] = 1", "the left column"),
    ("03-keep-little", "last = log[-1]", "keeps all 800000 bytes"),
    ("03-keep-little", "last = log.clone()[-1]", "Take the row first"),
    ("03-keep-little", "last = log[0].clone()", "was asked for"),
    (
        "04-view-or-copy",
        "row, row_in_list, every_other, mixed, masked = 'view', 'view', 'view', 'copy', 'copy'",
        "however short it is",
    ),
    (
        "04-view-or-copy",
        "row, row_in_list, every_other, mixed, masked = 'view', 'copy', 'view', 'view', 'copy'",
        "one list among the keys",
    ),
    ("04-cap-the-outliers", "data[data > 10].fill_(10)", "fills the copy"),
    ("04-cap-the-outliers", "data = torch.where(data > 10, 10.0, data)", "new memory"),
    ("04-cap-the-outliers", "data[...] = 10", "the small ones too"),
    ("04-a-block", "block = m[rows, columns]", "paired off"),
    ("04-a-block", "block = m[rows, columns[:, None]]", "lies on its side"),
    ("04-gather-columns", "top = scores.gather(0, best[None])", "one dimension too many"),
    ("04-gather-columns", "top = scores[torch.arange(3), best]", "for each *row*"),
    ("04-count-the-votes", "totals.index_add(0, votes, torch.ones(6))", "still all zeros"),
    ("04-count-the-votes", "totals[votes] += 1", "counts every cell once"),
    ("05-find-the-cell", "position = 24", "where is the offset"),
    ("05-find-the-cell", "position = 22", "before slicing"),
    ("05-chain", "stride, offset = (12, 1), 4", "The transpose comes first"),
    ("05-chain", "stride, offset = (1, 12), 1", "one *step*"),
    ("05-other-diagonal", "anti = picture.as_strided((4,), (3,))", "Say the offset"),
    ("05-other-diagonal", "anti = picture[[0, 1, 2, 3], [3, 2, 1, 0]]", "is a copy"),
    ("05-mean-for-every-pixel", "means = mean[None, :, None, None].repeat(64, 1, 32, 32)", "786432 bytes"),
    ("05-patches", "patches = picture.unfold(0, 2, 2).unfold(1, 2, 2)", "side by side"),
    ("05-patches", "patches = picture.unfold(0, 2, 1)", "Unfold the columns"),
    ("05-patches", "patches = picture.unfold(1, 2, 1).unfold(0, 2, 1)", "lies on its side"),
    (
        "06-which-ones",
        "some_rows, some_columns, every_other_row, one_row, one_column = True, True, False, True, False",
        "left out",
    ),
    ("06-in-order", "def in_order(size): return (12, 4, 1)[-len(size):]", "in_order((4, 3))"),
    (
        "06-in-order",
        "def in_order(size): return tuple(torch.zeros(size).stride())[::-1]",
        "from the wrong end",
    ),
    ("06-in-order", "def in_order(size): size.reverse()", "raised AttributeError"),
    ("06-who-hears", "base_after = [[0, 0, 0], [0, 0, 0]]", "not always a copy"),
    ("06-who-hears", "base_after = [[2, 0, 0], [0, 0, 3]]", "a copy that nobody kept"),
    ("06-small-bill", "rows = big.t().contiguous()[:2]", "Slice first"),
    ("06-small-bill", "rows = big[:, :2].t()", "not in order"),
    ("06-small-bill", "rows = big[:2]", "these are its rows"),
    ("06-camera", "x = photo.view(1, 3, 4, 5)", "the colours got mixed"),
    ("06-camera", "x = photo.transpose(1, 3)", "the last two should change places"),
    ("06-camera", "x = photo.transpose(2, 3).transpose(1, 2).contiguous()", "nothing has to be copied"),
]


@pytest.mark.parametrize(("exercise_id", "attempt", "told"), WRONG)
def test_wrong_answer_is_told_what_it_shows(torch, exercise_id, attempt, told):
    exercise = COURSE[exercise_id]
    names = {"torch": torch}
    exec(dedent(exercise.setup), names)
    exec(attempt, names)
    verdict = judge(
        exercise_id,
        *(names[name] for name in exercise.answers),
        **{name: names[name] for name in exercise.given},
    )
    assert not verdict.solved
    assert told in verdict.message
