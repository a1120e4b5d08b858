"""The sentences of a memory timeline, which its text, its picture and its live form share."""

from __future__ import annotations

from glassroom.drawing.words import amounts, counted, sized
from glassroom.inspectors.timeline.bands import Bands, Share, listed_roles
from glassroom.inspectors.timeline.pools import Pool
from glassroom.inspectors.timeline.timeline import Curve, PoolMoment, Row, Step, Timeline
from glassroom.translations.templates import word

NOTHING = "no storage was made, freed or copied"


def summary(timeline: Timeline) -> str:
    """The timeline in one sentence."""
    if not timeline.steps:
        return f"Memory timeline: {NOTHING}."
    peaks = [f"{curve.device}{word(': ')}{peak_on(timeline, curve)}" for curve in timeline.curves]
    return f"Memory timeline: {word('; ').join([totals(timeline), *peaks])}."


def totals(timeline: Timeline) -> str:
    """The totals of the timeline."""
    freed = sum(life.ended is not None for life in timeline.lives)
    facts = [
        counted(len(timeline.steps), "event"),
        f"{counted(sum(life.born > 0 for life in timeline.lives), 'storage')} made, {freed:,} freed",
    ]
    for kind, one, many in (("copied", word("copy"), word("copies")), ("moved", word("transfer"), word("transfers"))):
        nbytes = [step.nbytes for step in timeline.steps if step.kind == kind]
        if nbytes:
            facts.append(amounts(counted(len(nbytes), one, many), len(nbytes), sum(nbytes)))
    return " · ".join(facts)


def peak(curve: Curve) -> str:
    """The peak of a device."""
    if not curve.peak_at:
        return "never above the start"
    return f"peak {sized(curve.peak)} at event {curve.peak_at:,}"


def peak_on(timeline: Timeline, curve: Curve) -> str:
    """The peak of a device, including what was there before, if that is known."""
    bands = bands_on(timeline, curve)
    return peak(curve) if bands is None else peak_of(bands)


def bands_on(timeline: Timeline, curve: Curve) -> Bands | None:
    """The bands of a device, if they are drawn."""
    return next((bands for bands in timeline.bands if bands.device == curve.device and bands.is_of_training), None)


def peak_of(bands: Bands) -> str:
    """The peak, and how much of it was added to what was there before."""
    above = sized(bands.peak - bands.start)
    return f"peak {sized(bands.peak)} at event {bands.peak_at:,}, {above} above the start"


def share_words(share: Share) -> str:
    """What one line or module holds at the peak."""
    return f"{share.label} holds {sized(share.nbytes)} at the peak: {listed_roles(share.by_role)}"


def scratch(bands: Bands) -> str | None:
    """The scratch memory of kernels, if PyTorch's profiler reported any."""
    if not bands.scratch:
        return None
    return f"kernels' scratch memory is counted while it is held: {sized(bands.scratch)} in all, over the whole block"


def kept(curve: Curve) -> str:
    """What the block leaves behind."""
    if curve.kept < 0:
        return f"{sized(-curve.kept)} fewer at the end"
    return f"{sized(curve.kept)} kept at the end"


def simulated_time(timeline: Timeline) -> str | None:
    """The time of the simulated devices, if one was in use."""
    times = [step.time for step in timeline.steps if step.time is not None]
    return None if not times else f"simulated time: {times[-1] * 1e6:,.1f} µs, by the cost model"


def left_out(timeline: Timeline) -> str | None:
    """A sentence about the storages that are not drawn."""
    drawn = [life for row in timeline.rows for life in row.lives]
    count = len(timeline.lives) - len(drawn)
    nbytes = sum(life.nbytes for life in timeline.lives) - sum(life.nbytes for life in drawn)
    return f"and {counted(count, 'more storage')} of {sized(nbytes)} in all" if count else None


def sentence(step: Step) -> str:
    """What happened at an event."""
    amount = sized(step.nbytes)
    if step.kind == "made":
        return f"{step.name} is made: {amount} on {step.device}"
    if step.kind == "freed":
        return f"{step.name} is freed: {amount} on {step.device}"
    if step.kind == "resized":
        return f"{step.name or 'a storage from before the block'} is resized to {amount}"
    if step.kind == "copied":
        return f"{amount} are copied"
    return f"{amount} move: {step.route}"


def lines_of(timeline: Timeline, step: Step, number: int) -> list[str]:
    """An event in a few lines."""
    lines = [f"{number:,}. {sentence(step)}", str(step.where)]
    if step.kind in ("made", "freed", "resized"):
        lines.append(f"held on {step.device}: {sized(step.held)} above the start")
    lines += [
        listed_roles(bands.at(number))
        for bands in timeline.bands
        if bands.device == step.device and bands.is_of_training
    ]
    if step.time is not None:
        lines.append(f"simulated time: {step.time * 1e6:,.1f} µs")
    return lines


def said(row: Row) -> str:
    """The storages of a row in one sentence."""
    first, last = row.lives[0], row.lives[-1]
    if not first.born:
        origin = f"{first.where}; {first.fate}" if first is last else f"{first.where}; all of them are freed"
    elif first is last:
        origin = f"made at event {first.born:,} by {first.where}; {first.fate}"
    else:
        origin = f"made from event {first.born:,} to {last.born:,} by {first.where}; all of them are freed"
    return f"{row.name}: {row.amount} on {first.device}, {origin}"


def made_by(row: Row) -> str:
    """The line that made a storage; before it, a remark if the storage lives and its holder is unknown."""
    life = row.lives[0]
    held = "holder unknown · " if life.is_unheld else "saved by a graph · " if life.is_saved else ""
    return f"{held}{life.where}"


def pools_shown(timeline: Timeline, curve: Curve) -> list[tuple[str, PoolMoment]]:
    """The device's pool at the peak and at the end, each with its title; once if they are the same."""
    end = timeline.pool_at(curve.device, len(timeline.steps))
    peak = timeline.pool_at(curve.device, curve.peak_at)
    if end is None:
        return []
    if peak is None or peak.pool == end.pool:
        return [("pool at the end" if peak is None else "pool at the peak and at the end", end)]
    return [("pool at the peak", peak), ("pool at the end", end)]


def pool_facts(pool: Pool) -> str:
    """Reserved against allocated, and what free memory there is."""
    free = pool.free_blocks
    facts = f"{sized(pool.allocated)} allocated of {sized(pool.reserved)} reserved"
    if not free:
        return facts
    what = ", the largest" if len(free) > 1 else word(" of")
    return f"{facts} · {counted(len(free), 'free block')}{what} {sized(free[0])}"
