"""The gallery: each inspector with the few lines that made it. They are run when the site is built."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from glassroom.translations.templates import word

FIRST = word("""\
import tensorglass as torch
from glassroom import show

a = torch.arange(6)
table = a.view(2, 3)  # no copies:
turned = table.t()    # headers
row = table[1]        # on one storage
row[0] = 30

show(turned, row)
""")


@dataclass(frozen=True)
class Exhibit:
    """An inspector: the question that it answers, and the lines of code whose last is the picture."""

    name: str
    question: str
    code: str


EXHIBITS = (
    Exhibit("show", "Which bytes does a tensor own, and who shares them?", """\
        a = torch.arange(6)
        b = a.view(2, 3).t()
        show(a, b)"""),
    Exhibit("aliases", "Which tensors share memory, and which bytes?", """\
        table = torch.arange(12.).view(3, 4)
        column, rows, alone = table[:, 1], table[1:], table.clone()
        aliases(table=table, column=column, rows=rows, alone=alone)"""),
    Exhibit("explore_strides", "What do size, stride and offset reach? Set them yourself.", """\
        explore_strides(torch.arange(12), size=(3, 4), stride=(4, 1), offset=0)"""),
    Exhibit("explore_index", "What does an index pick, and is it a view or a copy?", """\
        explore_index(torch.arange(12).view(3, 4), "1:, ::2")"""),
    Exhibit("explore_broadcast", "Which element meets which?", """\
        explore_broadcast(row=torch.arange(3), column=torch.arange(4)[:, None])"""),
    Exhibit("graph", "What has autograd recorded, and what does it keep?", """\
        x = torch.tensor([1., 2., 3.], requires_grad=True)
        loss = (x.exp() * x).sum()
        graph(loss)"""),
    Exhibit("step_backward", "How does a gradient come about, node by node?", """\
        x = torch.tensor([1., 2., 3.], requires_grad=True)
        step_backward((x * x).sum())"""),
    Exhibit("watch", "What did each line allocate, write, share, copy and free?", """\
        def step():
            x = torch.tensor([1., 2., 3.], requires_grad=True)
            y = x[1:] * 2
            y += 1
            y.sum().backward()

        watch(step)"""),
    Exhibit("memory_timeline", "When was memory taken, and when was it given back?", """\
        with memory_timeline() as timeline:
            x = torch.ones(100)
            y = (x * 2 + 1).sum()
            del x
        timeline"""),
    Exhibit("memory_log", "Does memory grow from step to step, and which line holds it?", """\
        history = []
        log = memory_log(every=5)
        for number in range(20):
            with log.step():
                x = torch.ones(8, requires_grad=True)
                history.append((x * x).sum())
        log"""),
    Exhibit("device_map", "Where do tensors live, and what did it cost to move them?", """\
        line = torch.arange(6.)
        there = line.to("sim")
        device_map(line=line, there=there)"""),
    Exhibit("holders", "Who keeps this tensor alive?", """\
        weights = torch.ones(3, requires_grad=True)
        kept = [weights.exp()]
        holders(weights)"""),
    Exhibit("model_map", "What does a network weigh, and which parameters are shared?", """\
        net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
        model_map(net=net)"""),
    Exhibit("explain_error", "Which line broke the backward?", """\
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        y.add_(1)
        try:
            y.sum().backward()
        except RuntimeError as error:
            report = explain_error(error)
        report"""),
)  # fmt: skip


def made(code: str) -> Any:
    """The value of the last line of some code, which can use every name of glassroom, and tensorglass as `torch`.
    Storages are S0, S1, … in it, as in a Python that has run nothing else.
    """
    import glassroom
    import tensorglass

    names: dict[str, Any] = {"torch": tensorglass, "__name__": "gallery"}
    names |= {name: getattr(glassroom, name) for name in vars(glassroom)["__all__"] if not name.startswith("_")}
    linecache.cache["<gallery>"] = (len(code), None, code.splitlines(keepends=True), "<gallery>")
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    tensorglass.memory.give_again(f"S{number}" for number in range(100))
    exec(compile(tree, "<gallery>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<gallery>", "eval"), names)


def exhibits() -> list[tuple[Exhibit, str, str]]:
    """Each inspector with its code and its live form."""
    return [(exhibit, dedent(exhibit.code), made(dedent(exhibit.code)).live) for exhibit in EXHIBITS]
