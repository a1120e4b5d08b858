"""`aliases()`: live tensors by storage: which share bytes, and how much memory a slice keeps alive."""

from __future__ import annotations

import sys
from typing import Any

from glassroom.inspectors.aliases.groups import Aliases, aliases_of
from glassroom.inspectors.aliases.holders import everywhere, held_by
from glassroom.inspectors.aliases.picture import svg_of_aliases, text_of_aliases
from glassroom.inspectors.aliases.words import member_facts, pair_words, summary
from glassroom.inspectors.base import Inspector, Makers
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.variables import variables_of
from glassroom.translations.templates import as_is, word


class AliasMap(Inspector):
    """Storages with the tensors on them, as they were when `aliases` was called."""

    kind = as_is("alias map")
    makers = Makers(text_of_aliases, svg_of_aliases, summary)
    data: Aliases

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
                words = word(". ").join([f"{member.name}: {word(', ').join(member_facts(member))}", *said])
                rows.append({"words": words, "with": [first + place for place in others], "group": group.storage})
        return {**super().state(), "rows": rows}


def aliases(*tensors: object, whole_process: bool = False, **named: object) -> AliasMap:
    """Group live tensors by storage: their bytes, which of them overlap, who holds them, and what is kept alive.

    Without arguments, all tensors that the caller's variables lead to are grouped, through lists, dicts, networks,
    optimizers, datasets and objects whose class belongs to no installed package; with `whole_process`, every tensor
    that Python's garbage collector knows as well. Bases of views, gradients and tensors saved by autograd graphs are
    included. Takes tensors of tensorglass and PyTorch, arrays of NumPy and CuPy, lists and dicts of them. At most 16
    storages are shown, the largest, with 8 tensors on each. Raises TypeError if the arguments hold no tensor.
    """
    if sys.is_finalizing():
        return AliasMap.of_nothing()
    frame = sys._getframe(1)
    given = dict(zip(argument_names(frame, tensors), tensors, strict=True)) | named
    held = held_by(given or variables_of(frame))
    if given and not held:
        raise TypeError("aliases takes tensors, arrays, and what holds them, but there is none in what was given")
    further = everywhere(held) if whole_process else ()
    return AliasMap(aliases_of(held, further))
