"""Exercises of part 3's notebook 03: backward carries weighted sums, and leaves add them up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_tensor, expect_value, run
from glassroom.exercises.facts import same_value, values


def expect_gradient(leaf: Any, name: str, expected: Any, mistakes: list[tuple[Any, str]]) -> None:
    """The leaf's `grad` is there and holds these values; each mistake is a wrong value and what it shows."""
    expect_tensor(leaf, name)
    expect(leaf.grad is not None, f"`{name}.grad` is None: no backward has reached `{name}`.")
    gradient = values(leaf.grad)
    for mistake, shows in mistakes:
        expect(not same_value(gradient, mistake), f"`{name}.grad` holds {mistake}. {shows}")
    expect_value(leaf.grad, f"{name}.grad", expected)


@exercise(
    "a03-weights",
    setup="""
    A = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    w = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
    y = A @ w
    """,
    hints=[
        "y.backward(v) computes the gradient of (y * v).sum().",
        "Write (y * v).sum() out: v[0] * y[0] + v[1] * y[1]. When is that y[0] - 2 * y[1]?",
        "v = torch.tensor([1.0, …])",
        "v = torch.tensor([1.0, -2.0])",
    ],
)
def weights(v: Any, *, y: Any) -> str:
    expect_tensor(v, "v")
    expect(
        tuple(v.shape) != (3,),
        "`v` has a number for each element of `w`. The weights belong to the elements of `y`, of which there are 2.",
    )
    expect_tensor(v, "v", shape=tuple(y.shape))
    expect(
        not same_value(values(v), [1.0, 2.0]),
        "`v` holds [1.0, 2.0]: that asks for y[0] + 2 * y[1]. A weight may be negative.",
    )
    expect_tensor(v, "v", value=[1.0, -2.0], dtype="float32")
    return "y.backward(v) leaves the first row of the table minus twice the second in w.grad."


@exercise(
    "a03-outside",
    setup="""
    def outside(numbers):
        differences = [numbers[0] - 2.0, numbers[1] - 13.0]
        return sum(difference**2 for difference in differences), [2 * difference for difference in differences]

    A = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    w = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
    y = A @ w
    """,
    hints=[
        "What the loss loses or gains for each unit of y[0] and of y[1]: these are the weights.",
        "Give `outside` the numbers of `y`, and its second result to `y.backward`, as a tensor.",
        "loss, derivatives = outside(y.tolist())\ny.backward(…)",
        "loss, derivatives = outside(y.tolist())\ny.backward(torch.tensor(derivatives))",
    ],
)
def outside(w: Any, *, y: Any) -> str:
    expect_gradient(
        w,
        "w",
        [24.0, 36.0, 48.0],
        [
            ([5.0, 7.0, 9.0], "That is the gradient of y.sum(): with weights of 1, what `outside` found is not in it."),
            ([100.0, 140.0, 180.0], "The weights were the loss itself, 20; it is its derivatives that go back."),
            ([66.0, 87.0, 108.0], "The weights were the values of `y`; the derivatives of the loss go back."),
            ([48.0, 72.0, 96.0], "Twice the gradient: two backwards were added up. Run the cell from its first line."),
        ],
    )
    return "The derivatives of the loss were the weights, and autograd went on from `y`."


@exercise(
    "a03-pieces",
    setup="""
    inputs = torch.tensor([1.0, 2.0, 3.0, 4.0])
    targets = torch.tensor([3.0, 6.0, 9.0, 12.0])
    pieces = [(inputs[:2], targets[:2]), (inputs[2:], targets[2:])]
    w = torch.tensor([1.0], requires_grad=True)
    """,
    hints=[
        "A leaf adds up what several backwards bring. The mean of the whole is not the sum of the means of the pieces.",
        "The mean over 4 is half the mean over the first 2 and half the mean over the last 2.",
        """
        def send_back(w, pieces):
            for x, target in pieces:
                piece_loss = ((w * x - target) ** 2).mean()
                (…).backward()
        """,
        """
        def send_back(w, pieces):
            for x, target in pieces:
                piece_loss = ((w * x - target) ** 2).mean()
                (piece_loss / len(pieces)).backward()
        """,
    ],
)
def pieces(send_back: Callable[[Any, Any], Any], *, w: Any, pieces: Any) -> str:
    leaf = w.detach().clone().requires_grad_()
    arrived: list[Any] = []
    leaf.register_hook(arrived.append)
    run(send_back, "send_back", leaf, pieces)
    expect_gradient(
        leaf,
        "w",
        [-30.0],
        [
            ([-60.0], "That is the sum of the two means; the mean over all 4 is half of it. Divide each piece's loss."),
            ([-120.0], "That is the gradient of the sum of squared errors; the loss is their mean."),
            ([-10.0], "That is the first piece alone, and not divided."),
            ([-5.0], "That is the first piece alone."),
            ([-50.0], "That is the second piece alone: the gradient of the first was cleared, or never sent back."),
            ([-25.0], "That is the second piece alone: the gradient of the first was cleared, or never sent back."),
            ([-15.0], "That is half of it: divide by the number of pieces, 2, and not by that of the inputs."),
        ],
    )
    expect(
        len(arrived) == 2,
        f"the gradient is right, but it arrived in {len(arrived)} {'piece' if len(arrived) == 1 else 'pieces'}, not "
        "in 2. Send each piece back before the next is computed, so that the graph of only one is in memory.",
    )
    return "Two small graphs, one after the other, and the gradient of the whole batch."


@exercise(
    "a03-recorded",
    setup="w = torch.tensor([5.0, 5.0], requires_grad=True)",
    hints=[
        "The next backward must find no gradient to add to, and must not write into the tensor in your list.",
        "Of the two ways to clear, one leaves the tensor in place. Take the other one, before each backward.",
        """
        recorded = []
        for factor in (1.0, 2.0, 3.0):
            w.grad = …
            (factor * w).sum().backward()
            recorded.append(w.grad)
        """,
        """
        recorded = []
        for factor in (1.0, 2.0, 3.0):
            w.grad = None
            (factor * w).sum().backward()
            recorded.append(w.grad)
        """,
    ],
)
def recorded(recorded: Any) -> str:
    expect(isinstance(recorded, list), "`recorded` should be a list of three gradients.")
    expect(len(recorded) == 3, f"`recorded` has length {len(recorded)}; there are three gradients.")
    for step, entry in enumerate(recorded):
        expect_tensor(entry, f"recorded[{step}]", shape=(2,))
    expect(
        not (recorded[0] is recorded[1] is recorded[2]),
        f"all three entries are one tensor, which holds {values(recorded[2])}. zero_() clears that tensor and keeps it "
        "in place; take it away instead, or record a clone.",
    )
    expect(
        values(recorded[1]) != [3.0, 3.0],
        "`recorded[1]` holds [3.0, 3.0], which is 1 + 2: the gradients still add up. Clear before each backward.",
    )
    for step, entry in enumerate(recorded):
        expect_value(entry, f"recorded[{step}]", [step + 1.0, step + 1.0])
    return "Each gradient is a tensor of its own, and none was added to another."


TABLE = [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]


@exercise(
    "a03-jacobian",
    setup="""
    def products(x):
        return x[:-1] * x[1:]

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    """,
    hints=[
        "Row i of the table is what backward leaves in x.grad when the weight of element i is 1 and all others are 0.",
        "The rows of torch.eye(len(y)) are these weights. Clear before each backward, and keep the graph.",
        """
        def jacobian(f, x):
            y = f(x)
            rows = []
            for weights in torch.eye(len(y)):
                x.grad = …
                y.backward(weights, retain_graph=…)
                rows.append(x.grad)
            return torch.stack(rows)
        """,
        """
        def jacobian(f, x):
            y = f(x)
            rows = []
            for weights in torch.eye(len(y)):
                x.grad = None
                y.backward(weights, retain_graph=True)
                rows.append(x.grad)
            return torch.stack(rows)
        """,
    ],
)
def jacobian(jacobian: Callable[[Any, Any], Any], *, products: Any, x: Any) -> str:
    leaf = x.detach().clone().requires_grad_()
    table = call(jacobian, "jacobian", products, leaf)
    expect_tensor(table, "jacobian(products, x)")
    expect(
        tuple(table.shape) != (3, 2),
        "the table is on its side: a row for each element of f(x), a column for each element of x.",
    )
    expect_tensor(table, "jacobian(products, x)", shape=(2, 3), dtype="float32")
    rows = values(table)
    expect(
        rows != [[2.0, 1.0, 0.0], [2.0, 4.0, 2.0]],
        "the second row holds the first one as well: it was not cleared before the second backward.",
    )
    expect(
        rows[0] != rows[1],
        f"both rows are {rows[1]}, the sum of the two: each needs weights of its own, and a gradient that was cleared "
        "before. (Or the list holds one tensor, x.grad, several times.)"
        if same_value(rows[1], [2.0, 4.0, 2.0])
        else f"both rows are {rows[1]}: the list holds one tensor, x.grad, several times. Each row needs its own.",
    )
    expect_value(table, "jacobian(products, x)", TABLE)
    again = call(jacobian, "jacobian", products, leaf)
    expect(
        same_value(values(again), TABLE),
        "called a second time with the same `x`, it returns something else: clear before the first backward too.",
    )
    fresh = x.detach().clone().requires_grad_()
    squares = call(jacobian, "jacobian", lambda x: x * x, fresh)
    expect_value(squares, "jacobian(lambda x: x * x, x)", [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    return "One backward for each row, through one graph."
