"""The sentences of the alias map, which its text and its picture share."""

from __future__ import annotations

from glassroom.drawing.words import ARRAYS, counted, listed, sized, span, unreadable
from glassroom.inspectors.aliases.groups import Alias, Aliases, AliasGroup, Overlap

MOST_PAIRS = 6


def summary(aliases: Aliases) -> str:
    """The map in one sentence."""
    if not aliases.tensors:
        return "No tensor has memory." if aliases.unread else "No tensors."
    tensors, storages = counted(aliases.tensors, "tensor"), counted(aliases.storages, "storage")
    return f"Alias map: {tensors} on {storages}, {sized(aliases.nbytes)} in all."


def group_facts(group: AliasGroup) -> list[str]:
    """The facts about a storage that follow its name."""
    facts = [f"{sized(group.nbytes)} on {group.device}"]
    if group.version:
        facts.append(f"version {group.version}")
    if not group.unshown and all(member.how == "saved" for member in group.members):
        facts.append("held by a graph alone")
    return facts


def member_facts(member: Alias) -> list[str]:
    """The facts about a tensor that follow its name."""
    facts = [f"{member.size} {member.dtype}"]
    if member.library in ARRAYS:
        facts.append(ARRAYS[member.library])
    facts.append("no bytes" if member.span is None else f"bytes {span(*member.span)}")
    if member.span is not None and member.nbytes != member.span[1] - member.span[0]:
        facts.append("in pieces" if member.nbytes is None else f"{member.nbytes:,} of them, in pieces")
    if member.also:
        facts.append(f"also {listed(member.also)}")
    return facts


def group_lines(group: AliasGroup) -> list[str]:
    """The lines beneath a storage's tensors: what is left out, what is kept alive, and which tensors overlap."""
    lines = [f"… and {counted(group.unshown, 'more tensor', 'more tensors')}"] if group.unshown else []
    kept = kept_alive(group)
    if kept:
        lines.append(kept)
    pairs = [pair_words(group, at) for at in _telling(group)]
    lines += pairs[:MOST_PAIRS]
    if len(pairs) > MOST_PAIRS:
        lines.append(f"… and {counted(len(pairs) - MOST_PAIRS, 'more pair')}")
    return lines


def _telling(group: AliasGroup) -> list[int]:
    """The overlaps that deserve a line: of several tensors with exactly the same bytes, only the first one's."""

    def are_same(pair: Overlap) -> bool:
        one, other = group.members[pair.one], group.members[pair.other]
        return pair.nbytes == one.nbytes == other.nbytes

    twins = {pair.other for pair in group.overlaps if are_same(pair)}
    return [
        at
        for at, pair in enumerate(group.overlaps)
        if pair.one not in twins and (pair.other not in twins or are_same(pair))
    ]


def kept_alive(group: AliasGroup) -> str | None:
    """A sentence about a storage that is kept alive by named tensors that reach only a small part of it."""
    named = [member.name for member in group.members if member.how == "name"]
    if group.reached is None or 2 * group.reached >= group.nbytes or not named:
        return None
    verb, them = ("keep", "Clones") if len(named) > 1 or group.unshown else ("keeps", "A clone")
    who = listed([*named, f"{group.unshown} more"] if group.unshown else named)
    return (
        f"{who} {verb} {sized(group.nbytes)} alive, of which {sized(group.reached)} are reached. "
        f"{them} would hold no more than these."
    )


def pair_words(group: AliasGroup, at: int) -> str:
    """How two tensors overlap."""
    pair = group.overlaps[at]
    one, other = group.members[pair.one], group.members[pair.other]
    names = listed([one.name, other.name])
    if pair.nbytes is None:
        return f"{names}: their ranges overlap, in more pieces than are counted"
    if not pair.nbytes:
        return f"{names}: interleaved, not a byte in common"
    if pair.nbytes == one.nbytes == other.nbytes:
        return f"{names}: the same {sized(pair.nbytes)}"
    if pair.nbytes == other.nbytes:
        return f"{other.name} lies within {one.name}"
    if pair.nbytes == one.nbytes:
        return f"{one.name} lies within {other.name}"
    return f"{names}: {sized(pair.nbytes)} in common"


def root_lines(aliases: Aliases) -> list[str]:
    """What each variable keeps alive through containers, objects and graphs, where the map's names do not show it."""
    if all(root.largest == root.name and root.storages == 1 for root in aliases.roots):
        return []
    lines = ["kept alive by"]
    for root in aliases.roots:
        facts = [f"  {root.name}: {sized(root.nbytes)} in {counted(root.storages, 'storage')}"]
        if root.largest != root.name:
            facts.append(f"{root.largest} {sized(root.largest_nbytes)}")
        lines.append(" · ".join(facts))
    return lines


def left_out(aliases: Aliases) -> list[str]:
    """What is said of the storages that are not shown, and of tensors that have none."""
    if not aliases.unshown_storages:
        return unreadable(aliases.unread)
    storages = counted(aliases.unshown_storages, "more storage")
    return [f"… and {storages} of {sized(aliases.unshown_nbytes)} together", *unreadable(aliases.unread)]
