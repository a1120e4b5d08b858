"""A picture as a self-contained HTML page, to be kept, sent, or put on a site."""

from __future__ import annotations

from html import escape
from string import Template

from glassroom.translations.language import speaking

PAGE = Template("""\
<!DOCTYPE html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { margin: 1.5rem; background: Canvas; color: CanvasText; color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; }
details { margin-top: 1rem; }
pre { overflow-x: auto; }
</style>
</head>
<body>
$live
<details><summary>$same</summary><pre>$text</pre></details>
</body>
</html>
""")


def page_of(title: str, live: str, text: str) -> str:
    """A page with the live form of an inspector, and its text for readers without scripts or sight."""
    language = speaking().replace("_", "-")
    same = "The same as text"
    return PAGE.substitute(language=language, title=escape(title), live=live, same=same, text=escape(text))
