"""What people answer, wrongly and rightly, in the review of part 5."""

from exercise_answers import right_answers, wrong_answers

HEAD = "def towards(average, model, keep):\n"
PAIRS = "for a, b in zip(average.parameters(), model.parameters()):\n"
BUFFERS = "        for a, b in zip(average.buffers(), model.buffers()):\n            a.copy_(b)\n"


def under(body, buffers=BUFFERS):
    return f"{HEAD}    with torch.no_grad():\n        {PAIRS}            {body}\n{buffers}"


test_wrong_answers = wrong_answers(
    [
        ("n13-towards", under("a = keep * a + (1 - keep) * b"), "has not changed"),
        ("n13-towards", under("a.lerp_(b, keep)"), "share of the average"),
        ("n13-towards", under("a.lerp_(b, 1 - keep)", ""), "leaves buffers out"),
        ("n13-towards", under("a.copy_(keep * a + (1 - keep) * b)"), "were allocated"),
        ("n13-towards", under("a.data = keep * a + (1 - keep) * b"), "other storages"),
        ("n13-towards", f"{HEAD}    {PAIRS}        a.lerp_(b, 1 - keep)", "raised RuntimeError"),
        ("n13-towards", under("b.lerp_(a, keep)"), "`model` has changed"),
    ]
)

test_right_answers = right_answers(
    [
        ("n13-towards", under("a.mul_(keep).add_(b, alpha=1 - keep)")),
        (
            "n13-towards",
            f"{HEAD}    {PAIRS}        a.data.sub_(b.data, alpha=1.0).mul_(keep).add_(b.data)\n"
            "    for name, buffer in average.named_buffers():\n        buffer.copy_(model.get_buffer(name))\n",
        ),
        (
            "n13-towards",
            "@torch.no_grad()\ndef towards(average, model, keep):\n"
            "    other = model.state_dict()\n"
            "    for name, x in average.state_dict().items():\n"
            "        x.copy_(other[name]) if name.count('_') else x.lerp_(other[name], 1 - keep)\n",
        ),
    ]
)
