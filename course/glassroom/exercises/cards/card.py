"""Cards: what a check or a prediction says, as HTML that needs no kernel. Right and wrong are shown by a mark, a word
and a color."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from glassroom.live.embed import style_of
from glassroom.translations.templates import word

RIGHT, WRONG, UNREAD = "✓", "✗", "?"
UNSAID = "…"  # in place of an answer that was not given
MARKS = {"right": RIGHT, "wrong": WRONG, "partly": "◐", "open": "…"}
WORDS = {"right": word("right"), "wrong": "not yet", "open": "not answered"}
SHORT = 24  # characters that stay in one line of a table
SHEET = Path(__file__).with_name("card.css")
#: What a card of predictions says, for programs: the questions, with the kinds of facts asked or with the truth.
PREDICTIONS = "application/vnd.glassroom.predictions+json"
#: Code, or words that are stressed: not the asterisks of a product, of a power or of arguments outside of backquotes.
_MARKED = re.compile(
    r"""`([^`]+)`|(hint\("[\w-]+"\))|(?<![A-Za-z0-9_*)\]])\*(\w(?:[^*`\n]*\w)?)\*(?![A-Za-z0-9_*(\[])"""
)


class Revealed(NamedTuple):
    """A prediction beside the truth: rows of what was asked, said and true, and a mark; and the error it met, told."""

    question: str
    rows: Sequence[tuple[str, str, str, str]]
    raised: str


class Asked(NamedTuple):
    """A prediction: its question, what has been said so far, kind by kind, and what a value is chosen from."""

    question: str
    said: Sequence[tuple[str, str]]
    among: Sequence[str] = ()


class Card:
    """A card in a notebook; its text is printed where there is no person at a notebook. Programs read `data`."""

    def __init__(self, text: str, html: str, data: Mapping[str, object] | None = None) -> None:
        self.text, self.html, self.data = text, html, data

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        bundle: dict[str, object] = {"text/plain": self.text, "text/html": self.html}
        return bundle if self.data is None else {**bundle, PREDICTIONS: self.data}


def is_solved(id: str) -> str:
    """The sentence that an exercise is solved; the check's own sentence follows it."""
    return f"{id} is solved."


def verdict_card(id: str, kind: str, message: str, printed: str, text: str) -> Card:
    """A check's verdict on an answer: "right", "wrong", or still "open"."""
    shown = message.removeprefix(is_solved(id)).strip()
    head = {"right": f"{id} is solved", "wrong": f"{id}: not yet", "open": f"{id}: your turn"}[kind]
    body = [f'<p class="gr-head"><span class="gr-mark" aria-hidden="true">{MARKS[kind]}</span>{escape(head)}</p>']
    body += [f"<p>{_prose(_begun(paragraph))}</p>" for paragraph in shown.splitlines()]
    if printed:
        body.append(f"<p>While it was checked, your answer printed:</p><pre>{escape(printed)}</pre>")
    return Card(text, _page(kind, f"Check of {id}: {WORDS[kind]}", body))


def _begun(sentence: str) -> str:
    """The sentence with a capital at its beginning, unless it begins with code such as `len(x)`."""
    is_code = re.search(r"[(\[_=]|\.\w", sentence.split()[0])
    return sentence if is_code else sentence[0].upper() + sentence[1:]


def revealed_card(revealed: Sequence[Revealed], text: str) -> Card:
    """What was predicted beside what is true, for one prediction or for several in one table."""
    every = [row for table in revealed for row in table.rows]
    marks = [row[3] for row in every if row[3]]
    right, unread = marks.count(RIGHT), marks.count(UNREAD)
    unsaid = sum(not row[3] and row[1] == UNSAID for row in every)
    asked = len(marks) + unsaid
    judged = len(marks) - unread
    kind = "open" if not judged else "right" if right == asked else "partly" if right else "wrong"
    told = [
        *([f"{right} of {asked} right"] if judged else []),
        *([f"{unread} cannot be read"] if unread else []),
        *([f"{unsaid} not answered"] if unsaid and marks else []),
    ]
    head = "; ".join(told) or "You did not say anything."
    columns = (word("asked"), "you said", word("truth"), "")
    body = []
    if not marks or asked != 1:  # a single answer has its mark beside it
        body = [f'<p class="gr-head"><span class="gr-mark" aria-hidden="true">{MARKS[kind]}</span>{head}</p>']
    if len(revealed) == 1:
        [(question, rows, raised)] = revealed
        body = [f"<p>{_prose(question)}</p>", *body, _table(columns, f"<tbody>{''.join(map(_row, rows))}</tbody>")]
        if raised:
            body.append(f"<pre>{escape(raised)}</pre>")
    else:
        body.append(_table(columns, "".join(map(_rows_of_one, revealed)), "gr-several"))
    data = [
        {"question": table.question, "truth": {row[0]: row[2] for row in table.rows}, "raised": table.raised}
        for table in revealed
    ]
    return Card(text, _page(kind, f"Prediction: {head}", body), {"told": data})


def message_card(message: str, text: str) -> Card:
    """A message as if it were printed, but broken between words at every width: JupyterLab breaks printed words too.

    JupyterLab, whose pages have a `--jp-code-font-size`, puts one character of room to the left of what is printed.
    """
    look = (
        "margin: 0; padding: 0 0 0 min(1ch, var(--jp-code-font-size, 0px)); "
        "white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere; "
        "font-size: var(--jp-code-font-size, inherit); line-height: var(--jp-code-line-height, inherit)"
    )
    return Card(text, f'<pre style="{look}">{escape(message)}</pre>')


def asleep_question(asked: Sequence[Asked], text: str, is_closed: bool = False) -> Card:
    """What is shown in place of the prediction widget: when its kernel has gone, and when all is revealed (closed).

    The widget is displayed directly below. The style sheet hides the card as long as the widget works; otherwise it
    hides the widget's place, which JupyterLab fills with "model not found".
    """
    body = _asked(asked)
    if not is_closed:
        body.append('<p class="gr-said">Run this cell again to answer here.</p>')
    look = "gr-asleep gr-closed" if is_closed else "gr-asleep"
    questions = [
        {"question": prompt.question, "kinds": [kind for kind, _ in prompt.said], "among": list(prompt.among)}
        for prompt in asked
    ]
    data = {"asked": questions}
    return Card(text, f'<div class="{look}">{_page("open", word("Prediction"), body)}</div>', data)


def hints_card(hints: Sequence[tuple[str, str, bool]], text: str) -> Card:
    """The hints so far, each with its kind, and whether it is code."""
    items = [
        f"<li>{escape(rung)}: {f'<pre>{escape(hint)}</pre>' if is_code else _prose(hint)}</li>"
        for rung, hint, is_code in hints
    ]
    return Card(text, _page("open", word("Hints"), [f"<ol>{''.join(items)}</ol>"]))


def asleep_hints(hints: Sequence[tuple[str, str, bool]], text: str) -> Card:
    """The hints so far, after the button for the next one has gone with its kernel."""
    page = hints_card(hints, text).html if hints else f"<style>{style_of(SHEET)}</style>"
    return Card(text, f'<div class="gr-asleep">{page}</div>')


def _asked(asked: Sequence[Asked]) -> list[str]:
    """One question with an answer a line; several as a table."""
    if len(asked) == 1:
        [(question, said, _)] = asked
        lines = [f"<p><code>{escape(kind)}</code> {escape(answer)}</p>" for kind, answer in said]
        return [f"<p>{_prose(question)}</p>", *lines]
    rows = "".join(
        f'<tbody><tr><th scope="row">{_prose(question)}</th><td>{_in_lines(kind for kind, _ in said)}</td>'
        f"<td>{_in_lines(answer for _, answer in said)}</td></tr></tbody>"
        for question, said, _ in asked
    )
    return [_table((word("asked"), "", "you said"), rows, "gr-several")]


def _in_lines(words: Iterable[str]) -> str:
    return "<br>".join(map(escape, words))


def _table(columns: Sequence[str], bodies: str, look: str = "") -> str:
    """A table; a column without a heading is that of marks, or of kinds."""
    heads = "".join(f'<th scope="col">{column}</th>' if column else "<td></td>" for column in columns)
    return f'<table class="{look}"><thead><tr>{heads}</tr></thead>{bodies}</table>'


def _rows_of_one(revealed: Revealed) -> str:
    """The rows of one prediction among several, below its question; a single row has the question at its head."""
    question, rows, raised = revealed
    if len(rows) == 1:
        told = _row(rows[0], f"{_prose(question)} <small>{escape(rows[0][0])}</small>")
    else:
        told = f'<tr><th scope="rowgroup" colspan="4">{_prose(question)}</th></tr>'
        told += "".join(_row(row, f"<small>{escape(row[0])}</small>") for row in rows)
    if raised:
        told += f'<tr><td colspan="4"><pre>{escape(raised)}</pre></td></tr>'
    return f"<tbody>{told}</tbody>"


def _row(row: tuple[str, str, str, str], head: str = "") -> str:
    """A row of a table, at whose head is the kind of fact, unless another `head` is given as HTML."""
    kind, said, truth, mark = row
    look = {RIGHT: "right", WRONG: "wrong", UNREAD: "unread"}.get(mark, "")
    told = {
        RIGHT: f"{mark} {word('right')}",
        WRONG: f"{mark} {word('wrong')}",
        UNREAD: f"{mark} {word('cannot be read')}",
    }.get(mark, "")
    return (
        f'<tr><th scope="row">{head or escape(kind)}</th>{_value(said, "you said")}{_value(truth, word("truth"))}'
        f'<td class="{look}">{told}</td></tr>'
    )


def _value(value: str, label: str) -> str:
    """A cell for a value, which is not broken if it is short. On a narrow page its label stands beside it."""
    look = ' class="short"' if len(value) <= SHORT else ""
    return f'<td{look} data-label="{escape(label)}">{escape(value)}</td>'


def _page(kind: str, label: str, body: Sequence[str]) -> str:
    return (
        f"<style>{style_of(SHEET)}</style>"
        f'<div class="gr gr-answer" data-kind="{kind}" role="status" aria-label="{escape(label)}">{"".join(body)}</div>'
    )


def _prose(text: str) -> str:
    """A sentence as HTML, with text between backquotes as code, and words between asterisks as emphasis."""
    return _MARKED.sub(_as_html, escape(text, quote=False))


def _as_html(marked: re.Match[str]) -> str:
    code, hint, stressed = marked.groups()
    if hint:
        return f'<code class="short">{hint}</code>'
    return f"<code>{code}</code>" if code else f"<em>{stressed}</em>"
