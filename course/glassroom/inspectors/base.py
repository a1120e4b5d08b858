"""What all inspectors have in common: one picture, in every form in which somebody may need it.

An inspector's live form stands beside it: `widget.js`, `widget.css`, and `widget.py`, the same as an anywidget. An
inspector has plain data, and makes text and a static SVG of them. This module makes every other form of those three, in
the same way for all inspectors: the page, the live form in a notebook, the figure, the terminal's colours, files.
"""

from __future__ import annotations

import inspect
import json
import sys
import webbrowser
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar, NamedTuple, Self

from glassroom.drawing.canvas import MIDDLE, NARROW, PAD, Drawing, narrow
from glassroom.drawing.page import page_of
from glassroom.live.audience import somebody_watches
from glassroom.live.embed import embedded
from glassroom.reading.guarded import CLOSING
from glassroom.reading.storage_names import numbered
from glassroom.records.plain import plain
from glassroom.records.snapshot import SCHEMA
from glassroom.replace_file import replace_file

FIGURES = ("png", "pdf")


class Makers(NamedTuple):
    """The functions that make a picture of an inspector's data."""

    text: Callable[[Any], str]
    svg: Callable[[Any], str]
    label: Callable[[Any], str]


class Inspector:
    """A picture: display it in a notebook, print it, `plot` it, `save` it, or `open` it in a browser.

    A subclass names its `makers`, or defines `text`, `svg` and `label` itself.
    """

    kind: str  # its name in `as_dict`, the same in every language
    data: Any  # what was seen, as a plain record
    makers: ClassVar[Makers]
    widths: tuple[float, ...] = (MIDDLE, NARROW)  # narrower than a page, for which the live form is drawn anew

    def __init__(self, data: Any) -> None:
        self.data = data

    @property
    def text(self) -> str:
        """The picture as deterministic text."""
        return self.makers.text(self.data)

    @property
    def svg(self) -> str:
        """The picture as one self-contained SVG."""
        return self.makers.svg(self.data)

    @property
    def label(self) -> str:
        """One sentence that names the picture."""
        return self.makers.label(self.data)

    @classmethod
    def of_nothing(cls) -> Self:
        """A picture that only says that Python is shutting down: a `__del__` asked for it, and the modules by whose
        classes tensors are known are gone.
        """
        picture: Self = object.__new__(type(cls.__name__, (_OfNothing, cls), {}))
        picture.data = None
        return picture

    def state(self) -> dict[str, Any]:
        """What the live form is given; inspectors whose pictures can be stepped through add their own entries."""
        return {"svg": self.svg, "text": self.text, "label": self.label}

    def numbered(self) -> Self:
        """The picture with numbers for the storages that it names, where they were read as `unnumbered`."""
        self.data = numbered(self.data, self.text + self.svg)
        return self

    @property
    def widget(self) -> Any:
        """The live form as an anywidget, to be placed among other widgets (needs the extra `inspect`)."""
        room = type(self).__module__.rpartition(".")[0]
        return import_module(f"{room}.widget").Widget(self._states(), text=self.text, svg=self.svg)

    @property
    def live(self) -> str:
        """The live form as one piece of HTML that needs no widget manager."""
        return embedded(Path(inspect.getfile(type(self))).parent, self._states(), self.text)

    def _states(self) -> dict[str, Any]:
        """The state of the live form, with the parts that differ at each width narrower than a page."""
        state = self.state()
        differing: dict[str, dict[str, Any]] = {}
        for width in (MIDDLE, NARROW):
            if width not in self.widths:
                differing[str(width)] = {}
                continue
            with narrow(width):
                fitted = self.state()
            differing[str(width)] = {name: value for name, value in fitted.items() if value != state[name]}
        return {**state, "narrow": differing if any(differing.values()) else {}}

    @property
    def html(self) -> str:
        """A whole page that needs nothing else."""
        return page_of(self.label, self.live, self.text)

    def as_dict(self) -> dict[str, Any]:
        """What was seen, as JSON-ready data of the schema in `docs/snapshot.md`."""
        return {"schema": SCHEMA, "inspector": self.kind, **plain(self.data)}

    def plot(self, ax: Any = None, *, theme: str | None = None) -> Any:
        """Draw the picture with matplotlib, into `ax` or into a figure of its own size; returns the axes.

        `theme` is "light" or "dark"; without it, the theme is chosen by the background of the axes. Raises ImportError
        where matplotlib is not installed (it is in the extra `inspect`).
        """
        figures = _figures()
        with figures.in_letters_of_fonts():
            return figures.plotted(self.svg, ax, theme)

    def save(self, path: str | Path, *, theme: str = "light") -> None:
        """Write the picture to a file: .html (live), .svg, .png, .pdf, .txt or .json, by the name's ending.

        `theme`, "light" or "dark", applies to .png and .pdf; a page and an SVG follow the reader's theme. Raises
        ValueError for any other ending.
        """
        path = Path(path)
        if path.suffix[1:] in FIGURES:
            figures, drawn = _figures(), BytesIO()
            with figures.in_letters_of_fonts():
                figures.saved(self.svg, drawn, path.suffix[1:], theme)
            _write_whole(path, drawn.getvalue())
            return
        forms = {".html": "html", ".svg": "svg", ".txt": "text"}
        if path.suffix == ".json":
            written = json.dumps(self.as_dict(), indent=1, ensure_ascii=False)
        elif path.suffix in forms:
            written = getattr(self, forms[path.suffix])
        else:
            endings = ", ".join([*forms, *[f".{form}" for form in FIGURES]])
            raise ValueError(f"save writes {endings} or .json, but the name ends in {path.suffix or 'nothing'!r}")
        _write_whole(path, written.encode())

    def open(self) -> Path:
        """Show the live page in the browser, for scripts; returns the path that it was saved to. If there is no
        browser, the text and the page's path are printed instead.
        """
        path = Path(mkdtemp(prefix="glassroom-")) / f"{self.kind.replace(' ', '-')}.html"
        self.save(path)
        if not webbrowser.open(path.as_uri()):
            self.print()
            print(f"There is no browser here; the page is {path}")
        return path

    def print(self) -> None:
        """Print the text; on a terminal in colours, if `rich` is installed (it is in the extra `inspect`)."""
        if sys.stdout.isatty() and _has_rich():
            from rich import print as rich_print

            rich_print(self)
        else:
            print(self.text)

    def __repr__(self) -> str:
        return self.text

    def __rich__(self) -> Any:
        from glassroom.drawing.terminal import coloured  # callers of this have rich

        return coloured(self.text)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        if _is_on_a_terminal():
            from glassroom.drawing.terminal import escaped  # rich is here

            return {"text/plain": escaped(self.text)}
        bundle = {"text/plain": self.text, "image/svg+xml": self.svg}
        return {**bundle, "text/html": self.live} if somebody_watches() else bundle


class _OfNothing:
    """What a picture says while Python is shutting down."""

    text = label = CLOSING

    @property
    def svg(self) -> str:
        drawing = Drawing()
        drawing.wrapped(PAD, PAD + 12, CLOSING, "fact")
        return drawing.finished(CLOSING)

    @property
    def live(self) -> str:
        return self.svg

    def as_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "summary": CLOSING}


def _write_whole(path: Path, content: bytes) -> None:
    """Replace a file; for a link, the file that it points to. Write to what is not a file, such as a pipe."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        replace_file(path.resolve(), content)


def _figures() -> Any:
    """The module that draws with matplotlib, imported on first use: matplotlib takes long to import, and few need
    it."""
    try:
        from glassroom.drawing import figure
    except ImportError as error:
        error.add_note("Figures, PNG and PDF files need matplotlib and cssselect2: pip install 'tensorglass[inspect]'")
        raise
    return figure


def _has_rich() -> bool:
    return find_spec("rich") is not None


def _is_on_a_terminal() -> bool:
    """Whether IPython displays on a terminal, and not in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "TerminalInteractiveShell" and sys.stdout.isatty() and _has_rich()
