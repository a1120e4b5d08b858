"""The sentences of a model map."""

from __future__ import annotations

from glassroom.drawing.words import counted, listed, sized
from glassroom.inspectors.model_map.modules import Held, ModelMap, Module
from glassroom.inspectors.model_map.rows import Row

KINDS = ("parameters", "buffers", "gradients", "state")  # the fields with bytes, in the order of the bars
CALLED = {"state": "optimizer state"}


def totals(found: ModelMap | Module) -> list[str]:
    """The bytes by what they are for."""
    amounts = ((CALLED.get(kind, kind), getattr(found, kind)) for kind in KINDS)
    there = [f"{name} {sized(nbytes)}" for name, nbytes in amounts if nbytes]
    return [*there, *_needed(found.needed)]


def _needed(nbytes: int) -> list[str]:
    return [f"on meta: no data, {sized(nbytes)} needed"] if nbytes else []


def summary(found: ModelMap) -> str:
    """One sentence that stands for the map."""
    facts = [counted(len(found.modules), "module"), counted(found.elements, "parameter"), *totals(found)]
    return f"Model map of {found.name}: {', '.join(facts)}."


def row_name(row: Row) -> str:
    """What a row is called: `h.0`, or `0–11` where others are like it."""
    return f"{row.name}–{row.last}" if row.alike else row.name


def row_facts(row: Row) -> list[str]:
    """What is said of a module after its name."""
    module = row.module
    each = [f"{sized(module.nbytes)}" + (" each" if row.alike else "")] if module.nbytes else []
    each += [f"{sized(module.needed)} needed" + (" each" if row.alike else "")] if module.needed else []
    return [module.kind, *([f"{row.alike + 1} alike"] if row.alike else []), *each]


def held_facts(held: Held) -> list[str]:
    """What is said of a parameter or a buffer after its name."""
    facts = [f"{list(held.size)} {held.dtype}", held.storage or ", ".join(_needed(held.needed)) or "no memory yet"]
    facts += ["buffer"] if held.kind == "buffer" else [] if held.requires_grad else ["frozen"]
    facts += [f"grad {sized(held.gradient)}"] if held.gradient else []
    facts += [f"state {sized(held.state)}"] if held.state else []
    facts += [f"tied with {listed(held.tied)}"] if held.tied else []
    return facts


def spoken(row: Row) -> str:
    """A module in one line: its path, its bytes, and what it holds itself."""
    module = row.module
    head = f"{module.path}: {', '.join([module.kind, *totals(module)])}"
    own = "; ".join(f"{each.name.rpartition('.')[2]} {', '.join(held_facts(each))}" for each in module.tensors)
    return f"{head}. {own}" if own else head


def notes(found: ModelMap, unshown: int) -> list[str]:
    """What is said beneath."""
    lines = [f"… and {counted(unshown, 'more module')}"] if unshown else []
    if found.further_state:
        lines.append(f"optimizer state for parameters of no module here: {sized(found.further_state)}")
    return lines
