"""The sentences of a model map."""

from __future__ import annotations

from glassroom.drawing.words import counted, listed, sized
from glassroom.inspectors.model_map.modules import Held, ModelMap, Module
from glassroom.inspectors.model_map.rows import Row
from glassroom.translations.templates import word

KINDS = ("parameters", "buffers", "gradients", "state")  # the fields with bytes, in the order of the bars
CALLED = {
    "parameters": word("parameters"),
    "buffers": word("buffers"),
    "gradients": word("gradients"),
    "state": "optimizer state",
    "needed": word("needed for tensors on meta"),
}


def totals(counted_part: ModelMap | Module) -> list[str]:
    """The bytes by purpose."""
    amounts = ((CALLED[kind], getattr(counted_part, kind)) for kind in KINDS)
    there = [f"{name} {sized(nbytes)}" for name, nbytes in amounts if nbytes]
    return [*there, *_needed(counted_part.needed)]


def _without(held: Held) -> str:
    return word("no memory yet") if held.dtype == "unknown" else word("memory unknown")


def _needed(nbytes: int) -> list[str]:
    return [f"on meta: no data, {sized(nbytes)} needed"] if nbytes else []


def summary(model_map: ModelMap) -> str:
    """The map in one sentence."""
    facts = [counted(len(model_map.modules), "module"), counted(model_map.elements, "parameter"), *totals(model_map)]
    return f"Model map of {model_map.name}: {word(', ').join(facts)}."


def row_name(row: Row) -> str:
    """A row's name: `h.0`, or `0–11` for identical siblings."""
    return f"{row.name}–{row.last}" if row.alike else row.name


def row_facts(row: Row) -> list[str]:
    """The facts about a module that follow its name."""
    module = row.module
    amounts = [f"{sized(module.nbytes)}" + (word(" each") if row.alike else "")] if module.nbytes else []
    amounts += [f"{sized(module.needed)} needed" + (word(" each") if row.alike else "")] if module.needed else []
    amounts += [word("no gradient")] if module.is_left_out else []
    return [module.kind, *([f"{row.alike + 1} alike"] if row.alike else []), *amounts]


def held_facts(held: Held) -> list[str]:
    """The facts about a parameter or a buffer that follow its name."""
    facts = [f"{list(held.size)} {held.dtype}", held.storage or ", ".join(_needed(held.needed)) or _without(held)]
    facts += [word("buffer")] if held.kind == "buffer" else [] if held.requires_grad else [word("frozen")]
    facts += [f"grad {sized(held.gradient)}"] if held.gradient else [word("no gradient")] if held.is_left_out else []
    facts += [f"state {sized(held.state)}"] if held.state else []
    facts += [f"tied with {listed(held.tied)}"] if held.tied else []
    return facts


def spoken(row: Row) -> str:
    """A module in one line: its path, its bytes, and what it holds itself."""
    module = row.module
    head = f"{module.path}: {word(', ').join([module.kind, *totals(module)])}"
    own = word("; ").join(
        f"{tensor.name.rpartition('.')[2]} {word(', ').join(held_facts(tensor))}" for tensor in module.tensors
    )
    return f"{head}. {own}" if own else head


def notes(model_map: ModelMap, unshown: int) -> list[str]:
    """The lines beneath the map."""
    lines = [f"… and {counted(unshown, 'more module')}"] if unshown else []
    if model_map.further_state:
        lines.append(f"optimizer state for parameters of no module here: {sized(model_map.further_state)}")
    return lines
