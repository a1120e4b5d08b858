"""What people answer wrongly in notebook 07 on networks, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

READ = """
def read(batch, state, cell):
    states = []
    for row in batch.unbind(1):
        state = cell(row, state)
        states.append(state)
    return torch.stack(states, dim=1), state
"""
BY_INDEX = """
def read(batch, state, cell):
    made = None
    for at in range(batch.shape[1]):
        state = cell(batch[:, at], state)
        made = state[:, None] if made is None else torch.cat([made, state[:, None]], dim=1)
    return made, made[:, -1]
"""
INTO_ONE_TENSOR = """
def read(batch, state, cell):
    states = state.new_empty(batch.shape[1], *state.shape)
    for at, row in enumerate(batch.transpose(0, 1)):
        states[at] = state = cell(row, state)
    return states.transpose(0, 1), state
"""
TABLE = """
def table_gradient(codes, gradient, rows):
    made = torch.zeros(rows, gradient.shape[1])
    {line}
    return made
"""
TRAIN = """
def train_on(codes, length, state, read):
    losses = []
    for piece in codes.split(length):
        state = read(piece, state.detach())
        loss = (state**2).sum()
        loss.backward()
        losses.append(loss.item())
    return losses
"""
BY_SLICES = """
def train_on(codes, length, state, read):
    losses = []
    for start in range(0, len(codes), length):
        state = read(codes[start : start + length], state)
        loss = state.square().sum()
        loss.backward()
        state = state.detach()
        losses.append(float(loss))
    return losses
"""
CLIP = """
def clip(parameters, longest):
    norm = sum((parameter.grad**2).sum() for parameter in parameters).sqrt().item()
    if norm > longest:
        for parameter in parameters:
            parameter.grad.mul_(longest / norm)
    return norm
"""
ONE_BY_ONE = """
def clip(parameters, longest):
    for parameter in parameters:
        norm = parameter.grad.norm()
        if norm > longest:
            parameter.grad.mul_(longest / norm)
    return 13.0
"""
CUT_OFF = """
def clip(parameters, longest):
    norm = sum((parameter.grad**2).sum() for parameter in parameters).sqrt().item()
    for parameter in parameters:
        parameter.grad.clamp_(-longest, longest)
    return norm
"""

WRONG = [
    ("n07-read", READ.replace("dim=1", "dim=0"), "has the rows in front"),
    ("n07-read", READ.replace("batch.unbind(1)", "batch"), "goes through the pictures"),
    ("n07-read", READ.replace("batch.unbind(1)", "batch.unbind(1)[::-1]"), "from the last to the first"),
    (
        "n07-read",
        READ.replace("state = cell(row, state)\n        states.append(state)", "states.append(cell(row, state))"),
        "begins with the first state again",
    ),
    ("n07-read", READ.replace("states = []", "states = [state]"), "from before the first row"),
    (
        "n07-read",
        READ.replace(", state\n", "\n", 1).replace("return torch.stack(states, dim=1), state", "return state"),
        "two tensors",
    ),
    ("n07-read", READ.replace("batch.unbind(1)", "batch.unbind(1)[1:]"), "number of calls"),
    ("n07-table", TABLE.format(line="made[codes] = gradient"), "replaces what was there"),
    ("n07-table", TABLE.format(line="made[codes] += gradient"), "replaces what was there"),
    ("n07-table", TABLE.format(line="made.index_add_(0, codes, gradient, alpha=0.5)"), "the mean"),
    ("n07-table", "def table_gradient(codes, gradient, rows): return gradient", "has shape"),
    ("n07-table", TABLE.format(line="pass"), "it should "),
    (
        "n07-table",
        TABLE.replace("rows, gradient", "3, gradient").format(line="made.index_add_(0, codes, gradient)"),
        "has shape",
    ),
    ("n07-truncate", TRAIN.replace("state.detach()", "state"), "raised RuntimeError"),
    (
        "n07-truncate",
        TRAIN.replace("state.detach()", "state").replace("backward()", "backward(retain_graph=True)"),
        "the graph grows from piece to piece",
    ),
    ("n07-truncate", TRAIN.replace("        loss.backward()\n", ""), "no gradient has arrived"),
    ("n07-truncate", TRAIN.replace("loss.item()", "loss"), "The losses are tensors".lower()),
    (
        "n07-truncate",
        TRAIN.replace("state = read(piece, state.detach())", "state_2 = read(piece, state.detach())").replace(
            "(state**2)", "(state_2**2)"
        ),
        "begins with the first state again",
    ),
    ("n07-truncate", TRAIN.replace("codes.split(length)", "codes.split(length)[:-1]"), "left out"),
    ("n07-truncate", TRAIN.replace("codes.split(length)", "codes.clone().split(length)"), "are copies"),
    ("n07-truncate", TRAIN.replace("codes.split(length)", "codes.chunk(2)"), "lengths"),
    ("n07-clip", ONE_BY_ONE, "Each was judged by itself"),
    ("n07-clip", CUT_OFF, "another direction"),
    ("n07-clip", CLIP.replace("if norm > longest", "if True"), "Leave them alone"),
    ("n07-clip", CLIP.replace(".sqrt()", ""), "its root is missing"),
    ("n07-clip", CLIP.replace("return norm", "return longest"), "from *before*"),
    (
        "n07-clip",
        CLIP.replace("parameter.grad.mul_(longest / norm)", "parameter.grad = parameter.grad * (longest / norm)"),
        "are new tensors",
    ),
    ("n07-clip", CLIP.replace("if norm > longest", "if norm < longest"), "as long as before"),
]

ALSO_RIGHT = [
    ("n07-read", BY_INDEX),
    ("n07-read", INTO_ONE_TENSOR),
    ("n07-table", TABLE.format(line="made.index_put_((codes,), gradient, accumulate=True)")),
    ("n07-table", TABLE.format(line="for code, row in zip(codes, gradient): made[code] += row")),
    ("n07-table", "def table_gradient(codes, gradient, rows):\n"
     "    return torch.nn.functional.one_hot(codes, rows).float().t() @ gradient"),
    ("n07-truncate", BY_SLICES),
    ("n07-truncate", TRAIN.replace("codes.split(length)", "torch.split(codes, length)").replace("**2", ".pow(2)")),
    ("n07-clip", "def clip(parameters, longest):\n    return torch.nn.utils.clip_grad_norm_(parameters, longest)"),
    ("n07-clip", "def clip(parameters, longest):\n"
     "    norm = torch.cat([p.grad.flatten() for p in parameters]).norm()\n"
     "    for p in parameters:\n"
     "        p.grad.mul_((longest / norm).clamp(max=1))\n"
     "    return norm"),
]  # fmt: skip

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
