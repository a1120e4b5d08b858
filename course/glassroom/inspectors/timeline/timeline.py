"""A memory timeline as plain data: how many bytes each device held after each event, and how long each storage lived.

Time is the order of events. The same block of code has the same timeline on every machine and every day, so that two
people can speak of "event 5".
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from glassroom.drawing.words import duration, short
from glassroom.inspectors.timeline.bands import BEFORE, Bands, bands_of, role_of
from glassroom.inspectors.timeline.places import Places, Where
from glassroom.inspectors.timeline.pools import Pool
from glassroom.inspectors.timeline.recorder import Birth, Recorder
from glassroom.reading.adapters import declared, key_of, library_of
from glassroom.reading.nodes import gradient_of
from glassroom.reading.reach import saved_in_graphs
from glassroom.reading.roles import OTHER
from glassroom.reading.storage_names import of_tensorglass
from glassroom.reading.torch_operators import address_of
from glassroom.reading.variables import ARROW, named_tensors
from tensorglass.transfers import Transfer

NOBODY = "and no variable holds it"
MOST_ROWS = 24  # so many lines of storages are drawn, those that allocate most
MANY = 4  # so many alike share a line
LEFT_OUT = "memory that NumPy takes and frees within an operator is not counted"


@dataclass(frozen=True)
class Step:
    """One event; `name` is that of its storage, and `held` the bytes on its device after it, above the start.

    `time` is the simulated device's, in seconds from the start; `route` where a transfer went; `operator` what copied,
    where PyTorch did.
    """

    kind: str
    name: str
    nbytes: int
    device: str
    where: Where
    held: int
    time: float | None
    route: str | None
    operator: str = ""


@dataclass(frozen=True)
class Life:
    """One storage, from the event that made it, 0 if it was there before, to the one that freed it, None if it lives.

    `fate` says what became of it: when it ended, or who holds it. `role` is what it was for, and `module` the path of
    the module that it was made in, or belongs to.
    """

    name: str
    device: str
    nbytes: int
    born: int
    ended: int | None
    where: Where
    fate: str
    role: str = OTHER
    module: str = ""

    @property
    def is_unheld(self) -> bool:
        """Whether it lives on though no variable leads to it: in something that was not looked into."""
        return self.fate.endswith(NOBODY)

    @property
    def is_saved(self) -> bool:
        """Whether it lives on in a graph alone."""
        return ARROW in self.fate


@dataclass(frozen=True)
class Row:
    """What is drawn in one line: one storage, or many of one size that the same line of code made and that are gone."""

    lives: tuple[Life, ...]

    @property
    def name(self) -> str:
        return self.lives[0].name if len(self.lives) == 1 else f"{self.lives[0].name}…{self.lives[-1].name}"

    @property
    def amount(self) -> str:
        """Bytes, as `4,000 B` or `10 × 39.1 KiB`."""
        once = short(self.lives[0].nbytes)
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


def _notes(recorder: Recorder) -> tuple[str, ...]:
    """What is said beneath a timeline: of what it does not tell."""
    is_of_ours = any(birth.block is None and birth.name is None for birth in recorder.births)
    return (*recorder.notes, *([LEFT_OUT] if is_of_ours else []))


@dataclass(frozen=True)
class Timeline:
    """What happened in a block of code. Events are numbered from 1."""

    steps: tuple[Step, ...]
    lives: tuple[Life, ...]
    curves: tuple[Curve, ...]
    pools: tuple[PoolMoment, ...]
    bands: tuple[Bands, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_of_training(self) -> bool:
        """Whether the bands are drawn."""
        return any(bands.is_of_training for bands in self.bands)

    @cached_property
    def rows(self) -> list[Row]:
        """The lines that are drawn, in the order of birth: the living first, then those that allocate most."""
        alike: dict[object, list[Life]] = {}
        for life in self.lives:
            alike.setdefault((life.device, life.nbytes, life.where) if life.ended else life.born, []).append(life)
        rows = []
        for lives in alike.values():
            rows += [Row(tuple(lives))] if len(lives) >= MANY else [Row((life,)) for life in lives]
        living_first = not self.is_of_training
        rows.sort(
            key=lambda row: (
                living_first and not row.is_alive,
                -sum(life.nbytes for life in row.lives),
                row.lives[0].born,
            )
        )
        return sorted(rows[: MOST_ROWS // 2 if self.is_of_training else MOST_ROWS], key=lambda row: row.lives[0].born)

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
    places = Places(home)
    known = _lives(recorder, holders_of(variables), _saved_by_graphs(variables), places)
    steps, curves = _steps_and_curves(recorder, known, places)
    lives = [life for life in known if life is not None and (life.born or life.ended)]
    bands = tuple(
        bands_of(recorder, [BEFORE if life is None else life.where for life in known], [c.device for c in curves])
    )
    return Timeline(steps, tuple(lives), curves, tuple(_pools(recorder, known)), bands, _notes(recorder))


def _lives(
    recorder: Recorder, holders: Mapping[Hashable, list[str]], graphs: Mapping[Hashable, list[str]], places: Places
) -> list[Life | None]:
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
        role, module = role_of(recorder, number, ended), recorder.module_of(number)
        if ended is None and birth.block is not None:
            key = ("torch", birth.block.address)
            names = holders.get(key, [])
            temporaries += not names
            name, fate = names[0] if names else f"t{temporaries}", _held_by(names or graphs.get(key, []))
        elif ended is None:
            name, fate = _name_and_fate(birth, holders, graphs, number in named)
        elif birth.name is None:
            temporaries += 1
            name, fate = f"t{temporaries}", f"freed at event {ended:,}"
        else:
            older += not birth.name
            name, fate = birth.name or f"before{older}", f"freed at event {ended:,}"
        fate = f"NumPy's memory, {fate}" if birth.is_borrowed else fate
        lives.append(Life(name, birth.device, sizes[number], born.get(number, 0), ended, where, fate, role, module))
    return lives


def _steps_and_curves(
    recorder: Recorder, lives: list[Life | None], places: Places
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
        if event.is_after:
            place = Where(f"after {place.label}", place.source)
        time = None if event.time is None else event.time - recorder.start_time
        name = "" if life is None else life.name
        steps.append(Step(event.kind, name, event.nbytes, event.device, place, held, time, route, event.operator))
    return tuple(steps), tuple([Curve(device, tuple(so_far)) for device, so_far in levels.items()])


def _host_first(device: str) -> tuple[bool, str]:
    return device != "cpu", device


def route_of(transfer: Transfer) -> str:
    """Where a transfer went and how long it took: `cpu → sim:0, 10.7 µs simulated`."""
    return f"{transfer.source} → {transfer.target}, {duration(transfer.seconds, transfer.is_simulated)}"


def _name_and_fate(
    birth: Birth, holders: Mapping[Hashable, list[str]], graphs: Mapping[Hashable, list[str]], is_named: bool
) -> tuple[str, str]:
    storage = None if birth.reference is None else birth.reference()
    if storage is None:
        return "?", "freed later"
    key = key_of(storage)
    names = holders.get(key, [])
    fate = _held_by(names or graphs.get(key, []))
    own = of_tensorglass(storage) if is_named else "a storage"
    if not names:
        return own, fate
    return f"{names[0]} ({own})" if is_named else names[0], fate


def _held_by(names: Sequence[str]) -> str:
    return f"alive, held by {', '.join(names[:4])}{', …' if len(names) > 4 else ''}" if names else f"alive, {NOBODY}"


def holders_of(variables: Mapping[str, object]) -> dict[Hashable, list[str]]:
    """Which variables hold which storage, by the key of its memory: directly, in lists and dicts, and as gradients."""
    found: dict[Hashable, list[str]] = {}
    for name, tensor in sorted(named_tensors(variables), key=lambda named: named[0].startswith("Out[")):
        for leaf, held in ((name, tensor), (f"{name}.grad", gradient_of(tensor))):
            key = None if held is None else _key_of(held)
            names = [] if key is None else found.setdefault(key, [])
            if leaf not in names:
                names.append(leaf)
    return found


def _saved_by_graphs(variables: Mapping[str, object]) -> dict[Hashable, list[str]]:
    """By which graphs storages are kept, by the key of their memory: `losses[0] → PowBackward0.self`."""
    found: dict[Hashable, list[str]] = {}
    for words, tensor, _ in saved_in_graphs(named_tensors(variables)):
        key = _key_of(tensor)
        if key is not None:
            found.setdefault(key, []).append(words)
    return found


def _key_of(tensor: Any) -> Hashable | None:
    """What identifies the memory of a tensor of tensorglass or PyTorch; None where there is none, and for arrays."""
    library = library_of(tensor)
    if library == "tensorglass":
        return key_of(declared(tensor).untyped_storage())
    address = address_of(tensor) if library == "torch" else 0
    return ("torch", address) if address else None


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
