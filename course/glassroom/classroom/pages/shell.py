"""The frame of a page: one HTML file that fetches nothing, with all untrusted text escaped and no script except one of
ours."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from xml.etree import ElementTree

from glassroom.translations.language import speaking
from glassroom.translations.templates import as_is

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="$language"$theme>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>$title</title>
<style>
$style
</style>
</head>
<body class="gr">
<main$wide>
$body
</main>$script
</body>
</html>
""")


#: How the page around a notebook marks its theme, which also serves to fix a page's theme.
THEMES = {"light": ' data-jp-theme-light="true"', "dark": ' data-jp-theme-light="false"', "": ""}


def page(title: str, body: str, wide: bool = False, theme: str = "", script: str = "") -> str:
    """A whole page. `title` is escaped here, `body` is HTML already. The page follows the browser's theme, or is in
    `theme`. `script` is one of ours and may send requests to its own server; the page's content security policy blocks
    every other script.
    """
    width = ' class="wide"' if wide else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    policy += as_is(f"; script-src 'sha256-{digest}'; connect-src 'self'") if script else ""
    return _PAGE.substitute(
        language=speaking().replace("_", "-"),
        title=text(title),
        style=_style(),
        body=body,
        wide=width,
        theme=THEMES[theme],
        policy=policy,
        script=f"\n<script>{script}</script>" if script else "",
    )


def text(words: object) -> str:
    """Any text as HTML, without invisible characters and those that change the direction of writing."""
    return escape(visible(words))


def name_of(learner: object) -> str:
    """A learner's name as HTML: where there is too little room it is broken behind its signs, and not within a word."""
    return re.sub(r"([._@+-]+)(?=\w)", r"\1<wbr>", text(learner))


def visible(words: object) -> str:
    """Any text without invisible characters and those that change the direction of writing."""
    return "".join(letter if letter in "\n\t" or letter.isprintable() else "�" for letter in str(words))


def sentence(words: object) -> str:
    """A sentence of a check, which begins with a capital here, with text between backticks as code."""
    said = str(words)
    return re.sub(r"`([^`\n]{1,200})`", r"<code>\1</code>", text(said[:1].upper() + said[1:]))


def code(source: str) -> str:
    """A program, shown as it was written."""
    return f"<pre><code>{text(source)}</code></pre>"


def picture(output: Mapping[str, str], describes: str) -> str:
    """An output of a cell: pictures as images, in which no script runs; text as text."""
    svg, png = output.get("image/svg+xml"), output.get("image/png")
    if svg and svg.lstrip().startswith("<"):
        if not is_drawn_once(svg):
            return '<p class="muted">A picture is left out, since it may be drawn without end.</p>'
        data = base64.b64encode(svg.encode("utf-8", "replace")).decode()
        return f'<figure><img alt="{text(describes)}" src="data:image/svg+xml;base64,{data}"></figure>'
    if png:
        try:
            data = base64.b64encode(base64.b64decode("".join(png.split()), validate=True)).decode()
        except (binascii.Error, ValueError):
            return ""
        return f'<figure><img alt="{text(describes)}" src="data:image/png;base64,{data}"></figure>'
    words = output.get("text/plain", "")
    return f"<pre>{text(words[:4000])}</pre>" if words.strip() else ""


_SVG = "{http://www.w3.org/2000/svg}"
_SHAPES = {"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"}
_NAMED = {"clipPath", "pattern", "linearGradient", "radialGradient"}  # and used by url(#…)
_PARTS = {
    *_SHAPES,
    *_NAMED,
    "svg",
    "g",
    "defs",
    "use",
    "style",
    "stop",
    "text",
    "tspan",
    "title",
    "desc",
    "metadata",
    "image",
}


def is_drawn_once(svg: str) -> bool:
    """Whether an SVG draws each of its parts only a bounded number of times: no reference in it leads to further
    references. A few lines of references that each lead to ten others are enough to hang a browser.
    """
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, ValueError):
        return False
    parts = [(element, element.tag.removeprefix(_SVG)) for element in root.iter() if str(element.tag).startswith(_SVG)]
    shapes = {element.get("id") for element, kind in parts if kind in _SHAPES}
    others = {element.get("id") for element, kind in parts if kind not in _SHAPES}
    for element, kind in parts:
        link = next((value for name, value in element.items() if name.endswith("href")), "#")
        named = [inner for inner in element.iter() if inner is not element] if kind in _NAMED else []
        if (
            kind not in _PARTS
            or (kind == "use" and (link[1:] not in shapes or link[1:] in others))
            or (kind == "image" and not link.startswith("data:image/png;"))
            or (kind == "style" and re.search(r"url|@import|\\\\", element.text or ""))
            or any(inner.tag == f"{_SVG}use" or "url(" in "".join(inner.attrib.values()) for inner in named)
        ):
            return False
    return "<!ENTITY" not in svg


@cache
def _style() -> str:
    sheets = ("drawing/tokens.css", "live/scrolls.css", "classroom/pages/page.css")
    return "".join([files("glassroom").joinpath(sheet).read_text(encoding="utf-8") for sheet in sheets])
