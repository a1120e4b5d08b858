"""A memory timeline as plain data: how many bytes each device held after each event, and how long each storage lived.

Time is the order of events. The same block of code has the same timeline on every machine and every day, so that two
people can speak of "event 5".
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import tensorglass
from glassroom.drawing.words import duration
from glassroom.inspectors.timeline.pools import Pool
from glassroom.inspectors.timeline.recorder import Place, Recorder
from glassroom.reading.adapters import described, key_of
from glassroom.reading.variables import named_tensors
from glassroom.records.printable import printable
from tensorglass import memory
from tensorglass.transfers import Transfer

NOBODY = "and no variable holds it"
MOST_ROWS = 24  # so many lines of storages are drawn, those that allocate most
MANY = 4  # so many alike share a line


@dataclass(frozen=True)
class Where:
    """A line of code as people speak of it, "line 3" or "prepare(), line 6", and its source."""

    label: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}: {self.source}" if self.source else self.label


BEFORE = Where("there before the block", "")


@dataclass(frozen=True)
class Step:
    """One event; `name` is that of its storage, and `held` the bytes on its device after it, above the start.

    `time` is the simulated device's, in seconds from the start; `route` where a transfer went.
    """

    kind: str
    name: str
    nbytes: int
    device: str
    where: Where
    held: int
    time: float | None
    route: str | None


@dataclass(frozen=True)
class Life:
    """One storage, from the event that made it, 0 if it was there before, to the one that freed it, None if it lives.

    `fate` says what became of it: when it ended, or who holds it.
    """

    name: str
    device: str
    nbytes: int
    born: int
    ended: int | None
    where: Where
    fate: str

    @property
    def is_unheld(self) -> bool:
        """Whether it lives on though no variable holds it: in a graph, or in something that was not looked into."""
        return self.fate.endswith(NOBODY)


@dataclass(frozen=True)
class Row:
    """What is drawn in one line: one storage, or many of one size that the same line of code made and that are gone."""

    lives: tuple[Life, ...]

    @property
    def name(self) -> str:
        return self.lives[0].name if len(self.lives) == 1 else f"{self.lives[0].name}…{self.lives[-1].name}"

    @property
    def amount(self) -> str:
        """Bytes, as `4,000` or `10 × 4,000`."""
        once = f"{self.lives[0].nbytes:,}"
        return once if len(self.lives) == 1 else f"{len(self.lives):,} × {once}"

    @property
    def is_alive(self) -> bool:
        return self.lives[0].ended is None

    def spans(self, last: int) -> list[tuple[int, int]]:
        """From which event to which at least one of them lives; `last` is the last event."""
        spans: list[tuple[int, int]] = []
        for life in self.lives:
            begin, end = life.born, last if life.ended is None else max(life.ended - 1, life.born)
            if spans and begin <= spans[-1][1] + 1:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((begin, end))
        return spans


@dataclass(frozen=True)
class Curve:
    """The bytes on one device before the first event and after each; `peak_at` is the event of the peak, 0 for none."""

    device: str
    levels: tuple[int, ...]

    @cached_property
    def peak_at(self) -> int:
        return self.levels.index(max(self.levels))

    @property
    def peak(self) -> int:
        return self.levels[self.peak_at]

    @property
    def kept(self) -> int:
        return self.levels[-1]


@dataclass(frozen=True)
class PoolMoment:
    """A device's pool after an event; `names` are those of the storages in its blocks, by address."""

    device: str
    event: int
    pool: Pool
    names: Mapping[int, str]


@dataclass(frozen=True)
class Timeline:
    """What happened in a block of code. Events are numbered from 1."""

    steps: tuple[Step, ...]
    lives: tuple[Life, ...]
    curves: tuple[Curve, ...]
    pools: tuple[PoolMoment, ...]
    missed: int

    @cached_property
    def rows(self) -> list[Row]:
        """The lines that are drawn, in the order of birth: the living first, then those that allocate most."""
        alike: dict[object, list[Life]] = {}
        for life in self.lives:
            alike.setdefault((life.device, life.nbytes, life.where) if life.ended else life.born, []).append(life)
        rows = []
        for lives in alike.values():
            rows += [Row(tuple(lives))] if len(lives) >= MANY else [Row((life,)) for life in lives]
        rows.sort(key=lambda row: (not row.is_alive, -sum(life.nbytes for life in row.lives), row.lives[0].born))
        return sorted(rows[:MOST_ROWS], key=lambda row: row.lives[0].born)

    def pool_at(self, device: str, event: int) -> PoolMoment | None:
        """The device's pool after an event, if it was kept."""
        found = [each for each in self.pools if each.device == device and each.event <= event]
        if not found:
            return None
        last = found[-1]
        gone = {life.ended for life in self.lives if life.ended is not None and last.event < life.ended <= event}
        freed = {address for address, at in self._ends(last).items() if at in gone}
        names = {address: name for address, name in last.names.items() if address not in freed}
        return PoolMoment(device, event, last.pool.without(freed), names)

    def _ends(self, moment: PoolMoment) -> dict[int, int]:
        ends = {life.name: life.ended for life in self.lives if life.ended is not None}
        return {address: ends[name] for address, name in moment.names.items() if name in ends}


def timeline_of(recorder: Recorder, home: str, variables: Mapping[str, object]) -> Timeline:
    """The timeline of what was recorded. `home` is the file of the block, whose lines need no other name."""
    places = _Places(home)
    known = _lives(recorder, holders_of(variables), places)
    steps, curves = _steps_and_curves(recorder, known, places)
    lives = [life for life in known if life is not None and (life.born or life.ended)]
    return Timeline(steps, tuple(lives), curves, tuple(_pools(recorder, known)), recorder.missed)


def _lives(recorder: Recorder, holders: Mapping[Hashable, list[str]], places: _Places) -> list[Life | None]:
    """The life of each storage that was seen; None for those from before the block that nothing happened to."""
    ends: dict[int | None, int] = {}
    born: dict[int | None, int] = {}
    sizes: dict[int | None, int] = {number: birth.nbytes for number, birth in enumerate(recorder.births)}
    for at, event in enumerate(recorder.events, 1):
        if event.kind == "freed":
            ends[event.birth] = at
        elif event.birth is not None:
            born.setdefault(event.birth, at if event.kind == "made" else 0)
            sizes[event.birth] = max(event.nbytes, sizes[event.birth])
    living = [n for n, birth in enumerate(recorder.births) if n not in ends and (birth.name is None or birth.address)]
    # Nobody wants S0 to S999 given to what is not drawn.
    named = set(sorted(living, key=lambda n: -sizes[n])[:MOST_ROWS])
    lives: list[Life | None] = []
    temporaries = older = 0
    for number, birth in enumerate(recorder.births):
        ended = ends.get(number)
        where = places.where(birth.place) if birth.name is None else BEFORE
        if ended is None and birth.name is not None and not birth.address:
            lives.append(None)
            continue
        if ended is None:
            name, fate = _name_and_fate(birth.reference(), holders, number in named)
        elif birth.name is None:
            temporaries += 1
            name, fate = f"t{temporaries}", f"freed at event {ended:,}"
        else:
            older += not birth.name
            name, fate = birth.name or f"before{older}", f"freed at event {ended:,}"
        fate = f"NumPy's memory, {fate}" if birth.is_borrowed else fate
        lives.append(Life(name, birth.device, sizes[number], born.get(number, 0), ended, where, fate))
    return lives


def _steps_and_curves(
    recorder: Recorder, lives: list[Life | None], places: _Places
) -> tuple[tuple[Step, ...], tuple[Curve, ...]]:
    events = recorder.events
    devices = sorted({event.device for event in events if event.device}, key=_host_first) or ["cpu"]
    levels: dict[str, list[int]] = {device: [0] for device in devices}
    steps = []
    for event in events:
        for device, so_far in levels.items():
            so_far.append(so_far[-1] + (event.change if device == event.device else 0))
        life = None if event.birth is None else lives[event.birth]
        held = levels[event.device][-1] if event.device else 0
        route = None if event.transfer is None else route_of(event.transfer)
        place = places.where(event.place)
        time = None if event.time is None else event.time - recorder.start_time
        name = "" if life is None else life.name
        steps.append(Step(event.kind, name, event.nbytes, event.device, place, held, time, route))
    return tuple(steps), tuple([Curve(device, tuple(so_far)) for device, so_far in levels.items()])


def _host_first(device: str) -> tuple[bool, str]:
    return device != "cpu", device


def route_of(transfer: Transfer) -> str:
    """Where a transfer went and how long it took: `cpu → sim:0, 10.7 µs simulated`."""
    return f"{transfer.source} → {transfer.target}, {duration(transfer.seconds, transfer.is_simulated)}"


def _name_and_fate(storage: Any, holders: Mapping[Hashable, list[str]], is_named: bool) -> tuple[str, str]:
    if storage is None:  # its end was one event too many
        return "?", "freed later"
    names = holders.get(key_of(storage), [])
    own = memory.name_of(storage) if is_named else "a storage"
    if not names:
        return own, f"alive, {NOBODY}"
    name = f"{names[0]} ({own})" if is_named else names[0]
    return name, f"alive, held by {', '.join(names[:4])}{', …' if len(names) > 4 else ''}"


def holders_of(variables: Mapping[str, object]) -> dict[Hashable, list[str]]:
    """Which variables hold which storage, by the key of its memory: directly, in lists and dicts, and as gradients."""
    found: dict[Hashable, list[str]] = {}
    for name, tensor in sorted(named_tensors(variables), key=lambda named: named[0].startswith("Out[")):
        if isinstance(tensor, tensorglass.Tensor):
            gradient = tensor.grad if tensor.is_leaf else None
            for leaf, held in ((name, tensor), (f"{name}.grad", gradient)):
                names = [] if held is None else found.setdefault(described(held).memory.identity, [])
                if leaf not in names:
                    names.append(leaf)
    return found


def _pools(recorder: Recorder, lives: list[Life | None]) -> list[PoolMoment]:
    moments = [(event.device, at, event.pool) for at, event in enumerate(recorder.events, 1) if event.pool is not None]
    moments += [(device, len(recorder.events), pool) for device, pool in recorder.last_pools.items()]
    placed = [(birth, life) for birth, life in zip(recorder.births, lives, strict=True) if birth.address and life]
    found = []
    for device, at, pool in moments:
        names = {}
        for birth, life in placed:
            if life.born > at:
                break
            if birth.address and birth.device == device and (life.ended is None or life.ended > at):
                names[birth.address] = life.name
        found.append(PoolMoment(device, at, pool, names))
    return found


class _Places:
    """Lines of code, as they are called in a picture."""

    def __init__(self, home: str) -> None:
        self.home = home
        self._known: dict[Place | None, Where] = {None: Where("somewhere", "")}

    def where(self, place: Place | None) -> Where:
        """What a line is called."""
        if place not in self._known:
            assert place is not None
            source = linecache.getline(place.file, place.line).strip()
            self._known[place] = Where(f"{self._home_of(place)}line {place.line}", source)
        return self._known[place]

    def _home_of(self, place: Place) -> str:
        if place.file == self.home:
            return ""
        ipython = sys.modules.get("IPython")
        shell = None if ipython is None else ipython.get_ipython()
        if shell is None or shell.compile.format_code_name(place.file) is None:
            return f"{printable(Path(place.file).name)} "
        # A cell is not called by its number, In[3]: that is another one whenever it is run again.
        return "another cell, " if place.function.startswith("<") else f"{place.function}(), "
