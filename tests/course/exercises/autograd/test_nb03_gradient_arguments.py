"""What people answer wrongly in part 3's notebook 03, and what the checks tell them."""

from exercise_answers import verdict_on, wrong_answers

SUM_OF_MEANS = "def send_back(w, pieces):\n    for x, target in pieces: ((w * x - target) ** 2).mean().backward()"
SUM_OF_SQUARES = "def send_back(w, pieces):\n    for x, target in pieces: ((w * x - target) ** 2).sum().backward()"
CLEARED_BETWEEN = """
def send_back(w, pieces):
    for x, target in pieces:
        w.grad = None
        (((w * x - target) ** 2).mean() / 2).backward()
"""
FIRST_PIECE = "def send_back(w, pieces):\n    x, target = pieces[0]; ((w * x - target) ** 2).mean().backward()"
ONE_WALK = """
def send_back(w, pieces):
    (sum(((w * x - target) ** 2).mean() for x, target in pieces) / len(pieces)).backward()
"""
ALL_WEIGHTS = """
def jacobian(f, x):
    y = f(x)
    return torch.stack([torch.autograd.grad(y.sum(), x, retain_graph=True)[0] for _ in y])
"""
AS_IT_WAS = """
recorded = []
for factor in (1.0, 2.0, 3.0):
    (factor * w).sum().backward()
    recorded.append(w.grad)
"""
ZEROED = """
recorded = []
for factor in (1.0, 2.0, 3.0):
    (factor * w).sum().backward()
    recorded.append(w.grad)
    w.grad.zero_()
"""
CLONES_OF_THE_SUM = AS_IT_WAS.replace("append(w.grad)", "append(w.grad.clone())")

TABLE = """
def jacobian(f, x):
    y = f(x)
    rows = []
    for weights in torch.eye(len(y)):
        x.grad = None
        y.backward(weights, retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)
"""
NEVER_CLEARED = TABLE.replace("        x.grad = None\n", "").replace("append(x.grad)", "append(x.grad.clone())")
ONE_TENSOR = TABLE.replace("        x.grad = None\n", "")
CLEARED_AFTER = TABLE.replace("        x.grad = None\n", "").replace("append(x.grad)", "append(x.grad); x.grad = None")
CLEARED_TOO_LATE = TABLE.replace("        x.grad = None\n", "        if rows: x.grad = None\n")
GRAPH_NOT_KEPT = TABLE.replace(", retain_graph=True", "")
ON_ITS_SIDE = TABLE.replace("torch.stack(rows)", "torch.stack(rows).t()")
ONLY_THIS_ONE = "def jacobian(f, x): return torch.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]])"

WRONG = [
    ("a03-weights", "v = torch.tensor([1.0, -2.0, 0.0])", "belong to the elements of `y`"),
    ("a03-weights", "v = torch.tensor([1.0, 2.0])", "may be negative"),
    ("a03-weights", "v = torch.tensor(-2.0)", "has shape ()"),
    ("a03-weights", "v = torch.tensor([1, -2])", "it should be torch.float32"),
    ("a03-weights", "v = [1.0, -2.0]", "it should be a tensor"),
    ("a03-outside", "outside(y.tolist())", "no backward has reached `w`"),
    ("a03-outside", "y.backward(torch.ones(2))", "is not in it"),
    ("a03-outside", "y.backward(torch.ones(2) * outside(y.tolist())[0])", "derivatives that go back"),
    ("a03-outside", "y.backward(torch.tensor(y.tolist()))", "the values of `y`"),
    ("a03-outside", "for _ in range(2): (A @ w).backward(torch.tensor([8.0, 4.0]))", "added up"),
    ("a03-pieces", SUM_OF_MEANS, "sum of the two means"),
    ("a03-pieces", SUM_OF_SQUARES, "the loss is their mean"),
    ("a03-pieces", CLEARED_BETWEEN, "second piece alone"),
    ("a03-pieces", FIRST_PIECE, "first piece alone"),
    ("a03-pieces", ONE_WALK, "it arrived in 1 piece"),
    ("a03-pieces", SUM_OF_MEANS.replace(".mean()", ".mean().div(4)"), "half of it"),
    ("a03-recorded", AS_IT_WAS, "all three entries are one tensor, which holds [6.0, 6.0]"),
    ("a03-recorded", ZEROED, "all three entries are one tensor, which holds [0.0, 0.0]"),
    ("a03-recorded", CLONES_OF_THE_SUM, "still add up"),
    ("a03-recorded", "recorded = w", "a list of three gradients"),
    ("a03-recorded", "recorded = [torch.ones(2)]", "has length 1"),
    ("a03-jacobian", ALL_WEIGHTS, "the sum of the two"),
    ("a03-jacobian", NEVER_CLEARED, "holds the first one as well"),
    ("a03-jacobian", ONE_TENSOR, "one tensor, x.grad, several times"),
    ("a03-jacobian", CLEARED_TOO_LATE, "called a second time"),
    ("a03-jacobian", GRAPH_NOT_KEPT, "a second time"),
    ("a03-jacobian", ON_ITS_SIDE, "on its side"),
    ("a03-jacobian", ONLY_THIS_ONE, "jacobian(lambda x: x * x, x)"),
    ("a03-jacobian", "jacobian = torch.eye(3)", "it should be a function"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)


def test_a_jacobian_that_clears_after_each_row_is_right_too(torch):
    assert verdict_on(torch, "a03-jacobian", CLEARED_AFTER).solved
