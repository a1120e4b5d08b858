"""How much live memory has a known holder: what variables lead to, what something else with a name holds, and the rest.

The one idea: Python's garbage collector knows every tensor. Those that no variable leads to are followed from referrer
to referrer; those without a named holder are counted as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from glassroom.drawing.words import counted, sized
from glassroom.inspectors.holders.paths import Path
from glassroom.reading.adapters import declared, is_fake, library_of, without_modes, without_overrides
from glassroom.reading.guarded import attempted
from glassroom.reading.parts import descriptions_of
from glassroom.reading.referrers import MOST_LOOKED_AT, live_tensors, paths_up
from glassroom.reading.storage_names import names_of


@dataclass(frozen=True)
class Reconciled:
    """The storages that something with a name holds, though no variable leads to them, and the totals in words."""

    elsewhere: dict[str, Path]
    words: str


def reconciled(known: Mapping[str, Path], caller: FrameType) -> Reconciled:
    """Find holders of live storages that are not `known`, which are those that variables of `caller` lead to."""
    described = [(tensor, descriptions_of(tensor)) for tensor in live_tensors()]
    seen = [(tensor, description.memory) for tensor, descriptions in described for description in descriptions]
    unseen = sum(not descriptions and not _has_no_memory(tensor) for tensor, descriptions in described)
    names = names_of([memory for _, memory in seen])
    sizes = {name: path.nbytes for name, path in known.items()}
    sizes.update({name: memory.nbytes for name, (_, memory) in zip(names, seen, strict=True)})
    lost = [(name, tensor) for name, (tensor, memory) in zip(names, seen, strict=True) if name not in known]
    objects = [tensor for _, tensor in lost]
    del described, seen  # they would count as holders
    above = paths_up(objects, caller)
    elsewhere: dict[str, Path] = {}
    for name, tensor in lost:
        words = above.paths.get(id(tensor))
        if words is not None:
            elsewhere.setdefault(name, Path(words, words.partition("[")[0], name, sizes[name], False))
    held = sum(size for name, size in sizes.items() if name in known or name in elsewhere)
    words = f"{sized(held)} of {sized(sum(sizes.values()))} live bytes have a known holder"
    words += "" if above.is_all else f"; the search ended after {MOST_LOOKED_AT:,} objects"
    words += f"; {counted(unseen, 'tensor')} whose memory cannot be looked at" if unseen else ""
    return Reconciled(elsewhere, words)


def _has_no_memory(tensor: Any) -> bool:
    """Whether a tensor is on meta, or a fake one."""
    library = library_of(tensor)
    if library is None or is_fake(tensor):
        return library is not None
    with without_overrides(library), without_modes(library):
        return bool(attempted(lambda: declared(tensor).is_meta, False))
