"""Timelines side by side: what the peak consists of, for example with a checkpoint and without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from glassroom.drawing.boxes import draw_caption
from glassroom.drawing.canvas import FACT_ADVANCE, PAD, Drawing, is_narrow, number, room, shortened
from glassroom.drawing.words import sized
from glassroom.inspectors.base import Inspector
from glassroom.inspectors.timeline.bands import Bands
from glassroom.inspectors.timeline.bands_svg import CHART, LOOKS, draw_stack
from glassroom.inspectors.timeline.bands_svg import CSS as BANDS_CSS
from glassroom.inspectors.timeline.svg import CSS
from glassroom.inspectors.timeline.timeline import Timeline
from glassroom.inspectors.timeline.words import listed_roles
from glassroom.reading.roles import ROLES
from glassroom.records.columns import ljust, rjust
from glassroom.records.printable import printable
from glassroom.translations.templates import as_is, word

GAP = 24
COLUMN = 116
NAME = 14  # characters
MOST_LINES = 3
LABEL = 52


@dataclass(frozen=True)
class Run:
    """One run: its name, and the bands of the device on which it held the most."""

    name: str
    bands: Bands


@dataclass(frozen=True)
class Comparison:
    """Several runs whose peaks are compared."""

    runs: tuple[Run, ...]


class MemoryComparison(Inspector):
    """Timelines of several runs, drawn at one scale."""

    kind = as_is("memory comparison")

    def __init__(self, timelines: Mapping[str, Timeline]) -> None:
        if len(timelines) < 2:
            raise TypeError("memory_timeline compares two runs or more: memory_timeline(plain=step, other=step_2)")
        runs = [
            Run(printable(name), max(timeline.bands, key=lambda bands: bands.peak))
            for name, timeline in timelines.items()
        ]
        self.data: Comparison = Comparison(tuple(runs))

    @property
    def label(self) -> str:
        peaks = [f"{run.name} holds {sized(run.bands.peak)}" for run in self.data.runs]
        return f"Memory comparison, at the peak: {word(', ').join(peaks)}."

    @property
    def text(self) -> str:
        width = max(COLUMN // 8, *(len(run.name) for run in self.data.runs))
        lines = ["memory comparison · bytes at the peak", ""]
        rows = [["", *self._columns()], *self._table()]
        lines += [
            "  ".join(["", ljust(row[0], 15), *[rjust(cell, width) for cell in row[1:]]]).rstrip() for row in rows
        ]
        for run in self.data.runs:
            lines += ["", f"{run.name}: the peak by line"]
            for share in run.bands.by_line[:MOST_LINES]:
                head = f"  {rjust(sized(share.nbytes), 12)}  {ljust(shortened(share.label, LABEL), LABEL)}"
                lines.append(f"{head}  {listed_roles(share.by_role)}")
        return "\n".join(lines)

    def _columns(self) -> list[str]:
        return [*[run.name for run in self.data.runs], *([word("difference")] if len(self.data.runs) == 2 else [])]

    def _roles(self) -> list[str]:
        """The roles that any run has, from the top."""
        return [role for role in reversed(ROLES) if any(role in run.bands.levels for run in self.data.runs)]

    def _amounts(self, role: str) -> list[int]:
        return [run.bands.at(run.bands.peak_at).get(role, 0) for run in self.data.runs]

    def _table(self) -> list[list[str]]:
        """A row for each role and one for the total; with the difference, if there are two runs."""
        rows = [(role, self._amounts(role)) for role in self._roles()]
        rows.append((word("total"), [run.bands.peak for run in self.data.runs]))
        return [[role, *map(sized, amounts), *self._difference(amounts)] for role, amounts in rows]

    def _difference(self, amounts: list[int]) -> list[str]:
        if len(amounts) != 2:
            return []
        change = amounts[1] - amounts[0]
        return [f"{'−' if change < 0 else '+' if change else ''}{sized(abs(change))}"]

    @property
    def svg(self) -> str:
        drawing = Drawing()
        drawing.text(PAD, PAD + 14, "memory comparison", "name")
        scale = "one scale; each run from its first event to its last"
        top = drawing.wrapped(PAD + 170, PAD + 14, scale, "fact soft", left=PAD) + 26
        highest = max(1, *(run.bands.peak for run in self.data.runs))
        width = max((room() - 2 * PAD - GAP * (len(self.data.runs) - 1)) / len(self.data.runs), 120)
        for at, run in enumerate(self.data.runs):
            left = PAD + at * (width + GAP)
            drawing.text(left, top, shortened(run.name, int(width / 8)), "title")
            words = f"peak {sized(run.bands.peak)}"
            drawing.text(left + width, top + 16 * is_narrow(), words, "fact end")
            draw_stack(drawing, left, top + 12 + 16 * is_narrow(), width, run.bands, highest)
            drawing.extend(left + width, top + CHART + 12)
        return self._with_table(drawing, top + CHART + 30 + 16 * is_narrow())

    def _with_table(self, drawing: Drawing, top: float) -> str:
        columns = self._columns()
        step = (room() - 2 * PAD - 18) / len(columns) if is_narrow() else COLUMN
        left, beneath = (PAD + 18, 15) if is_narrow() else (PAD + 110, 0)  # on a phone the roles' names stand above
        for at, name in enumerate(columns, 1):
            drawing.text(left + step * at, top + 10, shortened(name, min(NAME, int(step / FACT_ADVANCE))), "fact end")
        top += 18
        for row, (role, *amounts) in enumerate(self._table(), 1):
            says = quoteattr(self._said(role, amounts))
            drawing.add(f'<g class="life share {LOOKS.get(role, "plain")}" data-on="{row}-{row}" data-says={says}>')
            if role in LOOKS:
                drawing.add(f'<rect x="{PAD}" y="{number(top)}" width="11" height="11"/>')
            drawing.text(PAD + 18, top + 10, role, "fact")
            for at, amount in enumerate(amounts, 1):
                drawing.text(left + step * at, top + 10 + beneath, amount, "fact end")
            drawing.add("</g>")
            drawing.extend(left + step * len(amounts), top + beneath + 16)
            top += 18 + beneath
        top += 8
        for run in self.data.runs:
            top = self._draw_lines(drawing, top, run)
        return drawing.finished(self.label, CSS + BANDS_CSS)

    def _draw_lines(self, drawing: Drawing, top: float, run: Run) -> float:
        top = draw_caption(drawing, top, [f"{run.name}: the peak by line"], look="title") + 2
        for share in run.bands.by_line[:MOST_LINES]:
            drawing.text(PAD + 92, top + 10, sized(share.nbytes), "fact end")
            top = drawing.wrapped(PAD + 104, top + 10, shortened(share.label, LABEL), "fact") + 8
        return top + 8

    def _said(self, role: str, amounts: list[str]) -> str:
        runs = word(", ").join(
            f"{amount}{word(' in ')}{run.name}" for run, amount in zip(self.data.runs, amounts, strict=False)
        )
        change = f"; a difference of {amounts[-1]}" if len(amounts) > len(self.data.runs) else ""
        return f"{role} at the peak: {runs}{change}"

    def state(self) -> dict[str, Any]:
        frames = [
            {"at": row, "x": 0, "lines": [self._said(role, amounts)], "map": -1}
            for row, (role, *amounts) in enumerate(self._table(), 1)
        ]
        return {
            **super().state(),
            "kind": "memory comparison",
            "unit": word("row"),
            "before": ["What the peaks consist of", "Step through the rows with the arrow keys, or point at one."],
            "frames": frames,
            "maps": [],
        }
