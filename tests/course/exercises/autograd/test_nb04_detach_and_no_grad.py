"""What people answer wrongly in part 3's notebook 04, and what the checks tell them."""

from types import SimpleNamespace

import pytest
from exercise_answers import verdict_on, wrong_answers

from glassroom.exercises import exercises, judge
from glassroom.exercises._answer_key import hints_of, setup_of

COURSE = exercises()

STEP = """
@torch.no_grad()
def step(weights, rate):
    for weight in weights:
        if weight.grad is not None:
            weight -= rate * weight.grad
            weight.grad = None
"""
ZEROED = STEP.replace("weight.grad = None", "weight.grad.zero_()")
RECORDED = STEP.replace("@torch.no_grad()\n", "")
NEW_TENSOR = STEP.replace("weight -= rate", "stepped = weight - rate")
NO_RATE = STEP.replace("rate * ", "")
UPHILL = STEP.replace("-=", "+=")
NOT_CLEARED = STEP.replace("            weight.grad = None\n", "")
NONE_NOT_ASKED = STEP.replace("if weight.grad is not None:", "if True:")
THROUGH_DATA = STEP.replace("weight -= rate * weight.grad", "weight.data.sub_(rate * weight.grad)")
THROUGH_DETACH = STEP.replace("weight -= rate * weight.grad", "weight.detach().sub_(rate * weight.grad)")
ALL_TO_ONE = STEP.replace("weight -= rate * weight.grad", "weight.fill_(1)")
ENDED_BY_AN_IDLE_ONE = STEP.replace(
    "        if weight.grad is not None:", "        if weight.grad is None:\n            return\n        if True:"
)
IDLE_TOUCHED = STEP.replace("    for weight", "    weights[1].zero_()\n    for weight")

NO_GRAD_LOSS = """
with torch.no_grad():
    loss = (head * (first * x)).sum()
"""
FLAG_OFF = "head.requires_grad_(False); loss = (head * (first * x)).sum()"

CHOOSE = "constant, service, update, snapshot, scratch = "

WRONG = [
    ("a04-target", "loss = ((prediction - target) ** 2).sum()", "through both sides"),
    ("a04-target", "loss = ((prediction.detach() - target) ** 2).sum()", "the other way around"),
    ("a04-target", "loss = ((prediction - target) ** 2).sum().detach()", "Too much was cut off"),
    ("a04-target", "loss = ((prediction - target.detach()) ** 2).mean()", "the sum was asked for"),
    ("a04-target", "loss = (prediction - target.detach()).abs().sum()", "Square each difference"),
    ("a04-target", "loss = (prediction - target.detach()) ** 2", "has shape (2,)"),
    ("a04-target", "loss = ((prediction - target.detach()) ** 2).sum(); loss.backward()", "Leave the backward"),
    ("a04-target", "loss = 10.0", "it should be a tensor"),
    ("a04-step", RECORDED, "a leaf Variable that requires grad"),
    ("a04-step", NO_RATE, "a step is `rate` times it"),
    ("a04-step", NEW_TENSOR, "the weight has not changed"),
    ("a04-step", UPHILL, "uphill"),
    ("a04-step", NOT_CLEARED, "gradient is still there"),
    ("a04-step", NONE_NOT_ASKED, "Something is None there"),
    ("a04-step", THROUGH_DATA, "the write was not counted"),
    ("a04-step", ALL_TO_ONE, "holds [1.0, 1.0]"),
    ("a04-step", ENDED_BY_AN_IDLE_ONE, "go on with the next"),
    ("a04-step", IDLE_TOUCHED, "without a gradient was changed"),
    ("a04-step", "step = 0.25", "should be a function"),
    ("a04-freeze", "loss = (head * (first * x)).sum()", "Which of the two factors"),
    ("a04-freeze", "loss = (head * (first * x).detach()).sum()", "the other way around"),
    ("a04-freeze", NO_GRAD_LOSS, "Too much was cut off"),
    ("a04-freeze", FLAG_OFF, "the flag of `head` or `first` is off"),
    ("a04-freeze", "loss = (head.detach() * first).sum()", "`loss` holds 39.0"),
    ("a04-shown", "shown = root.detach().clamp(min=3)", "the lower limit"),
    ("a04-shown", "shown = root.data.clamp_(max=3)", "written into it"),
    ("a04-shown", "shown = root.detach().clamp_(max=3)", "written into it"),
    ("a04-shown", "shown = root.clamp(max=3)", "keeps it alive"),
    ("a04-shown", "shown = root.detach()", "`shown` holds [1.0, 2.0, 4.0]"),
    ("a04-shown", "shown = root.detach().clamp_(max=3).clone(); root.detach()[2] = 4", "written to and put back"),
    ("a04-choose", CHOOSE + "'clone', 'no_grad', 'no_grad', 'clone', 'clone'", "A clone is recorded"),
    ("a04-choose", CHOOSE + "'detach', 'no_grad', 'no_grad', 'clone', 'clone'", "never come back into training"),
    ("a04-choose", CHOOSE + "'detach', 'inference_mode', 'clone', 'clone', 'clone'", "does not reach the weights"),
    ("a04-choose", CHOOSE + "'detach', 'inference_mode', 'no_grad', 'detach', 'clone'", "shows the new values"),
    (
        "a04-choose",
        CHOOSE + "'detach', 'inference_mode', 'no_grad', 'detach().clone()', 'detach'",
        "gradients should flow",
    ),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)


def test_recording_that_stays_off_is_noticed(torch):
    switched_off = RECORDED.replace("    for weight", "    torch.set_grad_enabled(False)\n    for weight")
    try:
        verdict = verdict_on(torch, "a04-step", switched_off)
    finally:
        torch.set_grad_enabled(True)
    assert not verdict.solved
    assert "recording is still off" in verdict.message


@pytest.mark.parametrize("attempt", [ZEROED, THROUGH_DETACH])
def test_other_ways_to_step_that_are_counted_are_right_too(torch, attempt):
    assert verdict_on(torch, "a04-step", attempt).solved


@pytest.mark.parametrize(
    ("exercise_id", "attempt", "told"),
    [
        ("a04-target", "loss = ((prediction - torch.tensor([1.0, 9.0])) ** 2).sum()", "numbers are typed in"),
        ("a04-target", "loss = ((prediction - target.detach()) ** 2).sum()", ""),
        ("a04-target", "loss = ((prediction - (w * w).detach()) ** 2).sum()", ""),
        ("a04-freeze", "loss = (head.data * (first * x)).sum()", "made through `.data`"),
        ("a04-freeze", "loss = (head.detach() * (first * x)).sum()", ""),
        ("a04-shown", "shown = root.data.clamp(max=3)", "made through `.data`"),
        ("a04-shown", "shown = root.detach().clamp(max=3)", ""),
    ],
)
def test_what_no_tensor_shows_is_seen_in_the_cell_that_runs(torch, monkeypatch, exercise_id, attempt, told):
    request = {"content": {"code": f"{setup_of(exercise_id)}\n{attempt}\ncheck(...)"}}
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(get_parent=lambda: request))
    verdict = verdict_on(torch, exercise_id, attempt)
    assert verdict.solved is not bool(told), verdict.message
    assert told in verdict.message


def test_a_check_leaves_the_gradients_of_the_leaves_as_they_were(torch):
    exercise = COURSE["a04-target"]
    names = {"torch": torch}
    exec("\n".join([setup_of(exercise.id), "w.sum().backward()", hints_of(exercise.id)[-1]]), names)
    before = names["w"].grad
    assert judge("a04-target", names["loss"], w=names["w"]).solved
    assert names["w"].grad is before
    assert before.tolist() == [1.0, 1.0]
