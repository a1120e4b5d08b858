"""What people answer in notebook 09, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

CAUSE = "masked, distances, probabilities, forward = "
ROOT_BY_CLAMP = """
def root(x):
    return torch.where(x > 0, x.clamp(min=1e-30).sqrt(), torch.zeros_like(x))
"""
ROOT_BY_INDEX = """
def root(x):
    result = torch.zeros_like(x)
    result[x > 0] = x[x > 0].sqrt()
    return result
"""
LENGTHS_BY_TWO_CHOICES = """
def lengths(rows):
    squares = (rows * rows).sum(1)
    empty = squares == 0
    return torch.where(empty, 0.0, torch.where(empty, 1.0, squares).sqrt())
"""
LOSS_BY_LOGSUMEXP = """
def loss(scores):
    return (scores.logsumexp(1, keepdim=True) - scores).sum()
"""
LOSS_LIMITED = "def loss(scores): return -scores.softmax(1).clamp(min=1e-8).log().sum()"

WRONG = [
    ("a09-root", "def root(x): return torch.where(x > 0, x.sqrt(), 0.0)", "Choose before the root as well"),
    ("a09-root", "def root(x): return x.sqrt()", "a negative number has no real root"),
    ("a09-root", "def root(x): return x.clamp(min=0).sqrt()", "its gradient"),
    ("a09-root", "def root(x): return torch.where(x > 0, x.detach().clamp(min=0).sqrt(), 0.0)", "cut off from x"),
    ("a09-root", "def root(x): return x.nan_to_num_(0).clamp(min=0).sqrt() * (x > 0)", "writes into the tensor"),
    ("a09-length", "def lengths(rows): return (rows * rows).sum(1).sqrt()", "the gradient of the row of zeros is nan"),
    ("a09-length", "def lengths(rows): return rows.norm()", "one number for all rows"),
    ("a09-length", "def lengths(rows): return (rows * rows).sum(1)", "the squares of the lengths"),
    ("a09-length", "def lengths(rows): return rows.norm(dim=0)", "has shape (2,)"),
    ("a09-log-of-softmax", "def loss(scores): return -scores.softmax(-1).log().sum()", "is infinite"),
    ("a09-log-of-softmax", "def loss(scores): return scores.log_softmax(-1).sum()", "only the sign is wrong"),
    ("a09-log-of-softmax", "def loss(scores): return -scores.log_softmax(0).sum()", "down the columns"),
    ("a09-log-of-softmax", LOSS_LIMITED, "changes the loss"),
    ("a09-cause", CAUSE + "'root', 'root', 'log', 'value'", "The branch that was not chosen"),
    ("a09-cause", CAUSE + "'where', 'log', 'root', 'value'", "`distances` and `probabilities` are not yet"),
    ("a09-cause", CAUSE + "'where', 'root', 'log', 'where'", "before any gradient"),
]

ALSO_RIGHT = [
    ("a09-root", ROOT_BY_CLAMP),
    ("a09-root", ROOT_BY_INDEX),
    ("a09-length", "def lengths(rows): return rows.norm(dim=-1)"),
    ("a09-length", LENGTHS_BY_TWO_CHOICES),
    ("a09-length", "def lengths(rows): return (rows.square().sum(1) + 1e-12).sqrt()"),
    ("a09-log-of-softmax", LOSS_BY_LOGSUMEXP),
    ("a09-log-of-softmax", "def loss(scores): return torch.log_softmax(scores, 1).neg().sum()"),
    ("a09-cause", CAUSE + "'Where', 'a root', 'LOG', ' value '"),
    ("a09-cause", CAUSE + "'torch.where', 'root()', 'log', 'the value'"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
