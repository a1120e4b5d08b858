"""What people answer wrongly in notebook 01 on autograd, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

LEAVES = "leaf_a, leaf_b, leaf_c, leaf_d, leaf_e = "

WRONG = [
    ("a01-ask", "start = counts", "only floating-point numbers have a slope"),
    ("a01-ask", "start = counts.float()", "does not require a gradient"),
    ("a01-ask", "start = torch.ones(3, requires_grad=True)", "`start` holds"),
    ("a01-ask", "start = counts.float().requires_grad_() * 1", "Convert first, then ask"),
    ("a01-ask", "start = counts.float().requires_grad", "it should be a tensor"),
    ("a01-leaves", LEAVES + "False, True, False, True, False", "Nobody computed `a`"),
    ("a01-leaves", LEAVES + "True, False, False, True, False", "nothing is recorded"),
    ("a01-leaves", LEAVES + "True, True, True, True, False", "has a grad_fn"),
    ("a01-leaves", LEAVES + "True, True, False, False, False", "turned on afterwards"),
    ("a01-leaves", LEAVES + "True, True, False, True, True", "clone is an operation"),
    ("a01-leaves", LEAVES + "'yes', True, False, True, True", "it should be True or False"),
    (
        "a01-weight",
        "def make_weight(): return torch.arange(6.0, requires_grad=True).view(2, 3) * 0.1",
        "Ask for the gradient last",
    ),
    ("a01-weight", "def make_weight(): return torch.arange(6.0).view(2, 3) * 0.1", "Nobody asked"),
    ("a01-weight", "def make_weight(): return torch.ones(2, 3, requires_grad=True)", "`make_weight()` holds"),
    ("a01-weight", "def make_weight(): return torch.ones(6, requires_grad=True)", "has shape (6,)"),
    ("a01-weight", "def make_weight(): torch.ones(2, 3)", "Does it end with `return`?"),
    ("a01-row", "row_gradient = weight[1]", "its gradient was asked for"),
    ("a01-row", "row_gradient = weight.grad", "of the whole `weight`"),
    ("a01-row", "row_gradient = weight.grad[1:]", "An integer as index"),
    ("a01-row", "row_gradient = weight.grad[0]", "`row` is weight[1]"),
    ("a01-freeze", "encoder = encoder.detach()", "gives the name to something else"),
    (
        "a01-freeze",
        "encoder = encoder.detach(); middle = middle.detach(); layers = [encoder, middle, head]",
        "`layers[0]` is another tensor now",
    ),
    ("a01-freeze", "with torch.no_grad(): encoder = encoder * 1; layers[0] = encoder", "`layers[0]` is another tensor"),
    ("a01-freeze", "encoder.requires_grad_(False); layers[1] = middle.detach()", "`layers[1]` is another tensor now"),
    ("a01-freeze", "for layer in layers[:2]: layer.requires_grad == False", "`==` only compares"),
    ("a01-row", "row = weight[1]; row_gradient = row.grad", "`row` is no leaf"),
    (
        "a01-row",
        "row = weight[1]; row.retain_grad(); (row ** 2).sum().backward(); row_gradient = row.grad",
        "gradients add up",
    ),
    ("a01-row", "row_gradient = weight.grad[0]", "`row_gradient` holds"),
    ("a01-row", "row_gradient = weight.grad[1].clone()", "is a copy"),
    ("a01-freeze", "pass", "all three still require"),
    ("a01-freeze", "head.requires_grad_(False)", "the head"),
    ("a01-freeze", "encoder.requires_grad_(False)", "`layers[1]` still"),
    ("a01-freeze", "middle.requires_grad_(False)", "`layers[0]` still"),
    ("a01-freeze", "layers = [layer.detach() for layer in layers[:2]] + [head]", "is another tensor now"),
    (
        "a01-freeze",
        "layers = [encoder.detach(), middle.detach(), head]; model = dict(zip(('encoder', 'middle', 'head'), layers))",
        "and so is",
    ),
    ("a01-freeze", "model['encoder'] = encoder.detach()", 'model["encoder"]` is another tensor now'),
    ("a01-freeze", "model = {}", "should stay a dict"),
    ("a01-freeze", "encoder.require_grad = False", "Did you mean requires_grad?"),
    ("a01-freeze", "encoder.requires_grad = middle.requires_gradd = False", "`middle.requires_gradd = …`"),
    ("a01-freeze", "encoder.requires_grad_ = False", "in the place of a method"),
    ("a01-ask", "start = counts.float(); start.require_grad = True", "Did you mean requires_grad?"),
    ("a01-ask", "start = counts.float(); start.requires_grad_ = True", "A method is called: requires_grad_(…)"),
    ("a01-ask", "start = counts.to(torch.complex64).requires_grad_()", "a floating-point dtype was asked for"),
    (
        "a01-weight",
        "def make_weight(): w = torch.arange(6.0).view(2, 3) * 0.1; w.require_grad = True; return w",
        "`make_weight().require_grad = …`",
    ),
    (
        "a01-weight",
        "w0 = (torch.arange(6.0).view(2, 3) * 0.1).requires_grad_()\ndef make_weight(): return w0",
        "so that each call makes another",
    ),
    ("a01-freeze", "layers = layers[:2]", "a list of the three"),
]

ALSO_RIGHT = [
    ("a01-ask", "start = torch.tensor([3.0, 1.0, 2.0], dtype=torch.float64, requires_grad=True)"),
    ("a01-ask", "start = counts.to(torch.float32); start.requires_grad = True"),
    (
        "a01-weight",
        "def make_weight(): return (torch.arange(6.0, requires_grad=True).view(2, 3) * 0.1).detach().requires_grad_()",
    ),
    ("a01-row", "row_gradient = weight.grad[-1, :]"),
    ("a01-freeze", "encoder.requires_grad = middle.requires_grad = False"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
