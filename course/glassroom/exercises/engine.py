"""Exercises: how one is declared, checked, and hinted at.

An exercise is a function that examines the learner's answers and raises `Misconception` with a sentence about what a
wrong answer shows. A check is a conversation, so whatever it is given (nothing, `...`, a string, a tensor whose methods
raise), it answers with a sentence and never with a traceback.

    @exercise(
        "02-window",
        setup="a = torch.arange(12).view(3, 4)",
        hints=["the concept", "where to look", "nearly the code", "window = a[0:2, 0:2]"],
    )
    def window(window, *, a):
        expect_tensor(window, "window", shape=(2, 2))
        expect_view(window, "window", of=a, of_name="a")
        return "Four cells of a, and no new storage."
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from textwrap import dedent, indent
from types import TracebackType

from glassroom.exercises import facts, own
from glassroom.exercises._answer_key import enter, hints_of
from glassroom.exercises.cards.card import asleep_hints, hints_card, is_solved, verdict_card
from glassroom.exercises.facts import MOST_TAKEN, elements, explained_sentence, first_sentence, of_a_backward
from glassroom.exercises.given import handed_back
from glassroom.exercises.limit import SECONDS, Stopped, limit
from glassroom.exercises.lines import in_lines
from glassroom.exercises.progress import checked, hinted
from glassroom.exercises.tracebacks import shorten_tracebacks
from glassroom.live.audience import running_code, somebody_watches, widgets_run
from glassroom.records.columns import joined
from glassroom.translations.templates import is_code, word
from glassroom.workspace.former_ids import FORMER_IDS, current

PRINTED_LINES, PRINTED_CHARACTERS = 12, 2000  # limits of an answer's printed text that is shown
OURS = str(Path(__file__).resolve().parent)  # frames of files in this folder are ours
RUNGS = ("the concept", "where to look", "nearly the code", "the answer")
CODE = 2  # hints from this one on may be code
LEFT_OUT = "# The answer is not in this copy of the course. Your teacher has it."

WORDS = "\0"  # the mark around a name that is words rather than code

Examiner = Callable[..., str | None]


def _bare(match: re.Match[str]) -> str:
    words, place = match.groups()
    return f"{words} {word('at')} `{place}`" if place else words


def words(name: str) -> str:
    """The name of an answer, marked if it is words rather than code: "the label of sample 2", but not "f(another
    x)"."""
    if WORDS in name:
        return name
    try:
        ast.parse(name.replace("…", "x"), mode="eval")
    except SyntaxError:
        bare = name
        while (inner := re.sub(r"\([^()]*\)|\[[^][]*\]", "", bare)) != bare:
            bare = inner
        return f"{WORDS}{name}{WORDS}" if " " in bare else name
    return name


class Misconception(Exception):
    """A sentence about what a wrong answer shows; raised inside an exercise, printed by `check`.

    Names that are `words` are printed without the backquotes that the sentence puts around names.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(re.sub(f"`{WORDS}(.*?){WORDS}(\\[[^]`]*\\])?`", _bare, sentence))


class Unexplained(Misconception):
    """A wrong answer of which no misconception is known: the first hint is shown with it."""


class Unanswered(Misconception):
    """The dots are still there, so there is nothing to judge."""


@dataclass(frozen=True)
class Exercise:
    """One exercise: its id, and the function that examines the answers. `hint` has its hints.

    The examiner's positional parameters are the learner's answers, its keyword-only ones what the notebook
    gives along with them. They are named as in the notebook.
    """

    id: str
    examine: Examiner

    @property
    def answers(self) -> list[str]:
        """Names of the answers, in the order in which `check` takes them."""
        parameters = inspect.signature(self.examine).parameters.values()
        return [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]

    @property
    def given(self) -> list[str]:
        """Names that the notebook passes to `check` by keyword, along with the answers."""
        parameters = inspect.signature(self.examine).parameters.values()
        return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


@dataclass(frozen=True)
class Verdict:
    """The result of a check: whether the exercise is solved, the sentence to show, and what the answer printed. It is
    open if the dots are still there.
    """

    solved: bool
    message: str
    printed: str = ""
    is_open: bool = False


_declared: dict[str, Exercise] = {}
_own: dict[str, Exercise] = {}  # a teacher's own exercises, in files beside the notebook
_own_faults: list[str] = []  # a teacher's files that could not be run
_declaring = _declared
_rungs_taken: dict[str, int] = {}
#: Whether the last check of each exercise in this process accepted its answers; None if it found none yet.
_accepted: dict[str, bool | None] = {}


def exercise(id: str, *, hints: Sequence[str], setup: str = "") -> Callable[[Examiner], Examiner]:
    """Declare the decorated function as the examiner of exercise `id` ("02-window", in part 3 "a06-step").

    `hints` are four: the concept, where to look, nearly the code, the answer. `setup` is the code that comes before the
    exercise in its notebook, as far as the answer needs it. If the answer is empty, the hint says that it has been left
    out. The examiner raises `Misconception` (the `expect_…` functions do) and may return a sentence to show on success.
    It is given None for an answer only where its annotation ends in `| None`.
    """
    if len(hints) != len(RUNGS):
        raise ValueError(f"exercise {id!r} has {len(hints)} hints; the ladder has four: {', '.join(RUNGS)}")
    if id in _declared or id in _own or id in FORMER_IDS:
        raise ValueError(f"exercise {id!r} is declared twice")

    def declare(examine: Examiner) -> Examiner:
        *rungs, answer = (dedent(hint).strip() for hint in hints)
        _declaring[id] = Exercise(id, examine)
        enter(id, (*rungs, answer or LEFT_OUT), dedent(setup).strip())
        return examine

    return declare


def exercises() -> dict[str, Exercise]:
    """Every exercise by its id: the course's, in the order of the notebooks, then the teacher's own."""
    _import_declarations()
    _look_beside()
    return {**_declared, **_own}


@cache
def _look_beside() -> None:
    """Declare the teacher's own exercises that lie beside the notebook, unless others have been declared already."""
    if not _own:
        with contextlib.suppress(OSError):  # the working folder may be gone
            declare_own(own.files_beside(Path.cwd()))


def declare_own(files: Mapping[str, str]) -> list[str]:
    """Declare the exercises in a teacher's own files (text by path), in place of those declared by an earlier call.

    Returns a line for each file that could not be run.
    """
    global _declaring
    _import_declarations()
    _own.clear()
    faults: dict[str, BaseException] = {}
    _declaring = _own
    try:
        for path, text in files.items():
            try:
                own.run_file(path, text)
            except (Exception, SystemExit) as error:
                faults[path] = error
    finally:
        _declaring = _declared
    _own_faults[:] = own.described(faults)
    return list(_own_faults)


@cache
def _import_declarations() -> None:
    """Import every module that declares exercises, in the packages beside this file: one package for each part."""
    for name in sorted(_exercise_modules()):
        import_module(name)


def _exercise_modules() -> Iterator[str]:
    package = import_module("glassroom.exercises")
    for part in pkgutil.iter_modules(package.__path__, prefix="glassroom.exercises."):
        if part.ispkg:
            folder = import_module(part.name).__path__
            modules = [module.name for module in pkgutil.iter_modules(folder)]
            yield from (f"{part.name}.{name}" for name in modules if name.startswith("nb"))


def check(id: str = "", /, *answers: object, **given: object) -> None:
    """Look at the learner's answers to an exercise and print what they show. Raises only interrupts.

    What takes longer than a minute is stopped.
    """
    __tracebackhide__ = True
    try:
        with limit(SECONDS, "your answer", Stopped):
            verdict = _untouched(id) or judge(id, *answers, **given)
    except Stopped as stopped:
        verdict = Verdict(False, str(stopped))
    except BaseException as error:  # `judge` passes on only interrupts
        raise error.with_traceback(_without_our_frames(error.__traceback__)) from None
    if isinstance(id, str) and (id := current(id)) in exercises():
        checked(id, verdict.solved)
    text = in_lines(f"✓ {verdict.message}" if verdict.solved else f"Not yet: {verdict.message}")
    if verdict.printed:
        text += f"\nWhile it was checked, your answer printed:\n{indent(verdict.printed, '    ')}"
    if somebody_watches():
        _show(id if isinstance(id, str) else "check", verdict, text)
    else:
        print(text)


def _untouched(id: object) -> Verdict | None:
    """The sentence for a cell that still has the dots of the learner's copy where code should write into something."""
    if not isinstance(id, str):
        return None
    dots = rf"^\.\.\.\s*\ncheck\([\"']{re.escape(id)}[\"']"
    if not re.search(dots, running_code(), re.MULTILINE):
        return None
    return Verdict(False, f'the dots wait for your code. Try a line; hint("{id}") helps.', is_open=True)


def _show(id: str, verdict: Verdict, text: str) -> None:
    """Show the verdict as a card and, if the exercise is not solved, a button for hints below it."""
    from IPython.display import display

    kind = "right" if verdict.solved else "open" if verdict.is_open else "wrong"
    display(verdict_card(id, kind, verdict.message, verdict.printed, text))
    if not verdict.solved and id in exercises() and widgets_run():
        _offer_hints(id)


def _offer_hints(id: str, told: str = "") -> None:
    """Display the hints so far, with the button for the next one; `told` is the text that `hint` would print."""
    from IPython.display import display

    from glassroom.exercises.cards.widgets import Hinting  # needs anywidget

    def taken() -> list[tuple[str, str, bool]]:
        return [_rung(id, place) for place in range(min(_rungs_taken.get(id, 0), len(RUNGS)))]

    def given(place: int) -> tuple[str, str, bool]:
        hint = _take_hint(id, place)
        asleep.update(asleep_hints(taken(), text))
        return hint

    text = f'hint("{id}") gives the next hint.'
    asleep = display(asleep_hints(taken(), told), display_id=True)
    display(Hinting(list(RUNGS), taken(), given))


def _take_hint(id: str, place: int) -> tuple[str, str, bool]:
    """The hint at this position, which then counts as taken."""
    _rungs_taken[id] = max(_rungs_taken.get(id, 0), place + 1)
    hinted(id, place + 1)
    return _rung(id, place)


def looks_like_code(hint: str, place: int) -> bool:
    """Whether the hint at this position is shown as code: where nearly the code stands may be a sentence."""
    return place >= CODE and (is_code(hint) or "\n" in hint or place == len(RUNGS) - 1)


def _rung(id: str, place: int) -> tuple[str, str, bool]:
    """The kind of the hint, its text, and whether the text is code."""
    hint = hints_of(id)[place]
    return RUNGS[place], hint, looks_like_code(hint, place)


def is_checked(id: str) -> bool:
    """Whether the exercise has been checked in this process."""
    return current(id) in _accepted


def is_refused(id: str) -> bool:
    """Whether the exercise has been checked, and the last check did not accept its answers."""
    return not _accepted.get(current(id), True)


def is_waiting(id: str) -> bool:
    """Whether the exercise has been checked, and the last check found no answer yet."""
    return _accepted.get(current(id), True) is None


def judge(id: str = "", /, *answers: object, **given: object) -> Verdict:
    """The verdict that `check` prints."""
    exercise = _find(id)
    if isinstance(exercise, str):
        return Verdict(False, exercise)
    _accepted[exercise.id] = False  # in case of an interrupt
    verdict = _verdict(exercise, answers, given)
    _accepted[exercise.id] = None if verdict.is_open else verdict.solved
    return verdict


def _verdict(exercise: Exercise, answers: Sequence[object], given: dict[str, object]) -> Verdict:
    written = StringIO()
    try:
        # text that an answer prints when it is called is shown after the verdict
        with redirect_stdout(written), _recording():
            solved, message = True, _examine(exercise, answers, given)
    except Unanswered as waiting:
        return Verdict(False, str(waiting), is_open=True)
    except Misconception as misconception:
        solved, message = False, facts.without_addresses(str(misconception))
        if isinstance(misconception, Unexplained):
            message = joined(message, hints_of(exercise.id)[0])
    except (Exception, SystemExit) as error:  # any use of an answer may run code of the learner's
        solved, message = False, f"looking at your answer raised {first_sentence(error)} Is it of the kind asked for?"
        if told := of_a_backward(error):
            message = told
        elif _is_raised_by_a_learner(error.__traceback__):
            message = f"while it was checked, your code raised {explained_sentence(error)}"
    return Verdict(solved, message, _first_lines(written))


def _without_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of checks: the learner's code was interrupted."""
    if traceback is None:
        return None
    below = _without_our_frames(traceback.tb_next)
    file = traceback.tb_frame.f_code.co_filename
    if file == contextlib.__file__ or file.startswith(OURS):
        return below
    return TracebackType(below, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


def _is_raised_by_a_learner(traceback: TracebackType | None) -> bool:
    """Whether the code that raised was called from a notebook: from code of no imported module."""
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__")
        if name == "__main__" or name not in sys.modules:
            return True
        traceback = traceback.tb_next
    return False


def _first_lines(written: StringIO) -> str:
    """What was printed, shortened if it is long: a check may call a function many times."""
    if written.closed:
        return ""
    text = written.getvalue()[:PRINTED_CHARACTERS]
    lines = text.rstrip().split("\n")
    cut = len(lines) > PRINTED_LINES or len(text) == PRINTED_CHARACTERS
    return "\n".join([*lines[:PRINTED_LINES], *(["…"] if cut else [])])


def _examine(exercise: Exercise, answers: Sequence[object], given: dict[str, object]) -> str:
    """The sentence on success; on failure raises `Misconception` with a sentence."""
    call = f'check("{exercise.id}", {", ".join(exercise.answers + [f"{name}=…" for name in exercise.given])})'
    told = f"this exercise is checked by {call}."
    if exercise.given:
        told = f"this exercise is checked by {call}. Its cell in the notebook as it was says what stands for …"
    try:
        bound = inspect.signature(exercise.examine).bind_partial(*answers, **given)
    except TypeError as error:
        raise Misconception(told) from error
    missing = [name for name in exercise.answers if _is_unanswered(bound.arguments.get(name, ...))]
    if missing:
        names = word(", ").join(f"`{name}`" for name in missing)
        waits = "waits" if len(missing) == 1 else "wait"
        raise Unanswered(f'{names} {waits} for your answer. Try one; hint("{exercise.id}") helps.')
    kinds = inspect.get_annotations(exercise.examine)
    for name in exercise.answers:
        if bound.arguments[name] is None and not str(kinds.get(name)).endswith("| None"):
            raise Misconception(f'`{name}` is None: what you wrote gives nothing. hint("{exercise.id}") helps.')
    for name, kind in kinds.items():
        if str(kind).startswith("Callable") and name in bound.arguments and not _is_function(bound.arguments[name]):
            raise Misconception(f"`{name}` is {facts.text(bound.arguments[name])}; it should be a function.")
    if any(name not in bound.arguments for name in exercise.given):
        raise Misconception(told)
    for name, answer in bound.arguments.items():
        if elements(answer) > MOST_TAKEN:  # merely iterating over its rows would fill the memory
            raise Misconception(f"`{name}` has {elements(answer):,} elements, more than any exercise asks for.")
    with handed_back(given.values()):
        lesson = exercise.examine(*bound.args, **bound.kwargs)
    return joined(is_solved(exercise.id), lesson) if lesson else is_solved(exercise.id)


@contextmanager
def _recording() -> Iterator[None]:
    """A context in which autograd records; afterwards the mode is what it was before, even if an answer has changed
    it."""
    libraries = [sys.modules[name] for name in ("tensorglass", "torch") if name in sys.modules]
    before = [library.is_grad_enabled() for library in libraries]
    try:
        for library in libraries:
            library.set_grad_enabled(True)
        yield
    finally:
        for library, enabled in zip(libraries, before, strict=True):
            library.set_grad_enabled(enabled)


def _is_function(answer: object) -> bool:
    return callable(answer) and not facts.is_tensor(answer)


def _is_unanswered(answer: object) -> bool:
    # exactly these types, not subclasses
    if isinstance(answer, tuple | list) and type(answer) in (tuple, list) and answer:
        return all(item is ... for item in answer)
    return answer is ...


def hint(id: str = "", /) -> None:
    """Print the next hint: the concept, where to look, nearly the code, then the answer. Never raises."""
    exercise = _find(id)
    if isinstance(exercise, str):
        print(exercise)
        return
    rung = min(_rungs_taken.get(exercise.id, 0), len(RUNGS) - 1)
    name, text, is_listing = _take_hint(exercise.id, rung)
    heading = f"Hint {rung + 1} of {len(RUNGS)}, {name}:"
    told = f"{heading}\n{indent(text, '    ')}" if is_listing else in_lines(f"{heading} {text}")
    if widgets_run():
        _offer_hints(exercise.id, told)
    elif somebody_watches():
        from IPython.display import display

        display(hints_card([(name, text, is_listing)], told))
    else:
        print(told)


def _find(id: object) -> Exercise | str:
    """The exercise of that id, or a sentence that says why there is none."""
    known = exercises()
    if type(id) is not str or not id:
        return 'the first argument is the exercise\'s id, a string such as "01-same-cell".'
    if current(id) in known:
        return known[current(id)]
    near = difflib.get_close_matches(id, known, n=1)
    meant = f' Did you mean "{near[0]}"?' if near else ""
    broken = "".join(f" {fault}." for fault in _own_faults)
    return f'there is no exercise "{id[:40]}".{meant}' + broken


shorten_tracebacks()
