"""`aliases()`: all live tensors by storage: who shares bytes with whom, and how much a slice keeps alive."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.inspectors.aliases.groups import Aliases, aliases_of
from glassroom.inspectors.aliases.holders import everywhere, held_by
from glassroom.inspectors.aliases.picture import svg_of_aliases, text_of_aliases
from glassroom.inspectors.aliases.words import member_facts, pair_words, summary
from glassroom.inspectors.base import Inspector
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.variables import variables_of


class AliasMap(Inspector):
    """Storages with the tensors on them, as they were when they were asked about."""

    kind = "alias map"

    def __init__(self, found: Aliases) -> None:
        self.data = found

    @property
    def text(self) -> str:
        return text_of_aliases(self.data)

    @property
    def svg(self) -> str:
        return svg_of_aliases(self.data)

    @property
    def label(self) -> str:
        return summary(self.data)

    def state(self) -> dict[str, Any]:
        rows: list[dict[str, Any]] = []
        for group in self.data.groups:
            first = len(rows)
            for at, member in enumerate(group.members):
                pairs = [(place, pair) for place, pair in enumerate(group.overlaps) if at in (pair.one, pair.other)]
                said = [pair_words(group, place) for place, _ in pairs]
                others = [pair.one + pair.other - at for _, pair in pairs if pair.nbytes != 0]
                others += [
                    place
                    for place, other in enumerate(group.members)
                    if place != at and "base" in (member.how, other.how)
                ]
                words = ". ".join([f"{member.name}: {', '.join(member_facts(member))}", *said])
                rows.append({"words": words, "with": [first + place for place in others], "group": group.storage})
        return {"svg": self.svg, "text": self.text, "label": self.label, "rows": rows}


def aliases(*tensors: object, whole_process: bool = False, **named: object) -> AliasMap:
    """Group live tensors by storage, with their bytes, who overlaps whom, who holds them, and what is kept alive.

    Without tensors, all that the caller's variables lead to, through lists, dicts, networks, optimizers, datasets and
    objects of classes that are no installed package's; with `whole_process`, every tensor that Python's collector knows
    as well. Bases of views, gradients, and what autograd graphs have saved are told too. Takes tensors of tensorglass
    and PyTorch, arrays of NumPy and CuPy, lists and dicts of them. Of many, the largest 16 storages are shown, and 8
    tensors on each. Raises TypeError where there is no tensor in what was given.
    """
    frame = sys._getframe(1)
    given = dict(zip(argument_names(frame, tensors), tensors, strict=True)) | named
    held = held_by(given or variables_of(frame))
    if given and not held:
        raise TypeError("aliases takes tensors, arrays, and what holds them, but there is none in what was given")
    further = everywhere(held) if whole_process else ()
    return AliasMap(aliases_of(held, further))
