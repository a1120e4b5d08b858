"""What people answer wrongly in notebook 02 of part 5, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

CHAIN = """
class Chain(Module):
    def __init__(self, *modules):
        super().__init__()
        {keep}

    def forward(self, x):
        {go}
        return x
"""
BY_NUMBER = "for number, module in enumerate(modules): setattr(self, {name}, module)"
THROUGH = "for child in self.children.values(): x = child(x)"
SNAPSHOT = "import copy\ndef snapshot(model): return "
DROPOUT = "def dropout(x, p, training): return "
HELD = "def held(model): return "
ONE = """
def into_one(model):
    vector = torch.cat([parameter{detached}.reshape(-1) for parameter in {parameters}])
    offset = 0
    for parameter in model.parameters():
        {give}
        offset += parameter.numel()
    return vector
"""
GIVE = "parameter.data = vector[offset : offset + parameter.numel()].view(parameter.shape)"
ONE_BY_NAMES = """
def into_one(model):
    for layer in (model.first, model.second):
        layer.weight = layer.weight.detach().clone().requires_grad_()
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach()
"""
ONE_BACKWARDS = """
def into_one(model):
    parameters = list(model.parameters())[::-1]
    vector = torch.cat([parameter.detach().reshape(-1) for parameter in parameters])
    torch.nn.utils.vector_to_parameters(vector, parameters)
    return vector
"""
ONE_BY_SPLIT = """
def into_one(model):
    parameters = list(model.parameters())
    vector = torch.empty(sum(each.numel() for each in parameters))
    for parameter, part in zip(parameters, vector.split([each.numel() for each in parameters])):
        part.copy_(parameter.detach().flatten())
        parameter.data = part.view_as(parameter)
    return vector
"""
ONE_BY_UTILS = """
def into_one(model):
    vector = torch.nn.utils.parameters_to_vector(model.parameters()).detach()
    torch.nn.utils.vector_to_parameters(vector, model.parameters())
    return vector
"""

WRONG = [
    ("n02-chain", CHAIN.format(keep="self.modules = list(modules)", go="pass"), "on no shelf"),
    ("n02-chain", CHAIN.format(keep=BY_NUMBER.format(name="str(number + 1)"), go=THROUGH), "Count from 0"),
    ("n02-chain", CHAIN.format(keep=BY_NUMBER.format(name="f'layer{number}'"), go=THROUGH), "the list of names"),
    ("n02-chain", CHAIN.format(keep=BY_NUMBER.format(name="str(number)"), go="pass"), "has shape (4, 3)"),
    (
        "n02-chain",
        CHAIN.format(keep=BY_NUMBER.format(name="str(number)"), go="for child in self.children.values(): y = child(x)"),
        "raised",
    ),
    ("n02-chain", "class Chain:\n    def __init__(self, *modules): self.all = modules", "Derive the class"),
    ("n02-snapshot", SNAPSHOT + "model.state_dict()", "is a view"),
    ("n02-snapshot", SNAPSHOT + "dict(model.state_dict())", "clone it"),
    ("n02-snapshot", SNAPSHOT + "copy.copy(model.state_dict())", "clone it"),
    ("n02-snapshot", SNAPSHOT + "copy.deepcopy(model)", "not a dictionary"),
    ("n02-snapshot", SNAPSHOT + "{n: p.clone() for n, p in model.named_parameters()}", "a clone with a history"),
    ("n02-snapshot", SNAPSHOT + "[t.clone() for t in model.state_dict().values()]", "not a dictionary"),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) >= p)", "sums stay what they were"),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) >= p) / p", "divided by p"),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) >= p) * (1 - p)", "multiplied by 1 - p"),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) < p) / (1 - p)", "the probability of becoming 0"),
    ("n02-dropout", DROPOUT + "x * (torch.rand_like(x) >= p) / (1 - p)", "While reading, it does nothing"),
    ("n02-dropout", DROPOUT + "x * (torch.rand(x.shape[1]) >= p) / (1 - p)", "every row lost the same"),
    ("n02-dropout", DROPOUT + "x", "leaves every number"),
    ("n02-dropout", DROPOUT + "x if training else x * (torch.rand_like(x) >= p) / (1 - p)", "leaves every number"),
    ("n02-held", HELD + "sum(t.nbytes for t in model.state_dict().values())", "two names lead to one storage"),
    ("n02-held", HELD + "sum(p.nbytes for p in model.parameters())", "leaves out the buffer"),
    ("n02-held", HELD + "sum(p.numel() for p in [*model.parameters(), *model.buffers()])", "counts elements"),
    ("n02-held", HELD + "sum(t.nbytes for t in [*model.parameters(), *model.buffers()])", "Go by storages"),
    ("n02-held", HELD + "17152", "held(twice.first)"),
    (
        "n02-one",
        ONE.format(detached=".detach()", parameters="model.parameters()", give="pass"),
        "a storage of its own still",
    ),
    (
        "n02-one",
        ONE.format(detached=".detach()", parameters="model.parameters()", give=GIVE + ".clone()"),
        "a storage of its own still",
    ),
    ("n02-one", ONE.format(detached="", parameters="model.parameters()", give=GIVE), "has a history"),
    (
        "n02-one",
        ONE.format(detached=".detach()", parameters="dict(model.named_tensors()).values()", give=GIVE),
        "no tensor that is not learned",
    ),
    ("n02-one", ONE_BY_NAMES, "other parameters now"),
    ("n02-one", ONE_BACKWARDS, "the offset of"),
    (
        "n02-one",
        ONE.format(detached=".detach()", parameters="model.parameters()", give=GIVE.replace("parameter.data =", "_ =")),
        "a storage of its own still",
    ),
    (
        "n02-one",
        ONE.format(detached=".detach()", parameters="model.parameters()", give="parameter.set_(" + GIVE[17:] + ")"),
        "raised",
    ),
    (
        "n02-one",
        ONE_BY_SPLIT.replace("torch.empty(", "torch.zeros(").replace("part.copy_", "part.clone().copy_"),
        "model.first.weight[0",
    ),
]

ALSO_RIGHT = [
    (
        "n02-chain",
        "class Chain(Module):\n"
        "    def __init__(self, *modules):\n"
        "        super().__init__()\n"
        "        self.children.update({str(n): module for n, module in enumerate(modules)})\n"
        "        self.length = len(modules)\n"
        "    def forward(self, x):\n"
        "        for n in range(self.length):\n"
        "            x = getattr(self, str(n))(x)\n"
        "        return x",
    ),
    ("n02-chain", CHAIN.format(keep="vars(self)['children'] = dict(zip('0123456789', modules))", go=THROUGH)),
    ("n02-snapshot", SNAPSHOT + "copy.deepcopy(model.state_dict())"),
    ("n02-snapshot", SNAPSHOT + "{n: p.detach().clone() for n, p in model.named_parameters()}"),
    (
        "n02-dropout",
        DROPOUT + "x * torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p) if training else x.clone()",
    ),
    ("n02-dropout", DROPOUT + "torch.nn.functional.dropout(x, p, training)"),
    ("n02-dropout", DROPOUT + "torch.where(torch.rand(x.shape) < p, 0.0, x / (1 - p)) if training else x"),
    (
        "n02-held",
        "def held(model):\n"
        "    seen = {t.untyped_storage().data_ptr(): t for t in [*model.parameters(), *model.buffers()]}\n"
        "    return sum(t.nbytes for t in seen.values())",
    ),
    (
        "n02-held",
        "def held(model):\n"
        "    seen, total = set(), 0\n"
        "    for tensor in model.state_dict().values():\n"
        "        storage = tensor.untyped_storage()\n"
        "        total += 0 if storage.data_ptr() in seen else len(storage)\n"
        "        seen.add(storage.data_ptr())\n"
        "    return total",
    ),
    ("n02-one", ONE_BY_SPLIT),
    ("n02-one", ONE_BY_UTILS),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
