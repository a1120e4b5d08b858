"""What people answer wrongly in notebook 02 on autograd, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, wrong_answers

TWICE = "added, squared, exponential, reshaped, averaged = "

WITHOUT_THE_LEAF = """
def node_names(tensor):
    names, node = [], tensor.grad_fn
    while node is not None and node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names
"""
WITHOUT_THE_RESULT = """
def node_names(tensor):
    names, node = [], tensor.grad_fn
    while node.next_functions:
        node = node.next_functions[0][0]
        names.append(node.name())
    return names
"""
NODES = """
def node_names(tensor):
    nodes, node = [], tensor.grad_fn
    while node is not None:
        nodes.append(node)
        node = node.next_functions[0][0] if node.next_functions else None
    return nodes
"""
RECURSIVE = """
def names_from(node):
    if node is None:
        return []
    return [node.name()] + [name for following in node.next_functions[:1] for name in names_from(following[0])]

def node_names(tensor):
    return names_from(tensor.grad_fn)
"""
FROM_THE_LEAF = RECURSIVE.replace("names_from(tensor.grad_fn)", "names_from(tensor.grad_fn)[::-1]")
ALWAYS_THOSE_OF_LOSS = RECURSIVE.replace("tensor.grad_fn", "loss.grad_fn")
FAILS_WITHOUT_A_GRAPH = RECURSIVE.replace("if node is None", "if node == 0")

WRONG = [
    ("a02-makers", WITHOUT_THE_LEAF, "leaf's own node is missing"),
    ("a02-makers", WITHOUT_THE_RESULT, "missing at the beginning"),
    ("a02-makers", NODES, "A node's name is node.name()"),
    ("a02-makers", FROM_THE_LEAF, "begin at the result"),
    ("a02-makers", ALWAYS_THOSE_OF_LOSS, "for another tensor"),
    ("a02-makers", FAILS_WITHOUT_A_GRAPH, "raised AttributeError"),
    ("a02-makers", "def node_names(tensor): return [tensor.grad_fn.name()]", "the names of the 5 nodes on the way"),
    ("a02-makers", "def node_names(tensor): return tensor.grad_fn.name()", "a list of names"),
    ("a02-makers", "node_names = []", "it should be a function"),
    ("a02-by-hand", "by_hand = 2 * (rates * hours - paid)", "a slope of its own"),
    ("a02-by-hand", "by_hand = (rates * hours - paid) * hours", "The square was skipped"),
    ("a02-by-hand", "by_hand = 2 * (rates * hours - paid) * rates", "the gradient with respect to `hours`"),
    ("a02-by-hand", "by_hand = 2 * (paid - rates * hours) * hours", "The sign is wrong"),
    ("a02-by-hand", "by_hand = (rates * hours - paid) ** 2", "the squares themselves"),
    ("a02-by-hand", "by_hand = ((rates * hours - paid) ** 2).sum()", "has shape ()"),
    ("a02-twice", TWICE + "False, False, False, True, True", "nothing is saved"),
    ("a02-twice", TWICE + "True, True, False, True, True", "depends on u"),
    ("a02-twice", TWICE + "True, False, True, True, True", "exp itself"),
    ("a02-twice", TWICE + "True, False, False, False, True", "Views move gradients"),
    ("a02-twice", TWICE + "True, False, False, True, False", "the size is enough"),
    ("a02-twice", TWICE + "1, 0, 0, 1, 1", "it should be True or False"),
    ("a02-once", "pass", "no backward has arrived"),
    ("a02-once", "first.backward()", "of `first` alone"),
    ("a02-once", "second.backward()", "of `second` alone"),
    ("a02-once", "(first + second).backward(retain_graph=True)", "still in memory"),
    ("a02-once", "first.backward(retain_graph=True); second.backward()", "took two walks"),
    ("a02-once", "(first - second).backward()", "`s.grad` holds"),
    ("a02-link", "total = torch.tensor([6.0, 14.0]).sum()", "the record is missing"),
    ("a02-link", "total = torch.tensor([6.0, 14.0], requires_grad=True).sum()", "`slope` would learn nothing"),
    ("a02-link", "total = (slope * batches[0]).sum()", "`total` holds 6.0"),
    ("a02-link", "total = slope * torch.cat(batches)", "has shape (4,)"),
    ("a02-link", "total = 20.0", "it should be a tensor"),
]

ALSO_RIGHT = [
    ("a02-makers", RECURSIVE),
    ("a02-by-hand", "rates.requires_grad_(); ((rates * hours - paid) ** 2).sum().backward(); by_hand = rates.grad"),
    ("a02-once", "torch.stack([first, second]).sum().backward()"),
    ("a02-once", "torch.autograd.backward([first, second])"),
    ("a02-link", "total = sum((slope * batch).sum() for batch in batches)"),
    ("a02-link", "total = (slope * torch.cat(batches)).sum()"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


@pytest.mark.parametrize(
    ("result", "twice"),
    [
        ("(u - 5).sum()", True),
        ("(u * u).sum()", False),
        ("u.exp().sum()", False),
        ("u.view(2, 3).t()[0].sum()", True),
        ("u.mean()", True),
    ],
)
def test_what_may_go_twice_is_as_the_exercise_says(torch, result, twice):
    made = eval(result, {"u": torch.arange(6.0, requires_grad=True)})
    made.backward()
    if twice:
        made.backward()
    else:
        with pytest.raises(RuntimeError, match="a second time"):
            made.backward()
