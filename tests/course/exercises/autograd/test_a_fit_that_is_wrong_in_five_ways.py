"""What people answer, wrongly and rightly, in the capstone of part 3."""

from exercise_answers import assert_told, right_answers, verdict_on, wrong_answers

STEP = "def step(position, masts, measured, rate):\n"
LOSS = "    loss = loss_of(position, masts, measured)\n"
MOVE = "    with torch.no_grad():\n        position -= rate * position.grad\n"
FOLLOW = "def follow(step, score, rounds):\n"
SQUARES = "((position - masts) ** 2).sum(1)"

test_wrong_answers = wrong_answers(
    [
        ("a12-start", "start = lambda e, n: torch.tensor([e, n], requires_grad=True) / 1000", "not a leaf"),
        (
            "a12-start",
            "def start(e, n):\n    p = torch.tensor([e, n], requires_grad=True) / 1000\n"
            "    p.retain_grad()\n    return p",
            "not a leaf",
        ),
        ("a12-start", "start = lambda e, n: torch.tensor([e / 1000, n / 1000])", "does not require grad"),
        ("a12-start", "start = lambda e, n: torch.tensor([e, n], requires_grad=True)", "it should "),
        (
            "a12-start",
            "start = lambda e, n: torch.tensor([e, n], requires_grad=True).div_(1000)",
            "raised RuntimeError",
        ),
        (
            "a12-distances",
            f"def distances(position, masts):\n    s = {SQUARES}\n    return torch.where(s > 0, s.sqrt(), 0)",
            "is nan",
        ),
        ("a12-distances", f"distances = lambda position, masts: {SQUARES}.sqrt().nan_to_num()", "is nan"),
        (
            "a12-distances",
            "distances = lambda position, masts: torch.hypot(*(position - masts).unbind(1))",
            "is nan",
        ),
        ("a12-distances", f"distances = lambda position, masts: ({SQUARES} + 0.1).sqrt()", "and should be"),
        ("a12-distances", "distances = lambda position, masts: (position - masts).detach().norm(dim=1)", "cut it off"),
        ("a12-distances", "distances = lambda position, masts: (position - masts).norm()", "shape ()"),
        (
            "a12-loss",
            "def loss_of(position, masts, measured):\n"
            f"    d = {SQUARES}.sqrt()\n    d -= measured\n    return (d**2).mean()",
            "overwritten that a node has saved",
        ),
        (
            "a12-loss",
            "def loss_of(position, masts, measured):\n"
            f"    d = {SQUARES}.sqrt()\n    d.data -= measured\n    return (d**2).mean()",
            "behind autograd's back",
        ),
        (
            "a12-loss",
            "def loss_of(position, masts, measured):\n"
            "    with torch.no_grad():\n        measured -= distances(position, masts)\n"
            "    return (measured**2).mean()",
            "written to",
        ),
        (
            "a12-loss",
            "loss_of = lambda position, masts, measured: ((distances(position, masts) - measured) ** 2).sum()",
            "take their mean",
        ),
        ("a12-step", f"{STEP}{LOSS}    loss.backward()\n{MOVE}    return loss.item()", "they add up"),
        (
            "a12-step",
            f"{STEP}    position.grad = None\n{LOSS}    loss.backward()\n"
            "    position = position - rate * position.grad\n    return loss.item()",
            "gives the name to another tensor",
        ),
        (
            "a12-step",
            f"{STEP}    position.grad = None\n{LOSS}    loss.backward()\n"
            "    position -= rate * position.grad\n    return loss.item()",
            "raised RuntimeError",
        ),
        ("a12-step", f"{STEP}    position.grad = None\n{LOSS}    loss.backward()\n{MOVE}    return loss", "a number"),
        (
            "a12-step",
            f"{STEP}    position.grad = None\n{LOSS}    loss.backward()\n{MOVE.replace('-=', '+=')}"
            "    return loss.item()",
            "uphill",
        ),
        (
            "a12-follow",
            FOLLOW + "    s, h = score(), []\n    for _ in range(rounds):\n        step()\n"
            "        s = 0.9 * s + 0.1 * score()\n        h.append(s.item())\n    return h",
            "holds the graphs",
        ),
        (
            "a12-follow",
            FOLLOW + "    s, h = score().item(), []\n    for _ in range(rounds):\n        step()\n"
            "        h.append(0.9 * s + 0.1 * score())\n    return h",
            "holds tensors",
        ),
        (
            "a12-follow",
            FOLLOW + "    h = []\n    for _ in range(rounds):\n        step()\n"
            "        h.append(score().item())\n    return h",
            "not smoothed",
        ),
        (
            "a12-follow",
            FOLLOW + "    s, h = score().item(), []\n    for _ in range(rounds):\n"
            "        s = 0.9 * s + 0.1 * score().item()\n        step()\n        h.append(s)\n    return h",
            "after the step",
        ),
        (
            "a12-follow",
            FOLLOW
            + "    scores = [score()]\n    for _ in range(rounds):\n        step()\n        scores.append(score())\n"
            "    s, h = scores[0].item(), []\n"
            "    for each in scores[1:]:\n        s = 0.9 * s + 0.1 * each.item()\n        h.append(s)\n    return h",
            "up to",
        ),
    ]
)

test_right_answers = right_answers(
    [
        ("a12-start", "start = lambda e, n: torch.tensor([e / 1000, n / 1000], requires_grad=True)"),
        (
            "a12-start",
            "start = lambda e, n: (torch.tensor([e, n], requires_grad=True) / 1000).detach().requires_grad_()",
        ),
        (
            "a12-start",
            "def start(e, n):\n    p = torch.tensor([e, n]).div_(1000)\n    p.requires_grad = True\n    return p",
        ),
        ("a12-distances", f"distances = lambda position, masts: {SQUARES}.clamp(min=1e-12).sqrt()"),
        ("a12-distances", f"distances = lambda position, masts: ({SQUARES} + 1e-12).sqrt()"),
        (
            "a12-distances",
            f"def distances(position, masts):\n    s = {SQUARES}\n"
            "    return torch.where(s > 0, torch.where(s > 0, s, 1).sqrt(), 0)",
        ),
        (
            "a12-loss",
            "loss_of = lambda position, masts, measured: (distances(position, masts) - measured).square().mean()",
        ),
        (
            "a12-loss",
            "def loss_of(position, masts, measured):\n"
            "    d = distances(position, masts).clone()\n    d -= measured\n    return (d * d).sum() / len(d)",
        ),
        (
            "a12-step",
            f"{STEP}{LOSS}    (g,) = torch.autograd.grad(loss, position)\n"
            "    position.data.sub_(rate * g)\n    return float(loss)",
        ),
        (
            "a12-step",
            f"{STEP}{LOSS}    loss.backward()\n{MOVE}    position.grad.zero_()\n    return loss.item()",
        ),
        (
            "a12-follow",
            FOLLOW + "    with torch.no_grad():\n        s, h = score(), []\n        for _ in range(rounds):\n"
            "            step()\n            s = 0.9 * s + 0.1 * score()\n            h.append(float(s))\n    return h",
        ),
        (
            "a12-follow",
            FOLLOW + "    s, h = score().detach(), []\n    for _ in range(rounds):\n        step()\n"
            "        s = torch.lerp(s, score().detach(), 0.1)\n        h.append(s)\n    return [x.item() for x in h]",
        ),
    ]
)


def test_a_write_through_data_is_refused_whatever_the_learners_own_distances_save(torch):
    attempt = (
        "def distances(position, masts):\n"
        f"    s = {SQUARES}\n    return torch.where(s > 0, torch.where(s > 0, s, 1).sqrt(), 0)\n\n"
        "def loss_of(position, masts, measured):\n"
        "    d = distances(position, masts)\n    d.data -= measured\n    return (d**2).mean()"
    )
    assert_told(verdict_on(torch, "a12-loss", attempt), "behind autograd's back")
