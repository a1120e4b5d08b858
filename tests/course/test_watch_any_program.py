"""Whatever a program does to its tensors, `watch` tells of it what versions and weak references say."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import tensorglass
from glassroom.watching.recording import Recorder
from glassroom.watching.stepping import statements_of
from tensorglass import memory

VARIABLES = ("a", "b", "c")
LINES = st.sampled_from(
    [
        "{x} = torch.ones(3)",
        "{x} = {y}",
        "{x} = {y}[:2]",
        "{x} = {y}.clone()",
        "{x} = {y} + 1",
        "{y}.add_(1)",
        "{y}[0] = 5 + {y}[0]",
        "{x} = [{y}, {y}.view(-1)][1]",
        "{x} = None",
    ]
)
PROGRAMS = st.lists(st.tuples(LINES, st.sampled_from(VARIABLES), st.sampled_from(VARIABLES)), min_size=1, max_size=8)


@settings(max_examples=60)
@given(PROGRAMS)
def test_any_program_s_story_is_what_versions_and_weak_references_say(program: list[tuple[str, str, str]]) -> None:
    lines = [line.format(x=x, y=y) for line, x, y in program]
    namespace: dict[str, Any] = {"torch": tensorglass, **{name: tensorglass.zeros(3) for name in VARIABLES}}
    source = "\n".join(lines)
    code = compile(source, "<program>", "exec")
    recorder = Probing(namespace)
    with suppress(AttributeError, TypeError, IndexError):  # a name that holds None: the story ends there
        recorder.run(lambda: exec(code, namespace), "<program>", statements_of(source))
    story, states, deaths = recorder.story({}), recorder.states, recorder.deaths
    assert len(story.moments) + 1 == len(states)
    for moment, before, after, died in zip(story.moments, states, states[1:], deaths, strict=False):
        sharing = {storage.name: set(storage.shared_by) for storage in moment.snapshot.storages}
        assert sharing == {name: holders for name, (holders, _) in after.items()}
        wrote = {change.storage for change in moment.changes if change.kind == "wrote"}
        assert wrote == {name for name in before.keys() & after.keys() if before[name][1] != after[name][1]}
        freed = {change.storage for change in moment.changes if change.kind == "freed"} - {None}
        assert freed == died


class Probing(Recorder):
    """A recorder that asks the storages themselves after each look."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__(namespace, VARIABLES)
        self.namespace = namespace
        self.states = [truth(namespace)]
        self.deaths: list[set[str]] = []
        self.alive = references(namespace)

    def ended(self, *given: Any) -> bool:
        going_on = super().ended(*given)
        self.states.append(truth(self.namespace))
        self.deaths.append({name for name, reference in self.alive.items() if reference() is None})
        self.alive = references(self.namespace)
        return going_on


def truth(namespace: dict[str, Any]) -> dict[str, tuple[set[str], int]]:
    """The storages by name: who holds them, and their version."""
    found: dict[str, tuple[set[str], int]] = {}
    for variable in VARIABLES:
        if namespace[variable] is not None:
            storage = namespace[variable].untyped_storage()
            name = memory.name_of(storage)
            found.setdefault(name, (set(), namespace[variable]._version))[0].add(variable)
    return found


def references(namespace: dict[str, Any]) -> dict[str, weakref.ref[Any]]:
    storages = [namespace[variable].untyped_storage() for variable in VARIABLES if namespace[variable] is not None]
    return {memory.name_of(storage): weakref.ref(storage) for storage in storages}
