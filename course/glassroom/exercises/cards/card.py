"""Cards: what a check or a prediction says, as HTML that needs no kernel. Right and wrong are mark, word and color."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from glassroom.live.embed import style_of

RIGHT, WRONG = "✓", "✗"
MARKS = {"right": RIGHT, "wrong": WRONG, "partly": "◐", "open": "…"}
WORDS = {"right": "right", "wrong": "not yet", "open": "not answered"}
SHEET = Path(__file__).with_name("card.css")


class Card:
    """A card in a notebook; its text is what is printed where nobody watches."""

    def __init__(self, text: str, html: str) -> None:
        self.text, self.html = text, html

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}


def verdict_card(id: str, kind: str, message: str, printed: str, text: str) -> Card:
    """What a check says of an answer: that it is "right", "wrong", or still "open"."""
    shown = message.removeprefix(f"{id} is solved.").strip()
    head = {"right": f"{id} is solved", "wrong": f"{id}: not yet", "open": f"{id}: your turn"}[kind]
    body = [f'<p class="gr-head"><span class="gr-mark" aria-hidden="true">{MARKS[kind]}</span>{escape(head)}</p>']
    if shown:
        body.append(f"<p>{_prose(shown[0].upper() + shown[1:])}</p>")
    if printed:
        body.append(f"<p>While it was checked, your answer printed:</p><pre>{escape(printed)}</pre>")
    return Card(text, _page(kind, f"Check of {id}: {WORDS[kind]}", body))


def revealed_card(question: str, rows: Sequence[tuple[str, str, str, str]], raised: str, text: str) -> Card:
    """What was predicted beside what is true: rows of what was asked, said and true, and a mark."""
    marks = [row[3] for row in rows if row[3]]
    right = marks.count(RIGHT)
    kind = "open" if not marks else "right" if right == len(marks) else "wrong" if not right else "partly"
    head = "You did not say anything." if not marks else f"{right} of {len(marks)} right"
    cells = "".join(_row(row) for row in rows)
    body = [
        f"<p>{_prose(question)}</p>",
        '<table><thead><tr><th scope="col"><span hidden>asked</span></th><th scope="col">you said</th>'
        f'<th scope="col">truth</th><th scope="col"></th></tr></thead><tbody>{cells}</tbody></table>',
        f'<p class="gr-head"><span class="gr-mark" aria-hidden="true">{MARKS[kind]}</span>{head}</p>',
    ]
    if raised:
        body.append(f"<pre>{escape(raised)}</pre>")
    return Card(text, _page(kind, f"Prediction: {head}", body))


def asked_card(question: str, said: Sequence[tuple[str, str]], text: str) -> Card:
    """A prediction that has been revealed: the question, and what was said."""
    body = [f"<p>{_prose(question)}</p>"]
    body += [f"<p><code>{escape(kind)}</code> {escape(answer)}</p>" for kind, answer in said]
    return Card(text, _page("open", "Prediction", body))


def _row(row: tuple[str, str, str, str]) -> str:
    kind, said, truth, mark = row
    word = {RIGHT: "right", WRONG: "wrong"}.get(mark, "")
    told = f"{mark} {word}" if word else ""
    return (
        f'<tr><th scope="row">{escape(kind)}</th><td>{escape(said)}</td><td>{escape(truth)}</td>'
        f'<td class="{word}">{told}</td></tr>'
    )


def _page(kind: str, label: str, body: Sequence[str]) -> str:
    return (
        f"<style>{style_of(SHEET)}</style>"
        f'<div class="gr gr-answer" data-kind="{kind}" role="status" aria-label="{escape(label)}">{"".join(body)}</div>'
    )


def _prose(text: str) -> str:
    """A sentence with its code, between backquotes, as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
