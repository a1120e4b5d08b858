"""The sentences of a watched cell's story, which its text, its picture and its live form share."""

from __future__ import annotations

from glassroom.drawing.snapshot.words import origin, shape_facts
from glassroom.drawing.words import ARRAYS, amounts, counted, listed, short, sized, unreadable
from glassroom.inspectors.watch.story import Change, Moment, Story
from glassroom.inspectors.watch.watched_names import MOST_TENSORS
from glassroom.records.snapshot import Header, Storage
from glassroom.translations.templates import word

GROUPS = {"allocated": "allocation", "wrote": "write", "copied": "copy"}  # what a reader can jump to
MOST_TOLD = 6  # changes of one kind that are listed for a step
MOST_PASSED_OVER = 2
MORE = {
    "allocated": word("allocated"),
    "copied": word("copied"),
    "wrote": "written to",
    "shared": word("shared"),
    "resized": word("resized"),
    "named": word("named"),
    "unnamed": "without a name",
    "freed": word("freed"),
    "shown": "not looked at in the step before",
    "hidden": "not looked at now",
    "explained": word("explained"),
}


def totals(story: Story) -> str:
    """The figures of the whole."""
    if not story.moments:
        return "no statement ran"
    facts = [
        counted(len(story.moments), "step"),
        f"{sized(story.allocated)} allocated in {counted(story.allocations, 'storage')}",
        amounts(counted(story.copies, "copy", "copies"), story.copies, story.copied_bytes)
        if story.copies
        else "no copies",
    ]
    if story.peak:
        at = "after the last step" if story.peak_step is None else f"at step {story.peak_step:,}"
        facts.append(f"peak {sized(story.peak)} of tensors {at}")
    return " · ".join(facts)


def _copies(story: Story) -> str:
    if not story.copies:
        return "no copies"
    return amounts(counted(story.copies, "copy", "copies"), story.copies, story.copied_bytes)


def summary(story: Story) -> str:
    """The story in one sentence."""
    return f"Watched cell: {totals(story)}."


def limits(story: Story) -> list[str]:
    """The sentences about everything that was not looked at."""
    said = []
    if story.unknown:
        said.append(f"no variable is called {listed(story.unknown)}")
    said += unreadable(story.unread)
    if story.unshown:
        more = counted(story.unshown, "more tensor")
        said.append(f"{MOST_TENSORS} tensors a step were looked at; up to {more} were not (names chooses)")
    if story.is_cut:
        ended = f"the watch ended after {counted(story.limit, 'step')}"
        if story.is_rest_counted:
            rest = "the rest is counted above, of NumPy what variables hold"
        else:
            rest = "the figures above are of these steps, and the rest ran unwatched"
        said.append(f"{ended}; {rest} (steps takes more)")
    return said


def overhead(story: Story) -> str:
    """The time that watching took. It differs from run to run, so only the live form shows it."""
    rest = max(story.seconds - story.looking, 0.0)
    return f"ran for {rest * 1e3:,.1f} ms; watching it took {story.looking * 1e3:,.1f} ms more"


def place(moment: Moment) -> str:
    """`line 3`, or `model.py line 3, in f()`."""
    return f"{moment.statement.place}{f', in {moment.function}()' if moment.function else ''}"


def happenings(moment: Moment) -> list[str]:
    """What a step did, one sentence for each change; of many changes of one kind, the first ones and the number of the
    others."""
    by_kind: dict[str, list[Change]] = {}
    for change in moment.changes:
        by_kind.setdefault(change.kind, []).append(change)
    said = [] if moment.how == "ran" else [moment.how]
    for kind, changes in by_kind.items():
        most = MOST_PASSED_OVER if kind in ("shown", "hidden") else MOST_TOLD
        told = changes if len(changes) <= most else changes[: most - 1]
        said += [change.words for change in told]
        if len(told) < len(changes):
            rest = changes[len(told) :]
            nbytes = f", {sized(sum(change.nbytes for change in rest))}" if kind in ("allocated", "freed") else ""
            said.append(f"and {len(rest):,} more {MORE[kind]}{nbytes}")
    return said


def lines_of(story: Story, moment: Moment) -> list[str]:
    """A step in a few lines."""
    head = f"{moment.number:,}. {place(moment)}: {story.source(moment.statement).strip()}"
    lines = [head, *(happenings(moment) or ["no change of a tensor was seen"])]
    change = f"{signed(moment.difference)} · " if moment.difference else ""
    lines.append(f"{change}allocated while watched and still held: {sized(moment.held)}")
    if moment.unshown:
        lines.append(f"not looked at: {counted(moment.unshown, 'more tensor')} (names chooses)")
    return lines


def signed(difference: int) -> str:
    """`+24 B`, `−3.9 KiB`: a difference in a few characters; "" if it is 0."""
    if not difference:
        return ""
    return f"{'+' if difference > 0 else '−'}{short(abs(difference))}"


def brief(storage: Storage) -> str:
    """A storage that a step did not touch, in one line."""
    return f"{storage.name} · {sized(storage.nbytes)} · {listed(storage.shared_by)}"


def storage_line(storage: Storage, is_gone: bool) -> str:
    """The facts about a storage that follow its name."""
    facts = [f"{sized(storage.nbytes)} on {storage.device}"]
    if storage.version is not None:
        facts.append(f"version {storage.version}")
    return " · ".join([word("freed"), *facts] if is_gone else facts)


def header_line(header: Header, fact: str | None) -> str:
    """The facts about a tensor that follow its name."""
    facts = [header.dtype, *shape_facts(header), origin(header) or ""]
    if header.library in ARRAYS:
        facts.insert(0, ARRAYS[header.library])
    if not header.contiguous:
        facts.append("not contiguous")
    if header.requires_grad:
        facts.append("requires grad")
    facts.append(fact or "")
    return " · ".join(filter(None, facts))
