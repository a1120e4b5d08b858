"""What people answer wrongly in notebook 18 of part 2, and what the checks tell them."""

from textwrap import dedent

from exercise_answers import right_answers, wrong_answers

from glassroom.exercises import exercises
from glassroom.exercises._answer_key import hints_of

COURSE = exercises()

SHARED = "transpose, result, detached, contiguous_transpose, contiguous = "

READ_BEFORE = """
def keep_highest(best, value, lock):
    if value > best[0]:
        with lock:
            best[0] = value
"""
WRITTEN_AFTER = """
def keep_highest(best, value, lock):
    with lock:
        higher = value > best[0]
    if higher:
        best[0] = value
"""
WITHOUT_LOCK = """
def keep_highest(best, value, lock):
    if value > best[0]:
        best[0] = value
"""
A_NAME = """
def keep_highest(best, value, lock):
    with lock:
        if value > best[0]:
            best = value
"""
BY_HAND = """
def keep_highest(best, value, lock):
    lock.acquire()
    best[0] = max(value, best[0].item())
    lock.release()
"""

WRONG = [
    ("t18-shared", SHARED + "False, False, True, False, True", "another header on the storage"),
    ("t18-shared", SHARED + "True, True, True, False, True", "new storages are this process's own"),
    ("t18-shared", SHARED + "True, False, False, False, True", "a header on the same storage"),
    ("t18-shared", SHARED + "True, False, True, True, True", "copies it into a new storage"),
    ("t18-shared", SHARED + "True, False, True, False, False", "returns x itself"),
    ("t18-values", "def values_of(tensor): return tensor", "still requires a gradient"),
    ("t18-values", "def values_of(tensor): return tensor.detach().clone()", "did you clone"),
    ("t18-values", "def values_of(tensor): return tensor.tolist()", "it should be a tensor"),
    ("t18-values", "def values_of(tensor): tensor.detach()", "Does it end with `return`"),
    ("t18-worker", "def scale_row(result, row, factor): return result[row] * factor", "has not changed"),
    ("t18-worker", "def scale_row(result, row, factor): result *= factor", "row 0 after scale_row"),
    ("t18-worker", "def scale_row(result, row, factor): result[row] = factor", "row 1 after scale_row"),
    ("t18-lock", READ_BEFORE, "once you have the lock"),
    ("t18-lock", A_NAME, "Is it written with"),
    ("t18-lock", WRITTEN_AFTER, "after the lock had been given back"),
    ("t18-lock", WITHOUT_LOCK, "never took the lock"),
    ("t18-tail", "tail = torch.from_file(path, shared=False, size=4)[2:]", "does not reach the file"),
    ("t18-tail", "tail = torch.from_file(path, shared=True, size=4)[2:].clone()", "does not reach the file"),
    ("t18-tail", "tail = torch.from_file(path, shared=True, size=2)", "`tail` holds"),
    ("t18-tail", "tail = torch.from_file(path, shared=True, size=4)", "shape"),
]

ALSO_RIGHT = [
    ("t18-values", "def values_of(tensor): return tensor.data"),
    ("t18-worker", "def scale_row(result, row, factor): result[row].mul_(factor)"),
    ("t18-worker", "def scale_row(result, row, factor): result[row] = result[row] * factor"),
    ("t18-lock", BY_HAND),
    ("t18-tail", "tail = torch.from_file(path, True, 4).narrow(0, 2, 2)"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


def test_the_answers_are_what_the_library_does(torch):
    answers = {}
    exec(dedent(hints_of("t18-shared")[-1]), answers)
    x = torch.arange(6.0).view(2, 3)
    x[0].share_memory_()
    shared = {
        "transpose": x.t(), "result": x + 1, "detached": x.detach(), "contiguous_transpose": x.t().contiguous(),
        "contiguous": x.contiguous(),
    }  # fmt: skip
    assert {name: tensor.is_shared() for name, tensor in shared.items()} == {name: answers[name] for name in shared}
