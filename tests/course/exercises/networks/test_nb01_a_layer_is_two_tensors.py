"""What people answer wrongly in notebook 01 of part 5, and what the checks tell them."""

import math

import pytest
from exercise_answers import answers_of_the_last_hint, right_answers, wrong_answers
from stored_notebooks import cells

PLACE = "5_networks/01_a_layer_is_two_tensors.ipynb"
LINEAR = "def linear(x, weight, bias): return "
STARTS = "both_zero, both_half, second_zero, first_zero = "
KAIMING = "import math\ndef kaiming(outputs, inputs): return "
BILINEAR = "def bilinear(a, b, weight): return "
KAIMING_SEEDED = """
import math
def kaiming(outputs, inputs):
    torch.manual_seed(0)
    return torch.randn(outputs, inputs) * math.sqrt(2 / inputs)
"""
LINEAR_IN_LOOPS = """
def linear(x, weight, bias):
    sums = [(x * row).sum(-1) + number for row, number in zip(weight, bias)]
    return torch.stack(sums, dim=-1)
"""
BILINEAR_IN_LOOPS = """
def bilinear(a, b, weight):
    return torch.stack([(a @ table * b).sum(1) for table in weight], dim=1)
"""

WRONG = [
    ("n01-linear", LINEAR + "x @ weight + bias", "belong to one output"),
    ("n01-linear", LINEAR + "x @ weight.t()", "`bias` is missing"),
    ("n01-linear", LINEAR + "weight @ x + bias", "the rows of `x` come first"),
    ("n01-linear", LINEAR + "(weight @ x.t()).t() + bias", "raised"),
    ("n01-linear", LINEAR + "torch.addmm(bias, x, weight.t())", "@ takes any number of them"),
    ("n01-linear", LINEAR + "x @ weight.detach().t() + bias", "left the graph"),
    ("n01-linear", "def linear(x, weight, bias): x @ weight.t() + bias", "returned nothing"),
    ("n01-starts", STARTS + "True, False, True, False", "the second weight gets no gradient"),
    ("n01-starts", STARTS + "False, True, True, False", "always get equal gradients"),
    ("n01-starts", STARTS + "False, False, False, False", "a gradient in step one"),
    ("n01-starts", STARTS + "False, False, True, True", "Its slope there is 0"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs)", "randn as it comes"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs) / math.sqrt(inputs)", "halves the mean square"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs) * math.sqrt(2 / outputs)", "a sum over the inputs"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs) * math.sqrt(2 / (inputs + outputs))", "Xavier's"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs) * 2 / inputs", "is its root"),
    ("n01-kaiming", KAIMING + "torch.randn(inputs, outputs) * math.sqrt(2 / inputs)", "a row for each output"),
    ("n01-kaiming", KAIMING + "(torch.rand(outputs, inputs) * 2 - 1) * math.sqrt(2 / inputs)", "b / sqrt(3)"),
    ("n01-kaiming", KAIMING + "torch.rand(outputs, inputs) * math.sqrt(24 / inputs) + 1", "should be about 0"),
    ("n01-kaiming", KAIMING + "torch.randn(outputs, inputs) / math.sqrt(2 / inputs)", "upside down"),
    ("n01-kaiming", KAIMING_SEEDED, "the same in each call"),
    ("n01-kaiming", KAIMING + "torch.ones(outputs, inputs)", "the same in each call"),
    ("n01-linear", LINEAR + "x * weight.t() + bias", "multiplies element by element"),
    (
        "n01-kaiming",
        "import math\ndef kaiming(outputs, inputs): return torch.rand(outputs, inputs) * math.sqrt(2 / inputs)",
        "rand draws from 0 up to 1",
    ),
    ("n01-bilinear", BILINEAR + "a @ weight @ b.t()", "met every row of `b`"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,nj->noij', a, weight, b)", "not yet summed over i and j"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,mj->no', a, weight, b)", "One letter, n, walks through both"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,nj->n', a, weight, b)", "What is to stay"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,nj->on', a, weight, b)", "it is transposed"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,mj->nmo', a, weight, b)", "its own alone"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij,nj->o', a, weight, b)", "has shape (2,)"),
    ("n01-bilinear", BILINEAR + "a @ weight @ b.t()", "has shape (2, 5, 5)"),
    ("n01-bilinear", BILINEAR + "torch.einsum('ni,oij->no', a, weight)", "[0, 0]`"),
]

ALSO_RIGHT = [
    ("n01-linear", LINEAR + "torch.einsum('...i,oi->...o', x, weight) + bias"),
    ("n01-linear", LINEAR + "(weight @ x.unsqueeze(-1)).squeeze(-1) + bias"),
    ("n01-linear", LINEAR + "torch.nn.functional.linear(x, weight, bias)"),
    ("n01-linear", LINEAR_IN_LOOPS),
    ("n01-starts", "both_zero = both_half = first_zero = False; second_zero = not first_zero"),
    ("n01-starts", STARTS + "(row == ('random', 'zeros') for row in [(), (), ('random', 'zeros'), ()])"),
    ("n01-kaiming", KAIMING + "torch.nn.init.kaiming_normal_(torch.empty(outputs, inputs), nonlinearity='relu')"),
    ("n01-kaiming", KAIMING + "torch.empty(outputs, inputs).normal_(0, (2 / inputs) ** 0.5).requires_grad_()"),
    ("n01-kaiming", KAIMING + "(torch.rand(outputs, inputs) * 2 - 1) * math.sqrt(6 / inputs)"),
    ("n01-bilinear", BILINEAR + "torch.nn.functional.bilinear(a, b, weight)"),
    ("n01-bilinear", BILINEAR_IN_LOOPS),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)

BEGUN = {
    "both_zero": (0.0, 0.0),
    "both_half": (0.5, 0.5),
    "second_zero": (None, 0.0),
    "first_zero": (0.0, None),
}


@pytest.mark.parametrize("name", BEGUN)
def test_the_answers_are_what_the_notebooks_own_training_does(torch, name):
    """With `relu`, since `clamp(min=0)` has a slope of 1 at 0, and would learn from a first weight of zeros."""
    torch.manual_seed(0)
    given = {"torch": torch, "pictures": torch.rand(1500, 64), "labels": torch.arange(1500) % 10}
    given["predict"] = lambda *question, **answer: None
    (training,) = (code for code in cells(PLACE, "code") if "def train(" in code)
    exec(training, given)
    begun = dict(zip((32, 10), BEGUN[name], strict=True))

    def begin(outputs, inputs):
        size, value = (outputs, inputs), begun[outputs]
        return torch.randn(size) / math.sqrt(inputs) if value is None else torch.full(size, value)

    first, _, second, _ = given["train"](begin, steps=10)
    learns = len(torch.unique(first.detach(), dim=0)) == 32 and bool(second.abs().max() > 0)
    assert learns is answers_of_the_last_hint("n01-starts")[name]
