"""An autograd graph as one static SVG: the tensor asked about at the top, leaves at the bottom, gradients flow down."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from xml.sax.saxutils import quoteattr

from glassroom.drawing.canvas import FACT_ADVANCE, PAD, Drawing, number, style
from glassroom.drawing.graph.folding import Box, boxes_of
from glassroom.drawing.graph.layout import Placed, Route, arranged
from glassroom.drawing.graph.text import leaf_facts, place_of, saved_words, step_name
from glassroom.drawing.words import sized
from glassroom.records.graph import GraphData, Saved

CSS = style(Path(__file__).with_name("graph.css"))
TITLE_ADVANCE = 7.9
LINE = 15.0
LONGEST = 44


def svg_of_graph(
    data: GraphData, label: str, turns: Mapping[int, str] = MappingProxyType({}), opened: int | None = None
) -> str:
    """The picture of a graph; `turns` are badges for boxes, by key, and `opened` is a fold that shows what is in it."""
    boxes = boxes_of(data, opened)
    sizes = {key: _size(box) for key, box in boxes.items()}
    placed, routes = arranged(sizes, {key: box.inputs for key, box in boxes.items()})
    drawing = Drawing()
    for route in routes:
        _draw_edge(drawing, route)
    for key, box in boxes.items():
        _draw_box(drawing, box, placed[key], turns.get(key, ""))
    return drawing.finished(label, CSS)


def lines_of(box: Box) -> list[tuple[str, str]]:
    """The lines beneath a box's title, each with its look."""
    if box.step is None:
        return [(box.kinds, "fact soft")]
    step = box.step
    facts = [(line, "fact soft") for line in leaf_facts(step.leaf)] if step.leaf is not None else []
    facts += [(place, "fact soft")] if (place := place_of(step)) else []
    facts += [(f"{each.name} = {saved_words(each)}", _look(each)) for each in step.saved]
    return facts + [(flag, "fact bad") for flag in step.flags]


def _look(saved: Saved) -> str:
    return {"overwritten": "fact bad", "freed": "fact soft"}.get(saved.state, "fact")


def _title(box: Box) -> str:
    return box.title if box.step is None else step_name(box.step)


def _size(box: Box) -> tuple[float, float]:
    widest = max([len(_short(line)) * FACT_ADVANCE for line, _ in lines_of(box)], default=0)
    return max(len(_short(_title(box))) * TITLE_ADVANCE, widest) + 20, 26 + LINE * len(lines_of(box))


def _draw_box(drawing: Drawing, box: Box, place: Placed, turn: str) -> None:
    kind = "fold" if box.step is None else "leaf" if box.step.leaf is not None else "node"
    x, y = place.x - place.width / 2 + PAD, place.top + PAD
    drawing.add(
        f'<g class="box {kind}" data-key="{box.key}" data-to={quoteattr(_targets(box))} '
        f"data-says={quoteattr(said(box))}>"
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(place.width)}" height="{number(place.height)}"/>'
    )
    drawing.text(x + place.width / 2, y + 17, _short(_title(box)), "title mid")
    for at, (line, look) in enumerate(lines_of(box)):
        drawing.text(x + place.width / 2, y + 19 + LINE * (at + 0.85), _short(line), f"{look} mid")
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
        return f"{len(box.folded):,} nodes folded{again}: {box.kinds}"
    odd = "".join(f"; {flag}" for flag in step.flags)
    if step.leaf is not None:
        leaf = step.leaf
        return f"{leaf.name}: a leaf, {list(leaf.size)} {leaf.dtype} in {leaf.storage}; its grad is {leaf.grad}{odd}"
    held = f"; it saved {', '.join(f'{each.name} = {each.text}' for each in step.saved)}" if step.saved else ""
    held += f", {sized(step.nbytes)} in all" if step.nbytes else ""
    made = f", which made {' and '.join(step.outputs)}" if step.outputs else ""
    place = f" ({place_of(step)})" if place_of(step) else ""
    ways = _ways([each for each in step.inputs if each is not None])
    return f"#{step.number} {step.name}{place}{made}: {ways}{held}{odd}"


def _ways(targets: list[int]) -> str:
    """Where the gradients of a node go; a factor that is used twice gets two."""
    if len(targets) < 2:
        return "its gradient goes on to 1 node" if targets else "no gradient goes on"
    nodes = len(set(targets))
    what = "gradients go" if nodes == len(targets) else f"{len(targets)} gradients go"
    return f"{what} on to {nodes} node{'s' if nodes > 1 else ''}"


def _targets(box: Box) -> str:
    return " ".join(str(each) for each in box.inputs if each is not None)


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


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
