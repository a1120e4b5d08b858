"""A class across its assignments: a line for each learner, with marks, lateness, and what is unmarked or missing."""

from __future__ import annotations

from collections.abc import Sequence

from glassroom.classroom.course_file import Assignment
from glassroom.classroom.marks import Result, lateness
from glassroom.classroom.pages.shell import name_of, text

MOST_WHOLE = 60  # learners in a table that is shown whole, without a scroll box

Found = Sequence[tuple[Assignment, list[Result], list[str]]]  # results, and the learners who have handed in nothing


def all_assignments(marked: Found) -> str:
    """The table of learners and assignments. An assignment's name leads to its part of the page."""
    by_learner: dict[str, dict[str, Result]] = {}
    for assignment, results, missing in marked:
        for result in results:
            by_learner.setdefault(result.row.learner, {})[assignment.name] = result
        for name in missing:
            by_learner.setdefault(name, {})
    points = {assignment.name: results[0].points for assignment, results, _ in marked if results}
    head = "".join(
        f'<th scope="col"><a href="#{anchor(assignment)}">{text(assignment.name)}</a>'
        f"<small>of {points.get(assignment.name, 0):g}</small></th>"
        for assignment, _, _ in marked
    )
    lines = []
    for name, theirs in sorted(by_learner.items()):
        cells = "".join(_cell(theirs.get(assignment.name)) for assignment, _, _ in marked)
        total = sum(result.total for result in theirs.values())
        lines.append(f'<tr><th scope="row">{name_of(name)}</th>{cells}<td class="n">{total:g}</td></tr>')
    foot = "".join(
        f'<td class="n muted">{len(results)} of {len(results) + len(missing)}</td>' for _, results, missing in marked
    )
    legend = "" if not any(missing for _, _, missing in marked) else '<p class="legend muted">– nothing handed in</p>'
    return legend + (
        f'<div class="scroll{" long" if len(lines) > MOST_WHOLE else ""}" tabindex="0" role="region" '
        'aria-label="Learners and assignments">'
        f'<table class="heat across"><thead><tr><th scope="col">learner</th>{head}'
        f'<th scope="col">points<small>of {sum(points.values()):g}</small></th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody>"
        f'<tfoot><tr><th scope="row">handed in</th>{foot}<td></td></tr></tfoot></table></div>'
    )


def anchor(assignment: Assignment) -> str:
    """The anchor of an assignment's part of the page."""
    return text(f"assignment-{assignment.name}")


def _cell(result: Result | None) -> str:
    if result is None:
        return '<td class="none">–</td>'
    said = []
    if result.seconds_late:
        said.append(lateness(result.seconds_late))
    if result.waiting:
        said.append(f"{len(result.waiting)} open")
    if result.row.to_look_at:
        said.append(f"{len(result.row.to_look_at)} to look at")
    if result.row.trouble:
        said.append("with trouble")
    share = min(1.0, result.total / result.points) if result.points else 0.0
    kind = " doubt" if result.row.to_look_at or result.row.trouble else ""
    words = f" <small>{text(', '.join(said))}</small>" if said else ""
    return f'<td class="c{kind}" style="--p:{share:.2f}">{result.total:g}{words}</td>'
