"""What people answer wrongly in notebook 05 of part 5, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

SAVED = """
def saved_bytes(forward, model):
    own = {{p.untyped_storage().data_ptr() for p in model.parameters()}}
    saved = {{}}
    def pack(tensor):
        storage = tensor.untyped_storage()
        if {wanted}:
            saved[{key}] = {value}
        return tensor
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        {run}
    return sum(saved.values())
"""
NOT_OWN, POINTER, NBYTES = "storage.data_ptr() not in own", "storage.data_ptr()", "storage.nbytes()"
RUN = "result = forward()"
SAVED_UNBOUND = """
def saved_bytes(forward, model):
    total = 0
    def pack(tensor):
        total += tensor.nbytes
        return tensor
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = forward()
    return total
"""
SAVED_OUTSIDE = """
def saved_bytes(forward, model):
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (saved.append(t), t)[1], lambda t: t):
        pass
    result = forward()
    return sum(t.nbytes for t in saved)
"""
SAVED_IN_A_LIST = """
def saved_bytes(forward, model):
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        result = forward()
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in kept}
    for parameter in model.parameters():
        storages.pop(parameter.untyped_storage().data_ptr(), None)
    return sum(storages.values())
"""
SAVED_BY_HANDLES = """
def saved_bytes(forward, model):
    seen, total = {p.data_ptr() for p in model.parameters()}, 0
    def pack(t):
        nonlocal total
        if t.untyped_storage().data_ptr() not in seen:
            seen.add(t.untyped_storage().data_ptr())
            total += len(t.untyped_storage())
        pack.alive.append(t)
        return t
    pack.alive = []
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        forward()
    return total
"""

ACCUMULATE = """
def accumulate(model, loss_of, parts):
    count = sum(len(labels) for _, labels in parts)
    {first}
    total = 0.0
    for pictures, labels in parts:
        {each}
        loss = loss_of(model(pictures), labels) * {weight}
        loss.backward()
        total += {number}
    {last}
    return total
"""
FILLED = {"first": "model.zero_grad()", "each": "pass", "weight": "(len(labels) / count)", "number": "loss.item()",
          "last": "pass"}  # fmt: skip
ACCUMULATE_ONCE = """
def accumulate(model, loss_of, parts):
    model.zero_grad()
    count = sum(len(labels) for _, labels in parts)
    loss = sum(loss_of(model(x), y) * len(y) / count for x, y in parts)
    loss.backward()
    return loss.item()
"""
ACCUMULATE_WHOLE = """
def accumulate(model, loss_of, parts):
    model.zero_grad()
    loss = loss_of(model(torch.cat([x for x, _ in parts])), torch.cat([y for _, y in parts]))
    loss.backward()
    return loss.item()
"""
ACCUMULATE_DIVIDED = """
def accumulate(model, loss_of, parts):
    model.zero_grad()
    count, total = 0, 0.0
    for x, y in parts:
        loss = loss_of(model(x), y) * len(y)
        loss.backward()
        count += len(y)
        total += float(loss.detach())
    for parameter in model.parameters():
        parameter.grad /= count
    return total / count
"""
ACCUMULATE_BY_ARGUMENT = """
def accumulate(model, loss_of, parts):
    for parameter in model.parameters():
        parameter.grad = None
    count, losses = sum(len(y) for _, y in parts), []
    for x, y in parts:
        loss = loss_of(model(x), y)
        loss.backward(torch.tensor(len(y) / count))
        losses.append(loss.item() * len(y))
    return sum(losses) / count
"""


def accumulated(**changes):
    return ACCUMULATE.format(**FILLED | changes)


BLOCKS = """
def in_blocks(model, x):
    for child in model:
        x = {call}
    return x
"""
BLOCKS_HALVED = """
def in_blocks(model, x):
    for number, child in enumerate(model):
        x = checkpoint(child, x, use_reentrant=False) if number == 1 else child(x)
    return x
"""
BLOCKS_BY_PLACE = """
def in_blocks(model, x):
    *blocks, last = model.children()
    for block in blocks:
        x = checkpoint(lambda y, block=block: block(y), x, use_reentrant=False, preserve_rng_state=False)
    return last(x)
"""

LEVER = "deep, first_step, noisy, report = "

WRONG = [
    ("n05-saved", SAVED.format(wanted="True", key=POINTER, value=NBYTES, run=RUN), "That has the weights in it"),
    ("n05-saved", SAVED.format(wanted=NOT_OWN, key="len(saved)", value=NBYTES, run=RUN), "storages twice: a ReLU's"),
    ("n05-saved", SAVED.format(wanted="True", key="len(saved)", value=NBYTES, run=RUN), "twice, and the weights too"),
    ("n05-saved", SAVED.format(wanted=NOT_OWN, key=POINTER, value="tensor.numel()", run=RUN), "These are elements"),
    ("n05-saved", SAVED.format(wanted=NOT_OWN, key=POINTER, value=NBYTES, run="pass"), "was not called"),
    ("n05-saved", SAVED_OUTSIDE, "Nothing was counted"),
    ("n05-saved", SAVED_UNBOUND, "`nonlocal` lets it take the outer one"),
    ("n05-fits", "fits = 262_144 // 1280", "in the same memory"),
    ("n05-fits", "fits = 262_144 // 1024", "nothing for the model"),
    ("n05-fits", "fits = (262_144 - 4 * 30_760) // 1024", "at the turn"),
    ("n05-fits", "fits = (262_144 - 4 * 30_760) / 1280", "use //"),
    ("n05-fits", "fits = (262_144 - 30_760) // 1280", "the parameters alone"),
    ("n05-fits", "fits = 109", "Rounded up"),
    ("n05-accumulate", accumulated(weight="1"), "added up as they are"),
    ("n05-accumulate", accumulated(weight="(1 / len(parts))"), "of different lengths"),
    ("n05-accumulate", accumulated(weight="len(labels)"), "the sum was not divided by the number"),
    ("n05-accumulate", accumulated(each="model.zero_grad()"), "the last part alone"),
    ("n05-accumulate", accumulated(first="pass"), "call zero_grad first"),
    ("n05-accumulate", accumulated(last="model.zero_grad()"), "no zero_grad after it"),
    (
        "n05-accumulate",
        accumulated(last="torch.optim.SGD(model.parameters(), lr=0.1).step()"),
        "Leave the step to the caller",
    ),
    ("n05-accumulate", accumulated(number="loss"), "it should return a Python number"),
    ("n05-accumulate", accumulated(number="loss.item() / (len(labels) / count)"), "the mean loss over all pictures is"),
    ("n05-accumulate", ACCUMULATE_ONCE, "3 graphs were alive together"),
    ("n05-accumulate", ACCUMULATE_WHOLE, "which is what parts are to avoid"),
    ("n05-blocks", BLOCKS.format(call="child(x)"), "there is no checkpoint"),
    ("n05-blocks", BLOCKS.format(call="checkpoint(child, x, use_reentrant=False)"), "the last layer was run"),
    ("n05-blocks", BLOCKS_HALVED, "a checkpoint around each"),
    ("n05-blocks", BLOCKS.format(call="checkpoint(child, x.detach(), use_reentrant=False)"), "the last layer was run"),
    ("n05-blocks", BLOCKS_BY_PLACE.replace("last(x)", "last(x).detach()"), "does not require grad"),
    ("n05-blocks", BLOCKS_BY_PLACE.replace("last(x)", "x"), "has shape (12, 32)"),
    ("n05-lever", LEVER + '"accumulate", "optimizer", "noisy", "no_grad"', "One picture cannot be split"),
    ("n05-lever", LEVER + '"checkpoint", "checkpoint", "accumulate", "no_grad"', "the optimizer's state"),
    ("n05-lever", LEVER + '"checkpoint", "optimizer", "checkpoint", "no_grad"', "add up to that of 64"),
    ("n05-lever", LEVER + '"checkpoint", "optimizer", "accumulate", "accumulate"', "Nobody will call backward"),
    ("n05-lever", LEVER + '"checkpoint", "optimizer", "accumulate", "eval"', "it should "),
]

ALSO_RIGHT = [
    ("n05-saved", SAVED_IN_A_LIST),
    ("n05-saved", SAVED_BY_HANDLES),
    ("n05-fits", "fits = int((256 * 1024 - 123_040) / 1280)"),
    ("n05-fits", "fits = max(n for n in range(257) if 4 * 30_760 + 1280 * n <= 262_144)"),
    ("n05-accumulate", ACCUMULATE_DIVIDED),
    ("n05-accumulate", ACCUMULATE_BY_ARGUMENT),
    ("n05-blocks", BLOCKS_BY_PLACE),
    (
        "n05-blocks",
        BLOCKS.format(call="checkpoint(child, x, use_reentrant=False) if len(list(child.children())) else child(x)"),
    ),
    ("n05-lever", LEVER + '"checkpoint()", " optimizer ", "Accumulate", "no_grad()"'),
    ("n05-lever", LEVER + '"Checkpoint", "optimizer", "accumulate", "torch.no_grad()"'),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
