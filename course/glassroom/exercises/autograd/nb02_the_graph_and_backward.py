"""Exercises of notebook 02 on autograd: the record of a computation, and the walk back along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glassroom.exercises.engine import exercise
from glassroom.exercises.expect import call, expect, expect_equal, expect_tensor, expect_truths, expect_value
from glassroom.exercises.facts import same_value, text, values
from glassroom.translations.templates import word


def nodes_down(tensor: Any) -> list[Any]:
    """The nodes from a tensor along the first inputs to a leaf."""
    nodes, node = [], tensor.grad_fn
    while node is not None:
        nodes.append(node)
        node = node.next_functions[0][0] if node.next_functions else None
    return nodes


def names_down(tensor: Any) -> list[str]:
    """Their names."""
    return [node.name() for node in nodes_down(tensor)]


def reaches(tensor: Any, leaf: Any) -> bool:
    """Whether a backward from the tensor would arrive at the leaf."""
    waiting, seen = [tensor.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        if getattr(node, "variable", None) is leaf:
            return True
        seen.add(node)
        waiting += [following for following, _ in node.next_functions]
    return False


@exercise(
    "a02-makers",
    setup="""
    x = torch.tensor([1.0, 2.0, 3.0])
    loss = ((torch.tensor(2.0, requires_grad=True) * x - 1) ** 2).sum()
    """,
    hints=[
        "Each node knows the nodes of its inputs, and the last one, a leaf's, knows none.",
        "Begin at tensor.grad_fn. The node below is the first part of the first pair in node.next_functions.",
        """
        def node_names(tensor):
            names = []
            node = tensor.grad_fn
            while node is not None:
                names.append(…)
                node = … if node.next_functions else None
            return names
        """,
        """
        def node_names(tensor):
            names = []
            node = tensor.grad_fn
            while node is not None:
                names.append(node.name())
                node = node.next_functions[0][0] if node.next_functions else None
            return names
        """,
    ],
)
def node_names(node_names: Callable[[Any], Any], *, loss: Any, x: Any) -> str:
    names, wanted = call(node_names, "node_names", loss), names_down(loss)
    expect(type(names) is list, "`node_names(loss)` should be a list of names.")
    expect(
        not names or all(type(name) is str for name in names),
        "`node_names(loss)` holds something other than strings. A node's name is node.name().",
    )
    expect(names != wanted[:-1], "the leaf's own node is missing at the end; it counts, too.")
    expect(names != wanted[1:], "the node of `loss` itself is missing at the beginning.")
    expect(names != wanted[::-1], "those are the right names, in the wrong order: begin at the result.")
    expect(
        names != [type(node).__name__ for node in nodes_down(loss)] or names == wanted,
        "those are the names of Python's classes. A node tells its own name: node.name().",
    )
    expect(
        names == wanted,
        f"`node_names(loss)` is {text(names)}; it should have the names of the {len(wanted)} nodes on the way, "
        f"{wanted[0]} first.",
    )
    alone = call(node_names, "node_names", loss.reshape(1))
    expect(
        alone == names_down(loss.reshape(1)), "for another tensor, loss.reshape(1), the names are not the right ones."
    )
    expect_equal(call(node_names, "node_names", x), "node_names(x)", [])
    return "Every result leads back to the leaves, node by node."


@exercise(
    "a02-by-hand",
    setup="""
    rates = torch.tensor([10.0, 20.0, 5.0])
    hours = torch.tensor([2.0, 1.0, 4.0])
    paid = torch.tensor([21.0, 18.0, 20.0])
    """,
    hints=[
        "Go back node by node: the sum hands on 1, the square multiplies by its slope, the product by its own.",
        "The slope of the square is twice what was squared. The slope of rates * hours, seen from rates, is hours.",
        "by_hand = 2 * (rates * hours - paid) * …",
        "by_hand = 2 * (rates * hours - paid) * hours",
    ],
)
def by_hand(by_hand: Any, *, rates: Any, hours: Any, paid: Any) -> str:
    expect_tensor(by_hand, "by_hand", shape=(3,))
    miss = rates * hours - paid
    shown = {
        word("That is what arrives at the product. It has a slope of its own, which depends on hours."): 2 * miss,
        word("The square was skipped: its slope is twice what was squared."): miss * hours,
        word("That is the gradient with respect to `hours`; you need the one for `rates`."): 2 * miss * rates,
        word("The sign is wrong: rates * hours comes first, and paid is subtracted from it."): -2 * miss * hours,
        word("Those are the squares themselves; their slopes were asked for."): miss**2,
    }
    for mistake, wrong in shown.items():
        expect(not same_value(values(by_hand), values(wrong)), f"`by_hand` holds {values(by_hand)}. {mistake}")
    expect_value(by_hand, "by_hand", 2 * miss * hours)
    return "You did what backward does: one slope after the other, from the result to the leaf."


TWICE: dict[str, tuple[bool, str]] = {
    "added": (True, "The slope of a difference is 1 or −1, whatever the numbers are: nothing is saved."),
    "squared": (False, "The slope of u * u depends on u, which is saved and then freed."),
    "exponential": (False, "The slope of exp is exp itself: the result is saved and then freed."),
    "reshaped": (True, "Views move gradients to their places. The numbers do not matter, so none are saved."),
    "averaged": (True, "The slope of a mean is one sixth everywhere. For that, the size is enough."),
}


@exercise(
    "a02-twice",
    setup="u = torch.arange(6.0, requires_grad=True)",
    hints=[
        "A second walk fails at a node that saved a tensor: the first walk freed it.",
        "For each result: could you write down the slope without knowing a single number of u?",
        "Two of the five depend on the numbers: a product, and a function whose slope is itself.",
        "added, squared, exponential, reshaped, averaged = True, False, False, True, True",
    ],
)
def twice(added: Any, squared: Any, exponential: Any, reshaped: Any, averaged: Any) -> str:
    answers = (added, squared, exponential, reshaped, averaged)
    expect_truths(TWICE, answers)
    return "A graph can be walked twice if none of its nodes saved a tensor."


@exercise(
    "a02-once",
    setup="""
    s = torch.tensor([0.0, 1.0], requires_grad=True)
    trunk = s.exp()
    first, second = trunk.sum(), (trunk**2).sum()
    """,
    hints=[
        "Gradients add up where paths meet. So the gradient of a sum is the sum of the gradients.",
        "Make one result of the two, and call backward on that.",
        "(first + …).backward()",
        "(first + second).backward()",
    ],
)
def once(s: Any, *, first: Any, second: Any) -> str:
    expect_tensor(s, "s", shape=(2,))
    expect(s.grad is not None, "`s.grad` is None: no backward has arrived at `s` yet.")
    trunk = s.detach().exp()
    of_first, of_second = values(trunk), values(2 * trunk * trunk)
    expect(not same_value(values(s.grad), of_first), "`s.grad` holds the gradient of `first` alone.")
    expect(not same_value(values(s.grad), of_second), "`s.grad` holds the gradient of `second` alone.")
    expect_value(s.grad, "s.grad", trunk + 2 * trunk * trunk)
    expect(
        not _is_kept(first) and not _is_kept(second),
        "the gradients are right, but what the graph saved is still in memory: nothing freed it. "
        "One backward of both together needs no retain_graph.",
    )
    expect(
        s.grad._version == 0,
        "the gradients are right, but took two walks: the second added to what the first had left. "
        "Both went through the trunk, so its graph had to be kept.",
    )
    return "One walk for both, and what was saved is freed."


def _is_kept(result: Any) -> bool:
    """Whether what exp saved in the trunk under the result still exists."""
    node = result.grad_fn
    while node.name() != "ExpBackward0":
        node = node.next_functions[0][0]
    try:
        return node._saved_result is not None
    except RuntimeError:
        return False


@exercise(
    "a02-link",
    setup="""
    slope = torch.tensor(2.0, requires_grad=True)
    batches = [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])]
    """,
    hints=[
        "item() makes a plain number, and a plain number has no record. Stay with tensors up to the end.",
        "Leave item() out. A list of tensors becomes one tensor by torch.stack; or add them as they come.",
        "total = torch.stack([… for batch in batches]).sum()",
        "total = torch.stack([(slope * batch).sum() for batch in batches]).sum()",
    ],
)
def link(total: Any, *, slope: Any) -> str:
    expect_tensor(total, "total", shape=())
    expect(
        total.requires_grad,
        "`total` does not require a gradient: the record is missing. Where do the numbers leave the tensors?",
    )
    expect(
        reaches(total, slope),
        "`total` has a graph, and it does not lead to `slope`. Turning the flag on makes a new leaf of the bare "
        "numbers: backward would run, and `slope` would learn nothing.",
    )
    expect_value(total, "total", 10 * slope.detach())
    return "From the total, every line leads back to slope."
