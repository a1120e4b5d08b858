"""Pages that are translated as a whole (lessons, documents, the README), and the English ones that have changed since.

`pages.json` beside the catalogues has the digest of each English page at the time when its translation was last
checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from glassroom.translations.homes import PACKAGE

SEEN = "pages.json"


def pages(catalogues: Path, root: Path | None) -> Iterator[tuple[str, Path]]:
    """The English pages that have a translation, each with its name; `root` is the checkout, if there is one."""
    for page in sorted((catalogues / "lessons").glob("*.md")):
        yield f"lessons/{page.name}", PACKAGE / "lessons" / page.name
    if root is not None:
        for page in sorted((root / "docs" / catalogues.name).glob("*.md")):
            yield f"docs/{page.name}", root / "docs" / page.name
        if (root / f"README.{catalogues.name.replace('_', '-')}.md").is_file():
            yield "README.md", root / "README.md"


def digest(page: Path) -> str:
    """The digest of a page's words, independent of line breaks; "" if the page is gone."""
    try:
        words = page.read_text("utf-8").split()
    except FileNotFoundError:
        return ""
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]


def changed(catalogues: Path, root: Path | None) -> list[str]:
    """The names of pages whose English has changed since their translation was last checked."""
    seen = _seen(catalogues)
    return [name for name, page in pages(catalogues, root) if seen.get(name) != digest(page)]


def look(catalogues: Path, root: Path | None, wanted: str) -> str:
    """Record that the translations of these pages, selected by the beginning of their names, match the English ones
    now.

    Returns the content of `pages.json`.
    """
    seen = _seen(catalogues)
    there = dict(pages(catalogues, root))
    seen |= {name: digest(page) for name, page in there.items() if name.startswith(wanted)}
    return json.dumps({name: seen[name] for name in there if name in seen}, indent=1) + "\n"


def _seen(catalogues: Path) -> dict[str, str]:
    path = catalogues / SEEN
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}
