"""Where the memory of a training step goes: the bytes held, by role, and what the peak consists of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from glassroom.drawing.words import sized
from glassroom.inspectors.timeline.places import Where
from glassroom.inspectors.timeline.recorder import Recorder
from glassroom.reading.roles import GRADIENTS, OTHER, PARAMETERS, ROLES, TEMPORARIES
from glassroom.translations.templates import word

BEFORE = Where("there before the block", "")
OUTSIDE = "outside of modules"


@dataclass(frozen=True)
class Share:
    """A part of what was held at a peak: that of one role, or that of one line or module, by role."""

    label: str
    nbytes: int
    by_role: Mapping[str, int]


@dataclass(frozen=True)
class Bands:
    """The bytes on a device by role, before the first event and after each, and the parts of the peak, the largest
    first. Memory from before the block is included if variables led to it.
    """

    device: str
    levels: Mapping[str, tuple[int, ...]]
    by_line: tuple[Share, ...]
    by_module: tuple[Share, ...]
    scratch: int

    @cached_property
    def totals(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.levels.values(), strict=True)))

    @cached_property
    def peak_at(self) -> int:
        return self.totals.index(max(self.totals))

    @property
    def peak(self) -> int:
        return self.totals[self.peak_at]

    @property
    def is_of_training(self) -> bool:
        """Whether there were parameters or gradients; if not, a plain curve shows as much."""
        return not self.levels.keys().isdisjoint((PARAMETERS, GRADIENTS))

    @property
    def start(self) -> int:
        """The bytes that existed before the block and that variables led to."""
        return self.totals[0]

    def at(self, event: int) -> dict[str, int]:
        """The bytes by role after an event."""
        return {role: levels[event] for role, levels in self.levels.items()}


def bands_of(recorder: Recorder, wheres: Sequence[Where], devices: Sequence[str]) -> Iterator[Bands]:
    """The bands of each device."""
    ends = {event.birth: at for at, event in enumerate(recorder.events, 1) if event.kind == "freed"}
    roles = [role_of(recorder, number, ends.get(number)) for number in range(len(recorder.births))]
    for device in devices:
        standing = sorted(n for n in recorder.standing if recorder.births[n].device == device)  # the oldest first
        held = Counter({number: recorder.births[number].nbytes for number in standing})
        sums = Counter(dict.fromkeys(ROLES, 0))
        for number, nbytes in held.items():
            sums[roles[number]] += nbytes
        levels = {role: [sums[role]] for role in ROLES}
        total = peak = sums.total()
        peak_at = 0
        for at, event in enumerate(recorder.events, 1):
            if event.birth is not None and event.device == device:
                sums[roles[event.birth]] += event.change
                total += event.change
                if total > peak:
                    peak, peak_at = total, at
            for role, so_far in levels.items():
                so_far.append(sums[role])
        for event in recorder.events[:peak_at]:  # again: noting all that is held at each peak takes long
            if event.birth is not None and event.device == device:
                held[event.birth] += event.change
        parts = [
            (roles[n], recorder.module_of(n) or OUTSIDE, wheres[n], nbytes) for n, nbytes in held.items() if nbytes
        ]
        yield Bands(
            device,
            {role: tuple(so_far) for role, so_far in levels.items() if any(so_far)},
            _shares((str(where), role, nbytes) for role, _, where, nbytes in parts),
            _shares((module, role, nbytes) for role, module, _, nbytes in parts),
            sum(birth.nbytes for birth in recorder.births if birth.block is not None and birth.block.is_scratch),
        )


def _shares(parts: Iterable[tuple[str, str, int]]) -> tuple[Share, ...]:
    by_label: dict[str, Counter[str]] = {}
    for label, role, nbytes in parts:
        by_label.setdefault(label, Counter())[role] += nbytes
    shares = [Share(label, roles.total(), dict(roles)) for label, roles in by_label.items()]
    return tuple(sorted(shares, key=lambda share: -share.nbytes))


def role_of(recorder: Recorder, number: int, ended: int | None) -> str:
    """A storage's role; of several, the first in the order of ROLES counts."""
    birth = recorder.births[number]
    if birth.block is not None:
        return birth.block.role
    roles = recorder.roles.get(number, set())
    plain = OTHER if ended is None or birth.name is not None else TEMPORARIES
    return next((role for role in ROLES if role in roles), plain)


def listed_roles(by_role: Mapping[str, int]) -> str:
    """`parameters 180 KiB, activations 800 KiB`"""
    return word(", ").join(f"{role} {sized(nbytes)}" for role, nbytes in by_role.items() if nbytes)
