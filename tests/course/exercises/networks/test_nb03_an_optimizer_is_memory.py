"""What people answer wrongly in notebook 03 of part 5, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

DESCEND = """
def descend(loss_of, parameter, rate, steps):
    losses = []
    for _ in range(steps):
        {empty}
        loss = loss_of(parameter)
        loss.backward()
        with torch.no_grad():
            {step}
        losses.append({loss})
    return losses
"""
EMPTY, STEP = "parameter.grad = None", "parameter -= rate * parameter.grad"
DESCEND_RECORDED = """
def descend(loss_of, parameter, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(parameter)
        loss.backward()
        parameter -= rate * parameter.grad
        losses.append(loss.item())
    return losses
"""
DESCEND_BY_GRAD = """
def descend(loss_of, parameter, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(parameter)
        (gradient,) = torch.autograd.grad(loss, parameter)
        parameter.data.sub_(gradient, alpha=rate)
        losses.append(float(loss.detach()))
    return losses
"""
DESCEND_BY_OPTIM = """
def descend(loss_of, parameter, rate, steps):
    optimizer, losses = torch.optim.SGD([parameter], lr=rate), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(parameter)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""

MOMENTUM = """
def momentum(p, gradient, state, rate):
    with torch.no_grad():
        old = state.get("velocity", torch.zeros_like(p))
        {lines}
"""
MOMENTUM_IN_PLACE = """
def momentum(p, gradient, state, rate):
    if "velocity" not in state:
        state["velocity"] = gradient
    else:
        state["velocity"].mul_(0.9).add_(gradient)
    p.data -= rate * state["velocity"]
"""
MOMENTUM_GLOBAL = """
velocities = {}
def momentum(p, gradient, state, rate):
    velocities[id(p)] = 0.9 * velocities.get(id(p), torch.zeros_like(p)) + gradient
    with torch.no_grad():
        p -= rate * velocities[id(p)]
"""

ADAM = """
def adam(p, gradient, state, rate):
    step = state["step"] = state.get("step", 0) + 1
    with torch.no_grad():
        mean = 0.9 * state.get("mean", torch.zeros_like(p)) + 0.1 * gradient
        square = 0.999 * state.get("square", torch.zeros_like(p)) + 0.001 * gradient**2
        {keep}
        {step}
"""
KEEP = 'state["mean"], state["square"] = mean, square'
ADAM_STEP = "p -= rate * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)"
ADAM_IN_PLACE = """
import math
def adam(p, gradient, state, rate):
    if not state:
        state.update(step=0, mean=torch.zeros_like(p), square=torch.zeros_like(p))
    state["step"] += 1
    with torch.no_grad():
        state["mean"].lerp_(gradient, 0.1)
        state["square"].mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        root = state["square"].sqrt() / math.sqrt(1 - 0.999 ** state["step"]) + 1e-8
        p.addcdiv_(state["mean"], root, value=-rate / (1 - 0.9 ** state["step"]))
"""
ADAM_BY_OPTIM = """
def adam(p, gradient, state, rate):
    if "optimizer" not in state:
        state["optimizer"] = torch.optim.Adam([p], lr=rate)
    p.grad = gradient.clone()
    state["optimizer"].step()
"""

RATE = "def rate_at(epoch, first, every, factor): return "
RATE_IN_A_LOOP = """
def rate_at(epoch, first, every, factor):
    rate = first
    for number in range(1, epoch + 1):
        if number % every == 0:
            rate *= factor
    return rate
"""

WEIGH = """
def weigh(optimizer):
    parameters = {parameters}
    gradients = [each.grad for each in parameters if each.grad is not None]
    state = [each for state in optimizer.state.values() for each in {state}]
    return tuple(sum(each.{size} for each in part) for part in (parameters, gradients, state))
"""
ALL = '[each for group in optimizer.param_groups for each in group["params"]]'
WEIGH_BY_STATE_DICT = """
def weigh(optimizer):
    parameters = sum((group["params"] for group in optimizer.param_groups), [])
    state = 0
    for kept in optimizer.state_dict()["state"].values():
        state += sum(t.numel() * t.element_size() for t in kept.values() if torch.is_tensor(t))
    gradients = sum(p.grad.nbytes if p.grad is not None else 0 for p in parameters)
    return [sum(p.nbytes for p in parameters), gradients, state]
"""

WRONG = [
    (
        "n03-adam",
        ADAM.format(
            keep=KEEP, step="p -= rate * (mean / (1 - 0.9**step)) / (square / (1 - 0.999**step)).sqrt() + 1e-8"
        ),
        "in parentheses",
    ),
    ("n03-adam", ADAM.format(keep="pass", step=ADAM_STEP), "The means of the step before are not used"),
    (
        "n03-adam",
        ADAM.format(keep=KEEP, step=ADAM_STEP.replace("(mean / (1 - 0.9**step))", "gradient")),
        "running mean",
    ),
    (
        "n03-adam",
        ADAM.format(
            keep=KEEP, step=ADAM_STEP.replace("1 - 0.9**", "(1 - 0.9)**").replace("1 - 0.999**", "(1 - 0.999)**")
        ),
        "is another number",
    ),
    (
        "n03-descend",
        DESCEND.format(empty=EMPTY, step="parameter = parameter - rate * parameter.grad", loss="loss.item()"),
        "`parameter` is where it was",
    ),
    (
        "n03-momentum",
        "def momentum(p, gradient, state, rate):\n    with torch.no_grad():\n"
        "        state['v'] = 0.9 * state.get('v', gradient) + gradient\n        p -= rate * state['v']",
        "1.9 times the gradient",
    ),
    (
        "n03-momentum",
        "def momentum(p, gradient, state, rate):\n    state['v'] = 0.9 * state['v'] + gradient",
        "still empty at the first call",
    ),
    ("n03-descend", DESCEND.format(empty="pass", step=STEP, loss="loss.item()"), "never emptied"),
    (
        "n03-descend",
        DESCEND.format(empty=EMPTY, step="pass", loss="loss.item()"),
        "where it was",
    ),
    (
        "n03-descend",
        DESCEND.format(empty=EMPTY, step=STEP.replace("-=", "+="), loss="loss.item()"),
        "went up the gradient",
    ),
    ("n03-descend", DESCEND.format(empty=EMPTY, step=STEP, loss="loss"), "each keeps its graph"),
    ("n03-descend", DESCEND.format(empty=EMPTY, step=STEP, loss="loss_of(parameter).item()"), "after their steps"),
    (
        "n03-descend",
        DESCEND.format(empty=EMPTY, step=STEP.replace("rate", "rate / 2"), loss="loss.item()"),
        "plain steps of rate times gradient",
    ),
    ("n03-descend", DESCEND_RECORDED, "a leaf Variable that requires grad"),
    ("n03-momentum", MOMENTUM.format(lines="p -= rate * gradient"), "plain steps"),
    (
        "n03-momentum",
        MOMENTUM.format(lines="state['velocity'] = 0.9 * old + 0.1 * gradient; p -= rate * state['velocity']"),
        "a tenth of the gradient",
    ),
    (
        "n03-momentum",
        MOMENTUM.format(lines="state['velocity'] = old + gradient; p -= rate * state['velocity']"),
        "never fades",
    ),
    (
        "n03-momentum",
        MOMENTUM.format(lines="p -= rate * old; state['velocity'] = 0.9 * old + gradient"),
        "the velocity from before",
    ),
    (
        "n03-momentum",
        MOMENTUM.format(lines="state['velocity'] = 0.9 * old + gradient; p += rate * state['velocity']"),
        "uphill",
    ),
    (
        "n03-momentum",
        MOMENTUM.format(lines="state['velocity'] = 0.9 * old + gradient; p = p - rate * state['velocity']"),
        "where it was",
    ),
    ("n03-momentum", MOMENTUM_IN_PLACE, "wrote into a gradient"),
    ("n03-momentum", MOMENTUM_GLOBAL, "`state` is empty"),
    ("n03-adam", ADAM.format(keep=KEEP, step="p -= rate * mean / (square.sqrt() + 1e-8)"), "without its correction"),
    (
        "n03-adam",
        ADAM.format(
            keep=KEEP, step="p -= rate * (mean / (1 - 0.9**step)) / (square / (1 - 0.999**step) + 1e-8).sqrt()"
        ),
        "not under it",
    ),
    (
        "n03-adam",
        ADAM.format(keep=KEEP, step="p -= rate * (mean / (1 - 0.9**step)) / (square / (1 - 0.999**step) + 1e-8)"),
        "the *root*",
    ),
    ("n03-adam", ADAM.format(keep=KEEP, step=ADAM_STEP).replace("gradient**2", "gradient"), "the gradient *squared*"),
    ("n03-adam", ADAM.format(keep=KEEP, step=ADAM_STEP).replace("**step", ""), "as if it were the first"),
    (
        "n03-rate",
        "def rate_at(epoch, first, every, factor): return first if epoch < every else first * factor",
        "It falls once",
    ),
    ("n03-adam", ADAM.format(keep="step = 1", step=ADAM_STEP), "only its own gradient"),
    (
        "n03-adam",
        ADAM.format(
            keep="mean = state['mean'] = mean / (1 - 0.9**step); square = state['square'] = square / (1 - 0.999**step)",
            step="p -= rate * mean / (square.sqrt() + 1e-8)",
        ),
        "corrected means were kept",
    ),
    ("n03-adam", ADAM.format(keep="step -= 1; " + KEEP, step=ADAM_STEP), "count the steps from 1"),
    (
        "n03-adam",
        ADAM.format(keep=KEEP, step=ADAM_STEP.replace("1e-8", "0.9e-8")),
        "is [0.95, -2.0496]; it should be [0.95, -2.0495]",
    ),
    ("n03-adam", ADAM.format(keep=KEEP, step=ADAM_STEP.replace("0.999**", "0.9**")), "with its own number"),
    (
        "n03-adam",
        ADAM.format(keep=KEEP, step=ADAM_STEP).replace('"mean", torch.zeros_like(p)', '"mean", gradient'),
        "The mean begins as the gradient.",
    ),
    (
        "n03-adam",
        ADAM.format(keep=KEEP, step=ADAM_STEP)
        .replace('"mean", torch.zeros_like(p)', '"mean", gradient')
        .replace('"square", torch.zeros_like(p)', '"square", gradient**2'),
        "begin as the gradient and its square",
    ),
    (
        "n03-momentum",
        MOMENTUM.format(lines="state['velocity'] = 0.9 * old + gradient; p -= rate * (state['velocity'] + 4e-4)"),
        "`p` is [0.89998, -2.0]; it should be [0.9, -2.0]",
    ),
    (
        "n03-weigh",
        WEIGH.format(parameters=ALL, state="state.values()", size="nbytes").replace(" is not None", ""),
        "if p.grad is not None",
    ),
    ("n03-rate", RATE + "first * factor ** epoch", "in every epoch"),
    ("n03-rate", RATE + "first * factor ** ((epoch + 1) // every)", "one epoch too early"),
    ("n03-rate", RATE + "first * factor * (epoch // every)", "not factor * n"),
    ("n03-rate", RATE + "first * factor ** (epoch % every)", "Use //"),
    ("n03-rate", RATE + "first * factor ** (epoch / every)", "in steps"),
    ("n03-rate", RATE + "first - factor * (epoch // every)", "it should be"),
    (
        "n03-weigh",
        WEIGH.format(parameters='optimizer.param_groups[0]["params"]', state="state.values()", size="nbytes"),
        "two groups",
    ),
    ("n03-weigh", WEIGH.format(parameters=ALL, state="[state['exp_avg']]", size="nbytes"), "one of the two"),
    (
        "n03-weigh",
        WEIGH.format(parameters=ALL, state="[state['exp_avg'], state['exp_avg_sq']]", size="nbytes"),
        "counters are missing",
    ),
    ("n03-weigh", WEIGH.format(parameters=ALL, state="state.values()", size="numel()"), "These are elements"),
    (
        "n03-weigh",
        "def weigh(optimizer):\n"
        "    n = sum(each.nbytes for group in optimizer.param_groups for each in group['params'])\n"
        "    return n, n, 2 * n",
        "before anything was computed",
    ),
]

ALSO_RIGHT = [
    ("n03-descend", DESCEND_BY_GRAD),
    ("n03-descend", DESCEND_BY_OPTIM),
    (
        "n03-descend",
        DESCEND.format(
            empty="parameter.grad = None", step="parameter.add_(-rate * parameter.grad)", loss="float(loss.detach())"
        ),
    ),
    ("n03-momentum", MOMENTUM_IN_PLACE.replace("= gradient\n", "= gradient.clone()\n")),
    (
        "n03-momentum",
        MOMENTUM.format(
            lines="state['velocity'] = torch.add(gradient, old, alpha=0.9); p.sub_(state['velocity'], alpha=rate)"
        ),
    ),
    ("n03-adam", ADAM_IN_PLACE),
    ("n03-adam", ADAM_BY_OPTIM),
    ("n03-rate", RATE_IN_A_LOOP),
    ("n03-rate", RATE + "first * pow(factor, int(epoch / every))"),
    ("n03-weigh", WEIGH.format(parameters=ALL, state="state.values()", size="nbytes")),
    ("n03-weigh", WEIGH_BY_STATE_DICT),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
