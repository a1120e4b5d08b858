"""From a notebook that has run to its page: exercises with hints and folded solutions, links, formulas."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from html import escape
from pathlib import PurePosixPath

from glassroom.exercises._answer_key import hints_of
from glassroom.exercises.engine import RUNGS, exercises, looks_like_code
from glassroom.site.elsewhere import links
from glassroom.site.shared_scripts import SharedScripts
from glassroom.translations.templates import word
from glassroom.workspace.notebook_json import Notebook, lines, source
from glassroom.workspace.without_solutions import without_answers, without_solutions

CHECK = re.compile(r'^check\("([^"]+)"', re.MULTILINE)
MARKER = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.MULTILINE)
NOTEBOOK_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)#\s]+\.ipynb)(#[^)\s]*)?\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
#: Which form of an output is shown: the first of these that it has.
FORMS = ("text/html", "image/svg+xml", "image/png", "image/jpeg", "text/markdown", "text/latex", "text/plain")


def page_of(
    notebook: Notebook, place: PurePosixPath, known: Collection[PurePosixPath], scripts: SharedScripts
) -> Notebook:
    """The page of the notebook at `place`, as a notebook. Links to notebooks that are not `known` become plain text."""
    cells: list[Notebook] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = _text(source(cell), place, known)
            if not cells:  # below the heading
                heading, _, rest = text.partition("\n")
                text = f"{heading}\n\n{links(place)}\n{rest}"
            cells.append({**cell, "source": lines(text)})
        elif cell["cell_type"] == "code":
            cells += _code(cell, scripts)
    return {**notebook, "cells": cells}


def linked(text: str, place: PurePosixPath, known: Collection[PurePosixPath]) -> str:
    """Markdown with links to notebooks that are not `known` replaced by their text."""

    def link(match: re.Match[str]) -> str:
        parts: list[str] = list(place.parent.parts)
        for part in PurePosixPath(match[2]).parts:
            if part == "..":
                parts = parts[:-1]
            else:
                parts.append(part)
        return match[0] if PurePosixPath(*parts) in known else match[1]

    return NOTEBOOK_LINK.sub(link, text)


def ladder(id: str) -> str:
    """The hints of an exercise, each folded inside the one before."""
    told = ""
    for place, (rung, hint) in reversed(list(enumerate(zip(RUNGS, hints_of(id), strict=True), 1))):
        if place == len(RUNGS):
            continue  # the last is the answer, which is folded below
        shown = f"<pre>{escape(hint)}</pre>" if looks_like_code(hint, place - 1) else f"<p>{_inline(hint)}</p>"
        told = f"<details><summary>Hint {place}: {escape(rung)}</summary>{shown}{told}</details>"
    return f'<div class="hints">{told}</div>'.replace("\n\n", "\n&#10;")


def _text(text: str, place: PurePosixPath, known: Collection[PurePosixPath]) -> str:
    from latex2mathml.converter import convert

    def formula(match: re.Match[str]) -> str:
        return f'<div class="formula">{convert(match[1].strip(), display="block")}</div>'

    return linked(FORMULA.sub(formula, text), place, known)


def _code(cell: Notebook, scripts: SharedScripts) -> Iterable[Notebook]:
    """A cell as the page shows it: for an exercise, the question first, then the hints, then the answer."""
    code = source(cell)
    shown = {**cell, "outputs": [_output(output, scripts) for output in cell["outputs"]]}
    asked = without_answers(without_solutions(code))
    if asked == code:
        yield shown
        return
    yield {**cell, "id": f"{cell['id']}-asked", "source": lines(asked), "outputs": []}
    call = CHECK.search(code)
    if call and call[1] in exercises():
        yield {"cell_type": "markdown", "id": f"{cell['id']}-hints", "metadata": {}, "source": lines(ladder(call[1]))}
    folded = _folded(word("solution") if MARKER.search(code) else word("answer"))
    yield {**shown, "source": lines(MARKER.sub("", code)), "metadata": folded}


def _folded(what: str) -> Notebook:
    """The metadata by which MyST-NB folds a cell."""
    prompts = {"code_prompt_show": f"Show the {what}", "code_prompt_hide": f"Hide the {what}"}
    return {"tags": ["hide-cell"], "mystnb": prompts}


def _output(output: Notebook, scripts: SharedScripts) -> Notebook:
    if "data" not in output:
        return output
    form = next((form for form in FORMS if form in output["data"]), None)
    if form is None:
        return output
    content = output["data"][form]
    if form == "text/html":
        content = lines(scripts.shared(source({"source": content})))
    return {**output, "data": {form: content}}


def _inline(text: str) -> str:
    """A sentence with `code` in it, as HTML."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
