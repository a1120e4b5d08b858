"""Part 3: right answers that few people give, with either library."""

import numpy
from exercise_answers import right_answers, wrong_answers

LEAVES = "leaf_a, leaf_b, leaf_c, leaf_d, leaf_e = "
TWICE = "added, squared, exponential, reshaped, averaged = "
HARMLESS = "after_exp, after_log, after_sigmoid, after_product, after_sum = "
NOTICED = "through_view, through_detach, through_data, under_no_grad, through_numpy = "
WHO = "in_a_list, as_number, detached, doubled, doubled_in_no_grad, node = "
CHOOSE = "constant, service, update, snapshot, scratch = "
WHICH = "penalty, reversal, debugging, frugal = "

LEAVES_TRIED = """
b = torch.ones(3) * 2
c = a * 2
d = (torch.ones(3) * 2).requires_grad_()
e = a.clone()
leaf_a, leaf_b, leaf_c, leaf_d, leaf_e = (t.is_leaf for t in (a, b, c, d, e))
"""
TWICE_TRIED = """
def goes(result):
    result = result.sum()
    result.backward()
    try:
        result.backward()
    except RuntimeError:
        return False
    return True
added, squared, exponential, reshaped, averaged = map(goes, (u - 1, u * u, u.exp(), u.view(2, 3), u.mean()))
"""
WEIGHT_BY_NEW_LEAF = """
def make_weight():
    weight = torch.tensor([[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]])
    weight.requires_grad = True
    return weight
"""
MAKERS_RECURSIVE = """
def node_names(tensor):
    def down(node):
        return [] if node is None else [node.name(), *down(node.next_functions[0][0] if node.next_functions else None)]
    return down(tensor.grad_fn)
"""
RECORDED_BY_GRAD = """
recorded = [torch.autograd.grad((factor * w).sum(), w)[0] for factor in (1.0, 2.0, 3.0)]
"""
RECORDED_BY_CLONES = """
recorded = []
for factor in (1.0, 2.0, 3.0):
    (factor * w).sum().backward()
    recorded.append(w.grad.clone())
    w.grad.zero_()
"""
JACOBIAN_BY_GRAD = """
def jacobian(f, x):
    y = f(x)
    return torch.stack([torch.autograd.grad(each, x, retain_graph=True)[0] for each in y])
"""
JACOBIAN_OF_THE_LIBRARY = "def jacobian(f, x): return torch.autograd.functional.jacobian(f, x)"
PIECES_WEIGHTED = """
def send_back(w, pieces):
    for x, target in pieces:
        loss = ((w * x - target) ** 2).sum() / sum(map(len, (pieces[0][0], pieces[1][0])))
        loss.backward()
"""
PIECES_BY_WEIGHT = """
def send_back(w, pieces):
    for x, target in pieces:
        loss = ((w * x - target) ** 2).mean()
        loss.backward(torch.tensor(0.5))
"""
STEP_IN_A_BLOCK = """
def step(weights, rate):
    with torch.no_grad():
        for weight in weights:
            if weight.grad is None:
                continue
            weight.sub_(weight.grad, alpha=rate)
            weight.grad.zero_()
"""
STEP_BY_COPY = """
def step(weights, rate):
    for weight in filter(lambda each: each.grad is not None, weights):
        with torch.no_grad():
            weight.copy_(weight - rate * weight.grad)
        weight.grad = None
"""
CHAIN_BY_GRAD = """
def chain(w, x):
    a = w * x
    b = a.tanh()
    c = b.tanh()
    return list(torch.autograd.grad(c.sum(), (a, b, c)))
"""
SALIENCY_CLONED = """
def saliency(model, x):
    image = x.clone().requires_grad_(True)
    return torch.autograd.grad(model(image), [image])[0].detach().absolute()
"""
STEP_AT_ONCE_BY_SUB = """
@torch.no_grad()
def step_at_once(leaf):
    leaf.sub_(leaf.grad, alpha=0.1)
    leaf.grad = None
"""
REPAIR_IN_ANOTHER_ORDER = """
def score(w, x):
    h = w * x
    gate = torch.sigmoid(h)
    return torch.sum((gate + torch.exp(h)) * gate)
"""
STEP_OF_ALL = """
@torch.no_grad()
def step(parameters, rate):
    for parameter in parameters:
        parameter.add_(parameter.grad, alpha=-rate)
"""
UNROLL_BY_POWERS = """
def unroll(u, steps):
    state, states = torch.tensor(1.0), []
    for _ in range(steps + 1):
        states.append(state)
        state = state * u
    return torch.stack(states)
"""
CARRY_IN_BLOCKS = """
def carry_on(step, numbers):
    state, losses = torch.zeros(1000), []
    for number in numbers:
        new = step(state, number)
        loss = new.square().sum()
        loss.backward()
        losses += [float(loss.detach())]
        state = new.detach()
        del new, loss
    return losses
"""
RECORD_BY_FLOAT = """
def record(h, written):
    with torch.no_grad():
        largest = float(max(h.max(), -h.min()))
    h.register_hook(lambda gradient: written.append((largest, float(gradient.abs().max()))))
"""

RIGHT = [
    ("a01-leaves", LEAVES_TRIED),
    ("a01-leaves", LEAVES + "np.bool_(True), True, False, True, np.bool_(False)"),
    ("a01-weight", WEIGHT_BY_NEW_LEAF),
    ("a01-row", "row_gradient = weight.grad[-1:].view(2)"),
    ("a01-freeze", "any(layer.requires_grad_(False) is None for layer in (encoder, middle))"),
    ("a02-makers", MAKERS_RECURSIVE),
    ("a02-by-hand", "by_hand = (rates * hours * 2 - paid * 2).mul(hours)"),
    ("a02-twice", TWICE_TRIED),
    ("a02-twice", TWICE + "np.bool_(True), False, False, True, True"),
    ("a03-weights", "v = torch.tensor([1, -2]).float()"),
    ("a03-weights", "v = torch.eye(2)[0] - 2 * torch.eye(2)[1]"),
    ("a03-outside", "y.backward(y.new_tensor(outside(y.tolist())[1]))"),
    ("a03-outside", "w.grad = torch.autograd.grad(y, w, torch.tensor(outside(y.tolist())[1]))[0]"),
    ("a03-pieces", PIECES_WEIGHTED),
    ("a03-pieces", PIECES_BY_WEIGHT),
    ("a03-recorded", RECORDED_BY_GRAD),
    ("a03-recorded", RECORDED_BY_CLONES),
    ("a03-jacobian", JACOBIAN_BY_GRAD),
    ("a03-jacobian", JACOBIAN_OF_THE_LIBRARY),
    ("a04-target", "loss = (prediction - target.data).square().sum()"),
    ("a04-target", "with torch.no_grad():\n    fixed = w * w\nloss = torch.sum((fixed - prediction) ** 2)"),
    ("a04-step", STEP_IN_A_BLOCK),
    ("a04-step", STEP_BY_COPY),
    ("a04-freeze", "loss = torch.dot(head.detach(), first * x)"),
    ("a04-freeze", "loss = (head.data.clone() * first) @ x"),
    ("a04-shown", "shown = root.detach().clone().clamp_(max=3)"),
    ("a04-shown", "with torch.no_grad():\n    shown = torch.minimum(root, torch.tensor(3.0))"),
    ("a04-choose", CHOOSE + "'Detach', 'torch.inference_mode', 'no_grad()', 'detach().clone()', 'clone()'"),
    ("a04-choose", CHOOSE + "'detach()', 'inference_mode()', 'torch.no_grad()', 'Detach().Clone()', ' clone'"),
    ("a05-chain", CHAIN_BY_GRAD),
    ("a05-saliency", SALIENCY_CLONED),
    ("a05-step-at-once", STEP_AT_ONCE_BY_SUB),
    ("a05-which", WHICH + "'Grad', 'a hook', 'retain_grad()', 'the post hook'"),
    ("a05-which", WHICH + "' grad ', 'HOOK', 'Retain_grad', 'Post Hook'"),
    ("a06-harmless", HARMLESS + "np.bool_(True), False, False, True, True"),
    ("a06-harmless", HARMLESS + "(each == 'harmless' for each in ('harmless', '', '', 'harmless', 'harmless'))"),
    ("a06-repair", REPAIR_IN_ANOTHER_ORDER),
    ("a06-step", STEP_OF_ALL),
    ("a06-unroll", UNROLL_BY_POWERS),
    ("a06-noticed", NOTICED + "np.bool_(True), True, False, True, False"),
    ("a06-noticed", NOTICED + "(version > 0 for version in (1, 1, 0, 1, 0))"),
    ("a07-who", WHO + "np.bool_(True), False, False, True, False, True"),
    ("a07-who", WHO + "(each == 'holds' for each in ('holds', '', '', 'holds', '', 'holds'))"),
    ("a07-carry", CARRY_IN_BLOCKS),
    ("a07-record", RECORD_BY_FLOAT),
]

WRONG = [
    ("a01-leaves", LEAVES + "False, False, True, False, True", "0 of 5 are right"),
    ("a04-choose", CHOOSE + "'clone', 'detach', 'no_grad', 'detach().clone()', 'detach'", "2 of 5 are right"),
    ("a05-which", WHICH + "'hook', 'grad', 'retain_grad', 'post hook'", "`penalty` and `reversal` are not yet"),
    ("a07-who", WHO + "True, True, True, True, True, True", "`as_number`, `detached` and `doubled_in_no_grad`"),
]

test_a_right_answer_of_its_own_kind_is_right = right_answers(RIGHT, np=numpy)
test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG, np=numpy)
