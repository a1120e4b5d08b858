"""A learner's page: each exercise, its points, the sentence that says what the answer shows, and the learner's
pictures.

It is made from the learner's own work, the sentences of the checks, the questions of the notebooks and the comments of
people. It uses neither solutions nor hidden tests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from glassroom.classroom.grading import Mark
from glassroom.classroom.marks import Result, lateness
from glassroom.classroom.pages.misconceptions import unanswered
from glassroom.classroom.pages.questions import Question
from glassroom.classroom.pages.shell import code, page, picture, sentence, text
from glassroom.drawing.words import counted
from glassroom.translations.templates import word


def feedback_page(
    course: str, learner: str, results: Iterable[Result], asked: Mapping[str, Question] = MappingProxyType({})
) -> str:
    """The page of one learner, with all their assignments. `asked` are the questions of their exercises."""
    shown = list(results)
    earned, points = sum(result.total for result in shown), sum(result.points for result in shown)
    body = [
        f'<p class="muted">{text(course)}</p><h1>{text(learner)}</h1>',
        f'<p><span class="sum">{earned:g}</span> of {points:g} points</p>',
        *(_assignment(result, asked) for result in shown),
    ]
    return page(f"{course}: {learner}", "\n".join(body))


def _assignment(result: Result, asked: Mapping[str, Question]) -> str:
    row = result.row
    parts = [f"<h2>{text(row.assignment)}</h2>", f"<p>{_sum(result)}</p>"]
    if row.problem:
        parts.append(f'<p class="message">{text(f"This could not be marked: {row.problem}.")}</p>')
    parts += [f'<p class="muted message">{text(note)}</p>' for note in row.notes]
    open_ = unanswered(row)
    parts += [_exercise(mark, result, asked.get(mark.exercise), open_) for mark in row.marks]
    return "\n".join(parts)


def _sum(result: Result) -> str:
    words = f"{result.total:g} of {result.points:g} points"
    if result.factor < 1:
        words += f" ({result.raw:g} before lateness; {lateness(result.seconds_late)}, so × {result.factor:g})"
    if result.waiting:
        waits = "answer in words waits" if len(result.waiting) == 1 else "answers in words wait"
        words += f". {len(result.waiting)} {waits} for a person"
    return text(words + ".")


def _exercise(mark: Mark, result: Result, asked: Question | None, open_: Collection[str]) -> str:
    earned = result.earned[mark.id]
    is_open = mark.exercise in open_ and not earned
    hidden = bool(mark.exercise) and mark.id != mark.exercise
    kind, badge = ("unanswered", word("not answered")) if is_open else _kind_of_mark(earned, mark)
    title = word("A question in words") if mark.id in result.asked else asked.title if asked else ""
    heading = f'{text(title)} <small class="muted">{text(mark.id)}</small>' if title else text(mark.id)
    shown = "–" if earned is None else f"{earned:g}"
    parts = [
        f'<section class="exercise {kind}"><header><h3>{heading}</h3><span class="badge">{badge}</span>'
        f'<span class="points">{shown} of {mark.points:g}</span></header>'
    ]
    if question := result.asked.get(mark.id):
        parts.append(f'<p class="message">{text(question)}</p>')
    elif asked is not None and asked.text and not hidden:
        parts.append(f'<p class="message muted">{sentence(asked.text)}</p>')
    if mark.message and not hidden and not is_open:
        parts.append(f'<p class="message">{sentence(mark.message)}</p>')
    if hidden:
        parts.append('<p class="muted">Tests beyond those in the notebook.</p>')
    if mark.hints:
        parts.append(f'<p class="muted">{counted(mark.hints, "hint")} asked for</p>')
    if comment := result.comments.get(mark.id):
        parts.append(f'<p class="comment">{text(comment)}</p>')
    if mark.how == "hand" and mark.answer.strip():
        words = f'<pre class="words">{text(mark.answer)}</pre>'
        parts.append(f"<details open><summary>Your answer</summary>{words}</details>")
    elif mark.answer.strip() and not hidden and not is_open:
        parts.append(f"<details><summary>Your answer</summary>{code(mark.answer)}</details>")
    if not hidden and not is_open:
        parts += [picture(output, f"What the answer to {mark.id} showed") for output in mark.outputs]
    return "\n".join([*parts, "</section>"])


def _kind_of_mark(earned: float | None, mark: Mark) -> tuple[str, str]:
    if earned is None:
        return "waits", "waits for a person"
    if earned >= mark.points:
        return "solved", word("✓ solved")
    return ("part", "in part") if earned > 0 else ("open", "not yet")
