"""How much of all that lives has a known holder: what variables lead to, what has a name elsewhere, and the rest.

The one idea: Python's collector knows every tensor. Those that no variable leads to are followed from referrer to
referrer; what remains is counted, and said to be unknown.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from glassroom.drawing.words import counted, sized
from glassroom.inspectors.holders.paths import Path
from glassroom.reading.adapters import adapter_for, declared, described_if_there, library_of, without_overrides
from glassroom.reading.guarded import attempted
from glassroom.reading.referrers import MOST_LOOKED_AT, paths_up
from glassroom.reading.storage_names import names_of


@dataclass(frozen=True)
class Reconciled:
    """The storages that something named holds, though no variable leads to them, and the sum of it all in words."""

    elsewhere: dict[str, Path]
    words: str


def live_tensors() -> list[Any]:
    """The tensors that Python's collector knows; arrays of NumPy are none of them."""
    kinds: dict[type, bool] = {}
    found = []
    for each in gc.get_objects():
        kind = type(each)
        if kind not in kinds:
            kinds[kind] = adapter_for(each) is not None
        if kinds[kind]:
            found.append(each)
    return found


def reconciled(known: Mapping[str, Path], caller: FrameType) -> Reconciled:
    """Follow what is alive and not `known`, the storages that variables of `caller` lead to."""
    described = [(each, described_if_there(each)) for each in live_tensors()]
    seen = [(each, description.memory) for each, description in described if description is not None]
    unseen = sum(description is None and not _is_on_meta(each) for each, description in described)
    names = names_of([memory for _, memory in seen])
    sizes = {name: path.nbytes for name, path in known.items()}
    sizes.update({name: memory.nbytes for name, (_, memory) in zip(names, seen, strict=True)})
    lost = [(name, each) for name, (each, memory) in zip(names, seen, strict=True) if name not in known]
    objects = [each for _, each in lost]
    del described, seen  # they would be told as referrers
    found = paths_up(objects, caller)
    elsewhere: dict[str, Path] = {}
    for name, each in lost:
        words = found.paths.get(id(each))
        if words is not None:
            elsewhere.setdefault(name, Path(words, words.partition("[")[0], name, sizes[name], False))
    held = sum(size for name, size in sizes.items() if name in known or name in elsewhere)
    words = f"{sized(held)} of {sized(sum(sizes.values()))} live bytes have a known holder"
    words += "" if found.is_all else f"; the search ended after {MOST_LOOKED_AT:,} objects"
    words += (
        f"; {counted(unseen, 'tensor')} whose memory cannot be looked at, sparse ones for example" if unseen else ""
    )
    return Reconciled(elsewhere, words)


def _is_on_meta(tensor: Any) -> bool:
    library = library_of(tensor)
    if library is None:
        return False
    with without_overrides(library):
        return bool(attempted(lambda: declared(tensor).is_meta, False))
