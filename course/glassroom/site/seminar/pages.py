"""The two pages: slides with their script, and the ballot. Neither fetches anything but from its own server."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from glassroom.drawing.canvas import style
from glassroom.site.seminar.deck import Deck
from glassroom.translations.language import speaking
from glassroom.translations.scripts import in_the_language
from glassroom.translations.templates import as_is, word

HERE = Path(__file__).parent

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>$title</title>
<link rel="icon" href="data:,">
<style>
$style
</style>
</head>
<body class="gr">
$body
<script>
$script</script>
</body>
</html>
""")

_DECK = Template("""\
<main id="slide" tabindex="-1"></main>
<footer>
  <button id="back" type="button" aria-label="$back">←</button>
  <label><span class="out">$slide</span><input id="number" inputmode="numeric" autocomplete="off"></label>
  <span id="of"></span>
  <button id="on" type="button" aria-label="$on">→</button>
  <span id="title">$title</span>
  $link
</footer>
<p id="said" class="out" role="status"></p>
<script type="application/json" id="deck">$data</script>
""")

_BALLOT = Template("""\
<main>
  <h1>$title</h1>
  <form id="form" hidden><div id="parts"></div><button type="submit">$send</button></form>
  <p id="said" role="status"></p>
  <p class="muted">$privacy</p>
</main>
""")


def deck_page(deck: Deck, votes: str) -> str:
    """The slides as one page. `votes` is the address of the page for votes, or nothing.

    The scripts in it are ours and those of the notebook's outputs, which its own code has made on this machine.
    """
    slides = [
        {
            "title": slide.title,
            "text": slide.text,
            "steps": [{"html": step.html, "asks": step.asks, "reveals": step.reveals} for step in slide.steps],
        }
        for slide in deck.slides
    ]
    data = json.dumps({"slides": slides, "votes": bool(votes)}, ensure_ascii=False).replace("<", "\\u003c")
    link = f'<span id="link">The class answers at <b>{escape(votes)}</b></span>' if votes else ""
    policy = as_is("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'")
    return _PAGE.substitute(
        language=_language(),
        title=escape(deck.title),
        policy=as_is(f"{policy}; connect-src 'self'"),
        style=_style("deck.css"),
        body=_DECK.substitute(
            title=escape(deck.title),
            link=link,
            data=data,
            back=word("Back"),
            slide=word("Slide"),
            on=word("On"),
        ),
        script=_script("deck.js"),
    )


@cache
def ballot_page() -> str:
    """The page in which a class votes; its script asks its server for the question, and no other script is run."""
    script = _script("ballot.js")
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    policy = as_is("default-src 'none'; img-src data:; style-src 'unsafe-inline'; connect-src 'self'")
    title = word("Prediction")
    privacy = "Your answer carries no name. It is counted once for this browser, and gone when the class ends."
    return _PAGE.substitute(
        language=_language(),
        title=title,
        policy=as_is(f"{policy}; script-src 'sha256-{digest}'"),
        style=_style("ballot.css"),
        body=_BALLOT.substitute(title=title, send=word("Send"), privacy=privacy),
        script=script,
    )


def _language() -> str:
    """The language of this process, as HTML names it."""
    return speaking().replace("_", "-")


def _style(name: str) -> str:
    return style(HERE.parent.parent / "drawing" / "tokens.css") + style(HERE / name)


def _script(name: str) -> str:
    return in_the_language(HERE / name)
