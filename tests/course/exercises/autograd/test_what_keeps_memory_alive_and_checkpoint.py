"""What people answer wrongly on what keeps memory alive and on checkpoint, and what the checks tell them."""

import weakref

from exercise_answers import right_answers, wrong_answers

from glassroom.exercises import exercises
from glassroom.exercises._answer_key import hints_of

COURSE = exercises()

MEAN = """
def mean_loss(loss_of, batches):
    total = 0.0
    for batch in batches:
        total {add}
    return {result}
"""
MEAN_OF_A_LIST = """
def mean_loss(loss_of, batches):
    losses = [loss_of(batch) for batch in batches]
    return sum(loss.item() for loss in losses) / len(losses)
"""
MEAN_KEPT_OUTSIDE = """
seen = []
def mean_loss(loss_of, batches):
    seen.extend(loss_of(batch) for batch in batches)
    return sum(loss.item() for loss in seen[-len(batches):]) / len(batches)
"""

WHO = "in_a_list, as_number, detached, doubled, doubled_in_no_grad, node = "

CARRY = """
def carry_on(step, numbers):
    state, losses = torch.zeros(1000), []
    for number in numbers:
        state = step({state}, number)
        loss = (state * state).sum()
        {backward}
        losses.append({kept})
    return losses
"""
CARRY_DETACHED_TOO_EARLY = """
def carry_on(step, numbers):
    state, losses = torch.zeros(1000), []
    for number in numbers:
        state = step(state, number).detach()
        loss = (state * state).sum()
        loss.backward()
        losses.append(loss.item())
    return losses
"""
CARRY_BACKWARD_AT_THE_END = """
def carry_on(step, numbers):
    state, losses = torch.zeros(1000), []
    for number in numbers:
        state = step(state.detach(), number)
        losses.append((state * state).sum())
    sum(losses).backward()
    return [loss.item() for loss in losses]
"""

RECORD = """
def record(h, written):
    largest = h.detach().abs().max().item()
    h.register_hook(lambda gradient: {body})
"""
RECORD_DETACHED = """
def record(h, written):
    h = h.detach()
    x.register_hook(lambda gradient: None)
"""
RECORD_SIGNED = """
def record(h, written):
    largest = h.max().item()
    h.register_hook(lambda gradient: written.append((largest, gradient.max().item())))
"""
RECORD_WEAKLY = """
import weakref
def record(h, written):
    largest = h.detach().abs().max().item()
    def write(gradient, largest=largest):
        written.append((largest, gradient.abs().max().item()))
    h.register_hook(write)
"""

PARTS = """
def in_parts(steps, x, parts):
    def run(some, y):
        for step in some:
            y = step(y)
        return y
    length = len(steps) // parts
    for begin in range(0, len(steps), length):
        x = {call}
    return x
"""
CHECKPOINT = "torch.utils.checkpoint.checkpoint("
ONE_BY_ONE = """
def in_parts(steps, x, parts):
    for step in steps:
        x = torch.utils.checkpoint.checkpoint(step, x, use_reentrant=False)
    return x
"""
BACKWARDS = """
def in_parts(steps, x, parts):
    for step in reversed(steps):
        x = torch.utils.checkpoint.checkpoint(step, x, use_reentrant=False)
    return x
"""

WRONG = [
    ("a07-mean", MEAN.format(add="= total + loss_of(batch)", result="total / len(batches)"), "is a tensor"),
    (
        "a07-mean",
        MEAN.format(add="= total + loss_of(batch)", result="total.item() / len(batches)"),
        "graphs were alive",
    ),
    ("a07-mean", MEAN.format(add="+= loss_of(batch)", result="total.item() / len(batches)"), "graphs were alive"),
    ("a07-mean", MEAN_OF_A_LIST, "graphs were alive together"),
    ("a07-mean", MEAN_KEPT_OUTSIDE, "still held after"),
    ("a07-mean", MEAN.format(add="+= loss_of(batch).item()", result="total"), "divide it by how many"),
    ("a07-who", WHO + "False, False, False, True, False, True", "A list holds the tensor"),
    ("a07-who", WHO + "True, True, False, True, False, True", "knows of no graph"),
    ("a07-who", WHO + "True, False, True, True, False, True", "has no grad_fn"),
    ("a07-who", WHO + "True, False, False, False, False, True", "holds its node"),
    ("a07-who", WHO + "True, False, False, True, True, True", "leads nowhere"),
    ("a07-who", WHO + "True, False, False, True, False, False", "only held the node"),
    ("a07-who", WHO + "1, 0, 0, 1, 0, 1", "it should be True or False"),
    ("a07-carry", CARRY.format(state="state", backward="loss.backward()", kept="loss.item()"), "Detach the state"),
    (
        "a07-carry",
        CARRY.format(state="state", backward="loss.backward(retain_graph=True)", kept="loss.item()"),
        "graphs were alive together",
    ),
    ("a07-carry", CARRY.format(state="state.detach()", backward="loss.backward()", kept="loss"), "not Python numbers"),
    ("a07-carry", CARRY.format(state="state.detach()", backward="pass", kept="loss.item()"), "Was there a backward"),
    ("a07-carry", CARRY_BACKWARD_AT_THE_END, "graphs were alive together"),
    (
        "a07-carry",
        CARRY.format(state="state.detach() * 0", backward="loss.backward()", kept="loss.item()"),
        "`carry_on(step, numbers)[1]` is",
    ),
    (
        "a07-record",
        RECORD.format(body="written.append((h.abs().max().item(), gradient.abs().max().item()))"),
        "the hook mentions `h`",
    ),
    ("a07-record", RECORD.format(body="written.append((largest, gradient.abs().max()))"), "has tensors in it"),
    ("a07-record", RECORD_SIGNED, "without their signs"),
    ("a07-record", RECORD.format(body="(largest, gradient.abs().max().item())"), "the hook returns something"),
    ("a07-carry", CARRY_DETACHED_TOO_EARLY, "Detach the old state"),
    ("a07-record", RECORD.format(body="written.append((largest, gradient.max().item()))"), "`written[0]` is"),
    ("a07-record", RECORD.format(body="written.append((largest, 2.0)) or gradient * 2"), "has changed"),
    ("a07-record", "def record(h, written): written.append((3.0, 2.0))", "before the backward"),
    ("a07-record", RECORD_DETACHED, "has 0 entries"),
    ("a08-parts", PARTS.format(call="run(steps[begin : begin + length], x)"), "there is no checkpoint"),
    (
        "a08-parts",
        PARTS.format(call=CHECKPOINT + "lambda y: run(steps[begin : begin + length], y), x, use_reentrant=False)"),
        "have their last values",
    ),
    ("a08-valley", "parts, runs = 32, 128", "31 tensors"),
    ("a08-valley", "parts, runs = 8, 72", "with all its layers"),
    ("a08-valley", "parts, runs = 6, 128", "choose a divisor of 64"),
    ("a08-parts", PARTS.format(call=CHECKPOINT + "run, steps, x, use_reentrant=False)"), "ran all the steps"),
    ("a08-valley", "parts, runs = 8, 64", "the forward alone"),
    ("a08-valley", "parts, runs = 8, 2", "adds them up over the 64 layers"),
    ("a08-valley", "parts, runs = 8, 1", "adds up over all 64"),
    ("a08-valley", "parts, runs = 1, 192", "as high as before"),
    ("a08-valley", "parts, runs = 64, 128", "as without checkpoint"),
    ("a08-valley", "parts, runs = 8, 512", "run again once"),
    ("a08-parts", ONE_BY_ONE, "with parts=3: 5, and 2 would do"),
    (
        "a08-parts",
        PARTS.format(call=CHECKPOINT + "run(steps[begin : begin + length], x), x, use_reentrant=False)"),
        "hand over the function itself",
    ),
    (
        "a08-parts",
        PARTS.format(call=CHECKPOINT + "run, steps[begin : begin + length], x, use_reentrant=False)").replace(
            "len(steps) // parts", "parts"
        ),
        "with parts=3: 1, and there should be 2, one between",
    ),
    (
        "a08-parts",
        PARTS.format(call=CHECKPOINT + "run, steps[begin : begin + length], x, use_reentrant=False)").replace(
            "x = torch", "torch"
        ),
        "no step has arrived in it",
    ),
    ("a08-parts", BACKWARDS, "`in_parts(steps, x, 3)[0]` is -0.87145"),
    ("a08-parts", PARTS.format(call="run(steps[begin : begin + length], x).detach()"), "does not require grad"),
]

ALSO_RIGHT = [
    ("a08-valley", "parts = min((n for n in range(1, 65) if 64 % n == 0), key=lambda n: n - 1 + 64 // n); runs = 128"),
    ("a08-valley", "parts = int(64**0.5); runs = 8 * 8 + 64"),
    ("a07-mean", MEAN.format(add="+= loss_of(batch).item()", result="total / len(batches)")),
    ("a07-mean", MEAN.format(add="+= loss_of(batch).detach()", result="total.item() / len(batches)")),
    ("a07-carry", CARRY.format(state="state.detach()", backward="loss.backward()", kept="float(loss.detach())")),
    ("a07-record", RECORD_WEAKLY),
    (
        "a08-parts",
        PARTS.format(
            call=CHECKPOINT + "lambda y, some=steps[begin : begin + length]: run(some, y), x, use_reentrant=False)"
        ),
    ),
    ("a08-parts", PARTS.format(call=CHECKPOINT + "run, steps[begin : begin + length], x, use_reentrant=True)")),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


KEPT = {
    "in_a_list": "kept = [loss]",
    "as_number": "kept = loss.item()",
    "detached": "kept = loss.detach()",
    "doubled": "kept = 2 * loss",
    "doubled_in_no_grad": "with torch.no_grad(): kept = 2 * loss",
    "node": "kept = loss.grad_fn",
}


def test_the_answers_are_what_the_library_does(torch):
    exercise = COURSE["a07-who"]
    answers = {}
    exec(hints_of(exercise.id)[-1], answers)
    for name in exercise.answers:
        y = torch.ones(1000, requires_grad=True).tanh()
        saved = weakref.ref(y.untyped_storage())
        names = {"torch": torch, "loss": y.sum()}
        del y
        exec(KEPT[name], names)
        del names["loss"]
        assert (saved() is not None) == answers[name], name
