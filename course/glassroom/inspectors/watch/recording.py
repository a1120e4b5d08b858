"""Watching code as it runs: a look after each statement, and a record of the differences between looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from time import perf_counter
from types import CodeType, FrameType, MappingProxyType
from typing import TypeVar

from glassroom.inspectors.watch.accounts import ACCOUNTED, Account, Birth, drop_our_frames
from glassroom.inspectors.watch.changes import Comparison, View
from glassroom.inspectors.watch.collector import CollectorPaused
from glassroom.inspectors.watch.memories import Memories, description_of
from glassroom.inspectors.watch.overwriting import explained, latest_node
from glassroom.inspectors.watch.stepping import RAISES, Statement, Stepper
from glassroom.inspectors.watch.story import Change, Moment, Story
from glassroom.inspectors.watch.svg import svg_of_story
from glassroom.inspectors.watch.text import text_of_story
from glassroom.inspectors.watch.watched_names import (
    CONTAINERS,
    MOST_VISITED,
    by_id,
    chosen,
    other_tensors,
    tensors_of,
    with_gradients,
)
from glassroom.reading.adapters import Description, adapter_for, described
from glassroom.reading.nodes import gradient_of, node_and_gradient
from glassroom.reading.places import tensors_at
from glassroom.reading.snapshot import Known, snapshot
from glassroom.reading.storage_names import is_alive, name_of, numbered, of_what_was_there, unnumbered
from glassroom.reading.torch_operators import grad_mode, mend_grad_mode
from glassroom.records.snapshot import Snapshot

T = TypeVar("T")
STEPS = 400


class Recorder:
    """Runs code and records what it does. `names` are the variables of `namespace` to look at; `only`, if any,
    restricts all variables. After `limit` steps the rest is only counted, or, if not `rest`, runs unwatched.
    """

    def __init__(
        self,
        namespace: Mapping[str, object],
        names: Iterable[str],
        only: Iterable[str] = (),
        limit: int = STEPS,
        rest: bool = True,
    ) -> None:
        self._namespace = namespace
        self._names = list(names)
        self._only = frozenset(only)
        self._limit = limit
        self._rest = rest
        self._account = Account()
        self._collector = CollectorPaused()
        self._moments: list[Moment] = []
        self._unshown = 0
        self._unread: dict[str, str] = {}  # tensors without readable memory, with their class
        self._met: set[str] = set()  # the names in `only` for which there was a variable
        self._states: dict[str, tuple[int, int | None]] = {}  # by name: the object and its version
        self._touched: dict[str, int] = {}  # by name: the last look that found a change
        self._looks = 0
        self._is_cut = False
        self._known: set[str] = set()  # storages seen so far
        self._memories: dict[str, frozenset[Hashable]] = {}  # the memories of each
        self._held = 0
        self._has_arrays = False  # whether there are NumPy or CuPy arrays, whose births are not reported
        self._peak = self._peak_step = 0
        self._looking = self._seconds = 0.0
        self._latest_node = -1
        self._numbered: list[tuple[int, Statement]] = []  # after each step the number of the latest node
        self._first_mode: bool | None = None  # PyTorch's grad mode when the code began
        self._mode: bool | None = None  # and at the last look, None once there are no more
        self._kept: Known = {}  # records of storages; unchanged ones are kept once
        self._memories_met = Memories()
        self._searched: set[int] = set()  # the ids of objects and containers that the last look has searched
        self._comparison: Comparison

    def run(
        self,
        call: Callable[[], T],
        filename: str,
        statements: Mapping[int, Statement],
        code: CodeType | None = None,
        others: Mapping[str, Mapping[int, Statement]] = MappingProxyType({}),
    ) -> T:
        """Call `call`, following the code of the file and of `others`; of lambdas, only `code` is followed. Errors
        propagate.
        """
        __tracebackhide__ = True
        before, begin = sys.gettrace(), perf_counter()
        try:
            try:
                self._account.open()
                result = Stepper({**others, filename: statements}, self, code).run(call)
                if self._is_cut and self._rest:
                    self._count_what_nobody_tells(self._look([], None, None))
                return result
            except BaseException as error:
                mend_grad_mode(self._first_mode, error)
                if isinstance(error, KeyboardInterrupt):
                    self._mend_grad_mode()
                drop_our_frames(error)
                raise
            finally:
                self._seconds = perf_counter() - begin
                self._account.close()
        finally:  # once more: an interrupt may have cut the first one short
            sys.settrace(before)
            self._account.close()
            self._collector.end()

    def _mend_grad_mode(self) -> None:
        """Reset a grad mode that the interrupted statement had set only for its own duration.

        `no_grad` and the optimizers reset the mode in Python, where an interrupt may keep them from it. A mode that was
        set at the last look already is the program's own, and stays.
        """
        if self._mode is not None and self._mode == self._first_mode != grad_mode():
            sys.modules["torch"]._C._set_grad_enabled(self._mode)

    def story(self, lines: Mapping[int, str]) -> Story:
        """What was seen; `lines` is the source."""
        with CollectorPaused():
            return self._story(lines)

    def _story(self, lines: Mapping[int, str]) -> Story:
        account = self._account
        peak_step = self._peak_step if account.peak == self._peak else None
        story = Story(
            lines=dict(lines),
            moments=tuple(self._moments),
            limit=self._limit,
            is_cut=self._is_cut,
            is_rest_counted=self._rest,
            allocations=account.allocations,
            allocated=account.allocated,
            copies=account.copies,
            copied_bytes=account.copied_bytes,
            peak=account.peak,
            peak_step=peak_step,
            unshown=max((moment.unshown for moment in self._moments), default=0),
            unread=tuple([f"{name} ({kind})" for name, kind in self._unread.items()]),
            unknown=tuple(sorted(self._only - self._met)) if self._moments else (),
            seconds=self._seconds,
            looking=self._looking,
        )
        return numbered(story, text_of_story(story) + svg_of_story(story))

    def began(self, frames: list[FrameType]) -> None:
        """The code is about to run: note what exists now as older than it."""
        self._first_mode = self._mode = grad_mode()
        with of_what_was_there():
            first = self._look(frames, None, None)
        self._known = {storage.name for storage in first.snapshot.storages}
        self._comparison = Comparison(first)

    def ended(self, statement: Statement, function: str, frames: list[FrameType], how: str, result: object) -> bool:
        """A statement has ended: look, and compare. Returns False once there were enough steps."""
        if len(self._moments) >= self._limit:
            self._is_cut, self._mode = True, None
            self._account.only_count()
            if self._rest and self._has_arrays:
                self._count_arrays(frames, statement)
                return True
            self._account.traced_until_now(frames)
            if not self._rest:
                self._account.leave_off()
            return False
        begin = perf_counter()
        with self._collector:
            self._describe(statement, function, frames, how, result)
        self._looking += perf_counter() - begin
        return True

    def _describe(self, statement: Statement, function: str, frames: list[FrameType], how: str, result: object) -> None:
        """Record what a step has done."""
        self._account.is_counting = False
        self._account.look_for_torch()
        if not how.startswith(RAISES):
            self._mode = grad_mode()
        now = self._look(frames, f"result of {function}()" if function else "result", result)
        self._count_what_nobody_tells(now)
        self._numbered.append((self._latest_node, statement))
        number = len(self._moments) + 1
        if self._account.peak > self._peak:
            self._peak, self._peak_step = self._account.peak, number
        since = self._account.take()
        elsewhere = partial(self._memories_elsewhere, frames)
        changes, written, gone = self._comparison.step(now, since, number, statement.moves, elsewhere)
        before, self._held = self._held, self._account.held
        for change in changes:
            if change.kind == "copied" and change.storage is not None:
                self._account.copies += 1
                self._account.copied_bytes += change.nbytes
        if how.startswith(RAISES):
            held = tensors_of(frames, self._namespace, self._names, self._only)
            changes = [*explained(how, held, self._numbered, self._moments), *changes]
        moment = Moment(
            number=number,
            statement=statement,
            function=function,
            how=how,
            changes=tuple(changes),
            snapshot=now.snapshot,
            written=written,
            facts=now.facts,
            gone=gone,
            held=self._held,
            high=max(before, self._held, since.high),
            difference=self._held
            - before
            - sum(change.nbytes for change in changes if self._is_end_of_what_was_there(change)),
            unshown=self._unshown,
        )
        self._moments.append(moment)
        self._account.is_counting = True

    def _is_end_of_what_was_there(self, change: Change) -> bool:
        """Whether a storage from before the code has ended."""
        if change.kind != "freed" or change.storage is None:
            return False
        return not any(map(self._account.was_born, self._memories.get(change.storage, ())))

    def _count_arrays(self, frames: list[FrameType], statement: Statement) -> None:
        """Count the arrays that variables hold and that are new since the last look, and note which are copies."""
        self._account.is_counting = False
        places = [self._namespace.get(name) for name in self._names]
        places += [
            value for frame in frames if frame.f_locals is not self._namespace for value in frame.f_locals.values()
        ]
        for value in places:
            description = None if adapter_for(value) is None else description_of(value)
            if description is None or description.library in ACCOUNTED:
                continue
            memory = description.memory
            with unnumbered():
                name = name_of(memory)
            if name not in self._known:
                self._known.add(name)
                self._account.made(Birth(memory.identity, memory.nbytes, partial(is_alive, name)))
                if statement.moves:
                    self._account.copies += 1
                    self._account.copied_bytes += memory.nbytes
        self._account.is_counting = True

    def _look(self, frames: list[FrameType], result_name: str | None, result: object) -> View:
        self._searched = set()
        tensors = tensors_of(frames, self._namespace, self._names, self._only, self._searched)
        if result_name is not None and (adapter_for(result) is not None or issubclass(type(result), CONTAINERS)):
            known = {id(tensor) for tensor in tensors.values()}
            returned = tensors_at([(result_name, result)], MOST_VISITED)
            tensors |= {path: tensor for path, tensor in returned if id(tensor) not in known}
        places: list[Mapping[str, object]] = [self._namespace, *[frame.f_locals for frame in frames]]
        self._met |= {name for name in self._only if any(name in place for place in places)}
        autograd = {number: node_and_gradient(tensor) for number, tensor in by_id(tensors).items()}
        nodes = {number: node for number, (node, _) in autograd.items() if node is not None}
        self._latest_node = latest_node(nodes.values())
        tensors = with_gradients(tensors, {number: gradient for number, (_, gradient) in autograd.items()})
        self._memories_met.begin_look()
        made: dict[int, Description | None] = {}
        known_as = self._memories_met.of(tensors.values(), made)
        held = {name: known_as[id(each)] for name, each in tensors.items()}
        self._unread |= {name: type(tensors[name]).__name__ for name, each in held.items() if each is None}
        self._account.have_now(
            (each.identity, each.nbytes)
            for each in known_as.values()
            if each is not None and each.library == "torch"  # tensorglass reports resized storages itself
        )
        states = {name: (id(tensors[name]), each.version) for name, each in held.items() if each is not None}
        self._looks += 1
        self._touched = {
            name: self._touched[name] if self._states.get(name) == state else self._looks
            for name, state in states.items()
        }
        self._states = states
        names = chosen(states, self._touched, self._looks)
        self._unshown = len({number for number, _ in states.values()} - {states[name][0] for name in names})
        shown = {name: tensors[name] for name in names}
        descriptions = {number: made.get(number) or described(each) for number, each in by_id(shown).items()}
        with unnumbered():
            seen = snapshot(shown, known=self._kept, read=lambda tensor: descriptions[id(tensor)])
        identities = _identities(seen, [descriptions[id(each)] for each in shown.values()])
        unseen = frozenset(states.keys() - shown.keys())
        passed_over: dict[Hashable, str] = {}
        for name, each in held.items():
            if each is not None and name in unseen:
                passed_over.setdefault(each.identity, name)
        objects = {name: id(each) for name, each in shown.items()}
        self._memories |= identities
        touched = frozenset(name for name, look in self._touched.items() if look == self._looks)
        made_by = {name: nodes.get(id(tensor)) for name, tensor in shown.items()}
        facts = {name: f"grad_fn {type(node).__name__}" for name, node in made_by.items() if node is not None}
        return View(seen, objects, identities, facts, unseen, passed_over, touched)

    def _memories_elsewhere(self, frames: list[FrameType]) -> dict[Hashable, str]:
        """The memories that any variable leads to, but for those of this look, each with the path to it."""
        others = other_tensors(frames, self._namespace, self._searched)
        tensors = with_gradients(others, {number: gradient_of(tensor) for number, tensor in by_id(others).items()})
        memories = self._memories_met.of(tensors.values())
        paths: dict[Hashable, str] = {}
        for path, tensor in tensors.items():
            memory = memories[id(tensor)]
            if memory is not None:
                paths.setdefault(memory.identity, path)
        return paths

    def _count_what_nobody_tells(self, now: View) -> None:
        """Count storages of libraries that report nothing, from the moment when a variable holds them."""
        for storage in now.snapshot.storages:
            libraries = now.libraries[storage.name]
            self._has_arrays |= not libraries <= ACCOUNTED
            if storage.name not in self._known and not libraries & ACCOUNTED:
                [identity, *_] = now.identities[storage.name]
                self._account.made(Birth(identity, storage.nbytes, partial(is_alive, storage.name)))
            self._known.add(storage.name)


def _identities(seen: Snapshot, descriptions: Iterable[Description]) -> dict[str, frozenset[Hashable]]:
    """The memories behind each storage of a snapshot of tensors with these `descriptions`."""
    identities: dict[str, set[Hashable]] = {}
    for header, description in zip(seen.headers, descriptions, strict=True):
        identities.setdefault(header.storage, set()).add(description.memory.identity)
    return {name: frozenset(identities_of_name) for name, identities_of_name in identities.items()}
