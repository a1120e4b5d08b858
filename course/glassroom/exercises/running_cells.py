"""Cells that a person runs. Those have a limit on their time that check an answer, or call one which no check has
accepted. The course's own cells take as long as they take.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from glassroom.exercises import limit
from glassroom.exercises.engine import exercises, is_checked, is_refused, is_waiting
from glassroom.exercises.stand_in import is_stood_in
from glassroom.live.audience import somebody_watches
from glassroom.translations.templates import word
from glassroom.workspace.former_ids import current


def what_may_run_on(source: str, names: Mapping[str, Any]) -> str:
    """What a message calls a cell in which an answer of the learner's may run on; "" for any other. `names` are the
    notebook's variables.
    """
    known = exercises()
    if any(current(id) in known for id in re.findall(r'\bcheck\(\s*"([^"]+)"', source)):
        return word("this cell")
    taken = {current(id) for id in re.findall(r'\bstand_in\(\s*"([^"]+)"', source)}
    unseen = {id for id in taken if id in known and (not is_checked(id) or is_waiting(id))}
    refused = {id for id in known if is_refused(id)} - taken  # for those the course's own stands in
    read = set(re.findall(r"(?<![\w.])\w+", source))
    for id in unseen | refused:
        for name in known[id].answers:
            answer = names.get(name)
            if (name in read or id in unseen) and callable(answer) and not is_stood_in(answer):
                return f"this cell, which calls your `{name}`,"
    return ""


def _limit_cells() -> None:
    """Let cells that a person runs have their limit; nothing outside of a kernel."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return
    ends: list[Callable[[], None]] = []

    def begun(info: Any) -> None:
        ended()
        if somebody_watches() and (what := what_may_run_on(str(info.raw_cell or ""), shell.user_ns)):
            ends.append(limit.begin(limit.SECONDS, what, TimeoutError))

    def ended(result: Any = None) -> None:
        while ends:
            ends.pop()()

    shell.events.register("pre_run_cell", begun)
    shell.events.register("post_run_cell", ended)


_limit_cells()
