"""After any program, the account that %%watch gives of sharing, writes and frees is the storages' own."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorglass
from glassroom.inspectors.watch.recording import Recorder
from glassroom.inspectors.watch.stepping import statements_of
from glassroom.reading.adapters import described
from glassroom.reading.storage_names import name_of

LIBRARIES = [tensorglass, pytest.importorskip("torch", reason="programs are run on PyTorch as well")]
VARIABLES = ("a", "b", "c")
NAMES = (*VARIABLES, "xs", "held")
LINES = st.sampled_from(
    [
        "{x} = torch.ones(3)",
        "{x} = {y}",
        "{x} = {y}[:2]",
        "{x} = {y}.clone()",
        "{x} = {y} + 1",
        "{x} = [{y}, {y}.view(-1)][1]",
        "{x} = torch.from_numpy({y}.numpy())",
        "{x} = None",
        "{y}.add_(1)",
        "{y}[0] = 5 + {y}[0]",
        "{y}.data[0] = 7 - {y}.data[0]",
        "{y}.numpy()[-1] += 1",
        "torch.add({y}, 1, out={y})",
        "{x}.copy_({y}[:1])",
        "for _ in range(2):\n    {y}.mul_(2)\n    {x} = {y}.clone()",
        "xs.append({y})",
        "xs.append({y}[1:])",
        "xs.pop(0)",
        "held['k'] = {y}.clone()",
        "{x} = held.pop('k')",
        "{x}, {y} = {y}, {x}",
        "if {x} is {y}:\n    {x} = torch.zeros(2)",
    ]
)
PROGRAMS = st.lists(st.tuples(LINES, st.sampled_from(VARIABLES), st.sampled_from(VARIABLES)), min_size=1, max_size=9)


class Truth(NamedTuple):
    """The true state of some memory: its holders, the version and bytes of each storage on it, and whether those
    are alive.

    There may be several storages: `from_numpy` makes a second one of the same memory.
    """

    holders: set[str]
    states: dict[int, tuple[int, bytes]]
    lives: list[Callable[[], bool]]


class Probing(Recorder):
    """A recorder that asks the storages themselves after each look."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__(namespace, NAMES)
        self.namespace = namespace
        self.states = [truth(namespace)]
        self.deaths: list[set[str]] = []

    def ended(self, *given: Any) -> bool:
        going_on = super().ended(*given)
        self.deaths.append(
            {name for name, storage in self.states[-1].items() if not any(lives() for lives in storage.lives)}
        )
        self.states.append(truth(self.namespace))
        return going_on


@pytest.mark.parametrize("lib", LIBRARIES, ids=lambda lib: lib.__name__)
@settings(max_examples=100)
@given(PROGRAMS)
def test_any_program_s_story_is_what_versions_and_weak_references_say(
    lib: Any, program: list[tuple[str, str, str]]
) -> None:
    source = "\n".join(line.format(x=x, y=y) for line, x, y in program)
    namespace: dict[str, Any] = {"torch": lib, "xs": [], "held": {}, **{name: lib.zeros(3) for name in VARIABLES}}
    code = compile(source, "<program>", "exec")
    recorder = Probing(namespace)
    with suppress(AttributeError, TypeError, IndexError, KeyError, RuntimeError):  # the story ends there
        recorder.run(lambda: exec(code, namespace), "<program>", statements_of(source))
    story, states = recorder.story({}), recorder.states
    assert len(story.moments) + 1 == len(states)
    for moment, before, after, died in zip(story.moments, states, states[1:], recorder.deaths, strict=False):
        sharing = {storage.name: set(storage.shared_by) for storage in moment.snapshot.storages}
        assert sharing == {name: storage.holders for name, storage in after.items()}
        wrote = {change.storage for change in moment.changes if change.kind == "wrote"}
        assert wrote == {name for name in before.keys() & after.keys() if was_written(before[name], after[name])}
        freed = {change.storage for change in moment.changes if change.kind == "freed"} - {None}
        assert freed == died


def truth(namespace: dict[str, Any]) -> dict[str, Truth]:
    """The storages by name, as they are now."""
    truths: dict[str, Truth] = {}
    for path, tensor in tensors(namespace):
        storage = tensor.untyped_storage()
        name = name_of(described(tensor).memory)
        known = truths.setdefault(name, Truth(set(), {}, []))
        known.holders.add(path)
        content = ctypes.string_at(storage.data_ptr(), storage.nbytes())
        known.states[getattr(storage, "_cdata", id(storage))] = (tensor._version, content)
        known.lives.append(life_of(storage))
    return truths


def was_written(before: Truth, after: Truth) -> bool:
    """Whether any storage that there was before and is now has another version, or other bytes."""
    both = before.states.keys() & after.states.keys()
    return any(before.states[name] != after.states[name] for name in both)


def tensors(namespace: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    places = [(name, namespace[name]) for name in VARIABLES]
    places += [(f"xs[{at}]", value) for at, value in enumerate(namespace["xs"])]
    places += [(f"held[{key!r}]", value) for key, value in namespace["held"].items()]
    return ((path, value) for path, value in places if value is not None and not isinstance(value, numpy.ndarray))


def life_of(storage: Any) -> Callable[[], bool]:
    """Whether a storage is still alive, determined by weak references only."""
    if isinstance(storage, tensorglass.UntypedStorage):
        reference = weakref.ref(storage)
        return lambda: reference() is not None
    weak = LIBRARIES[1].multiprocessing.reductions.StorageWeakRef(storage)
    return lambda: not weak.expired()
