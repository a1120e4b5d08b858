"""A class at a glance: who has what, what goes wrong most, who is stuck, and what to look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from statistics import mean, median

from glassroom.classroom.batch import learners_of, read_rows
from glassroom.classroom.by_hand import read_manual
from glassroom.classroom.course_file import Assignment, Course, read_course
from glassroom.classroom.grading import Mark, task_of
from glassroom.classroom.handout import solution_in
from glassroom.classroom.marks import Result, lateness, result
from glassroom.classroom.pages.across import MOST_WHOLE, all_assignments, anchor
from glassroom.classroom.pages.misconceptions import mistakes, unanswered
from glassroom.classroom.pages.shell import code, name_of, page, sentence, text
from glassroom.classroom.pages.similar import similar
from glassroom.classroom.submission import compose
from glassroom.translations.templates import word
from glassroom.workspace.notebook_json import parse
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import write_atomically

#: In a notebook a page is embedded in two frames, one for each theme; the surrounding page shows one of them.
FRAMES = """\
<style>
.gr-frames iframe { width: 100%; height: 70vh; border: 0; }
.gr-frames .gr-dark { display: none; }
:is([data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"]) .gr-frames .gr-light { display: none; }
:is([data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"]) .gr-frames .gr-dark { display: block; }
@media (prefers-color-scheme: dark) {
  .gr-frames:not([data-jp-theme-light="true"] *, .vscode-light *, [data-theme="light"] *) .gr-light { display: none; }
  .gr-frames:not([data-jp-theme-light="true"] *, .vscode-light *, [data-theme="light"] *) .gr-dark { display: block; }
}
</style>
"""
MOST_MISTAKES, MOST_STUCK, MOST_PAIRS = 12, 15, 20


class ClassPage:
    """A class as a page: shown as the last line of a notebook's cell, written to a file by `save`, and as text by
    `str`."""

    def __init__(self, course: Course, marked: Sequence[tuple[Assignment, list[Result], list[str]]]) -> None:
        self.course = course
        self.found = marked
        self._inside = "\n".join(self._body())
        self.html = self._page()

    def _page(self, theme: str = "") -> str:
        return page(f"{self.course.name}: the class", self._inside, wide=True, theme=theme)

    def save(self, path: str | Path) -> Path:
        """Write the self-contained page to a file."""
        write_atomically(Path(path), self.html.encode("utf-8", "replace"))
        return Path(path)

    def _repr_html_(self) -> str:
        # Frames without scripts: the page's styles stay out of the notebook, and the notebook's out of the page.
        title = word("The class")
        frames = (
            f'<iframe class="gr-{theme}" sandbox srcdoc="{escape(self._page(theme))}" title="{title}"></iframe>'
            for theme in ("light", "dark")
        )
        return f'{FRAMES}<div class="gr-frames">{"".join(frames)}</div>'

    def __str__(self) -> str:
        lines = []
        for assignment, results, missing in self.found:
            shares = _shares(results)
            counts = f"{len(results)} handed in, {len(missing)} missing"
            average = f", average {mean(shares):.0%} of the points (of {len(shares)} who handed in)" if shares else ""
            lines.append(f"{assignment.name}: {counts}{average}")
            most = mistakes(one.row for one in results)[:3]
            lines += [f"  {len(mistake.learners)} × {mistake.exercise}: {mistake.message}" for mistake in most]
        return "\n".join(lines)

    __repr__ = __str__

    def _body(self) -> Iterable[str]:
        yield f'<p class="muted">{text(self.course.folder.name)}</p><h1>{text(self.course.name)}</h1>'
        if len(self.found) > 1:
            yield f"<h2>All assignments</h2>{all_assignments(self.found)}"
        for assignment, results, missing in self.found:
            yield f'<h2 id="{anchor(assignment)}">{text(assignment.name)}</h2>'
            yield f"<p>{_summary(assignment, results, missing)}</p>"
            if results:
                yield from _versions(self.course, assignment, results)
                yield _heat_map(results)
                yield from _mistakes(results)
                yield from _stuck(results)
                yield from _trouble(results)
                yield from _to_look_at(results)
                yield from _similar(self.course, assignment, results)
            if missing:
                yield f'<p class="muted">Nothing handed in: {text(", ".join(missing))}</p>'


def class_page(folder: str | Path, *names: str) -> ClassPage:
    """The page of the class in `folder`, with these assignments (all that are marked). For notebooks and the command.

    Raises `Problem` if nothing is marked yet.
    """
    course = read_course(Path(folder))
    manual = read_manual(course)
    learners = learners_of(course)
    marked = []
    for assignment in course.chosen(names):
        rows = read_rows(course, assignment.name)
        if rows:
            results = [result(course, assignment, row, manual) for _, row in sorted(rows.items())]
            marked.append((assignment, results, [name for name in learners if name not in rows]))
    if not marked:
        raise Problem(f"Nothing is marked yet. Run: glassroom grade {folder}")
    return ClassPage(course, marked)


def _summary(assignment: Assignment, results: list[Result], missing: list[str]) -> str:
    waiting = sum(len(result.waiting) for result in results)
    late = sum(result.factor < 1 for result in results)
    parts = [f"{len(results)} handed in, {len(missing)} missing"]
    if late:
        parts.append(f"{late} late")
    if waiting:
        parts.append(f"{waiting} {'answer waits' if waiting == 1 else 'answers wait'} for a person")
    if shares := _shares(results):
        parts.append(f"median {median(shares):.0%} of the points (of {len(shares)} who handed in)")
    if assignment.due:
        parts.append(f"due {assignment.due:%d %B %Y, %H:%M %Z}")
    return text("; ".join(parts) + ".")


def _shares(results: list[Result]) -> list[float]:
    """The part of the points that each learner has who handed in something with points."""
    return [result.total / result.points for result in results if result.points]


def _versions(course: Course, assignment: Assignment, results: list[Result]) -> Iterable[str]:
    """A note on learners who were marked by other versions of the notebooks than the present ones, or who answered
    others; "" if there are none."""
    now = task_of(course, assignment).notebooks_version
    before: dict[str, list[str]] = {}
    for judged in results:
        if judged.row.version and judged.row.version != now:
            before.setdefault(judged.row.version, []).append(judged.row.learner)
    for version, names in sorted(before.items()):
        words = f"Marked by version {version} of the notebooks, where {now} is the present one: {', '.join(names)}."
        yield f'<p class="message">{text(words)} Run <code>glassroom grade</code> to mark them by it.</p>'
    earlier = [result.row.learner for result in results if result.row.earlier]
    if earlier:
        words = f"Answered notebooks that were handed out before the present ones: {', '.join(earlier)}."
        yield f'<p class="message">{text(words)} Their answers are marked by version {text(now)}.</p>'


def _heat_map(results: list[Result]) -> str:
    marks = results[0].row.marks
    head = "".join(f'<th class="exercise" scope="col"><span>{text(mark.id)}</span></th>' for mark in marks)
    rows = []
    for graded in sorted(results, key=lambda one: (-one.total, one.row.learner)):
        by_id = {mark.id: mark for mark in graded.row.marks}
        cells = "".join(_cell(by_id.get(mark.id), graded) for mark in marks)
        late = text(lateness(graded.seconds_late)) if graded.factor < 1 else ""
        rows.append(
            f'<tr><th scope="row">{name_of(graded.row.learner)}</th>{cells}'
            f'<td class="n">{graded.total:g}</td><td class="n muted">{late}</td></tr>'
        )
    shares = []
    for mark in marks:
        parts = [_share(result, mark.id) for result in results]
        known = [part for part in parts if part is not None]
        shares.append(f'<td class="n muted">{sum(known) / len(known):.0%}</td>' if known else "<td></td>")
    return (
        '<div class="legend muted"><span>■ all points</span><span>½ some</span><span>· none</span>'
        "<span>… waits for a person</span><span>red frame: look at it</span></div>"
        f'<div class="scroll{" long" if len(rows) > MOST_WHOLE else ""}" tabindex="0" role="region" '
        'aria-label="Learners and exercises"><table class="heat">'
        f'<thead><tr><th scope="col">learner</th>{head}<th scope="col">points</th><th scope="col"></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>"
        f'<tfoot><tr><th scope="row">the class</th>{"".join(shares)}<td></td><td></td></tr></tfoot></table></div>'
    )


def _share(result: Result, id: str) -> float | None:
    points = next((mark.points for mark in result.row.marks if mark.id == id), 0.0)
    earned = result.earned.get(id)
    return None if earned is None or not points else earned / points


def _cell(mark: Mark | None, result: Result) -> str:
    if mark is None:
        return '<td class="none">–</td>'
    part = _share(result, mark.id)
    if part is None:
        frame = " doubt" if mark.doubt else ""
        return f'<td class="waits{frame}" title="{text(mark.id)}: {word("waits for a person")}">…</td>'
    sign = "■" if part >= 1 else "·" if part <= 0 else "½"
    doubt = " doubt" if mark.doubt else ""
    words = f"{result.row.learner}, {mark.id}: {mark.message}"[:400]
    return f'<td class="c{doubt}" style="--p:{min(1.0, part):.2f}" title="{text(words)}">{sign}</td>'


def _mistakes(results: list[Result]) -> Iterable[str]:
    mistakes_made = mistakes(result.row for result in results)
    if not mistakes_made:
        return
    yield "<h3>What goes wrong most</h3>"
    head = "<th>learners</th><th>exercise</th><th>what the answer shows</th>"
    yield f'<table class="list"><thead><tr>{head}</tr></thead><tbody>'
    for mistake in mistakes_made[:MOST_MISTAKES]:
        example = f"<details><summary>an answer</summary>{code(mistake.example)}</details>" if mistake.example else ""
        words = f"{sentence(mistake.message)}{example}"
        yield f"<tr><td>{len(mistake.learners)}</td><td>{text(mistake.exercise)}</td><td>{words}</td></tr>"
    yield "</tbody></table>"
    if len(mistakes_made) > MOST_MISTAKES:
        rare = mistakes_made[MOST_MISTAKES:]
        at_most = max(len(mistake.learners) for mistake in rare)
        yield f'<p class="muted">and {len(rare)} more, of {at_most} learners at most</p>'


def _stuck(results: list[Result]) -> Iterable[str]:
    stuck = []
    for graded in results:
        untouched = unanswered(graded.row)
        tried = [
            mark
            for mark in graded.row.marks
            if mark.part is not None and mark.part < 1 and mark.exercise not in untouched and mark.how != "hand"
        ]
        hints = sum(mark.hints for mark in graded.row.marks)
        share = graded.raw / graded.points if graded.points else 0.0
        if share < 0.5:
            stuck.append((share, graded, len(tried), len(untouched), hints))
    if not stuck:
        return
    yield "<h3>Who is stuck</h3>"
    yield (
        '<table class="list learners counts"><thead><tr><th>learner</th><th>points</th><th>tried in vain</th>'
        "<th>not answered</th><th>hints</th><th>minutes at it</th></tr></thead><tbody>"
    )
    for share, graded, tries, open_, hints in sorted(stuck, key=lambda one: (one[0], one[1].row.learner))[:MOST_STUCK]:
        minutes = f"{graded.row.minutes:.0f}" if graded.row.minutes else "–"
        yield (
            f"<tr><td>{name_of(graded.row.learner)}</td><td>{share:.0%}</td><td>{tries}</td><td>{open_}</td>"
            f"<td>{hints}</td><td>{minutes}</td></tr>"
        )
    yield "</tbody></table>"
    if len(stuck) > MOST_STUCK:
        yield f'<p class="muted">and {len(stuck) - MOST_STUCK} more with less than half of the points</p>'


def _trouble(results: list[Result]) -> Iterable[str]:
    lines = [(result.row.learner, why) for result in results for why in result.row.trouble]
    if lines:
        yield "<h3>With trouble</h3>"
        body = "".join(f"<tr><td>{name_of(name)}</td><td>{text(why)}</td></tr>" for name, why in lines)
        yield f'<table class="list learners"><tbody>{body}</tbody></table>'


def _to_look_at(results: list[Result]) -> Iterable[str]:
    lines = [(result.row.learner, mark) for result in results for mark in result.row.to_look_at]
    if lines:
        yield "<h3>To look at</h3>"
        body = "".join(
            f"<tr><td>{name_of(name)}</td><td>{text(mark.id)}</td><td>{text(mark.doubt)}</td></tr>"
            for name, mark in lines
        )
        yield f'<table class="list learners"><tbody>{body}</tbody></table>'


def _similar(course: Course, assignment: Assignment, results: list[Result]) -> Iterable[str]:
    solutions: dict[str, str] = {}
    for notebook in task_of(course, assignment).notebooks.values():
        parsed = parse(notebook.encode())
        solutions |= {id: solution_in(answer) for id, answer in compose(parsed, parsed).code.items()}
    pairs = similar((result.row for result in results), solutions)
    if not pairs:
        return
    yield "<h3>Similar answers</h3>"
    yield (
        '<p class="muted">These learners gave the same answer to several exercises, apart from names and blanks, and '
        "few "
        "others did. People who learn together, or from one page, write alike: this is a reason to talk, and no "
        "proof of anything.</p>"
    )
    yield '<table class="list"><tbody>'
    for pair in pairs[:MOST_PAIRS]:
        what = [
            f"{id}{' (to the letter)' if same else ''}" for id, same in zip(pair.exercises, pair.alike, strict=True)
        ]
        yield f"<tr><td>{text(word(' and ').join(pair.learners))}</td><td>{text(', '.join(what))}</td></tr>"
    yield "</tbody></table>"
