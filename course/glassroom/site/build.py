"""The whole site: pages are written as Markdown and notebooks into a folder of sources, and Sphinx turns it into
HTML."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import tensorglass
from glassroom.drawing.canvas import style
from glassroom.site import elsewhere, gallery, reference, running, switch
from glassroom.site.lite import START, write_lite
from glassroom.site.live_notebooks import default_cache, live_notebooks
from glassroom.site.pages import linked, page_of
from glassroom.site.rendering import render
from glassroom.site.shared_scripts import SharedScripts
from glassroom.translations import language
from glassroom.translations.templates import as_is, word
from glassroom.workspace.catalogue import Entry, catalogue, parts_of
from glassroom.workspace.contents import BEGUN, PAGE, PARTS, contents_page
from glassroom.workspace.notebook_json import Notebook, lines, serialise, source
from glassroom.workspace.other_language import course_in
from glassroom.workspace.problems import Exit, Problem
from glassroom.workspace.sources import checkout, notebooks_folder

OURS = ".glassroom-site"
HEAVIEST = 1_500_000  # bytes of a page with its scripts and style sheets, and without its pictures
LOADED = re.compile(r'<(?:script|link)\b[^>]*?\b(?:src|href)="([^"?#]+\.(?:js|css))[?#"]')
HERE = Path(__file__).parent
STATIC = HERE / "static"

#: The documents of the site, by heading.
DOCUMENTS = (
    ("Use it", ["inspectors", "watch", "testing-memory", "networks", "distributed", "gpu", "array-api", "differences"]),
    ("Teach with it", ["teaching", "own-course", "site", "writing-a-notebook", "translating"]),
    (
        "How it works",
        [
            *("reading", "architecture", "internals", "operators", "adding-an-operator", "snapshot"),
            "moving-to-a-new-pytorch",
        ],
    ),
    (
        "What it promises",
        ["performance", "reliability", "inspectors-compared", "programs", "differences-appendix", "special-functions"],
    ),
)


def build(
    out: Path,
    asked: Sequence[str] = (),
    cache: Path | None = None,
    jobs: int = 2,
    also: Sequence[str] = (),
    pyodide: str | None = None,
    lite: bool = False,
) -> int:
    """Write the site into the folder `out`, in the language of this process; returns how many pages it has.

    The English site has those in the languages of `also`, and in all that are released, in folders of their own.

    With `asked`, only these notebooks have pages ("1_memory/00_start_here"). `pyodide` is the address or the folder of
    the distribution that runs code in pages; a folder is copied into the site. With `lite`, the site has JupyterLite.
    Raises `Problem` for a folder that holds something else, an unknown notebook, one that says something else than is
    stored, and what is no distribution; `out` is then as it was.
    """
    refuse_what_is_not_ours(out)
    distribution = running.pyodide(pyodide)
    docs = _documents_folder()
    cache = cache or default_cache()
    for place, option in ((out.parent, "--out"), (cache, "--cache")):
        _make_writable(place, option)
    code = language.speaking()
    with (
        _full_disk_told(out, cache),
        tempfile.TemporaryDirectory(prefix=".glassroom-site-", dir=out.parent) as building,
        course_in(code, notebooks_folder()) as folder,
    ):
        entries = _chosen(catalogue(folder), asked)
        sources, pages = Path(building, "sources"), Path(building, "pages")
        known = language.languages().values() if code == language.ENGLISH else ()
        others = [other for other in known if other.released or other.code in also]
        each_has = max(1, jobs // (1 + len(others)))
        with switch.building(others, Path(building), asked, cache, each_has) as finish:
            _write_sources(sources, folder, entries, docs, cache, each_has, lite)
            running.write_scripts(sources / "static", folder, distribution, lite)
            render(sources, pages, cache, each_has)
            finish(pages, distribution)
        switch.add(pages)
        refuse_heavy_pages(pages)
        distribution.copy(pages)
        if lite:
            write_lite(pages, folder, distribution)
        _write_404(pages)
        (pages / OURS).write_text("Made by `glassroom site`, which replaces this folder as a whole.\n")
        (pages / ".nojekyll").touch()
        _take_place(pages, out, Path(building, "before"))
    return sum(1 for _ in out.rglob("*.html"))


@contextmanager
def _full_disk_told(out: Path, cache: Path) -> Iterator[None]:
    """Say in one sentence that a disk is full, whichever step of the way met it."""
    try:
        yield
    except (OSError, Problem) as error:
        if os.strerror(errno.ENOSPC) not in str(error):
            raise
        raise Problem(
            f"The disk is full on which {out}, {cache} or temporary files are written. Nothing was published, and what "
            "was there is as it was. Make room, or name folders on another disk with --out and --cache.",
            Exit.OUTSIDE,
        ) from error


def _make_writable(folder: Path, option: str) -> None:
    """Make a folder, unless it is there; raise `Problem` if no file can be made in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = os.strerror(error.errno or errno.EACCES)
        raise Problem(
            f"{folder} cannot be written to: {why}. Nothing was published. Name another folder with {option}.",
            Exit.OUTSIDE,
        ) from error


def _take_place(pages: Path, out: Path, before: Path) -> None:
    """Move the old site to `before` and the new pages into its place; if that fails, move the old site back."""
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


def refuse_heavy_pages(pages: Path) -> None:
    """Raise `Problem`, which names them, if pages are so heavy that they are slow on a phone."""
    heavy = []
    for page in sorted(pages.rglob("*.html")):
        text = page.read_text("utf-8")
        loaded = {(page.parent / place).resolve() for place in LOADED.findall(text)}
        loaded |= {part for script in loaded if script.name == "run.js" for part in script.parent.glob("run-*.js")}
        weight = len(text.encode()) + sum(path.stat().st_size for path in loaded)
        if weight > HEAVIEST:
            heavy.append(as_is(f"{page.relative_to(pages).as_posix()} ({weight / 1e6:.1f} MB)"))
    if heavy:
        raise Problem(
            f"Nothing was published, because pages have more than {HEAVIEST / 1e6} MB without pictures: "
            f"{', '.join(heavy)}",
            Exit.FAILED,
        )


def _chosen(entries: Sequence[Entry], asked: Sequence[str]) -> list[Entry]:
    wanted = {name.removesuffix(".ipynb").removeprefix("notebooks/") for name in asked}
    unknown = sorted(wanted - {entry.key for entry in entries})
    if unknown:
        raise Problem(f"There is no notebook {', '.join(unknown)}.", Exit.USAGE)
    return [entry for entry in entries if not wanted or entry.key in wanted]


def _documents_folder() -> Path:
    root = checkout()
    if root is None:
        raise Problem("The site is built in a checkout of the repository: a wheel has no docs/.", Exit.REQUIREMENT)
    return root / "docs"


def _write_sources(
    sources: Path, folder: Path, entries: Sequence[Entry], docs: Path, cache: Path, jobs: int, lite: bool
) -> None:
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
        notebook = live[Path(entry.place)]
        elsewhere.write_colab_copy(notebook, extra / elsewhere.FOLDER, entry.place)
        page = page_of(notebook, entry.place, known, scripts)
        _write(sources / "notebooks" / entry.place, serialise(page).decode())
    _write(sources / "notebooks" / PAGE, serialise(_contents(entries, known)).decode())
    for part, members in parts_of(entries).items():
        _write(sources / "notebooks" / part / "index.md", _part(part, members))
    for name in [page for _, group in _documents(docs) for page in group]:
        _write(sources / "docs" / f"{name}.md", document(docs, name))
    _write_lines_to_read(sources / "docs")
    for name, text in reference.operator_pages().items():
        _write(sources / "reference" / "tensorglass" / f"{name}.md", text)
    _write(sources / "reference" / "glassroom.md", reference.glassroom_page())
    _write(sources / "index.md", _first_page(docs, entries, SharedScripts(extra / "live", "live"), lite))
    _write(sources / "missing.md", _missing_page())
    _write(sources / "gallery.md", _gallery(SharedScripts(extra / "live", "live")))
    static = sources / "static"
    shutil.copytree(STATIC, static)
    _write(static / "scrolls.css", style(HERE.parent / "live" / "scrolls.css"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _contents(entries: Sequence[Entry], known: set[PurePosixPath]) -> Notebook:
    """The contents page without what only a learner's own copy has: the record of progress, and help with kernels."""
    page = contents_page(entries)
    kept = [cell for cell in page["cells"] if cell["id"] not in ("contents-progress", "contents-help")]
    for cell in kept:
        text = source(cell).replace(f"\n\n{BEGUN}", "")
        cell["source"] = lines(linked(text, PAGE, known))
    return {**page, "cells": kept}


def _part(part: str, members: Sequence[Entry]) -> str:
    number, title = part.partition("_")[0], PARTS.get(part, (part.partition("_")[2], ""))
    rows = [
        f"| [{page.place.stem.partition('_')[0]} · {page.title}]({page.place.name}) | {page.asks} | {page.minutes} |"
        for page in members
    ]
    return "\n".join(
        [
            f"# {number} · {title[0][0].upper()}{title[0][1:]}",
            "",
            title[1],
            "",
            _toctree([member.place.stem for member in members]),
            "",
            "| notebook | the question | minutes |",
            "|---|---|---|",
            *rows,
        ]
    )


def _documents(docs: Path) -> list[tuple[str, list[str]]]:
    """The documents of the site, by heading; the pages of terms follow that on translating."""
    terms = sorted(path.stem for path in docs.glob("terms.*.md"))
    return [
        (heading, [page for name in names for page in ([name, *terms] if name == "translating" else [name])])
        for heading, names in DOCUMENTS
    ]


def document(docs: Path, name: str) -> str:
    """A document in the site's language if it exists, otherwise in English; its pictures follow the site's theme."""
    translated = docs / language.speaking() / f"{name}.md"
    text = (translated if translated.exists() else docs / f"{name}.md").read_text("utf-8")
    if translated.exists():  # it is one folder deeper than its page
        text = re.sub(r'(\]\(|src(?:set)?=")\.\./', r"\1", text)
    text = text[text.index("# ") :]  # without the links to other languages, which every page has anyway
    picture = re.compile(r'<picture>\s*<source[^>]*srcset="([^"]*)">\s*<img alt="([^"]*)" src="([^"]*)">\s*</picture>')
    return picture.sub(
        r'<img class="only-dark" alt="\2" src="\1" loading="lazy">'
        "\n"
        r'<img class="only-light" alt="\2" src="\3" loading="lazy">',
        text,
    )


def _write_lines_to_read(docs: Path) -> None:
    """Give each of the files in which the library is read a page with its lines, and lead from `reading` there."""
    library = Path(tensorglass.__path__[0])

    def linked_file(match: re.Match[str]) -> str:
        page = f"lines/{match[2].removesuffix('.py').replace('/', '-')}"
        code = (library / match[2]).read_text("utf-8")
        block = as_is(f"``````{{code-block}} python\n:linenos:\n\n{code}``````")
        _write(docs / f"{page}.md", as_is(f"---\norphan: true\n---\n\n# `{match[2]}`\n\n{block}\n"))
        return f"{match[1]}[`{match[2]}`]({page}.md)"

    reading = docs / "reading.md"
    text = re.sub(r"^(\d+\. )`([\w/]+\.py)`", linked_file, reading.read_text("utf-8"), flags=re.MULTILINE)
    reading.write_text(text, encoding="utf-8")


def _gallery(scripts: SharedScripts) -> str:
    told = [
        "# Gallery of inspectors",
        "Each picture answers one question about tensors, of tensorglass or PyTorch, in a notebook, a script or a "
        "test. Point at a cell, or press Tab and use the arrow keys. [How to use them](docs/inspectors.md)",
    ]
    for exhibit, code, live in gallery.exhibits():
        picture = f'<div class="ran">{scripts.shared(live)}</div>'
        told += [f"## `{exhibit.name}`", exhibit.question, '<div class="runs">', f"```python\n{code}\n```"]
        told += [_raw(picture), "</div>"]
    return "\n\n".join(told)


def _first_page(docs: Path, entries: Sequence[Entry], scripts: SharedScripts, lite: bool) -> str:
    live = scripts.shared(gallery.made(gallery.FIRST).live)
    hours = round(sum(entry.minutes for entry in entries) / 60)
    training = _first_section(docs, "inspectors")
    parts = [f"notebooks/{part}/index" for part in parts_of(entries)]
    return "\n\n".join(
        [
            as_is("---\nhide-toc: true\n---"),
            "# tensorglass",
            "PyTorch's tensors, with the lid off: **see which bytes a tensor owns, which it shares, and with whom.**",
            as_is('<div class="first runs">\n\n<div class="first-code">\n\n```python\n')
            + gallery.FIRST
            + "```\n\n</div>\n"
            '<div class="first-picture">\n\n'
            '<p class="first-say">Point at a cell: everything that shares its bytes lights up.</p>\n\n'
            + _raw(f'<div class="ran">{live}</div>')
            + "\n\n</div>\n</div>",
            _cards(len(entries), hours, entries[0].place if entries else PAGE, training, lite),
            "**tensorglass** runs PyTorch code with PyTorch's numbers, printed forms and errors, in Python over NumPy "
            "that you can read. **glassroom** is the course on it, and its inspectors, which also draw the tensors of "
            "your own PyTorch programs.",
            "```bash\npython3 -m venv .venv && .venv/bin/pip install -e '.[course]' && .venv/bin/glassroom lab\n```",
            _toctree(["notebooks/contents", *parts], "The course"),
            _toctree(["gallery"], word("Inspectors")),
            *(_toctree([f"docs/{name}" for name in names], heading) for heading, names in _documents(docs)),
            _toctree(["reference/tensorglass/index", "reference/glassroom"], word("Reference")),
        ]
    )


def _missing_page() -> str:
    """What `404.html` leads to."""
    return "\n\n".join(
        [
            as_is("---\norphan: true\nhide-toc: true\n---"),
            "# There is no such page",
            "Perhaps it has moved. [The contents](notebooks/contents.ipynb) name every notebook, and the search all "
            "pages.",
        ]
    )


def _write_404(pages: Path) -> None:
    """Write the page that a host sends for an address that leads nowhere: it leads to `missing`, from any depth."""
    folders = sorted(page.name for page in pages.iterdir() if page.is_dir())
    root = f'location.pathname.replace(/(({"|".join(folders)})\\/.*|[^/]*)$/, "")'
    script = f'<script>location.replace({root} + "missing.html")</script>'
    head = as_is(f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>tensorglass</title>{script}</html>\n')
    _write(pages / "404.html", head)


def _first_section(docs: Path, name: str) -> str:
    """Where a document's first section is, in the site's language."""
    heading = re.search("^## (.+)$", document(docs, name), re.MULTILINE)
    assert heading is not None
    anchor = re.sub(r"[^\w -]", "", heading[1].lower()).replace(" ", "-")
    return as_is(f"docs/{name}.md#{anchor}")


def _cards(notebooks: int, hours: int, start: PurePosixPath, training: str, lite: bool) -> str:
    cards = [
        ("Take the course", f"{notebooks} notebooks, {hours} hours, or a path of an afternoon", f"notebooks/{PAGE}"),
        ("Begin here", "What a tensor is in memory: the first quarter of an hour", f"notebooks/{start}"),
        ("Look at the inspectors", "Every picture, live, beside the lines that made it", "gallery.md"),
        ("Five minutes with a training step", "Where its memory goes, in your own PyTorch", training),
        ("Read the library", "Twelve files, from `a.t()[1] += 2` to `backward()`", "docs/reading.md"),
        ("Teach a class", "Hand out, collect, grade; a room of laptops", "docs/teaching.md"),
    ]
    told = "\n".join(f"- [**{title}**]({target})\n\n  {what}" for title, what, target in cards)
    if lite:  # no page of Sphinx, so its link is HTML
        what = "JupyterLab with a kernel in your browser; it keeps what you change and solve"
        told += f'\n- <a href="{START}"><strong>Work in your browser</strong></a>\n\n  {what}'
    return f'<div class="cards">\n\n{told}\n\n</div>'


def _raw(html: str) -> str:
    return as_is(f"``````{{raw}} html\n{html}\n``````")


def _toctree(names: Sequence[str], caption: str = "") -> str:
    said = as_is(f":caption: {caption}\n") if caption else ""
    return as_is(f"```{{toctree}}\n:hidden:\n{said}\n") + "\n".join(names) + "\n```"
