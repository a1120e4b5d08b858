"""`holders()`: how much memory each variable keeps alive, and the paths by which a tensor is held."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path as File
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import PAD, Drawing, number, room, shortened, style
from glassroom.drawing.words import counted, sized
from glassroom.inspectors.base import Inspector
from glassroom.inspectors.holders.out_of_sight import holders_out_of_sight
from glassroom.inspectors.holders.paths import Path, is_over, paths_from, paths_to
from glassroom.inspectors.holders.reconciled import reconciled
from glassroom.reading.adapters import described
from glassroom.reading.call_expressions import argument_names
from glassroom.reading.guarded import CLOSING
from glassroom.reading.parts import descriptions_of
from glassroom.reading.reach import kept_behind, nodes_behind, nodes_by_root
from glassroom.reading.referrers import MOST_LOOKED_AT, live_tensors, paths_up
from glassroom.reading.storage_names import names_of
from glassroom.reading.variables import variables_of
from glassroom.records.columns import columns, rjust
from glassroom.translations.templates import as_is, word

CSS = style(File(__file__).with_name("picture.css"))
MOST_ROWS = 16
NOTHING: Mapping[str, Any] = MappingProxyType({})
ROW = 38
LABEL = 200  # characters, wrapped into lines
NOBODY = "its holder is unknown"


@dataclass(frozen=True)
class Row:
    """A path or a variable, the bytes that it holds, and its description."""

    label: str
    nbytes: int
    words: str


@dataclass(frozen=True)
class Holding:
    """Who holds what: a title, the rows shown, the number of those that are not, and the total of bytes."""

    title: str
    rows: tuple[Row, ...]
    unshown: int
    nbytes: int
    reconciled: str = ""  # a sentence: how much live memory has a known holder


class Holders(Inspector):
    """Who keeps memory alive, as it was when `holders` was called."""

    kind = as_is("holders")

    def __init__(
        self, data: Holding, storages: Mapping[str, Path] = NOTHING, nodes: Mapping[str, int] = NOTHING
    ) -> None:
        self.data: Holding = data
        self._storages = storages  # each with the first path to it
        self._nodes = nodes  # of graphs, by the variable that leads to them

    def since(self, earlier: Holders) -> Holders:
        """What is held now and was not held `earlier`, listed by variable: storages, and nodes of graphs. Both must be
        made by `holders()`, without a tensor.
        """
        new = {name: path for name, path in self._storages.items() if name not in earlier._storages}
        gone = [path for name, path in earlier._storages.items() if name not in self._storages]
        grown = sum(path.nbytes for path in new.values())
        lost = sum(path.nbytes for path in gone)
        title = f"{sized(grown)} more in {counted(len(new), 'storage')}, {sized(lost)} are gone"
        more = {root: count - earlier._nodes.get(root, 0) for root, count in self._nodes.items()}
        told = {root: f"reaches {counted(self._nodes[root], 'node')}, {n:,} more" for root, n in more.items() if n > 0}
        return Holders(_by_root(title, new.values(), told, self.data.reconciled), new)

    @property
    def label(self) -> str:
        return f"Holders: {self.data.title}."

    @property
    def text(self) -> str:
        width = max((columns(sized(row.nbytes)) for row in self.data.rows), default=0)
        lines = [f"holders · {self.data.title}"]
        lines += [
            f"  {rjust(sized(row.nbytes), width)}  {row.label}{f'  ·  {row.words}' if row.words else ''}"
            for row in self.data.rows
        ]
        return "\n".join([*lines, *self._rest()])

    def _rest(self) -> list[str]:
        more = [f"… and {self.data.unshown:,} more"] if self.data.unshown else []
        return [*more, *([self.data.reconciled] if self.data.reconciled else [])]

    @property
    def svg(self) -> str:
        drawing = Drawing()
        drawing.text(PAD, PAD + 14, "holders", "name")
        top = drawing.wrapped(PAD + 76, PAD + 14, self.data.title, "fact soft", left=PAD) + 18
        most = max([1, *(row.nbytes for row in self.data.rows)])
        for at, row in enumerate(self.data.rows, 1):
            drawing.add(f'<g class="life hue0" data-on="{at}-{at}" data-says={quoteattr(self._said(row))}>')
            top = drawing.wrapped(PAD, top + 11, shortened(row.label, LABEL), "fact") - 11
            width = max((room() - 2 * PAD - 100) * row.nbytes / most, 2)
            drawing.add(f'<rect x="{PAD}" y="{number(top + 17)}" width="{number(width)}" height="10"/>')
            drawing.text(PAD + width + 8, top + 26, sized(row.nbytes), "fact")
            top += ROW
            if row.words:
                top = drawing.wrapped(PAD, top + 2, shortened(row.words, LABEL), "fact soft") + 14
            drawing.add("</g>")
        for words in self._rest():
            top = drawing.wrapped(PAD, top + 11, words, "fact soft") + 9
        drawing.extend(room() - PAD, top)
        return drawing.finished(self.label, CSS)

    def _said(self, row: Row) -> str:
        return f"{row.label}: {sized(row.nbytes)}{f', {row.words}' if row.words else ''}"

    def state(self) -> dict[str, Any]:
        return {
            **super().state(),
            "kind": word("holders"),
            "unit": word("row"),
            "before": [self.data.title, "Step through the rows with the arrow keys, or point at one."],
            "frames": [
                {"at": at, "x": 0, "lines": [row.label, self._said(row).removeprefix(f"{row.label}: ")], "map": -1}
                for at, row in enumerate(self.data.rows, 1)
            ],
            "maps": [],
        }


def holders(tensor: object = None, /) -> Holders:
    """Show who keeps memory alive, by the paths that lead to it from the caller's variables.

    Of a tensor every path to its storage: through lists, dicts, networks, optimizers and objects, gradients, and what
    autograd graphs have saved: `trainer.history[3]['loss'] → PowBackward0.self`; and what no variable leads to, such as
    closures, generators, tracebacks, classes and running functions. Without one, what each variable keeps
    alive, and how much of all that lives has a known holder: what no variable leads to is followed from referrer to
    referrer. What several hold counts for the first. `holders().since(earlier)` is what has come since then. Takes
    tensors of PyTorch and tensorglass, arrays of NumPy and CuPy. Raises TypeError for what has no memory.
    """
    if sys.is_finalizing():  # called by a `__del__` as Python ends: its modules are gone
        return Holders(Holding(CLOSING, (), 0, 0))
    frame = sys._getframe(1)
    variables = variables_of(frame)
    if tensor is None:
        storages: dict[str, Path] = {}
        for path in paths_from(variables):
            storages.setdefault(path.storage, path)
        sum_of_all = reconciled(storages, frame)
        storages |= sum_of_all.elsewhere
        total = sum(path.nbytes for path in storages.values())
        title = f"{sized(total)}{word(' in ')}{counted(len(storages), 'storage')}"
        nodes = nodes_by_root(variables)
        told = {root: f"reaches {counted(count, 'node')}" for root, count in nodes.items()}
        return Holders(_by_root(title, storages.values(), told, sum_of_all.words), storages, nodes)
    [name] = argument_names(frame, (tensor,))
    descriptions = descriptions_of(tensor) or [described(tensor)]  # raises the error that says why there is none
    memories = list({description.memory.identity: description.memory for description in descriptions}.values())
    nbytes = sum(memory.nbytes for memory in memories)
    rows = [
        Row(path.words, path.nbytes, "saved by a graph" if path.is_saved else "")
        for memory in memories
        for path in paths_to(memory, variables)
    ]
    over_them = partial(is_over, memories)
    rows += [Row(words, nbytes, "") for words in holders_out_of_sight(tensor, over_them, frame)]
    title = f"{name}: {', '.join(names_of(memories))}, {sized(nbytes)} on {memories[0].device}"
    seen = sum(prod(description.size) * description.itemsize for description in descriptions)
    title += f", of which it has {sized(seen)}" if seen < nbytes else ""
    title += _of_its_graph(tensor)
    if not rows:
        above = paths_up(_over_the_same(tensor, over_them), frame)
        rows = [Row(words, nbytes, "") for words in dict.fromkeys(above.paths.values())]
        title += f" · {NOBODY}" if not rows else ""
        title += "" if above.is_all or rows else f"; the search ended after {MOST_LOOKED_AT:,} objects"
    return Holders(Holding(title, tuple(rows[:MOST_ROWS]), max(len(rows) - MOST_ROWS, 0), nbytes))


def _over_the_same(tensor: object, is_alike: Callable[[Any], bool]) -> list[object]:
    """The tensor, and others over its memory. A function of its own: a comprehension in `holders` would itself hold the
    tensor in a closure."""
    return [tensor, *[other for other in live_tensors() if other is not tensor and is_alike(other)]]


def _of_its_graph(tensor: object) -> str:
    """` · its graph has 3 nodes, which keep 40 bytes`; "" for a tensor without a graph."""
    nodes = nodes_behind(tensor)
    if not nodes:
        return ""
    return f" · its graph has {counted(nodes, 'node')}, which keep {sized(kept_behind('', tensor))}"


def _by_root(title: str, paths: Iterable[Path], nodes: Mapping[str, str], words: str) -> Holding:
    """What each variable holds, the largest first, with its largest storage and the number of `nodes` it reaches."""
    by_root: dict[str, list[Path]] = {root: [] for root in nodes}
    for path in paths:
        by_root.setdefault(path.root, []).append(path)
    rows = []
    for root, held in by_root.items():
        saved = sum(path.nbytes for path in held if path.is_saved)
        facts = [counted(len(held), "storage")] if held else []
        facts += [f"{sized(saved)} of it saved by graphs"] if saved else []
        facts += [nodes[root]] if root in nodes else []
        for largest in sorted(held, key=lambda path: -path.nbytes)[:1]:
            facts += [f"the largest: {largest.words}, {sized(largest.nbytes)}"] if largest.words != root else []
        rows.append(Row(root, sum(path.nbytes for path in held), " · ".join(facts)))
    rows.sort(key=lambda row: -row.nbytes)
    shown = tuple(rows[:MOST_ROWS])
    return Holding(title, shown, max(len(rows) - MOST_ROWS, 0), sum(row.nbytes for row in rows), words)
