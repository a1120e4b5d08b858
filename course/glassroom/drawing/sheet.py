"""Applying the style sheet of a static SVG to its parts: the picture as a list of shapes that other code can draw. A
picture is laid out once, as SVG, and only its style sheet knows colours. This module computes what a browser would
draw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, fromstring

import cssselect2
import tinycss2

THEMES = ("light", "dark")
INHERITED = frozenset(
    {"fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-size", "font-weight"}
    | {"text-anchor", "visibility", "paint-order", "font-style", "text-decoration"}
)


class Part(NamedTuple):
    """A shape or a word: its tag, its own attributes, its words, and its look: CSS properties with their values.

    `opacity` in the look is the product of the part's own and those of all groups around it.
    """

    tag: str
    attributes: Mapping[str, str]
    words: str
    look: Mapping[str, str]


def parts_of(svg: str, theme: str = "light") -> Iterator[Part]:
    """The visible parts of a picture, in the order in which they are drawn.

    Raises ValueError for a theme that is neither "light" nor "dark".
    """
    if theme not in THEMES:
        raise ValueError(f"theme is 'light' or 'dark', not {theme!r}")
    page = Element("body", {"data-jp-theme-light": "true" if theme == "light" else "false"})
    page.append(fromstring(svg))
    sheet = "".join(element.text or "" for element in page.iter() if _tag(element) == "style")
    whole = next(iter(cssselect2.ElementWrapper.from_html_root(page).iter_children()))
    yield from _walk(whole, _matcher(sheet), {})


def _walk(element: Any, rules: Any, above: Mapping[str, str]) -> Iterator[Part]:
    tag = _tag(element.etree_element)
    if tag in ("style", "title"):
        return
    attributes = element.etree_element.attrib
    look = {name: value for name, value in above.items() if name in INHERITED or name.startswith("--")}
    look |= {name: value for name, value in attributes.items() if name in INHERITED or name in ("opacity", "rx")}
    opacity = float(above.get("opacity", 1))
    for _, _, _, declarations in rules.match(element):
        look |= declarations
    look["opacity"] = str(opacity * float(look.get("opacity", 1)))
    if look.get("visibility") == "hidden" or look.get("display") == "none":
        return
    if tag not in ("svg", "g"):
        resolved = {name: _resolved(value, look) for name, value in look.items() if not name.startswith("--")}
        yield Part(tag, attributes, element.etree_element.text or "", resolved)
    for child in element.iter_children():
        yield from _walk(child, rules, look)


def _matcher(sheet: str) -> cssselect2.Matcher:
    """A matcher for the rules of a sheet; media queries are answered as a browser does outside of a notebook."""
    matcher = cssselect2.Matcher()
    for rule in tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True):
        if rule.type != "qualified-rule":
            continue
        rules = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        declarations = {item.name: tinycss2.serialize(item.value).strip() for item in rules}
        for selector in cssselect2.compile_selector_list(rule.prelude):
            matcher.add_selector(selector, declarations)
    return matcher


def _resolved(value: str, look: Mapping[str, str]) -> str:
    """A value with its variables replaced by what they stand for, or by their fallbacks."""
    while variable := re.search(r"var\((--[\w-]+)(?:,\s*([^()]*))?\)", value):
        value = value.replace(variable[0], look.get(variable[1], variable[2] or "none").strip())
    return value


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]
