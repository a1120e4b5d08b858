"""From what cells hold to HTML: Markdown, code, outputs."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from glassroom.site.pages import FORMS
from glassroom.workspace.notebook_json import Notebook, source

ANSI = re.compile(r"\x1b\[[0-9;]*m")
MOST_BYTES = 4 << 20  # of a picture that goes into the page


def text_html(markdown: str, folder: Path, attachments: Mapping[str, Any] | None = None) -> str:
    """Markdown as HTML, with the pictures that lie beside the notebook or are attached to the cell."""
    parser = _parser()
    tokens = parser.parse(markdown)
    for inline in tokens:
        for token in inline.children or ():
            if token.type == "image":
                token.attrSet("src", _picture(str(token.attrGet("src") or ""), folder, attachments or {}))
    return str(parser.renderer.render(tokens, parser.options, {}))


def code_html(code: str, language: str = "python") -> str:
    """Code in its colors, in one block."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    inner = highlight(code.strip("\n"), lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="code"><code>{inner}</code></pre>'


def output_html(output: Notebook, folder: Path) -> str:
    """An output of a cell: its live form if it has one, else a picture or words."""
    if "data" not in output:
        said = output["traceback"] if output["output_type"] == "error" else output["text"]
        joined = ("\n" if output["output_type"] == "error" else "").join(said)
        return _words(joined)
    form = next((form for form in FORMS if form in output["data"]), None)
    if form is None:
        return ""
    content = source({"source": output["data"][form]})
    if form == "text/html":
        return f'<div class="live">{content}</div>'
    if form.startswith("image/"):
        data = base64.b64encode(content.encode()).decode() if form == "image/svg+xml" else "".join(content.split())
        told = source({"source": output["data"].get("text/plain", "")})
        return f'<img alt="{escape(told)}" src="data:{form};base64,{data}">'
    return text_html(content, folder) if form == "text/markdown" else _words(content)


def _words(text: str) -> str:
    return f"<pre>{escape(ANSI.sub('', text))}</pre>" if text.strip() else ""


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "highlight": None}).enable(["table", "strikethrough"])

    def fence(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
        return code_html(tokens[place].content, tokens[place].info.strip() or "text")

    def nothing(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
        return ""

    def link_open(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
        """The web is a link; another notebook, which the slides do not have, is its name alone."""
        address = str(tokens[place].attrGet("href") or "")
        if address.startswith(("https://", "http://")):
            return f'<a href="{escape(address)}" target="_blank" rel="noreferrer noopener">'
        return "<a>"

    parser.add_render_rule("fence", fence)
    parser.add_render_rule("link_open", link_open)
    parser.add_render_rule("html_comment", nothing)
    return parser


def _picture(address: str, folder: Path, attachments: Mapping[str, Any]) -> str:
    if address.startswith("data:image/"):
        return address
    if address.startswith("attachment:"):
        forms = attachments.get(address.removeprefix("attachment:"), {})
        kind = next((form for form in forms if form.startswith("image/")), None)
        return f"data:{kind};base64,{''.join(source({'source': forms[kind]}).split())}" if kind else ""
    path = folder / address
    kind = mimetypes.guess_type(path.name)[0] or ""
    if "://" in address or not kind.startswith("image/") or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return ""
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
