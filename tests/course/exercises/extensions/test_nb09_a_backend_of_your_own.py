"""What people answer wrongly in notebook 09 of part 4, and what the checks tell them."""

from textwrap import dedent

import pytest

from glassroom.exercises import exercises, judge
from glassroom.exercises._answer_key import setup_of

COURSE = exercises()
WHO = "listing, turning, sending, adding, asking = "

ONE_FOR_BOTH = """
ledger = Ledger()
class Pair:
    def count(self): return 2
    def make(self, index): return ledger
"""
WITHOUT_END = """
class Pair:
    def count(self): return 2
    def make(self, index): return Ledger()
"""
OF_ONE = """
class Pair:
    def count(self): return 1
    def make(self, index): return Ledger()
"""
SMALL = """
class Small(Ledger):
    def allocate(self, nbytes, device, *, zeroed=False):
        {refusal}
        return super().allocate({arguments})
"""
REFUSAL = "if nbytes > 2**20: raise RuntimeError"

WRONG = [
    ("e09-pair", ONE_FOR_BOTH, "share memory and entries"),
    ("e09-pair", WITHOUT_END, "`make(2)` raised nothing"),
    ("e09-pair", OF_ONE, "`Pair().count()` is 1"),
    ("e09-pair", "Pair = Ledger", "the methods `count` and `make`"),
    ("e09-small", SMALL.format(refusal="", arguments="nbytes, device, zeroed=zeroed"), "raised nothing"),
    (
        "e09-small",
        SMALL.format(refusal=REFUSAL.replace(">", ">="), arguments="nbytes, device, zeroed=zeroed"),
        "raised RuntimeError",
    ),
    ("e09-small", SMALL.format(refusal=REFUSAL, arguments="2 * nbytes, device, zeroed=zeroed"), "is 2000"),
    (
        "e09-small",
        SMALL.format(refusal=REFUSAL.replace("Runtime", "Value"), arguments="nbytes, device, zeroed=zeroed"),
        "ValueError",
    ),
    ("e09-who", WHO + "'none', 'none', 'from_host', 'ufunc', 'none'", "the bytes have to come back"),
    ("e09-who", WHO + "'to_host', 'allocate', 'from_host', 'ufunc', 'none'", "no byte is touched"),
    ("e09-who", WHO + "'to_host', 'none', 'to_host', 'ufunc', 'none'", "come from the host"),
    ("e09-who", WHO + "'to_host', 'none', 'from_host', 'none', 'none'", "elementwise kernel"),
    ("e09-who", WHO + "'to_host', 'none', 'from_host', 'ufunc', 'to_host'", "in the header"),
]


@pytest.mark.parametrize(("exercise_id", "attempt", "told"), WRONG)
def test_wrong_answer_is_told_what_it_shows(exercise_id, attempt, told):
    exercise = COURSE[exercise_id]
    names = {}
    exec(dedent(setup_of(exercise.id)), names)
    exec(attempt, names)
    verdict = judge(
        exercise_id,
        *(names[name] for name in exercise.answers),
        **{name: names[name] for name in exercise.given},
    )
    assert not verdict.solved
    assert told in verdict.message
