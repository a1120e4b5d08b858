"""An autograd graph as text: a tree from the root tensor to the leaves. A node that several others lead to is written
once; later only its number is.
"""

from __future__ import annotations

from collections.abc import Sequence

from glassroom.drawing.graph.folding import Box, boxes_of
from glassroom.drawing.words import short
from glassroom.records.graph import GraphData, Leaf, Saved, Step
from glassroom.translations.templates import word

MOST_NAMES = 4  # variables that a node's title names
MOST_SAVED = 12  # tensors that a node lists


def text_of_graph(data: GraphData) -> str:
    """The tree, one line for each node."""
    boxes = boxes_of(data)
    lines: list[str] = []
    seen: set[int] = set()
    stack: list[tuple[int | None, str, str, int]] = [(root, "", "", 1) for root in reversed(data.roots)]
    while stack:
        key, lead, below, times = stack.pop()
        again = f" × {times:,}" if times > 1 else ""
        if key is None:
            lines.append(f"{lead}(no gradient wanted){again}")
            continue
        box = boxes[key]
        if key in seen:
            lines.append(f"{lead}↑ {title(box)}{again}")
            continue
        seen.add(key)
        lines.append(f"{lead}{title(box)}{_details(box)}{f' ·{again} gradients' if again else ''}")
        inputs = box.inputs if any(source is not None for source in box.inputs) else ()
        for at in reversed(range(len(inputs))):
            last = at == len(inputs) - 1
            lead, beneath = f"{below}{'└─ ' if last else '├─ '}", f"{below}{'   ' if last else '│  '}"
            stack.append((inputs[at], lead, beneath, box.joined.get(inputs[at], 1)))
    return "\n".join(lines)


def title(box: Box) -> str:
    """A box's first line: its number and name, and the variables that hold its results."""
    if box.step is None:
        return f"{box.title}: {box.kinds}"
    return f"#{box.step.number} {step_name(box.step)}"


def step_name(step: Step) -> str:
    """A node's name, with the variables that hold its results, or the leaf whose gradient it accumulates."""
    if step.leaf is not None:
        return f"{step.leaf.name}{word(' (leaf)')}"
    return " = ".join([*few(step.outputs, MOST_NAMES), step.name])


def leaf_facts(leaf: Leaf) -> list[str]:
    """The facts about a leaf."""
    version = "" if leaf.version is None else f" v{leaf.version}"
    return [f"{list(leaf.size)} {leaf.dtype} {leaf.storage}{version}", f"grad: {leaf.grad}"]


def saved_lines(step: Step) -> list[str]:
    """What a node saved, one line each; if some are left out, the total of bytes."""
    lines = few([f"{value.name} = {saved_words(value)}" for value in in_view(step)], MOST_SAVED)
    return lines if len(step.saved) <= MOST_SAVED else [*lines[:-1], word(f"{lines[-1]}, {short(step.nbytes)} in all")]


def in_view(step: Step) -> Sequence[Saved]:
    """What a node saved; if there is too much to list, overwritten and freed tensors come first."""
    return (
        step.saved if len(step.saved) <= MOST_SAVED else sorted(step.saved, key=lambda saved: saved.state == "tensor")
    )


def few(words: Sequence[str], most: int) -> list[str]:
    """The words; of many, the first ones and the number of the others."""
    return [*words] if len(words) <= most else [*words[: most - 1], f"{len(words) - most + 1:,} more"]


def saved_words(saved: Saved) -> str:
    """The description of a saved tensor, and its bytes."""
    return f"{saved.text} ({short(saved.nbytes)})" if saved.nbytes else saved.text


def flags_of(step: Step) -> list[str]:
    """The tensors of a node that hold NaN or infinity; of many, the first ones."""
    return few(step.flags, MOST_SAVED)


def place_of(step: Step) -> str:
    """The network that an operator belongs to, and its line of code, where they are known."""
    return word(", ").join(place for place in (step.module, step.line) if place) if step.leaf is None else ""


def facts_of_fold(box: Box) -> list[str]:
    """The facts about folded nodes besides their kinds: how many have NaN or infinity, and the last of them."""
    odd = [step for step in box.folded if step.flags]
    if not odd:
        return []
    return [f"{len(odd):,} with NaN or Inf, down to #{odd[-1].number} {step_name(odd[-1])}: {odd[-1].flags[0]}"]


def _details(box: Box) -> str:
    if box.step is None:
        return "".join(f" · {fact}" for fact in facts_of_fold(box))
    step, flags = box.step, flags_of(box.step)
    if step.leaf is not None:
        return "".join(f" · {fact}" for fact in [*leaf_facts(step.leaf), *flags])
    place, saved = place_of(step), saved_lines(step)
    facts = [*([place] if place else []), *([f"saved {word(', ').join(saved)}"] if saved else []), *flags]
    return "".join(f" · {fact}" for fact in facts)
