"""The whole site: pages are written as Markdown and notebooks into a folder of sources, and Sphinx makes HTML of it."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from glassroom import __version__
from glassroom.drawing.canvas import style
from glassroom.site import gallery, reference
from glassroom.site.live_notebooks import default_cache, live_notebooks
from glassroom.site.pages import linked, page_of
from glassroom.site.shared_scripts import SharedScripts
from glassroom.workspace.catalogue import Entry, catalogue, parts_of
from glassroom.workspace.contents import PAGE, PARTS, contents_page
from glassroom.workspace.notebook_json import Notebook, lines, serialise, source
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import checkout, notebooks_folder

OURS = ".glassroom-site"
HERE = Path(__file__).parent
STATIC = HERE / "static"

#: The documents of the site, under their headings.
DOCUMENTS = {
    "Use it": ["inspectors", "watch", "testing-memory", "networks", "distributed", "gpu", "array-api", "differences"],
    "Teach with it": ["teaching", "writing-a-notebook"],
    "How it works": ["reading", "architecture", "internals", "operators", "adding-an-operator", "snapshot"],
    "What it promises": ["performance", "reliability", "programs", "differences-appendix", "special-functions"],
}


def build(out: Path, asked: Sequence[str] = (), cache: Path | None = None, jobs: int = 2) -> int:
    """Write the site into the folder `out`; returns how many pages it has.

    With `asked`, only these notebooks have pages ("1_memory/00_start_here"). Raises `Problem` for a folder that holds
    something else, an unknown notebook, and one that says something else than is stored; `out` is then as it was.
    """
    refuse_what_is_not_ours(out)
    folder = notebooks_folder()
    entries = _chosen(catalogue(folder), asked)
    docs = _documents_folder()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".glassroom-site-", dir=out.parent) as made:
        sources, pages = Path(made, "sources"), Path(made, "pages")
        _write_sources(sources, folder, entries, docs, cache or default_cache(), jobs)
        _run_sphinx(sources, pages, Path(made, "doctrees"), jobs)
        _make_accessible(pages)
        (pages / OURS).write_text("Made by `glassroom site`, which replaces this folder as a whole.\n")
        (pages / ".nojekyll").touch()
        _take_place(pages, out, Path(made, "before"))
    return sum(1 for _ in out.rglob("*.html"))


def _take_place(pages: Path, out: Path, before: Path) -> None:
    """Put the pages where the site is, and the site that was there to `before`; if that fails, put it back."""
    had_one = out.exists()
    if had_one:
        out.rename(before)
    try:
        pages.rename(out)
    except BaseException:
        if had_one:
            before.rename(out)
        raise


def refuse_what_is_not_ours(out: Path) -> None:
    """Raise `Problem` unless `out` can be replaced: it is not there, empty, or a site made before."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise Problem(f"{out} is not a folder. Name another with --out.", Exit.OUTSIDE)
    if out.is_dir() and any(out.iterdir()) and not (out / OURS).is_file():
        raise Problem(
            f"{out} holds something that glassroom site did not make, and is left as it is. Name another with --out.",
            Exit.OUTSIDE,
        )


def _chosen(entries: Sequence[Entry], asked: Sequence[str]) -> list[Entry]:
    wanted = {each.removesuffix(".ipynb").removeprefix("notebooks/") for each in asked}
    unknown = sorted(wanted - {entry.key for entry in entries})
    if unknown:
        raise Problem(f"There is no notebook {', '.join(unknown)}.", Exit.USAGE)
    return [entry for entry in entries if not wanted or entry.key in wanted]


def _documents_folder() -> Path:
    root = checkout()
    if root is None:
        raise Problem("The site is built in a checkout of the repository: a wheel has no docs/.", Exit.REQUIREMENT)
    return root / "docs"


def _write_sources(sources: Path, folder: Path, entries: Sequence[Entry], docs: Path, cache: Path, jobs: int) -> None:
    from tqdm import tqdm

    extra = sources / "extra"
    for place in (sources, extra):  # for what Markdown shows, and for what HTML does
        shutil.copytree(docs / "images", place / "docs" / "images")
    places = [Path(entry.place) for entry in entries]
    with tqdm(total=len(places), unit="notebook", dynamic_ncols=True) as bar:
        live = live_notebooks(folder, places, cache, jobs, bar.update)
    known = {PAGE, *(entry.place for entry in entries)}
    scripts = SharedScripts(extra / "live", "../../live")
    for entry in entries:
        page = page_of(live[Path(entry.place)], entry.place, known, scripts)
        _write(sources / "notebooks" / entry.place, serialise(page).decode())
    _write(sources / "notebooks" / PAGE, serialise(_contents(entries, known)).decode())
    for part, members in parts_of(entries).items():
        _write(sources / "notebooks" / part / "index.md", _part(part, members))
    for name in [each for group in DOCUMENTS.values() for each in group]:
        _write(sources / "docs" / f"{name}.md", _document((docs / f"{name}.md").read_text("utf-8")))
    for name, text in reference.operator_pages().items():
        _write(sources / "reference" / "tensorglass" / f"{name}.md", text)
    _write(sources / "reference" / "glassroom.md", reference.glassroom_page())
    _write(sources / "index.md", _first_page(entries, SharedScripts(extra / "live", "live")))
    _write(sources / "gallery.md", _gallery(SharedScripts(extra / "live", "live")))
    static = sources / "static"
    shutil.copytree(STATIC, static)
    _write(static / "inspectors.css", inspector_themes())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def inspector_themes() -> str:
    """The colours of tokens.css once more, for the theme that the site's switch has set."""
    tokens = style(HERE.parent / "drawing" / "tokens.css")
    light, dark = (re.search(pattern, tokens) for pattern in (r"\.gr\{([^}]*)\}", r"vscode-dark\) \.gr\{([^}]*)\}"))
    assert light
    assert dark
    return f'body[data-theme="light"] .gr{{{light[1]}}}\nbody[data-theme="dark"] .gr{{{dark[1]}}}\n'


def _contents(entries: Sequence[Entry], known: set[PurePosixPath]) -> Notebook:
    """The contents page less what only a learner's own copy has: the record of progress, and help with kernels."""
    page = contents_page(entries)
    kept = [cell for cell in page["cells"] if cell["id"] not in ("contents-progress", "contents-help")]
    for cell in kept:
        text = re.sub(r"\n\nWhat you solve is remembered.*?where to go on\.", "", source(cell), flags=re.DOTALL)
        cell["source"] = lines(linked(text, PAGE, known))
    return {**page, "cells": kept}


def _part(part: str, members: Sequence[Entry]) -> str:
    number, title = part.partition("_")[0], PARTS.get(part, (part.partition("_")[2], ""))
    rows = [f"| [{each.title}]({each.place.name}) | {each.asks} | {each.minutes} |" for each in members]
    return "\n".join(
        [
            f"# {number} · {title[0][0].upper()}{title[0][1:]}",
            "",
            title[1],
            "",
            _toctree([each.place.stem for each in members]),
            "",
            "| notebook | the question | minutes |",
            "|---|---|---|",
            *rows,
        ]
    )


def _document(text: str) -> str:
    """A document whose pictures follow the site's theme."""
    picture = re.compile(r'<picture>\s*<source[^>]*srcset="([^"]*)">\s*<img alt="([^"]*)" src="([^"]*)">\s*</picture>')
    return picture.sub(
        r'<img class="only-dark" alt="\2" src="\1" loading="lazy">'
        "\n"
        r'<img class="only-light" alt="\2" src="\3" loading="lazy">',
        text,
    )


def _gallery(scripts: SharedScripts) -> str:
    told = [
        "# Gallery of inspectors",
        "Each picture answers one question about tensors, of tensorglass or PyTorch, in a notebook, a script or a "
        "test. Point at a cell, or press Tab and use the arrow keys. [How to use them](docs/inspectors.md)",
    ]
    for exhibit, code, live in gallery.exhibits():
        told += [f"## `{exhibit.name}`", exhibit.question, f"```python\n{code}\n```", _raw(scripts.shared(live))]
    return "\n\n".join(told)


def _first_page(entries: Sequence[Entry], scripts: SharedScripts) -> str:
    live = scripts.shared(gallery.made(gallery.FIRST).live)
    hours = round(sum(entry.minutes for entry in entries) / 60)
    parts = [f"notebooks/{part}/index" for part in parts_of(entries)]
    return "\n\n".join(
        [
            "---\nhide-toc: true\n---",
            "# tensorglass",
            "PyTorch's tensors, with the lid off: **see which bytes a tensor owns, which it shares, and with whom.**",
            '<div class="first">\n\n<div class="first-code">\n\n```python\n' + gallery.FIRST + "```\n\n</div>\n"
            '<div class="first-picture">\n\n' + _raw(live) + "\n\n"
            '<p class="first-say">Point at a cell: everything that shares its bytes lights up.</p>\n\n</div>\n</div>',
            _cards(len(entries), hours, entries[0].place if entries else PAGE),
            "**tensorglass** runs PyTorch code with PyTorch's numbers, printed forms and errors, in Python over NumPy "
            "that you can read. **glassroom** is the course on it, and its inspectors, which also draw the tensors of "
            "your own PyTorch programs.",
            "```bash\npython3 -m venv .venv && .venv/bin/pip install -e '.[course]' && .venv/bin/glassroom lab\n```",
            _toctree(["notebooks/contents", *parts], "The course"),
            _toctree(["gallery"], "Inspectors"),
            *(_toctree([f"docs/{name}" for name in names], heading) for heading, names in DOCUMENTS.items()),
            _toctree(["reference/tensorglass/index", "reference/glassroom"], "Reference"),
        ]
    )


def _cards(notebooks: int, hours: int, start: PurePosixPath) -> str:
    cards = [
        ("Take the course", f"{notebooks} notebooks, {hours} hours, or a path of an afternoon", f"notebooks/{PAGE}"),
        ("Begin here", "What a tensor is in memory: the first quarter of an hour", f"notebooks/{start}"),
        ("Look at the inspectors", "Every picture, live, beside the lines that made it", "gallery.md"),
        ("Five minutes with a training step", "Where its memory goes, in your own PyTorch", "docs/inspectors.md"),
        ("Read the library", "Twelve files, from `a.t()[1] += 2` to `backward()`", "docs/reading.md"),
        ("Teach a class", "Hand out, collect, grade; a room of laptops", "docs/teaching.md"),
    ]
    told = "\n".join(f"- [**{title}**]({target})\n\n  {what}" for title, what, target in cards)
    return f'<div class="cards">\n\n{told}\n\n</div>'


def _raw(html: str) -> str:
    return f"``````{{raw}} html\n{html}\n``````"


def _toctree(names: Sequence[str], caption: str = "") -> str:
    said = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{said}\n" + "\n".join(names) + "\n```"


def _make_accessible(pages: Path) -> None:
    """Mend what the theme and MyST-NB leave out: levels of headings, names of folds, boxes to scroll by keys."""
    for path in pages.rglob("*.html"):
        text = path.read_text("utf-8")
        text = text.replace('role="heading">', 'role="heading" aria-level="2">')
        text = text.replace('<summary aria-label="Toggle hidden content">', "<summary>")
        text = text.replace('<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">')
        path.write_text(text, encoding="utf-8")


def _run_sphinx(sources: Path, pages: Path, doctrees: Path, jobs: int) -> None:
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError

    settings: dict[str, Any] = {
        "project": "tensorglass",
        "author": "tensorglass contributors",
        "copyright": "tensorglass contributors",
        "version": __version__,
        "extensions": ["myst_nb"],
        "exclude_patterns": ["extra", "static"],
        "nb_execution_mode": "off",
        "nb_ipywidgets_js": {},
        "nb_merge_streams": True,
        "myst_enable_extensions": [],
        "myst_heading_anchors": 6,
        "html_theme": "furo",
        "html_title": "tensorglass",
        "html_favicon": "static/favicon.svg",
        "html_static_path": ["static"],
        "html_extra_path": ["extra"],
        "html_css_files": ["inspectors.css", "site.css"],
        "html_show_sphinx": False,
        "html_show_sourcelink": False,
        "html_copy_source": False,
        "pygments_style": "a11y-high-contrast-light",
        "pygments_dark_style": "a11y-high-contrast-dark",
        "suppress_warnings": ["mystnb.unknown_mime_type", "misc.highlighting_failure"],
    }
    _write(sources / "conf.py", "".join(f"{name} = {value!r}\n" for name, value in settings.items()))
    said = io.StringIO()
    try:
        app = Sphinx(sources, sources, pages, doctrees, "html", status=None, warning=said, parallel=jobs)
        app.build()
    except SphinxError as error:
        raise Problem(f"Sphinx stopped: {error}", Exit.FAILED) from error
    warnings = [line for line in said.getvalue().splitlines() if "WARNING" in line or "ERROR" in line]
    if warnings:
        first = "; ".join(re.sub(r"\x1b\[[0-9;]*m", "", line).replace(f"{sources}/", "") for line in warnings[:10])
        raise Problem(f"Nothing was published, because of {len(warnings)} faults in the pages: {first}", Exit.FAILED)
