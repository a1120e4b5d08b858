"""Live forms that share their scripts and style sheets: a page with thirty inspectors of a kind loads each once.
`live.embed` makes every inspector self-contained, as a notebook needs it. On a site, the same code would be repeated
with each one; here it is moved to files that the browser caches, and only an inspector's own state remains in the page.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from glassroom.translations.templates import as_is

EMBEDDED = re.compile(
    r'<div class="glassroom"><style>(?P<style>.*?)</style>(?P<before>.*?)'
    r"const widget = \(\(\) => \{\n(?P<body>.*?)\}\)\(\);\n(?P<after>widget\.render\()",
    re.DOTALL,
)


class SharedScripts:
    """The files that were made of live forms, in a folder; `at` is its address in pages."""

    def __init__(self, folder: Path, at: str) -> None:
        self.folder = folder
        self.at = at

    def shared(self, html: str) -> str:
        """A piece of HTML with the common code of its live forms moved out."""

        def moved(match: re.Match[str]) -> str:
            style, body = match["style"], match["body"]
            name = hashlib.sha256((style + body).encode()).hexdigest()[:12]
            self._keep(f"{name}.css", style)
            self._keep(f"{name}.js", f'(window.glassroom ??= {{}})["{name}"] ??= (() => {{\n{body}}})();\n')
            return as_is(
                f'<div class="glassroom"><link rel="stylesheet" href="{self.at}/{name}.css">'
                f'<script src="{self.at}/{name}.js"></script>'
                f'{match["before"]}const widget = window.glassroom["{name}"];\n{match["after"]}'
            )

        return EMBEDDED.sub(moved, html)

    def _keep(self, name: str, content: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(content, encoding="utf-8")
