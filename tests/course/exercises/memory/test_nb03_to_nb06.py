"""For wrong answers, the checks of notebooks 03 to 06 say which misconception they show."""

import pytest
from exercise_answers import verdict_on, wrong_answers

SIZES_FROM_LEFT = """
def in_order(size):
    strides = {end}
    for n in {size}:
        strides.insert(0, strides[0] * n)
    return tuple(strides)"""

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
    ("03-keep-little", "last = log[0].clone()", "it should "),
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
    ("04-a-block", "block = m[rows[:, None], columns[:, None]]", "Only `rows` needs another dimension"),
    ("04-gather-columns", "top = scores.gather(0, best[:, None])", "column 0 alone"),
    ("04-gather-columns", "top = scores.gather(1, best[None])", "row 0 alone"),
    ("04-gather-columns", "top = scores.gather(0, best[None])", "one dimension too many"),
    ("04-gather-columns", "top = scores[torch.arange(3), best]", "for each *row*"),
    (
        "04-gather-columns",
        "top = scores.gather(1, torch.cat([best, best[:0]])[:, None])",
        "Here each column picks a row",
    ),
    ("04-cap-the-outliers", "data[data < 10] = 10", "the wrong way round"),
    ("04-gather-columns", "top = scores.amax(0)", "`top` holds"),
    ("04-count-the-votes", "totals.index_add(0, votes, torch.ones(6))", "still all zeros"),
    ("04-count-the-votes", "totals[votes] += 1", "counts every cell once"),
    ("05-find-the-cell", "position = 24", "where is the offset"),
    ("05-find-the-cell", "position = 22", "before slicing"),
    ("05-chain", "stride, offset = (12, 1), 4", "The transpose comes first"),
    ("05-chain", "stride, offset = (1, 12), 1", "one *step*"),
    ("05-other-diagonal", "anti = picture.as_strided((4,), (3,))", "Give the offset"),
    ("05-other-diagonal", "anti = picture[[0, 1, 2, 3], [3, 2, 1, 0]]", "is a copy"),
    ("05-mean-for-every-pixel", "means = mean[None, :, None, None].repeat(64, 1, 32, 32)", "786,432 bytes"),
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
        "in reverse order",
    ),
    ("06-in-order", "def in_order(size): size.reverse()", "raised AttributeError"),
    ("06-in-order", "def in_order(size): return (*size[1:], 1)[:len(size)]", "the size to its right alone"),
    (
        "06-in-order",
        "def in_order(size): return torch.ones(size).t().contiguous().t().stride()",
        "They grow from the left",
    ),
    (
        "06-in-order",
        "def in_order(size): return tuple(n * step for n, step in zip(size, torch.ones(size).stride()))",
        "its own size as well",
    ),
    ("06-in-order", SIZES_FROM_LEFT.format(size="size[1:]", end="[1]"), "Begin with the *last* size"),
    ("06-in-order", SIZES_FROM_LEFT.format(size="size", end="[1]") + "[1:]", "Begin with the *last* size"),
    (
        "06-in-order",
        "def in_order(size): return (size[1] * size[2], size[2], 1)",
        "`in_order((4, 3))` raised IndexError",
    ),
    ("06-small-bill", "def two_rows(big): return big[:, :2].reshape(2, -1)", "columns are mixed up"),
    ("06-who-hears", "base_after = [[0, 0, 0], [0, 0, 3]]", "base itself"),
    ("06-who-hears", "base_after = [[1, 0, 3], [0, 0, 0]]", "the second row of base"),
    ("06-who-hears", "base_after = [[1, 0, 0], [0, 3, 0]]", "the last number of that row"),
    ("06-small-bill", "def two_rows(big): return big[:2].clone()", "two *columns* of `big`"),
    ("06-who-hears", "base_after = [[0, 0, 0], [0, 0, 0]]", "does not always copy"),
    ("06-who-hears", "base_after = [[2, 0, 0], [0, 0, 3]]", "a copy that nobody kept"),
    ("06-who-hears", "base_after = [[1, 0, 0], [2, 0, 3]]", "nowhere in base"),
    ("06-small-bill", "def two_rows(big): return big.t().contiguous()[:2]", "Slice first"),
    ("06-small-bill", "def two_rows(big): return big[:, :2].t()", "not in order"),
    ("06-small-bill", "def two_rows(big): return big[:, :2].contiguous().t().contiguous()", "copied twice"),
    ("06-small-bill", "def two_rows(big): return big.t().contiguous()[:2].clone()", "8,016,000 bytes were allocated"),
    ("06-small-bill", "def two_rows(big): return big[:2]", "two of its rows"),
    ("06-camera", "x = photo.view(1, 3, 4, 5)", "the colors got mixed"),
    ("06-camera", "x = photo.transpose(1, 3)", "the last two should be swapped"),
    ("06-camera", "x = photo.transpose(2, 3).transpose(1, 2).contiguous()", "nothing has to be copied"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)


@pytest.mark.parametrize(
    ("exercise_id", "attempt", "asked_for", "told"),
    [
        ("04-a-block", "block = m[rows][:, columns]", "block = m[rows[:, None], columns]", "one pair of brackets"),
        ("04-a-block", "block = m[rows, :][:, columns]", "block = m[rows.view(2, 1), columns]", "one pair of brackets"),
        (
            "04-gather-columns",
            "top = scores[best, [0, 1, 2]]",
            "top = scores.gather(0, best[None])[0]",
            "with `gather`",
        ),
        (
            "t09-zip",
            "zipped = torch.tensor([1, 10, 2, 20, 3, 30])",
            "zipped = torch.stack([p, q], 1).view(-1)",
            "by hand",
        ),
    ],
)
def test_right_numbers_that_are_made_in_another_way_than_the_task_asks_for(
    torch, monkeypatch, exercise_id, attempt, asked_for, told
):
    for code, is_as_asked in ((attempt, False), (asked_for, True)):
        cell = f'{code}\ncheck("{exercise_id}", p=p, q=q)'
        monkeypatch.setattr("glassroom.exercises.expect.running_code", lambda cell=cell: cell)
        verdict = verdict_on(torch, exercise_id, code)
        assert verdict.solved == is_as_asked, verdict.message
        assert is_as_asked or told in verdict.message
