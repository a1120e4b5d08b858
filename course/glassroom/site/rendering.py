"""From sources to pages in HTML: Sphinx renders them, and what one build has rendered the next one keeps.

Sphinx renders only what has changed, but does not know all that a page shows of others: their titles in the menu, the
anchors that its links lead to, the digests of style sheets. If one of these changes, every page is rendered anew.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from glassroom import __version__
from glassroom.site import theme_words
from glassroom.translations import language
from glassroom.translations.templates import as_is, word
from glassroom.workspace.problems import Exit, Problem

FOLDER = "pages"  # in the cache, with one for each language
EXTRA = "extra"  # in the sources: what becomes part of the site as it is
STATIC = "static"
STYLES = ("scrolls.css", "site.css", "run.css")  # by every page, with a digest of their content
SCRIPT = "run.js"
RESULTS = as_is('<div id="search-results">')
EMPTY_HEAD = re.compile(r'<th( class="head[^"]*")><p></p></th>')
ALL_PAGES = word("All pages")
OUTPUTS = "jupyter_execute"  # where MyST-NB writes images of outputs
RENDERERS = ("sphinx", "myst-nb", "myst-parser", "furo", "docutils", "pygments")
#: A document's headings, and the list of its pages.
SEEN_ELSEWHERE = re.compile(r"^#{1,6} .*|^`{3}\{toctree\}(?s:.*?)`{3}", re.MULTILINE)


def render(sources: Path, pages: Path, cache: Path, jobs: int) -> None:
    """Write the pages of these sources into the folder `pages`; what is in `cache` of a former build is kept.

    Raises `Problem` if Sphinx finds a fault in a page.
    """
    _write_settings(sources)
    which = _what_all_pages_show(sources)
    with _kept(cache / FOLDER / language.speaking(), pages.parent) as kept:
        mark, html = kept / "which", kept / "html"
        if not (mark.is_file() and mark.read_text("utf-8") == which):
            shutil.rmtree(kept)
            kept.mkdir()
        mark.unlink(missing_ok=True)  # what is left of a build that stops is not kept
        _make_equal(kept / "sources", sources)
        before = _times(html)
        images = _run_sphinx(kept / "sources", html, kept / "doctrees", jobs)
        for path, time in _times(html).items():
            if before.get(path) != time:
                _repair(path)
        _delete_unused(kept, images)
        shutil.copytree(html, pages)
        mark.write_text(which, encoding="utf-8")
    shutil.copytree(sources / STATIC, pages / "_static", dirs_exist_ok=True)  # Sphinx does so if a page has changed
    shutil.copytree(sources / EXTRA, pages, dirs_exist_ok=True)


def _write_settings(sources: Path) -> None:
    settings: dict[str, Any] = {
        "project": "tensorglass",
        "author": "tensorglass contributors",
        "copyright": "tensorglass contributors",
        "version": __version__,
        "language": language.speaking(),
        "extensions": ["myst_nb", "glassroom.site.search_words"],
        "exclude_patterns": [STATIC],
        "nb_execution_mode": "off",
        "nb_ipywidgets_js": {},
        "nb_merge_streams": True,
        "myst_enable_extensions": [],
        "myst_heading_anchors": 6,
        "html_theme": "furo",
        "html_title": "tensorglass",
        "html_favicon": f"{STATIC}/favicon.svg",
        "html_static_path": [STATIC],
        "html_css_files": list(STYLES),
        "html_js_files": [(SCRIPT, {"type": "module"})],
        "html_show_sphinx": False,
        "html_show_sourcelink": False,
        "html_copy_source": False,
        "pygments_style": "a11y-high-contrast-light",
        "pygments_dark_style": "a11y-high-contrast-dark",
        "suppress_warnings": ["mystnb.unknown_mime_type", "misc.highlighting_failure"],
    }
    told = "".join(f"{name} = {value!r}\n" for name, value in settings.items())
    (sources / "conf.py").write_text(told, encoding="utf-8")


def _what_all_pages_show(sources: Path) -> str:
    """A digest of what any page may show or use of the others, and of what renders them."""
    digest = hashlib.sha256(repr([(name, metadata.version(name)) for name in RENDERERS]).encode())
    digest.update(repr((theme_words.SAID, theme_words.PAGES_UNDER, ALL_PAGES)).encode())
    linked = (sources / STATIC / name for name in (*STYLES, SCRIPT))
    for path in (*sorted(Path(__file__).parent.glob("*.py")), sources / "conf.py", *linked):
        digest.update(path.read_bytes())
    for path in sorted(_files_of(sources)):
        if path.suffix in (".md", ".ipynb"):
            text = (sources / path).read_text("utf-8")
            if path.suffix == ".ipynb":
                cells = json.loads(text)["cells"]
                text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
            digest.update(f"{path.as_posix()} {SEEN_ELSEWHERE.findall(text)}\n".encode())
    return digest.hexdigest()


def _files_of(sources: Path) -> set[Path]:
    """What Sphinx is given of the sources."""
    files = {path.relative_to(sources) for path in sources.rglob("*") if path.is_file()}
    return {path for path in files if path.parts[0] != EXTRA}


@contextmanager
def _kept(folder: Path, otherwise: Path) -> Iterator[Path]:
    """The folder, locked; while another build has it, and where no file can be locked, a new one in `otherwise`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        try:
            fcntl = importlib.import_module("fcntl")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (ImportError, OSError):
            folder = otherwise / "rendering"
            folder.mkdir()
        yield folder


def _make_equal(copy: Path, sources: Path) -> None:
    """Make a copy of the sources like them again. Files that are equal keep their times, by which Sphinx goes."""
    wanted = _files_of(sources)
    for path in copy.rglob("*"):
        if path.is_file() and path.relative_to(copy) not in wanted:
            path.unlink()
    for path in wanted:
        content = (sources / path).read_bytes()
        if not (copy / path).is_file() or (copy / path).read_bytes() != content:
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_bytes(content)


def _times(html: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in html.rglob("*.html")}


def _run_sphinx(sources: Path, html: Path, doctrees: Path, jobs: int) -> dict[str, str]:
    """Render what has changed; returns all pages' images: the place of each in the sources, and its name in
    `_images`."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace

    said = io.StringIO()
    try:
        with docutils_namespace():
            app = Sphinx(sources, sources, html, doctrees, "html", status=None, warning=said, parallel=jobs)
            app.build()
    except SphinxError as error:
        raise Problem(f"Sphinx stopped: {error}", Exit.FAILED) from error
    lines = [
        line for line in said.getvalue().splitlines() if as_is("not supported: Docutils-generated text") not in line
    ]
    warnings = [line for line in lines if "WARNING" in line or "ERROR" in line]
    if warnings:
        first = "; ".join(re.sub(r"\x1b\[[0-9;]*m", "", line).replace(f"{sources}/", "") for line in warnings[:10])
        raise Problem(f"Nothing was published, because of {len(warnings)} faults in the pages: {first}", Exit.FAILED)
    return {place: name for place, (_, name) in app.env.images.items()}


def _delete_unused(kept: Path, images: dict[str, str]) -> None:
    """Delete images of outputs that no page has any more."""
    places = {(kept / "sources" / place).resolve() for place in images}
    for folder, is_used in (
        (kept / "html" / "_images", lambda image: image.name in images.values()),
        (kept / OUTPUTS, lambda image: image.resolve() in places),
    ):
        for image in folder.rglob("*"):
            if image.is_file() and not is_used(image):
                image.unlink()


def _repair(page: Path) -> None:
    """Repair the accessibility of what the theme and MyST-NB make: headings, heads of tables, names of folds and of
    the menus on both sides, boxes that scroll by keys; and put the theme's words into the language of the site."""
    text = page.read_text("utf-8")
    text = text.replace('<aside class="sidebar-drawer">', f'<aside class="sidebar-drawer" aria-label="{ALL_PAGES}">')
    text = text.replace('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer')
    text = EMPTY_HEAD.sub(r"<td\1></td>", text)
    if RESULTS in text and (title := re.search("<title>(.*?) - ", text)):
        text = text.replace(RESULTS, f"<h1>{title[1]}</h1>{RESULTS}")
    text = text.replace('role="heading">', 'role="heading" aria-level="2">')
    text = text.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    text = text.replace('<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">')
    text = text.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    page.write_text(theme_words.in_the_language(text), encoding="utf-8")
