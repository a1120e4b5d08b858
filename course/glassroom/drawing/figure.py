"""A picture as a matplotlib figure: rectangles, paths and words, drawn from the static SVG.

The SVG is the list of what to draw, and `drawing.sheet` knows how each part of it looks. So every picture of an
inspector has a figure, with the same positions and colours, and no inspector knows of matplotlib.
"""

from __future__ import annotations

import re
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Patch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from glassroom.drawing.fonts import families, in_letters_of_fonts
from glassroom.drawing.path_data import segments_of
from glassroom.drawing.sheet import Part, parts_of
from glassroom.translations.templates import as_is

__all__ = ["in_letters_of_fonts", "plotted", "saved"]

DOTS = 96.0  # pixels of a picture for an inch of a figure
CODES = {"M": Path.MOVETO, "L": Path.LINETO, "Q": Path.CURVE3, "C": Path.CURVE4, "Z": Path.CLOSEPOLY}


def plotted(svg: str, ax: Axes | None = None, theme: str | None = None) -> Axes:
    """Draw a picture into `ax`, or into a figure of its own size; returns the axes.

    Without a `theme`, "light" or "dark", it is chosen by the background of the axes.
    """
    width, height = _size_of(svg)
    if ax is None:
        ax = plt.figure(figsize=(width / DOTS, height / DOTS)).add_axes((0, 0, 1, 1))
    _draw(svg, ax, width, height, theme or _theme_of(ax))
    return ax


def saved(svg: str, file: Any, kind: str, theme: str = "light") -> None:
    """Write a picture of this kind, "png" or "pdf", to an open file, without a window and with any matplotlib backend;
    a PNG has twice the picture's size."""
    width, height = _size_of(svg)
    figure = Figure(figsize=(width / DOTS, height / DOTS))
    FigureCanvasAgg(figure)
    _draw(svg, figure.add_axes((0, 0, 1, 1)), width, height, theme)
    figure.savefig(file, format=kind, dpi=2 * DOTS, transparent=True)


def _size_of(svg: str) -> tuple[float, float]:
    size = re.search(r'width="(\d+)" height="(\d+)"', svg)
    assert size is not None  # every picture begins with its size
    return float(size[1]), float(size[2])


def _theme_of(ax: Axes) -> str:
    red, green, blue = to_rgb(ax.get_facecolor()[:3])
    return "dark" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.4 else "light"


def _draw(svg: str, ax: Axes, width: float, height: float, theme: str) -> None:
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    for part in parts_of(svg, theme):
        if part.tag == "text":
            ax.add_artist(Words(part, ax))
        else:
            ax.add_patch(_shape_of(part))


class _InProportion(Artist):
    """An artist whose lines and letters are measured in the picture's pixels, and so grow and shrink with its axes."""

    def draw(self, renderer: Any) -> None:
        self.measure(_points_of(self.axes))
        super().draw(renderer)

    def measure(self, points: float) -> None:
        """Set how many points a pixel of the picture is."""
        raise NotImplementedError


class Words(_InProportion, Text):
    """A text of a picture. A `$` in a name is a dollar sign, not the beginning of a formula."""

    def __init__(self, part: Part, ax: Axes) -> None:
        look = part.look
        x, y = float(part.attributes["x"]), float(part.attributes["y"])
        anchor = {"middle": "center", "end": "right"}.get(look.get("text-anchor", ""), "left")
        super().__init__(x, y, part.words, ha=anchor, va="baseline", parse_math=False, family=families("monospace"))
        self.set(zorder=2, color=_colour(look, "fill", "black"), fontweight=_weight(look))
        self._size = _pixels(look["font-size"])
        self._halo = _colour(look, "stroke"), _pixels(look.get("stroke-width", "0"))
        self.measure(72 / DOTS)

    def measure(self, points: float) -> None:
        self.set_fontsize(max(self._size * points, 0.1))
        colour, width = self._halo
        if width and colour[3]:
            self.set_path_effects([withStroke(linewidth=width * points, foreground=colour)])


class _Shape(_InProportion, Patch):
    """A rectangle, a circle or a path of a picture."""

    lines: float
    dashes: list[float]

    def looking_like(self, part: Part) -> _Shape:
        look = part.look
        self.lines = _pixels(look.get("stroke-width", "1"))
        self.dashes = [float(number) for number in re.findall(r"[\d.]+", look.get("stroke-dasharray", ""))]
        self.set(zorder=2, facecolor=_colour(look, "fill", "black"), edgecolor=_colour(look, "stroke"))
        self.set(capstyle="butt", joinstyle="miter")
        self.measure(72 / DOTS)
        return self

    def measure(self, points: float) -> None:
        self.set_linewidth(self.lines * points)
        if self.dashes:  # matplotlib measures dashes in line widths
            self.set_linestyle((0, tuple([dash / self.lines for dash in self.dashes])))


class _Rectangle(_Shape, Rectangle):
    pass


class _Rounded(_Shape, FancyBboxPatch):
    pass


class _Circle(_Shape, Circle):
    pass


class _Line(_Shape, PathPatch):
    pass


def _shape_of(part: Part) -> _Shape:
    given = part.attributes
    if part.tag == "circle":
        return _Circle((float(given["cx"]), float(given["cy"])), float(given["r"])).looking_like(part)
    if part.tag == "path":
        segments = segments_of(given["d"])
        codes = [CODES[segment.command] for segment in segments for _ in segment.points]
        return _Line(Path([point for segment in segments for point in segment.points], codes)).looking_like(part)
    corner, size = (float(given["x"]), float(given["y"])), (float(given["width"]), float(given["height"]))
    radius = min(_pixels(part.look.get("rx", "0")), *[side / 2 for side in size])
    if not radius:
        return _Rectangle(corner, *size).looking_like(part)
    style = as_is(f"round,pad=0,rounding_size={radius}")
    return _Rounded(corner, *size, boxstyle=style).looking_like(part)


def _colour(look: Any, what: str, otherwise: str = "none") -> tuple[float, float, float, float]:
    """The colour of a fill or a stroke, with every opacity applied."""
    red, green, blue, alpha = to_rgba(look.get(what, otherwise))
    return red, green, blue, alpha * float(look.get(f"{what}-opacity", 1)) * float(look["opacity"])


def _weight(look: Any) -> str:
    return "bold" if int(look.get("font-weight", "400")) >= 600 else "normal"


def _pixels(length: str) -> float:
    return float(length.removesuffix("px"))


def _points_of(ax: Any) -> float:
    """The points per pixel of the picture, at the present size of the axes."""
    (left, _), (right, _) = ax.transData.transform([(0, 0), (1, 0)])
    return float(right - left) * 72 / ax.figure.dpi
