"""Exercises of notebook 06: which writes backward notices, and how to write without harm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_equal, expect_tensor, expect_truths, expect_value
from glassroom.exercises.facts import dtype_name, first_sentence, leaf_of, same_value, values

SAVES = {
    "after_exp": (True, "The derivative of exp is its result, `y`; nobody needs `h` again."),
    "after_log": (False, "The derivative of log is 1 / h: its node saved `h`, and `h` is overwritten."),
    "after_sigmoid": (False, "The derivative of sigmoid is y * (1 - y): its node saved the result, `y`."),
    "after_product": (True, "A product saves its two factors, not its result; `y` may be written to."),
    "after_sum": (True, "The derivative of a sum is 1 everywhere: nothing was saved."),
}


@exercise(
    "a06-harmless",
    hints=[
        "A write is harmless if no node saved what it overwrites.",
        "Ask for each: does the derivative need the input, the result, or neither? The table has the answer.",
        "exp and sigmoid save their result, log and the product their inputs, sum nothing.",
        """
        after_exp = True
        after_log = False
        after_sigmoid = False
        after_product = True
        after_sum = True
        """,
    ],
)
def harmless(after_exp: Any, after_log: Any, after_sigmoid: Any, after_product: Any, after_sum: Any) -> str:
    answers = (after_exp, after_log, after_sigmoid, after_product, after_sum)
    expect_truths(SAVES, answers)
    return "What matters is not the write, but whether a node saved what it overwrites."


@exercise(
    "a06-repair",
    setup="""
    x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)
    """,
    hints=[
        "exp saved its result. It must have the values of the forward when backward comes.",
        "Let the sum be a new tensor, and leave the result of exp as it is.",
        """
        def score(w, x):
            h = w * x
            gate = h.sigmoid()
            signal = h.exp()
            signal = …
            return (signal * gate).sum()
        """,
        """
        def score(w, x):
            h = w * x
            gate = h.sigmoid()
            signal = h.exp()
            signal = signal + gate
            return (signal * gate).sum()
        """,
    ],
)
def repair(score: Callable[..., Any], *, w: Any, x: Any) -> str:
    for factors in (w.detach(), w.detach() / 2 - 1):
        _expect_score(score, factors, x)
    return "The result of exp was left as it was, so its derivative finds what it needs."


def _expect_score(score: Callable[..., Any], w: Any, x: Any) -> None:
    mine, reference = (leaf_of(w), leaf_of(x)), (leaf_of(w), leaf_of(x))
    result = call(score, "score", *mine)
    expect_tensor(result, "score(w, x)", shape=())
    h = reference[0] * reference[1]
    right = ((h.exp() + h.sigmoid()) * h.sigmoid()).sum()
    expect(
        not same_value(values(result), values((h.exp() * h.sigmoid()).sum())),
        "the gate was not added to the signal. signal.add(gate) makes a new tensor: give it a name.",
    )
    expect_value(result, "score(w, x)", right.detach())
    expect(result.requires_grad, "the result of `score` does not require grad: detach() and no_grad cut the graph.")
    _backward(result, "score(w, x)")
    right.backward()
    for name, leaf, other in zip("wx", mine, reference, strict=True):
        expect(leaf.grad is not None, f"no gradient arrives at `{name}`: the graph was cut on the way.")
        expect(
            same_value(values(leaf.grad), values(other.grad)),
            f"backward works, but the gradient of `{name}` is wrong. "
            "Did a write bypass the counter (.data), or was a part detached?",
        )


@exercise(
    "a06-step",
    setup="w = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)",
    hints=[
        "Autograd refuses a recorded write into a leaf. A write that is not recorded is allowed.",
        "Do the subtraction under torch.no_grad(), with -= or sub_.",
        """
        def step(parameters, rate):
            with …:
                for parameter in parameters:
                    parameter -= rate * …
        """,
        """
        def step(parameters, rate):
            with torch.no_grad():
                for parameter in parameters:
                    parameter -= rate * parameter.grad
        """,
    ],
)
def step(step: Callable[..., Any], *, w: Any) -> str:
    parameters = [leaf_of(w), leaf_of(w[1:])]
    for parameter in parameters:
        parameter.grad = parameter.detach() * 2
    before = list(parameters)
    wanted = [values(parameter.detach() * 0.5) for parameter in parameters]
    unchanged = [values(parameter) for parameter in parameters]
    try:
        step(parameters, 0.25)
    except RuntimeError as error:
        expect("leaf" not in str(error), f"`step` raised {first_sentence(error)} Do it where nothing is recorded.")
        raise
    expect(
        all(now is then for now, then in zip(parameters, before, strict=True)),
        "the list holds other tensors now. Write into the ones that are there: everyone who holds them should see "
        "the step.",
    )
    now_all = [values(parameter) for parameter in parameters]
    expect(
        now_all != unchanged,
        "after the step the parameters have not changed. `p = p - …` gives the name `p` to a new tensor; "
        "`p -= …` writes into the one that is there.",
    )
    expect(
        not same_value(now_all[0], values(w.detach() * 1.5)),
        "the parameters moved along the gradient, uphill. A step goes down: subtract.",
    )
    expect(not same_value(now_all[0], values(-w.detach())), "the whole gradient was subtracted; `rate` is missing.")
    expect(
        now_all[1] != unchanged[1],
        "only the first parameter has changed. Does the loop go through the whole list, and does `return` stand behind "
        "the loop, if there is one?",
    )
    for place, (now, right) in enumerate(zip(now_all, wanted, strict=True)):
        expect_equal(now, f"parameters[{place}] after the step", right)
    expect(
        all(parameter.is_leaf and parameter.requires_grad for parameter in parameters),
        "after the step a parameter is no longer a leaf that requires grad; the next backward would not fill its grad.",
    )
    expect(
        all(parameter._version for parameter in parameters),
        "the values are right, but the versions are still 0: the write bypassed the counter (.data?), so a backward "
        "that still needs the old values would be silently wrong.",
    )
    parameter = leaf_of(w)
    parameter.grad = parameter.detach() * 2
    step([parameter], 0.5)
    expect(not any(values(parameter)), "with another rate, the step is not rate times gradient: use `rate`.")
    return "The same storages with new values, still leaves, and the write was counted."


@exercise(
    "a06-unroll",
    setup="u = torch.tensor(0.5, requires_grad=True)",
    hints=[
        "All views of one storage share one version. States that are tensors of their own do not.",
        "Begin with a list that holds torch.tensor(1.0), and append each new state.",
        """
        def unroll(u, steps):
            states = [torch.tensor(1.0)]
            for t in range(steps):
                states.append(…)
            return torch.stack(…)
        """,
        """
        def unroll(u, steps):
            states = [torch.tensor(1.0)]
            for t in range(steps):
                states.append(states[t] * u)
            return torch.stack(states)
        """,
    ],
)
def unroll(unroll: Callable[..., Any], *, u: Any) -> str:
    for steps in (3, 5):
        mine = leaf_of(u)
        name = f"unroll(u, {steps})"
        result = call(unroll, "unroll", mine, steps)
        expect(not isinstance(result, list), f"`{name}` is a list; make one tensor of it with torch.stack.")
        expect_tensor(result, name, dtype=dtype_name(mine))
        factor = float(mine.detach())
        expect_tensor(result, name, shape=(steps + 1,))
        own = values(result)
        expect(
            len({*own}) > 1,
            f"all entries of `{name}` are equal: the list holds one tensor, {steps + 1} times, and each write in place "
            "shows in all of them. Make a new tensor for each state.",
        )
        expect(
            not same_value(own[0], factor),
            f"`{name}` begins with {factor:g}, the value of `u`. The first state is 1, before `u` comes in.",
        )
        expect_value(result, name, [factor**power for power in range(steps + 1)])
        expect(
            result.requires_grad,
            f"`{name}` does not require grad: the graph was cut (detach, item, no_grad, torch.tensor?).",
        )
        _backward(result.sum(), name)
        right = sum(power * factor ** (power - 1) for power in range(1, steps + 1))
        expect(
            mine.grad is not None and same_value(values(mine.grad), right),
            f"backward works, but `u.grad` is wrong after `{name}.sum().backward()`: every state depends on `u` "
            "through all the states before it. Was one of them detached, or written to through .data?",
        )
    return "No state is written to after a product has saved it, so each counter still says what it said then."


NOTICED = {
    "through_view": (True, "A view shares storage and counter; the whole storage has one version."),
    "through_detach": (True, "detach() shares the storage and the counter."),
    "through_data": (False, ".data shares the storage and has a counter of its own; the write is not seen."),
    "under_no_grad": (True, "no_grad switches off the recording, not the counting."),
    "through_numpy": (False, "NumPy writes into the same memory and knows nothing of versions."),
}


@exercise(
    "a06-noticed",
    hints=[
        "Backward compares versions. A write is noticed if it raises the version of `y`.",
        "Try it: make each write, then print y._version.",
        "Two of the five leave the version of `y` at 0.",
        """
        through_view = True
        through_detach = True
        through_data = False
        under_no_grad = True
        through_numpy = False
        """,
    ],
)
def noticed(through_view: Any, through_detach: Any, through_data: Any, under_no_grad: Any, through_numpy: Any) -> str:
    answers = (through_view, through_detach, through_data, under_no_grad, through_numpy)
    expect_truths(NOTICED, answers)
    return "What raises the shared counter is noticed; .data and NumPy bypass it."


def _backward(result: Any, name: str) -> None:
    """Run backward; its error about an overwritten tensor becomes a sentence."""
    try:
        result.backward()
    except RuntimeError as error:
        expect(
            "inplace" not in str(error),
            f"backward from `{name}` still finds a saved tensor that was overwritten. Every write in place is counted, "
            "under no_grad too: look for +=, for a name that ends in _, and for brackets to the left of =.",
        )
        raise
