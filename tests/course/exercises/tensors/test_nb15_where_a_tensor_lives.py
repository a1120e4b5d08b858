"""What people answer wrongly in notebook 15 of part 2, and what the checks tell them."""

from textwrap import dedent

import pytest

import tensorglass
from glassroom.exercises import exercises, judge
from glassroom.exercises._answer_key import setup_of

COURSE = exercises()
ALLOWED = "scaled, joined, picked, counted, written = "

WRONG = [
    ("t15-make", "scores = torch.zeros(2, 3)\nprecise = a.to(device, torch.float64)", "`scores` is on cpu"),
    (
        "t15-make",
        "scores = torch.zeros(2, 3, device=device)\nprecise = a.to(torch.float64)",
        "`precise` is on cpu; it should be on sim",
    ),
    ("t15-make", "scores = torch.zeros(2, 3, device=device)\nprecise = a.to(device)", "`precise` has dtype"),
    ("t15-meet", "def add(x, y): return x + y", "found at least two devices"),
    ("t15-meet", "def add(x, y): return x + y.to(x.device)", "the result of `add(a, b)` is on cpu; b is on sim:0"),
    ("t15-meet", "def add(x, y): return x.cpu() + y.cpu()", "the result of `add(a, b)` is on cpu"),
    ("t15-allowed", ALLOWED + "False, False, True, False, True", "is accepted, as a number is"),
    ("t15-allowed", ALLOWED + "True, False, True, True, True", "only the reverse"),
    ("t15-anywhere", "def numbered(table): return table + torch.arange(table.shape[1])", "found at least two devices"),
    (
        "t15-anywhere",
        "def numbered(table): return table.cpu() + torch.arange(table.shape[1])",
        "`there` is on sim:0, and `numbered(there)` is on cpu",
    ),
]


def answered(identity: str, code: str):
    exercise = COURSE[identity]
    names = {"torch": tensorglass}
    exec(dedent(setup_of(exercise.id)), names)
    exec(code, names)
    return judge(
        identity, *(names[name] for name in exercise.answers), **{name: names[name] for name in exercise.given}
    )


@pytest.mark.parametrize(("identity", "code", "told"), WRONG)
def test_a_wrong_answer_is_told_what_it_shows(identity, code, told):
    verdict = answered(identity, code)
    assert not verdict.solved
    assert told in verdict.message


@pytest.mark.parametrize(
    ("identity", "code"),
    [
        ("t15-meet", "def add(x, y): return y + x.to(y)"),
        ("t15-anywhere", "def numbered(table): return table + table.new_tensor(range(table.shape[1]))"),
    ],
)
def test_another_way_passes_as_well(identity, code):
    assert answered(identity, code).solved
