"""`keep`: one part of the learner's own library goes into `my_tensor.py`, is tried, and can be used.

In a working copy of the course the file lies beside the contents page. Anywhere else, as where the course's own
notebooks are run, nothing is written: the module is made in memory. What was edited in the file, and what is there of
the learner's own from an earlier day, is never lost.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any

from glassroom.exercises.engine import is_refused
from glassroom.exercises.lines import in_lines
from glassroom.exercises.my_tensor import parts
from glassroom.exercises.my_tensor.answers import NotFound, lines_of
from glassroom.exercises.my_tensor.parts import NAME, Part
from glassroom.exercises.my_tensor.steps import STEPS, Step, has_answer, names_of_the_library
from glassroom.exercises.my_tensor.trials import TRIALS, Trial
from glassroom.exercises.stand_in import is_stood_in, stopped
from glassroom.translations.templates import word
from glassroom.workspace.learner_folder import BEFORE, free_name, working_copy_around
from glassroom.workspace.problems import Problem
from glassroom.workspace.whole_files import ChangedMeanwhile, content_of, write_atomically

MODULE = "my_tensor"
SECONDS = 20.0  # after which a trial is stopped


def keep(name: str, *, anew: bool = False) -> ModuleType:
    """Write a part of `my_tensor.py`: "strides", "engine" or "reader". Returns the library up to it, as a module.

    The part has the learner's own functions where a check has accepted them, and the course's own elsewhere, which is
    said. It is tried, and what it can do is told. Parts before it that are missing are the course's own. A part that
    was edited in the file stays as it is; with `anew` it is written anew, and the old file goes to `.glassroom/before`.
    Raises ValueError where there is no such part.
    """
    if name not in STEPS:
        raise ValueError(f"there is no part {name!r} of {NAME}; the parts are {', '.join(STEPS)}")
    caller = sys._getframe(1)
    step, names = STEPS[name], {**caller.f_globals, **caller.f_locals}
    print(f"{NAME}, part {list(STEPS).index(name) + 1} of {len(STEPS)}: {step.what}")
    place, as_found, above, by_step = _read()
    used: dict[str, Part] = {}
    for earlier in takewhile(lambda step: step != name, STEPS):
        if earlier not in by_step:
            by_step[earlier] = STEPS[earlier].part({})
            if place is not None:
                _say(
                    f"`{earlier}` is not there yet; the notebook “{STEPS[earlier].title}” writes yours. The course's "
                    "own stands in, so that what follows runs."
                )
        used[earlier] = _that_works(STEPS[earlier], by_step[earlier], used)
    old = by_step.get(name)
    new = step.part(_own(step, names, old, used))
    if old is None or anew or not old.was_edited or old.code == new.code:
        by_step[name] = new
    else:
        _say(f'You have edited `{name}` in {NAME}: it stays as it is. `keep("{name}", anew=True)` writes it anew.')
    used[name] = _that_works(step, by_step[name], used, tells=True)
    if place is not None:
        in_order = {step: by_step[step] for step in (*STEPS, *by_step) if step in by_step}
        keeps = anew and old is not None and old.was_edited
        _write(place, parts.text_of(above, in_order), as_found, keeps=keeps)
    sys.modules[MODULE] = _module(used)
    return sys.modules[MODULE]


def _say(sentence: str) -> None:
    print(in_lines(sentence))


def _read() -> tuple[Path | None, bytes | None, str, dict[str, Part]]:
    """The file's place, its content, what stands above its parts, and these. No place where none is to be written."""
    try:
        folder = working_copy_around(Path.cwd())
        if folder is not None:
            return folder / NAME, content_of(folder / NAME), *parts.read(folder / NAME)
    except (OSError, ValueError) as error:
        _say(f"{NAME} cannot be read ({error}), and is left alone. What follows runs all the same.")
    return None, None, parts.PREAMBLE, {}


def _write(place: Path, text: str, as_found: bytes | None, *, keeps: bool) -> None:
    try:
        if keeps and as_found is not None:
            write_atomically(free_name(place.parent / BEFORE / NAME), as_found)
        parts.write(place, text, as_found)
    except ChangedMeanwhile:
        _say(f"{NAME} was saved by somebody else just now, and is left alone. Run this cell again.")
    except (OSError, Problem) as error:
        _say(f"{error} What follows runs all the same.")
    else:
        _say(f"It lies beside the contents page: open {NAME}, and read what you wrote.")


def _own(step: Step, names: Mapping[str, Any], old: Part | None, used: Mapping[str, Part]) -> dict[str, str]:
    """The learner's functions that the part can use: those of the notebook, and those of the file for the others."""
    own = old.functions() if old is not None and not old.was_edited else {}
    refused = []
    for name, id in step.answers.items():
        if names.get(name, ...) is not ... and not is_refused(id) and not is_stood_in(names[name]):
            try:
                code = lines_of(name, names[name], names_of_the_library() - {name})
                fault = _fault_of(step, name, {**own, name: code}, used)
            except NotFound as reason:
                fault = str(reason)
            if fault:
                own.pop(name, None)
                _say(
                    f"`{name}` passes its check, but does not run in {NAME} ({fault}). There the course's own stands "
                    "in, so that what follows runs."
                )
            else:
                own[name] = code
        elif name not in own:
            refused.append(name)
    told = word(", ").join(f"`{name}`" for name in refused)
    if any(not has_answer(step.answers[name]) for name in refused):
        _say(f"Still to be written: {told}. {NAME} waits for it.")
    elif refused:
        _say(f"{told}: in {NAME} the course's own, until a check accepts yours, so that what follows runs.")
    return own


def _fault_of(step: Step, name: str, own: Mapping[str, str], used: Mapping[str, Part]) -> str:
    """What goes wrong when the last of these functions of the learner is added to the part; "" if nothing does."""
    faults = _faults(step, {**used, step.name: step.part(own)}, of=name)
    return next((fault for _, fault in faults if fault), "")


def _that_works(step: Step, part: Part, used: Mapping[str, Part], *, tells: bool = False) -> Part:
    """The part as it is in the file, if its trials pass; else the course's own."""
    faults = []
    for trial, fault in _faults(step, {**used, step.name: part}):
        if fault:
            faults.append(fault)
        if tells and trial:
            _say(f"  ✗ {trial.tells}: {fault}" if fault else f"  ✓ {trial.tells}")
    if not faults:
        return part
    courses, fault = step.part({}), f"`{step.name}` in {NAME} does not do what is asked of it ({faults[0]})."
    if courses.is_open:
        _say(f"{fault} What follows needs it.")
    else:
        _say(f"{fault} It stays there, and the course's own stands in, so that what follows runs.")
    return courses


def _faults(step: Step, used: Mapping[str, Part], of: str = "") -> Iterator[tuple[Trial | None, str]]:
    """The trials of a part, or of one function in it, each with what is wrong: nothing if all is well.

    A part in which functions are missing is not tried.
    """
    if used[step.name].is_open:
        return
    try:
        module = _module(used)
    except (Exception, SystemExit) as error:
        yield None, f"{type(error).__name__}: {error}"
        return
    for trial in TRIALS[step.name]:
        if of in ("", trial.of):
            tried = partial(trial.fault, module)
            with redirect_stdout(StringIO()):
                fault = stopped(tried, SECONDS, trial.of or step.name)()
            yield trial, fault


def _module(used: Mapping[str, Part]) -> ModuleType:
    """The library of these parts. Its lines are found as if it were a file, by tracebacks and by `inspect`."""
    module, text = ModuleType(MODULE), parts.text_of(parts.PREAMBLE, dict(used))
    module.__file__ = f"<{NAME}>"
    linecache.cache[module.__file__] = (len(text), None, text.splitlines(keepends=True), module.__file__)
    with redirect_stdout(StringIO()):
        exec(compile(text, module.__file__, "exec"), vars(module))
    return module
