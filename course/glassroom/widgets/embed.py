"""A widget without a widget manager: its module, its style and its state in one piece of HTML.

Notebook front ends run the script of an output that the reader's own kernel made, and of saved pages; so a
picture wakes again when a notebook is opened anew, when its kernel is gone, and in an exported page, where a
widget has lost its model. Where scripts do not run, the text stands in its place.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
LARGE = 64 * 1024  # characters of a state; a larger one is packed, as cards that differ in a few cells pack well
UNPACKED = """\
async function unpacked(data) {
  const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
"""


def embedded(widget: str, state: Mapping[str, object], text: str) -> str:
    """HTML of the widget with the files `widget`.js and `widget`.css; `text` stands until the script ran."""
    style = style_of(widget)
    body = module_of(widget).replace("export default", "return").replace("export ", "")
    data = json.dumps(state, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    unpacking = ""
    if len(data) > LARGE:
        unpacking = UNPACKED
        packed = base64.b64encode(zlib.compress(json.dumps(state).encode(), 6)).decode()
        data = f'await unpacked("{packed}")'
    return (
        f'<div class="glassroom"><style>{style}</style><div><pre>{escape(text)}</pre></div>'
        "<script>(async () => {\n"
        f"const el = document.currentScript.previousElementSibling;\n{unpacking}"
        f"const state = {data};\nconst widget = (() => {{\n{body}}})();\n"
        "widget.render({ el, model: { get: (name) => state[name] } });\n})();</script></div>"
    )


def module_of(widget: str) -> str:
    """The widget's module in one piece, with the modules of this folder that it and they import, each once."""
    taken = {f"{widget}.js"}

    def whole(name: str) -> str:
        return re.sub(r'^import \{[^}]*\} from "\./([\w.]+)";$', inlined, _read(name), flags=re.MULTILINE)

    def inlined(found: re.Match[str]) -> str:
        if found[1] in taken:
            return ""
        taken.add(found[1])
        return whole(found[1]).replace("export ", "")

    return whole(f"{widget}.js")


def style_of(widget: str) -> str:
    """The widget's style sheet in one piece, with the sheets that it and they import, each once."""
    taken: set[str] = set()

    def inlined(found: re.Match[str]) -> str:
        return whole(found[1])

    def whole(name: str) -> str:
        if name in taken:
            return ""
        taken.add(name)
        return re.sub(r'^@import "([\w./]+)";$', inlined, _read(name), flags=re.MULTILINE)

    return whole(f"{widget}.css")


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
