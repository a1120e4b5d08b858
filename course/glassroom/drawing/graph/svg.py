"""An autograd graph as one static SVG: the root tensor at the top, leaves at the bottom; gradients flow down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import (
    FACT_ADVANCE,
    PAD,
    TITLE_ADVANCE,
    Drawing,
    folded,
    is_narrow,
    number,
    room,
    shortened,
    style,
)
from glassroom.drawing.graph.column import column_of, stacked
from glassroom.drawing.graph.folding import Box, boxes_of
from glassroom.drawing.graph.layout import GAP, Placed, Route, arranged
from glassroom.drawing.graph.text import (
    MOST_NAMES,
    MOST_SAVED,
    facts_of_fold,
    few,
    flags_of,
    in_view,
    leaf_facts,
    place_of,
    saved_lines,
    step_name,
)
from glassroom.drawing.words import in_a_row, sized
from glassroom.records.columns import columns
from glassroom.records.graph import GraphData, Saved
from glassroom.translations.templates import word

CSS = style(Path(__file__).with_name("graph.css"))
LINE = 15.0
WIDEST = 1000  # pixels of a picture in layers
LONGEST = 44  # characters of a line
LONGEST_NARROW = 22
LONGEST_SENT = 28
BEFORE_SENT = 5  # how many characters words on an edge are indented in a column


@dataclass(frozen=True)
class Ran:
    """A backward through the graph. By the keys of boxes: `turns`, their badges; `collected`, for a leaf the turn and
    its gradient before and after it; and `sent`, by box and slot, the turn and the gradient that went along the edge.
    """

    turns: Mapping[int, str]
    sent: Mapping[tuple[int, int], tuple[int, str]]
    collected: Mapping[int, tuple[int, str, str]]


@dataclass(frozen=True)
class _Letters:
    """How many characters a line of a box holds, for its title and for facts. A longer title is wrapped, a longer fact
    is cut or, if so specified, wrapped."""

    title: int
    fact: int
    wraps: bool


def svg_of_graph(data: GraphData, label: str, ran: Ran | None = None, opened: int | None = None) -> str:
    """The picture of a graph, with the effects of a backward if one `ran`; `opened` is a fold whose content is shown.
    Boxes stand in layers, or in one column if the layers would be too wide.
    """
    boxes = boxes_of(data, opened)
    ran = Ran({}, {}, {}) if ran is None else ran
    inputs = {key: box.inputs for key, box in boxes.items()}
    sent = {
        edge: shortened(words, LONGEST_SENT // 2 if is_narrow() else LONGEST_SENT)
        for edge, (_, words) in ran.sent.items()
    }
    letters = _Letters(LONGEST_NARROW, LONGEST_NARROW, True) if is_narrow() else _Letters(LONGEST, LONGEST, False)
    written = {key: _written(box, ran, letters) for key, box in boxes.items()}
    sizes = {key: _size(*value) for key, value in written.items()}
    placed, routes = arranged(sizes, inputs, _widths(sent), GAP / 3 if is_narrow() else GAP)
    widest = max([place.x + place.width / 2 for place in placed.values()], default=0)
    if widest + 2 * PAD > (room() if is_narrow() else WIDEST):
        column = column_of(inputs)
        inner = room() - 2 * PAD - column.gutter - 20
        letters = _Letters(int(inner / TITLE_ADVANCE), int(inner / FACT_ADVANCE), True)
        written = {key: _written(box, ran, letters) for key, box in boxes.items()}
        sent = {edge: shortened(words, letters.fact - BEFORE_SENT) for edge, (_, words) in ran.sent.items()}
        placed, routes = stacked(column, {key: _size(*value) for key, value in written.items()}, inputs, _widths(sent))
    drawing = Drawing()
    for route in routes:
        _draw_edge(drawing, route)
    for route in routes:
        if route.words is not None:
            edge = route.start, route.slot
            _draw_sent(drawing, route, route.words, ran.sent[edge][0], sent[edge])
    for key, box in boxes.items():
        _draw_box(drawing, box, placed[key], *written[key], ran.turns.get(key, ""))
    return drawing.finished(label, CSS)


def _written(box: Box, ran: Ran, letters: _Letters) -> tuple[list[str], list[tuple[str, str]]]:
    """The lines of a box's title, and those beneath it, each with its look."""

    def lines(words: str, longest: int, wraps: bool = letters.wraps) -> list[str]:
        return folded(words, longest, longest) if wraps else [shortened(words, longest)]

    titles = lines(box.title if box.step is None else step_name(box.step), letters.title, wraps=True)
    facts = lines_of(box, ran)
    return titles, [
        (line, look) for fact, look in facts for line in lines(fact, letters.fact, letters.wraps and "grad" not in look)
    ]


def lines_of(box: Box, ran: Ran) -> list[tuple[str, str]]:
    """The lines beneath a box's title, each with its look."""
    if box.step is None:
        return [(box.kinds, "fact soft"), *[(fact, "fact bad") for fact in facts_of_fold(box)]]
    step = box.step
    facts = [(line, "fact soft") for line in leaf_facts(step.leaf)] if step.leaf is not None else []
    if facts and box.key in ran.collected:
        _, before, after = ran.collected[box.key]
        facts[-1] = f"grad: {after}" if before == "None" else f"grad: {before} → {after}", "fact grad"
    facts += [(place, "fact soft")] if (place := place_of(step)) else []
    facts += zip(saved_lines(step), map(_look, in_view(step)), strict=False)
    return facts + [(flag, "fact bad") for flag in flags_of(step)]


def _look(saved: Saved) -> str:
    return {"overwritten": "fact bad", "freed": "fact soft"}.get(saved.state, "fact")


def _size(titles: list[str], facts: list[tuple[str, str]]) -> tuple[float, float]:
    widest = max([columns(line) * FACT_ADVANCE for line, _ in facts], default=0)
    width = max(max(map(columns, titles)) * TITLE_ADVANCE, widest) + 20
    return width, 26 + LINE * (len(titles) - 1 + len(facts))


def _draw_box(
    drawing: Drawing, box: Box, place: Placed, titles: list[str], facts: list[tuple[str, str]], turn: str
) -> None:
    kind = "fold" if box.step is None else "leaf" if box.step.leaf is not None else "node"
    x, y = place.x - place.width / 2 + PAD, place.top + PAD
    drawing.add(
        f'<g class="box {kind}" data-key="{box.key}" data-to={quoteattr(_targets(box))} '
        f"data-says={quoteattr(said(box))}>"
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(place.width)}" height="{number(place.height)}"/>'
    )
    for at, line in enumerate(titles):
        drawing.text(x + place.width / 2, y + 17 + LINE * at, line, "title mid")
    for at, (line, look) in enumerate(facts, start=len(titles) - 1):
        drawing.text(x + place.width / 2, y + 19 + LINE * (at + 0.85), line, f"{look} mid")
    if turn:
        half = 6 + 3.2 * len(turn)
        drawing.add(
            f'<rect class="turn" x="{number(x - 6)}" y="{number(y - 8)}" width="{number(2 * half)}" height="16"/>'
        )
        drawing.text(x - 6 + half, y + 4, turn, "turn mid")
    drawing.add("</g>")
    drawing.extend(x + place.width, y + place.height)


def said(box: Box) -> str:
    """A box in one sentence."""
    step = box.step
    if step is None:
        again = f", the same {len(box.period)} again and again, {box.repeats:,} times" if box.repeats > 1 else ""
        return word("; ").join([f"{len(box.folded):,} nodes folded{again}: {box.kinds}", *facts_of_fold(box)])
    odd = "".join(f"; {flag}" for flag in flags_of(step))
    if step.leaf is not None:
        leaf = step.leaf
        return f"{leaf.name}: a leaf, {list(leaf.size)} {leaf.dtype} in {leaf.storage}; its grad is {leaf.grad}{odd}"
    saved = few([f"{value.name} = {value.text}" for value in in_view(step)], MOST_SAVED)
    held = f"; it saved {word(', ').join(saved)}" if saved else ""
    held += f", {sized(step.nbytes)} in all" if step.nbytes else ""
    outputs = f", which made {in_a_row(few(step.outputs, MOST_NAMES), word(' and '))}" if step.outputs else ""
    place = f" ({place_of(step)})" if place_of(step) else ""
    ways = _ways([source for source in step.inputs if source is not None])
    return f"#{step.number} {step.name}{place}{outputs}: {ways}{held}{odd}"


def _ways(targets: list[int]) -> str:
    """The inputs that a node sends gradients to; an input that is used twice gets two."""
    if len(targets) < 2:
        return "its gradient goes on to 1 node" if targets else "no gradient goes on"
    nodes = len(set(targets))
    what = "gradients go" if nodes == len(targets) else f"{len(targets)} gradients go"
    return f"{what} on to {nodes} node{'s' if nodes > 1 else ''}"


def _targets(box: Box) -> str:
    return " ".join(str(source) for source in box.inputs if source is not None)


def _draw_edge(drawing: Drawing, route: Route) -> None:
    points = [(x + PAD, y + PAD) for x, y in route.points]
    path = f"M{number(points[0][0])} {number(points[0][1])}"
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = number((y0 + y1) / 2)
        path += f"C{number(x0)} {middle} {number(x1)} {middle} {number(x1)} {number(y1)}"
    drawing.add(
        f'<g class="edge" data-from="{route.start}" data-to="{route.end}"><path d="{path}"/>'
        f'<path class="arrow" d="M{number(points[-1][0] - 4)} {number(points[-1][1] - 7)}h8l-4 7z"/></g>'
    )
    drawing.extend(max(x for x, _ in points), max(y for _, y in points))


def _draw_sent(drawing: Drawing, route: Route, middle: tuple[float, float], turn: int, words: str) -> None:
    """Draw what went along an edge, in the space reserved for it."""
    x, y = middle[0] + PAD, middle[1] + PAD
    half = columns(words) * FACT_ADVANCE / 2 + 4
    drawing.add(
        f'<g class="sent" data-turn="{turn}" data-from="{route.start}" data-to="{route.end}">'
        f'<rect x="{number(x - half)}" y="{number(y - 8.5)}" width="{number(2 * half)}" height="17"/>'
    )
    drawing.text(x, y + 4, words, "fact mid")
    drawing.add("</g>")
    drawing.extend(x + half, y + 9)


def _widths(sent: Mapping[tuple[int, int], str]) -> dict[tuple[int, int], float]:
    return {edge: columns(words) * FACT_ADVANCE + 10 for edge, words in sent.items()}
