"""A widget without a widget manager: its module, its style and its state in one piece of HTML.

Notebook front ends run the script of an output that the reader's own kernel made, and of saved pages; so a
picture wakes again when a notebook is opened anew, when its kernel is gone, and in an exported page, where a
widget has lost its model. Where scripts do not run, the text stands in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

HERE = Path(__file__).parent


def embedded(widget: str, state: Mapping[str, object], text: str) -> str:
    """HTML of the widget with the files `widget`.js and `widget`.css; `text` stands until the script ran."""
    style = style_of(widget)
    body = module_of(widget).replace("export default", "return").replace("export ", "")
    data = json.dumps(state, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return (
        f'<div class="glassroom"><style>{style}</style><div><pre>{escape(text)}</pre></div>'
        "<script>(() => {\n"
        f"const el = document.currentScript.previousElementSibling;\nconst state = {data};\n"
        f"const widget = (() => {{\n{body}}})();\n"
        "widget.render({ el, model: { get: (name) => state[name] } });\n})();</script></div>"
    )


def module_of(widget: str) -> str:
    """The widget's module in one piece, with the modules of this folder that it imports."""
    module = (HERE / f"{widget}.js").read_text(encoding="utf-8")

    def inlined(found: re.Match[str]) -> str:
        return (HERE / found[1]).read_text(encoding="utf-8").replace("export ", "")

    return re.sub(r'^import \{[^}]*\} from "\./([\w.]+)";$', inlined, module, flags=re.MULTILINE)


def style_of(widget: str) -> str:
    """The widget's style sheet in one piece, with the sheets of this folder that it imports."""
    sheet = (HERE / f"{widget}.css").read_text(encoding="utf-8")
    found = re.compile(r'^@import "([\w.]+)";$', re.MULTILINE)
    return found.sub(lambda sheet: (HERE / sheet[1]).read_text(encoding="utf-8"), sheet)
