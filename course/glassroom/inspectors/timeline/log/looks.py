"""One look at a training step: its memory by role, the size of the graphs, and the storages that survive it.

Memory that a step has made and that is still there many steps later is a leak, whatever holds it. So a look remembers
the storages that survive its step, by weak references, and later looks ask which of them are still alive.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from types import FrameType
from typing import Any, NamedTuple

from glassroom.inspectors.timeline.bands import BEFORE, bands_of
from glassroom.inspectors.timeline.places import Places
from glassroom.inspectors.timeline.recorder import Birth, Recorder, stop_what_was_left
from glassroom.reading.adapters import adapter_for, described_if_there, key_of
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import Packed, grad_fn_of, gradient_of, inputs_of, saved_by
from glassroom.reading.places import tensors_at
from glassroom.reading.reach import held_nodes
from glassroom.reading.torch_operators import grad_mode, mend_grad_mode
from glassroom.reading.variables import ARROW, named_tensors

MOST_NODES = 20_000  # nodes of graphs that are searched for survivors
MOST_SURVIVORS = 256  # survivors of one step that are kept, the largest
MOST_NAMES = 16  # names whose nodes are counted in a look
NOBODY = ""  # the holder of storages that no variable leads to


@dataclass(frozen=True)
class OnDevice:
    """What a step held on one device: at its peak, by role, and at its end."""

    device: str
    peak: int
    held: int
    by_role: Mapping[str, int]


@dataclass(frozen=True)
class Look:
    """A step that was looked at. `nodes` counts the nodes of graphs by the list or variable that leads to them."""

    step: int
    devices: tuple[OnDevice, ...]
    nodes: Mapping[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Survivor:
    """A storage that a line has made within a step and that was there at its end. `key` identifies it while it
    lives."""

    line: str
    nbytes: int
    key: Callable[[], Hashable | None]


@dataclass(frozen=True)
class Seen:
    """What was found at the end of a look. `holders` maps the keys of storages to the variables that lead to them."""

    look: Look
    survivors: tuple[Survivor, ...]
    holders: Mapping[Hashable, str]


class _Held(NamedTuple):
    """A storage: the variable that leads to it, and a function that returns its address while it lives."""

    holder: str
    extent: Callable[[], tuple[int, int] | None]


class Looking:
    """Watches a step, from its own construction until `end` or `abandon`. `variables` are the program's."""

    def __init__(self, frame: FrameType, variables: Mapping[str, object]) -> None:
        stop_what_was_left(frame)
        self._mode = grad_mode()
        self._home = frame.f_code.co_filename
        self._recorder = Recorder(frame)
        try:
            self._recorder.start({}, variables)
        except BaseException:  # an interrupt: `end` will not be called
            self.abandon()
            raise

    def abandon(self, error: BaseException | None = None) -> None:
        """Stop watching; a step that has raised `error` is not recorded."""
        mend_grad_mode(self._mode, error)
        self._recorder.stop()

    def end(self, step: int, variables: Mapping[str, object]) -> Seen:
        """Stop watching and return what was seen."""
        was_collecting = gc.isenabled()
        try:
            gc.disable()  # this makes many small objects, and garbage collection among them would take longer
            self._recorder.stop(variables)
            places = Places(self._home)
            wheres = [
                BEFORE if birth.name is not None else places.where(birth.place) for birth in self._recorder.births
            ]
            devices = sorted({birth.device for birth in self._recorder.births})
            seen_devices = [
                OnDevice(bands.device, bands.peak, bands.totals[-1], bands.at(bands.peak_at))
                for bands in bands_of(self._recorder, wheres, devices)
                if bands.levels
            ]
            named = named_tensors(variables)
            look = Look(step, tuple(seen_devices), _nodes(named), tuple(self._recorder.notes))
            held = _storages(_held(named))
            survivors = self._survivors([str(where) for where in wheres], held)
            return Seen(look, tuple(survivors), {key: holding.holder for key, holding in held.items()})
        finally:
            if was_collecting:
                gc.enable()

    def _survivors(self, lines: list[str], held: Mapping[Hashable, _Held]) -> list[Survivor]:
        """The largest storages that were made within the step and are still there; `lines` are the lines of all
        births."""
        births = self._recorder.births
        ended = {event.birth for event in self._recorder.events if event.kind == "freed"}
        alive_births = [at for at, birth in enumerate(births) if birth.name is None and birth.place and at not in ended]
        alive_births = sorted(alive_births, key=lambda at: -births[at].nbytes)[:MOST_SURVIVORS]
        if any(births[at].block is not None and _key_of_block(births[at]) not in held for at in alive_births):
            held = {**_storages(_held_by_nobody(self._recorder.results())), **held}
        survivors = []
        for at in alive_births:
            birth = births[at]
            if birth.block is None and birth.reference is not None:
                survivors.append(Survivor(lines[at], birth.nbytes, partial(_key_of_ours, birth.reference)))
            elif _key_of_block(birth) in held:  # otherwise no tensor on it was found
                extent = held[_key_of_block(birth)].extent
                survivors.append(Survivor(lines[at], birth.nbytes, partial(_key_of_torch, extent)))
        return survivors


def _key_of_block(birth: Birth) -> Hashable:
    """The key of a storage of PyTorch."""
    return "torch", birth.block.address if birth.block is not None else 0


def _key_of_ours(reference: Callable[[], Any]) -> Hashable | None:
    storage = reference()
    return None if storage is None else key_of(storage)


def _key_of_torch(extent: Callable[[], tuple[int, int] | None]) -> Hashable | None:
    lies = extent()
    return None if lies is None else ("torch", lies[0])


def _storages(tensors: Iterable[tuple[str, Any]]) -> dict[Hashable, _Held]:
    """The storages of tensors, by their keys, each with its first holder."""
    by_key: dict[Hashable, _Held] = {}
    for holder, tensor in tensors:
        description = described_if_there(tensor)
        if description is not None:
            memory = description.memory
            key = ("torch", memory.start) if description.library == "torch" else memory.identity
            by_key.setdefault(key, _Held(holder, memory.extent))
    return by_key


def _held(tensors: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Tensors with the variables that lead to them: named ones, their gradients, and what their graphs have saved."""
    named = [(_holder(name), tensor) for name, tensor in tensors]
    named += [(holder, gradient) for holder, tensor in named if (gradient := gradient_of(tensor)) is not None]
    yield from named
    # A list's last tensors come first: they lead to what the step has made.
    yield from _saved((holder, node) for holder, tensor in reversed(named) if (node := grad_fn_of(tensor)) is not None)


def _held_by_nobody(results: list[Any]) -> Iterator[tuple[str, Any]]:
    """The `results` of a step's operators, and what the graphs behind them have saved. If no results are known, as in
    compiled code, all PyTorch tensors that the garbage collector knows.
    """
    kind = sys.modules["torch"].Tensor
    tensors = results or [object_ for object_ in gc.get_objects() if issubclass(type(object_), kind)]
    yield from ((NOBODY, tensor) for tensor in tensors)
    yield from _saved((NOBODY, node) for tensor in tensors if (node := grad_fn_of(tensor)) is not None)


def _saved(roots: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """What graphs have saved, searched from their `roots`, which come with holders: at most MOST_NODES nodes, the
    nearest first."""
    of_kind: dict[type, list[str]] = {}
    seen: dict[int, Any] = {}  # by id; holding them keeps the ids unique
    waiting = deque(roots)
    while waiting and len(seen) < MOST_NODES:
        holder, node = waiting.popleft()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        for _, value in saved_by(node, of_kind):
            if is_a(value, Packed):
                yield from ((holder, tensor) for _, tensor in tensors_at([("", value.content)]))
            elif adapter_for(value) is not None:
                yield holder, value
        waiting += [(holder, input) for input in inputs_of(node) if input is not None]


def _nodes(named: Iterable[tuple[str, Any]]) -> dict[str, int]:
    """The number of nodes that each holder leads to, the largest first. A node that several lead to is counted for the
    first."""
    counts: Counter[str] = Counter(_holder(words) for words, _ in held_nodes(named, inf))
    return dict(counts.most_common(MOST_NAMES))


def _holder(path: str) -> str:
    """The list or dict that a path goes through: `trainer.history` for `trainer.history[3]['loss']`."""
    ends = [at for at in (path.find(mark) for mark in ("[", ":", ARROW)) if at > 0]
    return path[: min(ends)] if ends else path
