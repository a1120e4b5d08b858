"""The site in several languages: each in a folder of its own beside English, with links to the other languages on every
page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path

from glassroom.site.running import Pyodide, share
from glassroom.translations import catalogue
from glassroom.translations.language import ENGLISH, VARIABLE, Language, folder_of, languages
from glassroom.translations.templates import word
from glassroom.workspace.problems import Exit, Problem

PLACE = '<div class="content-icon-container">'  # at the top of a page's text
#: A reader who changes language half-way through a section continues half-way through the same section of the other
#: page, and at the same anchor: both pages have the same headings in the same order.
KEEPS_PLACE = """\
<script>
addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll("section[id]")];
  const top = (section) => section.getBoundingClientRect().top + scrollY;
  const tops = () => [...sections.map(top), document.body.scrollHeight];
  for (const link of document.querySelectorAll(".languages a"))
    link.addEventListener("click", () => {
      const places = tops(), at = places.findLastIndex((top) => top <= scrollY + 1);
      const part = at < 0 ? 0 : (scrollY - places[at]) / (places[at + 1] - places[at]);
      const anchor = sections.findIndex((each) => `#${each.id}` === decodeURIComponent(location.hash));
      sessionStorage.setItem("place", JSON.stringify({ at, part, anchor }));
    });
  const kept = JSON.parse(sessionStorage.getItem("place"));
  sessionStorage.removeItem("place");
  if (kept) {
    if (sections[kept.anchor]) history.replaceState(null, "", `#${sections[kept.anchor].id}`);
    const go = () => {
      const places = tops();
      scrollTo(0, kept.at < 0 ? 0 : places[kept.at] + kept.part * (places[kept.at + 1] - places[kept.at]));
    };
    const until = new ResizeObserver(go); // pictures wake while the page loads
    until.observe(document.body);
    const stop = () => until.disconnect();
    for (const each of ["wheel", "pointerdown", "keydown"]) addEventListener(each, stop, { once: true });
  }
});
</script>"""


@contextmanager
def building(
    others: Sequence[Language], folder: Path, asked: Sequence[str], cache: Path | None, jobs: int
) -> Iterator[Callable[[Path, Pyodide], None]]:
    """Build the site in other languages while the block runs, each in a process with that language.

    The block is given what waits for them and moves each into a folder of the English pages. A distribution of Pyodide
    that the site hosts is shared by all languages.
    """
    started = [(language, _start(language, folder, asked, cache, jobs)) for language in others]

    def finish(pages: Path, pyodide: Pyodide) -> None:
        for language, process in started:
            if process.wait():
                said = _said(folder, language).read_text("utf-8").rpartition("glassroom: ")[2].strip()[-2000:]
                raise Problem(f"The site in {language.name} was not built. {said}", Exit.FAILED)
            out = Path(folder, folder_of(language.code)).rename(pages / folder_of(language.code))
            shutil.rmtree(out / "_sources", ignore_errors=True)
            share(out / "_static", pyodide)

    try:
        yield finish
    finally:
        for _, process in started:  # those that go on, where something else has failed
            process.terminate()
            process.wait()


def _start(
    language: Language, folder: Path, asked: Sequence[str], cache: Path | None, jobs: int
) -> subprocess.Popen[bytes]:
    out = folder / folder_of(language.code)
    command = [sys.executable, "-m", "glassroom", "site", "--out", str(out), "--jobs", str(jobs)]
    command += ["--cache", str(cache)] if cache else []
    own = {**os.environ, VARIABLE: language.code, "PYTHONIOENCODING": "utf-8"}
    with _said(folder, language).open("w", encoding="utf-8") as said:
        return subprocess.Popen([*command, *asked], env=own, stdout=subprocess.DEVNULL, stderr=said)


def _said(folder: Path, language: Language) -> Path:
    """The file with what a build in another language says."""
    return folder / f"{language.code}.txt"


def add(pages: Path) -> None:
    """Add links to each page, to the same page in every other language that has it."""
    homes = {ENGLISH: ("English", pages)}
    homes |= {code: (language.name, pages / folder_of(code)) for code, language in languages().items()}
    there = {code: home for code, home in homes.items() if home[1].is_dir()}
    if len(there) == 1:
        return
    for path in pages.rglob("*.html"):
        own = next(
            (code for code, (_, home) in there.items() if code != ENGLISH and path.is_relative_to(home)), ENGLISH
        )
        place = path.relative_to(there[own][1])
        links = [
            f'<a lang="{_tag(code)}" hreflang="{_tag(code)}" href="{_way(path, home / place)}">{escape(name)}</a>'
            for code, (name, home) in there.items()
            if code != own and (home / place).is_file()
        ]
        text = path.read_text("utf-8")
        if links and PLACE in text:
            nav = f'<nav class="languages" aria-label="{_label(own)}">{" ".join(links)}</nav>{KEEPS_PLACE}'
            path.write_text(text.replace(PLACE, nav + PLACE, 1), encoding="utf-8")


def _label(code: str) -> str:
    """What the links are called, in a language."""
    said = word("Language")
    if code == ENGLISH:
        return said
    return catalogue.read(languages()[code].folder / "classroom.po").get(("site/switch.py", said), said)


def _tag(code: str) -> str:
    return code.replace("_", "-")


def _way(here: Path, there: Path) -> str:
    return os.path.relpath(there, here.parent).replace(os.sep, "/")
