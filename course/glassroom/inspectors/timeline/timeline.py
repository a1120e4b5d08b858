"""A memory timeline as plain data: how many bytes each device held after each event, and how long each storage lived.

Time is the order of events. The same block of code has the same timeline on every machine, so two people can both speak
of "event 5".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import NamedTuple

from glassroom.drawing.words import duration, short
from glassroom.inspectors.timeline.bands import BEFORE, Bands, bands_of, role_of
from glassroom.inspectors.timeline.failure import told, trace_of, wanted_by
from glassroom.inspectors.timeline.held import UNREAD, held_elsewhere, holders_of, saved_by_graphs
from glassroom.inspectors.timeline.places import Places, Where
from glassroom.inspectors.timeline.pools import Pool
from glassroom.inspectors.timeline.recorder import Birth, Recorder
from glassroom.reading.adapters import key_of
from glassroom.reading.referrers import MOST_LOOKED_AT
from glassroom.reading.roles import OTHER
from glassroom.reading.storage_names import of_tensorglass
from glassroom.reading.torch_operators import caches_casts
from glassroom.reading.variables import ARROW
from glassroom.translations.templates import word
from tensorglass.transfers import Transfer

NOBODY = "its holder is unknown"
MOST_ROWS = 24  # rows of storages drawn, those that allocate the most
MANY = 4  # equal storages from which on they share a row
LEFT_OUT = "memory that NumPy takes and frees within an operator is not counted"


class Step(NamedTuple):
    """One event; `name` is that of its storage, and `held` the bytes on its device after it, above the start.

    `time` is the simulated device's, in seconds from the start; `route` is where a transfer went; `operator` is the one
    that copied, if PyTorch did.
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


class Life(NamedTuple):
    """One storage, from the event that made it, 0 if it was there before, to the one that freed it, None if it lives.

    `fate` says when it was freed, or who holds it. `role` is what it was for, and `module` the path of
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
        """Whether it lives on though nothing was found that holds it."""
        return NOBODY in self.fate

    @property
    def is_saved(self) -> bool:
        """Whether only a graph keeps it alive."""
        return ARROW in self.fate


@dataclass(frozen=True)
class Row:
    """What one row shows: one storage, or many of one size that the same line of code made and that are freed."""

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
    """The notes beneath a timeline: what it does not show."""
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
    of_failure: int = 0  #: the number of notes, from the first, about a failed allocation

    @property
    def is_of_training(self) -> bool:
        """Whether the bands are drawn."""
        return any(bands.is_of_training for bands in self.bands)

    @cached_property
    def rows(self) -> list[Row]:
        """The rows to draw, in the order of birth; if there are too many, those that allocate the most are kept, and
        without bands living storages before all others."""
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
        moments = [moment for moment in self.pools if moment.device == device and moment.event <= event]
        if not moments:
            return None
        last = moments[-1]
        gone = {life.ended for life in self.lives if life.ended is not None and last.event < life.ended <= event}
        freed = {address for address, at in self._ends(last).items() if at in gone}
        names = {address: name for address, name in last.names.items() if address not in freed}
        return PoolMoment(device, event, last.pool.without(freed), names)

    def _ends(self, moment: PoolMoment) -> dict[int, int]:
        ends = {life.name: life.ended for life in self.lives if life.ended is not None}
        return {address: ends[name] for address, name in moment.names.items() if name in ends}


def timeline_of(
    recorder: Recorder, frame: FrameType, variables: Mapping[str, object], error: BaseException | None = None
) -> Timeline:
    """The timeline of what was recorded in a block of the code of `frame`, whose lines are shown without a file name;
    `error` is what the block has raised.
    """
    places = Places(frame.f_code.co_filename)
    holders, graphs = holders_of(variables), saved_by_graphs(variables)
    lost = _keys_of_living(recorder) - {*holders, *graphs}
    elsewhere = held_elsewhere(lost, variables, frame)
    known = _lives(recorder, holders, {**graphs, **elsewhere.holders}, places, _unknown(elsewhere.is_all))
    steps, curves = _steps_and_curves(recorder, known, places)
    lives = [life for life in known if life is not None and (life.born or life.ended)]
    bands = tuple(
        bands_of(recorder, [BEFORE if life is None else life.where for life in known], [c.device for c in curves])
    )
    failed = [] if error is None else _failed(recorder, error, known, bands, places)
    notes = (*failed, *_notes(recorder))
    return Timeline(steps, tuple(lives), curves, tuple(_pools(recorder, known)), bands, notes, len(failed))


def _failed(
    recorder: Recorder, error: BaseException, known: Iterable[Life | None], bands: Iterable[Bands], places: Places
) -> list[str]:
    """The notes on a failed allocation; none for another error."""
    wanted = wanted_by(error)
    if wanted is None:
        return []
    trace = trace_of(error)
    at = recorder.before_the_end_of(error, {place[:2] for place in trace})
    living = [
        life for life in known if life is not None and life.born <= at and (life.ended is None or life.ended > at)
    ]
    fates = ["freed since" if life.ended is not None else life.fate for life in living]
    holders = [
        (life.nbytes, f"{life.name}: {fate}; made by {life.where}") for life, fate in zip(living, fates, strict=True)
    ]
    held = [(band.device, band.at(at)) for band in bands if band.is_of_training]
    return told(wanted, places.where(trace[-1] if trace else None), holders, held)


def _lives(
    recorder: Recorder,
    holders: Mapping[Hashable, list[str]],
    graphs: Mapping[Hashable, list[str]],
    places: Places,
    unknown: str,
) -> list[Life | None]:
    """The life of each storage that was seen; None for one from before the block that no event concerns. `unknown` are
    the words for a holder that was not found.
    """
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
    # Storages that are not drawn get no name, so the names of those that are stay short.
    named = set(sorted(living, key=lambda n: -sizes[n])[:MOST_ROWS])
    lives: list[Life | None] = []
    temporaries = older = 0
    for unread in holders.get(UNREAD, ())[:1]:
        unknown = f"{NOBODY}: the memory of {unread} cannot be looked at"
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
            name, fate = names[0] if names else f"t{temporaries}", _held_by(names or graphs.get(key, []), unknown)
        elif ended is None:
            name, fate = _name_and_fate(birth, holders, graphs, number in named, unknown)
        elif birth.name is None:
            temporaries += 1
            name, fate = f"t{temporaries}", f"freed at event {ended:,}"
        else:
            older += not birth.name
            name, fate = birth.name or word(f"before{older}"), f"freed at event {ended:,}"
        fate = f"NumPy's memory, {fate}" if birth.is_borrowed else fate
        lives.append(Life(name, birth.device, sizes[number], born.get(number, 0), ended, where, fate, role, module))
    return lives


def _keys_of_living(recorder: Recorder) -> set[Hashable]:
    """The keys of the storages that the block has made and that live at its end."""
    ended = {event.birth for event in recorder.events if event.kind == "freed"}
    keys: set[Hashable] = set()
    for number, birth in enumerate(recorder.births):
        if birth.name is not None or number in ended:
            continue
        if birth.block is not None:
            keys.add(("torch", birth.block.address))
        else:
            storage = None if birth.reference is None else birth.reference()
            keys |= set() if storage is None else {key_of(storage)}
    return keys


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
    birth: Birth,
    holders: Mapping[Hashable, list[str]],
    graphs: Mapping[Hashable, list[str]],
    is_named: bool,
    unknown: str,
) -> tuple[str, str]:
    storage = None if birth.reference is None else birth.reference()
    if storage is None:
        return "?", "freed later"
    key = key_of(storage)
    names = holders.get(key, [])
    fate = _held_by(names or graphs.get(key, []), unknown)
    own = of_tensorglass(storage) if is_named else word("a storage")
    if not names:
        return own, fate
    return f"{names[0]} ({own})" if is_named else names[0], fate


def _held_by(names: Sequence[str], unknown: str) -> str:
    if not names:
        return f"alive, {unknown}"
    return f"alive, held by {word(', ').join([*names[:4], *['…'] * (len(names) > 4)])}"


def _unknown(is_all: bool) -> str:
    """The words for a holder that was not found; `is_all` says that the search was complete."""
    if not is_all:
        return f"{NOBODY}: the search ended after {MOST_LOOKED_AT:,} objects"
    return f"{NOBODY}, perhaps the cache of autocast, which is on" if caches_casts() else NOBODY


def _pools(recorder: Recorder, lives: list[Life | None]) -> list[PoolMoment]:
    moments = [(event.device, at, event.pool) for at, event in enumerate(recorder.events, 1) if event.pool is not None]
    moments += [(device, len(recorder.events), pool) for device, pool in recorder.last_pools.items()]
    placed = [(birth, life) for birth, life in zip(recorder.births, lives, strict=True) if birth.address and life]
    shown = []
    for device, at, pool in moments:
        names = {}
        for birth, life in placed:
            if life.born > at:
                break
            if birth.address and birth.device == device and (life.ended is None or life.ended > at):
                names[birth.address] = life.name
        shown.append(PoolMoment(device, at, pool, names))
    return shown
