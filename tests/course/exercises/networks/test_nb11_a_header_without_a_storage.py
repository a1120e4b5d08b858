"""What people answer, wrongly and rightly, in notebook 11 of part 5, and what the checks tell them."""

import pytest
from exercise_answers import right_answers, wrong_answers

SHAPE = """
def shape_of(function, *shapes):
    tensors = [torch.empty(shape, device={device}) for shape in shapes]
    return {result}
"""
BILL = """
def bill(weights):
    total = sum(each.{size} for each in weights)
    trained = sum(each.{size} for each in weights if {which})
    return {result}
"""
LOAD = """
def load_into(make, state):
    with torch.device({device}):
        model = make()
    model.load_state_dict({state}, assign={assign})
    return {result}
"""
LEFT = """
def left_on_meta(model):
    return [name for name, tensor in {named} if {which}]
"""
BOTH = "[*model.named_parameters(), *model.named_buffers()]"


@pytest.fixture(autouse=True)
def no_default_device(torch):
    """An answer may set one and set the old one again, which in PyTorch stays a mode of its own."""
    yield
    torch.set_default_device(None)


WRONG = [
    ("n11-shape", SHAPE.format(device="'cpu'", result="tuple(function(*tensors).shape)"), "that have a storage"),
    ("n11-shape", SHAPE.format(device="'meta'", result="function(*tensors)"), "returned a tensor"),
    ("n11-shape", SHAPE.format(device="'meta'", result="tuple(tensors[0].shape)"), "the first argument"),
    ("n11-shape", SHAPE.format(device="'meta'", result="function(*tensors).numel()"), "a tuple of 2"),
    ("n11-shape", "def shape_of(function, *shapes):\n    return shapes[0][0], shapes[-1][-1]", "never called"),
    ("n11-bill", BILL.format(size="numel()", which="each.requires_grad", result="total, trained, 2 * trained"), "four"),
    ("n11-bill", BILL.format(size="nbytes", which="each.requires_grad", result="total, trained, trained"), "two runn"),
    ("n11-bill", BILL.format(size="nbytes", which="True", result="total, trained, 2 * trained"), "no gradient"),
    (
        "n11-bill",
        BILL.format(size="nbytes", which="each.grad is not None", result="total, trained, 2 * trained"),
        "ask",
    ),
    ("n11-bill", BILL.format(size="nbytes", which="each.requires_grad", result="trained, trained, 2 * trained"), "too"),
    (
        "n11-bill",
        BILL.format(size="numel() * 4", which="each.requires_grad", result="total, trained, 2 * trained"),
        "Not every number",
    ),
    (
        "n11-bill",
        BILL.format(size="nbytes", which="each.requires_grad", result="total + 3 * trained"),
        "a tuple of 3",
    ),
    ("n11-load", LOAD.format(device="'meta'", state="state", assign=False, result="model"), "still on meta"),
    ("n11-load", LOAD.format(device="'cpu'", state="state", assign=True, result="model"), "thrown"),
    ("n11-load", LOAD.format(device="'cpu'", state="state", assign=False, result="model"), "thrown"),
    ("n11-load", LOAD.format(device="'meta'", state="state", assign=True, result="None"), "returned nothing"),
    (
        "n11-load",
        LOAD.format(
            device="'meta'", state="{name: each.clone() for name, each in state.items()}", assign=True, result="model"
        ),
        "in memory twice",
    ),
    ("n11-left", LEFT.format(named="model.named_parameters()", which="tensor.is_meta"), "`hidden.mean` has no data"),
    ("n11-left", LEFT.format(named="model.named_buffers()", which="tensor.is_meta"), "hidden.weight"),
    ("n11-left", LEFT.format(named=BOTH, which="not tensor.is_meta"), "hidden.bias"),
    ("n11-left", LEFT.format(named="model.state_dict().items()", which="tensor.is_meta"), "`hidden.mean` has no data"),
    ("n11-left", "def left_on_meta(model):\n    return 'hidden.weight'", "a list of names"),
]

ALSO_RIGHT = [
    (
        "n11-shape",
        "def shape_of(function, *shapes):\n    with torch.device('meta'):\n"
        "        return tuple(function(*map(torch.empty, shapes)).size())",
    ),
    (
        "n11-shape",
        "def shape_of(function, *shapes):\n"
        "    return (*function(*(torch.ones(s, device='meta') for s in shapes)).shape,)",
    ),
    (
        "n11-bill",
        "def bill(weights):\n    sizes = [(w.numel() * w.element_size(), w.requires_grad) for w in weights]\n"
        "    trained = sum(size for size, learns in sizes if learns)\n"
        "    return sum(size for size, _ in sizes), trained, trained + trained",
    ),
    (
        "n11-bill",
        "def bill(weights):\n    learns = [w for w in weights if w.requires_grad]\n"
        "    gradients = [torch.empty_like(w) for w in learns]\n    n = sum(g.nbytes for g in gradients)\n"
        "    return sum(w.untyped_storage().nbytes() for w in weights), n, n * 2",
    ),
    (
        "n11-load",
        "def load_into(make, state):\n    old = torch.get_default_device()\n    torch.set_default_device('meta')\n"
        "    try:\n        model = make()\n    finally:\n        torch.set_default_device(old)\n"
        "    model.load_state_dict(state, strict=True, assign=True)\n    return model",
    ),
    (
        "n11-load",
        "def load_into(make, state):\n    with torch.device('meta'):\n        model = make()\n"
        "    for name, tensor in state.items():\n        path, _, last = name.rpartition('.')\n"
        "        setattr(model.get_submodule(path), last, torch.nn.Parameter(tensor))\n    return model",
    ),
    ("n11-left", LEFT.format(named=BOTH, which="tensor.device.type == 'meta'")),
    (
        "n11-left",
        "def left_on_meta(model):\n    found = dict(model.named_parameters()) | dict(model.named_buffers())\n"
        "    return sorted(name for name in found if found[name].device == torch.device('meta'))",
    ),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
