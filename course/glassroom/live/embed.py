"""A widget without a widget manager: its module, its style and its state in one piece of HTML.

Notebook front ends run the script of an output that the reader's own kernel made, and of saved pages; so a picture
stays interactive when a notebook is reopened without its kernel, and in an exported page, where a widget would have
lost its model. If scripts do not run, the text is shown instead.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from html import escape
from pathlib import Path

from glassroom.translations.scripts import in_the_language

LARGE = 64 * 1024  # characters of a state; a larger one is packed, as cards that differ in a few cells pack well
UNPACKED = """\
async function unpacked(data) {
  const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
"""


def embedded(folder: Path, state: Mapping[str, object], text: str) -> str:
    """HTML of the widget whose `widget.js` and `widget.css` are in a folder; `text` is shown until the script has
    run."""
    style = style_of(folder / "widget.css")
    body = module_of(folder / "widget.js").replace("export default", "return").replace("export ", "")
    data = json.dumps(state, ensure_ascii=False)
    unpacking = ""
    if len(data) > LARGE:
        unpacking = UNPACKED
        packed = base64.b64encode(zlib.compress(data.encode(), 6)).decode()
        data = f'await unpacked("{packed}")'
    else:
        data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return (
        f'<div class="glassroom"><style>{style}</style><div><pre>{escape(text)}</pre></div>'
        "<script>(async () => {\n"
        f"const el = document.currentScript.previousElementSibling;\n{unpacking}"
        f"const state = {data};\nconst widget = (() => {{\n{body}}})();\n"
        "widget.render({ el, model: { get: (name) => state[name] } });\n})();</script></div>"
    )


def module_of(script: Path) -> str:
    """A script bundled with all scripts that it imports, directly or indirectly, each once."""
    taken = {script.resolve()}

    def whole(path: Path) -> str:
        def inlined(match: re.Match[str]) -> str:
            imported = (path.parent / match[1]).resolve()
            if imported in taken:
                return ""
            taken.add(imported)
            return whole(imported).replace("export ", "")

        return re.sub(r'^import \{[^}]*\} from "([\w./]+)";$', inlined, in_the_language(path), flags=re.MULTILINE)

    return whole(script)


def style_of(sheet: Path) -> str:
    """A style sheet bundled with all sheets that it imports, directly or indirectly, each once."""
    taken: set[Path] = set()

    def whole(path: Path) -> str:
        if path in taken:
            return ""
        taken.add(path)
        return re.sub(
            r'^@import "([\w./]+)";$',
            lambda match: whole((path.parent / match[1]).resolve()),
            path.read_text("utf-8"),
            flags=re.MULTILINE,
        )

    return whole(sheet.resolve())
