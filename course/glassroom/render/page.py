"""A picture as a whole HTML page that needs nothing else: for files that people keep, send, or put on a site."""

from __future__ import annotations

from html import escape


def page_of(title: str, live: str, text: str) -> str:
    """A page holding the live form of an inspector, with its text beneath for readers without scripts or sight."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>body {{ margin: 1.5rem; background: Canvas; color: CanvasText; "
        "color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }} pre {{ overflow-x: auto }}</style></head>"
        f"<body>{live}<details><summary>The same as text</summary><pre>{escape(text)}</pre></details></body></html>\n"
    ).replace("{{", "{").replace("}}", "}")
