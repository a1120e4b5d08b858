"""What people answer wrongly in notebook 06 of part 3, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, wrong_answers

from glassroom.exercises import exercises
from glassroom.exercises._answer_key import hints_of

COURSE = exercises()

HARMLESS = "after_exp, after_log, after_sigmoid, after_product, after_sum = "
NOTICED = "through_view, through_detach, through_data, under_no_grad, through_numpy = "

STILL_IN_PLACE = """
def score(w, x):
    h = w * x
    gate, signal = h.sigmoid(), h.exp()
    signal += gate
    return (signal * gate).sum()
"""
PAST_THE_COUNTER = """
def score(w, x):
    h = w * x
    gate, signal = h.sigmoid(), h.exp()
    signal.data.add_(gate)
    return (signal * gate).sum()
"""
CUT_OFF = """
def score(w, x):
    h = w * x
    gate, signal = h.sigmoid(), h.exp()
    return ((signal + gate) * gate).sum().detach()
"""
CUT_OFF_FROM_X = """
def score(w, x):
    h = w * x.detach()
    return ((h.exp() + h.sigmoid()) * h.sigmoid()).sum()
"""
WITH_A_CLONE = """
def score(w, x):
    h = w * x
    gate, signal = h.sigmoid(), h.exp().clone()
    signal += gate
    return (signal * gate).sum()
"""

RECORDED_STEP = """
def step(parameters, rate):
    for p in parameters:
        p -= rate * p.grad
"""
STEP_OF_A_NAME = """
def step(parameters, rate):
    for p in parameters:
        p = p - rate * p.grad
"""
STEP_OF_THE_LIST = """
def step(parameters, rate):
    parameters[:] = [p - rate * p.grad for p in parameters]
"""
STEP_THROUGH_DATA = """
def step(parameters, rate):
    for p in parameters:
        p.data.sub_(rate * p.grad)
"""
STEP_UPHILL = """
def step(parameters, rate):
    with torch.no_grad():
        for p in parameters:
            p += rate * p.grad
"""
STEP_WITH_COPY = """
def step(parameters, rate):
    with torch.no_grad():
        for p in parameters:
            p.copy_(p - rate * p.grad)
"""

BUFFER = """
def unroll(u, steps):
    states = torch.ones(steps + 1)
    for t in range(steps):
        states[t + 1] = states[t] {way}* u
    return states
"""
LIST = """
def unroll(u, steps):
    states = [torch.tensor(1.0)]
    for t in range(steps):
        states.append(states[t]{way} * u)
    return {result}
"""

WRONG = [
    ("a06-harmless", HARMLESS + "False, False, False, True, True", "nobody needs `h` again"),
    ("a06-harmless", HARMLESS + "True, True, False, True, True", "its node saved `h`"),
    ("a06-harmless", HARMLESS + "True, False, True, True, True", "saved the result"),
    ("a06-harmless", HARMLESS + "True, False, False, False, True", "saves its two factors"),
    ("a06-harmless", HARMLESS + "True, False, False, True, False", "nothing was saved"),
    ("a06-harmless", HARMLESS + "'yes', 'no', 'no', 'yes', 'yes'", "it should be True or False"),
    ("a06-repair", STILL_IN_PLACE, "still finds a saved tensor that was overwritten"),
    ("a06-repair", PAST_THE_COUNTER, "the gradient of `w` is wrong"),
    ("a06-repair", CUT_OFF, "does not require grad"),
    ("a06-repair", CUT_OFF_FROM_X, "no gradient arrives at `x`"),
    ("a06-repair", "def score(w, x): return (w * x).exp().sum()", "`score(w, x)` holds"),
    ("a06-repair", "def score(w, x): return (w * x).exp()", "has shape (3,)"),
    ("a06-repair", "def score(w, x): return ((w * x).exp() * (w * x).sigmoid()).sum()", "the gate was not added"),
    ("a06-step", RECORDED_STEP, "Do it where nothing is recorded"),
    ("a06-step", STEP_OF_A_NAME, "gives the name `p` to a new tensor"),
    ("a06-step", STEP_OF_THE_LIST, "the list holds other tensors"),
    ("a06-step", STEP_THROUGH_DATA, "the versions are still 0"),
    ("a06-step", STEP_UPHILL, "uphill"),
    ("a06-step", STEP_UPHILL.replace("+= rate * ", "-= "), "`rate` is missing"),
    ("a06-step", "step = 3", "it should be a function"),
    (
        "a06-unroll",
        LIST.format(way="", result="torch.stack(states)").replace("torch.tensor(1.0)", "u"),
        "The first state is 1",
    ),
    ("a06-unroll", BUFFER.format(way=""), "still finds a saved tensor that was overwritten"),
    ("a06-unroll", LIST.format(way=".detach()", result="torch.stack(states)"), "`u.grad` is wrong"),
    ("a06-unroll", LIST.format(way="", result="states"), "with torch.stack"),
    ("a06-unroll", LIST.format(way="", result="torch.stack(states).double()"), "dtype torch.float64"),
    ("a06-unroll", LIST.format(way="", result="torch.tensor([s.item() for s in states])"), "does not require grad"),
    ("a06-unroll", LIST.format(way="", result="torch.stack(states[1:])"), "has shape (3,)"),
    ("a06-noticed", NOTICED + "False, True, False, True, False", "one version"),
    ("a06-noticed", NOTICED + "True, False, False, True, False", "shares the storage and the counter"),
    ("a06-noticed", NOTICED + "True, True, True, True, False", "a counter of its own"),
    ("a06-noticed", NOTICED + "True, True, False, False, False", "not the counting"),
    ("a06-noticed", NOTICED + "True, True, False, True, True", "knows nothing of versions"),
]

ALSO_RIGHT = [
    ("a06-repair", WITH_A_CLONE),
    ("a06-step", STEP_WITH_COPY),
    ("a06-unroll", BUFFER.format(way=".clone() ")),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


TRUTHS = {
    "after_exp": "y = h.exp(); h.zero_()",
    "after_log": "y = h.log(); h.zero_()",
    "after_sigmoid": "y = h.sigmoid(); y.mul_(2)",
    "after_product": "y = h * w; y.mul_(2)",
    "after_sum": "y = h.sum(); h.zero_()",
    "through_view": "y = h.exp(); y[1:].zero_()",
    "through_detach": "y = h.exp(); y.detach()[0] = 0.0",
    "through_data": "y = h.exp(); y.data[0] = 0.0",
    "under_no_grad": "y = h.exp()\nwith torch.no_grad(): y.zero_()",
    "through_numpy": "y = h.exp(); y.detach().numpy()[0] = 0.0",
}


@pytest.mark.parametrize("exercise_id", ["a06-harmless", "a06-noticed"])
def test_the_answers_are_what_the_library_does(torch, exercise_id):
    exercise = COURSE[exercise_id]
    answers = {}
    exec(hints_of(exercise.id)[-1], answers)
    for name in exercise.answers:
        w = torch.tensor([3.0, 2.0], requires_grad=True)
        names = {"torch": torch, "w": w, "h": w + w}
        exec(TRUTHS[name], names)
        try:
            names["y"].sum().backward()
        except RuntimeError:
            raised = True
        else:
            raised = False
        assert raised == (answers[name] if exercise_id == "a06-noticed" else not answers[name]), name
