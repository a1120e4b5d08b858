"""Merging a learner's notebook with a newer version of the course's: typed answers go into the new version. Three
versions are compared cell by cell: the one that the learner was given, of which digests are stored, the learner's, and
the new one. What only one side has changed is taken from that side. If both have, the typed answer is put into the new
cell; if that is impossible, it stands below in a cell of its own, so nothing is lost. Outputs are not compared.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from glassroom.workspace.former_ids import current, with_current_ids, with_former_ids
from glassroom.workspace.notebook_json import Notebook, lines, source
from glassroom.workspace.whole_files import digest
from glassroom.workspace.without_solutions import PLACEHOLDER

MOST_NAMED = 6
MADE_BY_A_FRONT_END = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # ids of cells that front ends make


@dataclass
class Merged:
    """The new version with the learner's work in it, and facts to report about it."""

    notebook: Notebook
    answers: int = 0  #: answers of the learner's in it
    own: int = 0  #: the learner's own cells that stand in it
    news: list[str] = field(default_factory=list)  #: what the course has changed, by the first lines of its cells


def cell_digests(notebook: Notebook) -> dict[str, str]:
    """What the manifest stores of a notebook that is handed out: short digests of its cells, by what they are about."""
    return {key: digest_of(cell) for key, cell in by_key(notebook).items()}


def merged(given: Mapping[str, str] | None, mine: Notebook, new: Notebook) -> Merged:
    """Put what is in `mine` into `new`. `given` are the digests of the cells that `mine` started from; None if they are
    unknown. Then the cells that ask for an answer are taken from `mine`, and of the other cells those that a front end
    made.
    """
    result = Merged({**copy.deepcopy(new), "cells": []})
    mine = {**mine, "cells": [of_current_ids(cell) for cell in mine["cells"]]}
    mine_by_key, new_by_key = by_key(mine), by_key(new)
    digests = given if given is not None else _guessed(mine_by_key, new_by_key)
    taken: set[str] = set()
    said = _said(mine)
    cells: list[Notebook] = result.notebook["cells"]
    placed: dict[str, int] = {}  # by key: the index of that cell in the result
    for key, cell in new_by_key.items():
        was, now = digests.get(key), mine_by_key.get(key)
        if not is_as_given(cell, was):
            result.news.append(_first_line(cell))
        taken.add(key)
        if now is None:
            if not is_as_given(cell, was):
                cells.append(_filled(cell, said, result))  # new; or changed, though the learner had deleted it
        else:
            cells.extend(_one_of(was, now, cell, said, result))
        placed[key] = len(cells)
    remembered = given
    if remembered is None:
        remembered = {key: digest_of(cell) for key, cell in mine_by_key.items() if not _is_a_learners(key, cell)}
    _add_own(mine_by_key, remembered, taken, placed, result)
    if given is not None:
        gone = len(digests.keys() - new_by_key.keys())
        result.news += [f"{gone} cell{'' if gone == 1 else 's'} taken away"] if gone else []
    return result


def asks_for_an_answer(cell: Notebook) -> bool:
    """Whether the course's cell waits for something to be typed."""
    text = source(cell)
    dots = r"=\s*\.\.\.\s*[,)]"  # the dots of a prediction's answers
    return cell["cell_type"] == "code" and (PLACEHOLDER in text or ("predict(" in text and bool(re.search(dots, text))))


def is_answered(cell: Notebook) -> bool:
    """Whether no placeholder dots are left where an answer is typed. Dots in an index such as x[..., 0] do not
    count."""
    return not re.search(r"(?:^|=)[ \t]*\.\.\.[ \t]*(?:[,)]|$)", source(cell), flags=re.MULTILINE)


def _is_a_learners(key: str, cell: Notebook) -> bool:
    """Whether an unknown cell is the learner's: front ends give new cells a UUID, the course a name."""
    return bool(MADE_BY_A_FRONT_END.fullmatch(cell.get("id", ""))) or (key.startswith("check ") and is_answered(cell))


def _one_of(was: str | None, now: Notebook, cell: Notebook, said: Said, result: Merged) -> list[Notebook]:
    """The merged form of a cell that both sides have."""
    if source(now) == source(cell):
        return [copy.deepcopy(now)]
    said = {**said, **_said({"cells": [now]})}
    is_answer = asks_for_an_answer(cell)
    if is_as_given(cell, was):
        result.answers += is_answer
        result.own += not is_answer
        return [copy.deepcopy(now)]
    if is_as_given(now, was) or is_as_given(_unsaid(now), was):
        return [_filled(cell, said, result)]
    both = _with_answer(source(now), source(cell), said)
    if both is not None:
        result.answers += 1
        return [{**copy.deepcopy(cell), "source": lines(both)}]
    result.own += 1
    return [_filled(cell, said, result), _apart(now)]


def _with_answer(now: str, new: str, said: Said) -> str | None:
    """The new code with what was typed into the old one; None if that cannot be separated."""
    fresh = _placeholder(new)
    if fresh is None:
        return None
    wanted, rows = new.split("\n"), now.split("\n")
    before, after = wanted[: fresh[0]], wanted[fresh[1] :]
    fits = len(rows) >= len(before) + len(after) and rows[: len(before)] == before
    if not fits or (after and rows[-len(after) :] != after):
        return None
    answer = rows[len(before) : len(rows) - len(after)]
    return _with_predictions(said, "\n".join([*before, *answer, *after]))


# --- predictions -----------------------------------------------------------------------------------------------------

Said = Mapping[str, Mapping[str, str]]  #: what was typed as a prediction: by the question, by the kind of answer


def _said(notebook: Notebook) -> Said:
    """The predictions that the learner has made, in any cell."""
    return {
        question: {kind: text for kind, (node, text) in answers.items() if not _is_dots(node)}
        for cell in notebook["cells"]
        for question, answers in _predictions_of(cell)
    }


def _filled(cell: Notebook, said: Said, result: Merged) -> Notebook:
    """A copy of the course's cell with the learner's answers to the questions that it asks."""
    code = (_with_predictions(said, source(cell)) if asks_for_an_answer(cell) else None) or source(cell)
    result.answers += code != source(cell)
    return {**copy.deepcopy(cell), "source": lines(code)} if code != source(cell) else copy.deepcopy(cell)


def _unsaid(cell: Notebook) -> Notebook:
    """The cell with dots again where predictions were typed."""
    dots = {question: dict.fromkeys(answers, "...") for question, answers in _predictions_of(cell)}
    code = _with_predictions(dots, source(cell), over_dots=False) if dots else None
    return {**cell, "source": lines(code)} if code is not None else cell


def _with_predictions(said: Said, code: str, *, over_dots: bool = True) -> str | None:
    """The code with what was `said` for the dots of its predictions, or for their answers; None for what is no code."""
    try:
        asked = list(_predictions(code))
    except SyntaxError:
        return None
    rows = [row.encode() for row in code.split("\n")]
    places = [
        (node, said[question][kind])
        for question, answers in asked
        for kind, (node, _) in answers.items()
        if kind in said.get(question, ()) and _is_dots(node) is over_dots
    ]
    for node, text in sorted(places, key=lambda pair: (pair[0].lineno, pair[0].col_offset), reverse=True):
        if node.end_col_offset is not None and node.end_lineno == node.lineno:
            row = rows[node.lineno - 1]
            rows[node.lineno - 1] = row[: node.col_offset] + text.encode() + row[node.end_col_offset :]
    return b"\n".join(rows).decode()


def _predictions_of(cell: Notebook) -> list[tuple[str, dict[str, tuple[ast.expr, str]]]]:
    """The questions that a cell asks; none, if it cannot be read."""
    if cell["cell_type"] != "code" or "predict(" not in source(cell):
        return []
    try:
        return list(_predictions(source(cell)))
    except (SyntaxError, ValueError):
        return []


def _predictions(code: str) -> Iterator[tuple[str, dict[str, tuple[ast.expr, str]]]]:
    """The questions of the `predict` calls in some code, each with its answers: where they are, and their text."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "predict" and node.args:
            answers = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            yield (
                ast.unparse(node.args[0]),
                {kind: (value, ast.get_source_segment(code, value) or "...") for kind, value in answers.items()},
            )


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _placeholder(code: str) -> tuple[int, int] | None:
    """The range of lines of the first place for a solution."""
    rows = code.split("\n")
    begin = next((at for at, row in enumerate(rows) if row.strip() == PLACEHOLDER), None)
    if begin is None:
        return None
    end = begin + 1
    while end < len(rows) and rows[end].strip().endswith("..."):
        end += 1
    return begin, end


def _add_own(
    mine: Mapping[str, Notebook],
    given: Mapping[str, str],
    taken: set[str],
    placed: Mapping[str, int],
    result: Merged,
) -> None:
    """Put the learner's own cells, and those of theirs that the course has dropped, where they stood."""
    anchor, own = 0, list[tuple[int, Notebook]]()
    asked = {question for cell in result.notebook["cells"] for question, _ in _predictions_of(cell)}
    for key, cell in mine.items():
        if key in taken:
            anchor = placed[key]
        elif source(cell).strip() and not is_as_given(cell, given.get(key)):
            has_moved = {
                question for question, _ in _predictions_of(cell)
            } <= asked  # all its answers, into other cells
            if not has_moved or not is_as_given(_unsaid(cell), given.get(key)):
                own.append((anchor, cell))
    for at, cell in reversed(own):
        result.notebook["cells"].insert(at, _apart(cell))
    result.own += len(own)


def _apart(cell: Notebook) -> Notebook:
    """A cell of the learner's on its own, with an id that no cell of the course has."""
    identity = f"own-{cell.get('id', '')}"[:64]
    return {**copy.deepcopy(cell), "id": identity} if "id" in cell and not cell["id"].startswith("own-") else cell


def _guessed(mine: Mapping[str, Notebook], new: Mapping[str, Notebook]) -> dict[str, str]:
    """The given cell, as far as it can be guessed: the new cell if it asks for an answer, otherwise the learner's."""
    return {
        key: digest_of(new[key] if asks_for_an_answer(new[key]) else cell) for key, cell in mine.items() if key in new
    }


def digest_of(cell: Notebook) -> str:
    return digest(f"{cell['cell_type']}\n{source(cell)}".encode())[:16]


def is_as_given(cell: Notebook, was: str | None) -> bool:
    """Whether a digest is that of the cell, as it is or as it was when exercises had their former ids."""
    return was in (digest_of(cell), digest_of({**cell, "source": with_former_ids(source(cell))}))


def of_current_ids(cell: Notebook) -> Notebook:
    """The cell, with the ids that exercises have now."""
    text = source(cell)
    now = with_current_ids(text)
    return cell if now == text else {**cell, "source": lines(now)}


def current_key(key: str) -> str:
    """What a cell is about, with the id that an exercise has now."""
    about, _, rest = key.partition(" ")
    id, *number = rest.split(" ")
    return " ".join([about, current(id), *number]) if about == "check" else key


def by_key(notebook: Notebook) -> dict[str, Notebook]:
    """The cells by their subject: the exercise that is checked, the question that is asked, else their ids."""
    cells: dict[str, Notebook] = {}
    for at, cell in enumerate(notebook["cells"]):
        key = _key(cell) or f"cell {cell.get('id', at)}"
        cells[key if key not in cells else f"{key} {at}"] = cell
    return cells


def _key(cell: Notebook) -> str | None:
    if cell["cell_type"] != "code":
        return None
    text = source(cell)
    for about, pattern in (("check", r'^check\("([^"]+)"'), ("predict", r'predict\(\s*"([^"]+)"')):
        match = re.search(pattern, text, flags=re.MULTILINE)
        if match:
            return current_key(f"{about} {match[1]}")
    return None


def _first_line(cell: Notebook) -> str:
    """A cell by its first non-empty line."""
    rows = [row.strip() for row in source(cell).split("\n") if row.strip()]
    checked = _key(cell)
    if checked and checked.startswith("check "):
        return f"exercise {checked[6:]}"
    return rows[0].lstrip("#").strip()[:60] if rows else "an empty cell"
