"""The contents page of the course, and the links from notebook to notebook: both are made from the folder's listing.
`glassroom contents` writes them again after notebooks were added or removed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath

from glassroom.translations.notebooks import NEXT, WAY
from glassroom.translations.templates import as_is, word
from glassroom.workspace.catalogue import LINK, Entry, catalogue, parts_of, way_from
from glassroom.workspace.glossary import GLOSSARY
from glassroom.workspace.notebook_json import Notebook, lines, parse, serialise, source
from glassroom.workspace.questions import QUESTIONS
from glassroom.workspace.whole_files import write_atomically

PAGE = PurePosixPath("contents.ipynb")

PARTS = {
    "1_memory": ("tensor memory", "What a tensor is in memory, and what shares it. Everything else builds on it."),
    "2_tensors": (
        word("tensors"),
        "What tensors can do: how they are made and computed with, where they live, what it costs to move them, and "
        "how other libraries and processes use them. You need no GPU: there is a simulated one.",
    ),
    "3_autograd": (word("autograd"), "How derivatives are computed. It builds on part 1."),
    "4_extensions": (word("extensions"), "What can be added, and derivatives beyond the first."),
    "5_networks": (word("networks"), "Networks built of tensors, and what each of their pieces costs in memory."),
}

PATHS = {
    word("An afternoon"): (
        "What a view is, what strides say, and why `view` fails after a transpose.",
        [
            "1_memory/00_start_here", "1_memory/01_header_and_storage", "1_memory/02_views_share_a_storage",
            "1_memory/03_basic_indexing", "1_memory/05_strides_and_offset", "1_memory/06_contiguity",
            "1_memory/07_view_or_reshape",
        ],
    ),
    word("I came for autograd"): (
        "Just enough memory, then how gradients are computed, cut off, and go wrong.",
        [
            "1_memory/02_views_share_a_storage", "1_memory/08_in_place_and_clone",
            "3_autograd/01_requires_grad_and_leaves", "3_autograd/02_the_graph_and_backward",
            "3_autograd/03_gradient_arguments", "3_autograd/04_detach_and_no_grad",
            "3_autograd/06_in_place_and_versions", "3_autograd/09_nan_gradients",
        ],
    ),
    word("My code runs out of memory"): (
        "What holds memory: storages, slices, graphs, devices.",
        [
            "1_memory/02_views_share_a_storage", "1_memory/03_basic_indexing", "1_memory/10_a_memory_budget",
            "3_autograd/07_what_keeps_memory_alive", "3_autograd/08_when_one_round_is_too_large",
            "2_tensors/17_out_of_memory", "5_networks/05_where_training_memory_goes",
        ],
    ),
}  # fmt: skip

INTRODUCTION = """\
# Contents

> Where do I begin, and which notebook has the answer to my question?

If you are new, begin with [Start here]({start}): it takes 15 minutes, and its first cell shows what this is about."""

BEGUN = """\
If you have begun, **continue here**: run the next cell, and it links to the notebook to go on with. (What you solve is
remembered in a file of your own, beside your notebooks.)"""

ONE_ERROR = """\
If one error brought you here, run `from glassroom import explain` and `explain("its message")` in a cell of your own: a
lesson of a few minutes, without any notebook before it."""

ALL = """\
## All notebooks

Each answers one question, in the time that stands beside it, and begins with what you should know before. {hours} in
{notebooks} notebooks, if you take them all; nobody has to."""

HELP = """\
## When something does not work

- *PyTorch raises an error that you do not understand.* In the next cell, run `from glassroom import explain` and
  `explain()`, or type `glassroom explain "the message"` in a terminal: a short lesson says what the message means, with
  a program that raises it and the same one mended.
- *A cell says that a name is not defined.* A cell above it has not run. Restart the kernel and run from the top.
- *The picture does not move.* Outside JupyterLab, on a web page or in an export, you see a still picture. It shows the
  same.
- *Something seems to be missing on this machine.* Type `glassroom doctor` in a terminal: it says what is there, and
  what to do.
- *You want a fresh start.* Your notebooks are yours: no update takes away what you wrote. To begin one again, move or
  rename it, and call `glassroom lab` again."""


def write_contents(folder: Path) -> list[Path]:
    """Write the contents page and the links between the notebooks under `folder`; return what has changed."""
    entries = catalogue(folder)
    changed = [path for entry, before, after in _neighbors(entries) if (path := _lead(folder, entry, before, after))]
    page = folder / PAGE
    old = page.read_bytes() if page.is_file() else b""
    new = serialise(contents_page(entries, _outputs(old)))
    if new != old:
        write_atomically(page, new)
        changed.append(page)
    return changed


def contents_page(entries: Sequence[Entry], outputs: Mapping[str, Notebook] | None = None) -> Notebook:
    """The page as a notebook; `outputs` are the code cells of the page so far, by their ids."""
    minutes = sum(entry.minutes for entry in entries)
    known = {entry.place for entry in entries}
    start = entries[0].place.as_posix() if entries else ""
    cells = [
        _markdown("contents-top", "\n\n".join([INTRODUCTION.format(start=start), BEGUN, ONE_ERROR])),
        _code("contents-progress", "from glassroom import progress\n\nprogress()", outputs or {}),
        _markdown("contents-paths", _paths(entries)),
        _markdown("contents-questions", _index(entries)),
        _markdown("contents-all", ALL.format(hours=_hours(minutes), notebooks=len(entries))),
        *[
            _markdown(as_is(f"contents-{part}"), _part_table(part, members, known))
            for part, members in parts_of(entries).items()
        ],
        _markdown("contents-glossary", _glossary()),
        _markdown("contents-help", HELP),
    ]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": as_is("Python 3 (ipykernel)"), "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def way(entry: Entry, before: Entry | None, after: Entry | None) -> str:
    """The line under a notebook's title: previous · contents · next."""
    steps = [f"[{word('contents')}]({way_from(entry.place, PAGE)})"]
    if before is not None:
        steps.insert(0, f"[← {before.number} {before.title}]({way_from(entry.place, before.place)})")
    if after is not None:
        steps.append(f"[{after.number} {after.title} →]({way_from(entry.place, after.place)})")
    return " · ".join(steps)


def _neighbors(entries: Sequence[Entry]) -> list[tuple[Entry, Entry | None, Entry | None]]:
    """Each notebook with the one before it and the one after it."""
    around = [None, *entries, None]
    return [
        (entry, before, after)
        for (before, entry), (_, after) in zip(pairwise(around), pairwise(around[1:]), strict=False)
        if entry is not None
    ]


def _lead(folder: Path, entry: Entry, before: Entry | None, after: Entry | None) -> Path | None:
    """Write the links of one notebook; return its path if that changed it."""
    path = folder / entry.place
    old = path.read_bytes()
    notebook = parse(old)
    first, last = notebook["cells"][0], notebook["cells"][-1]
    first["source"] = lines(_with_way(source(first), way(entry, before, after)))
    if after is not None and last["cell_type"] == "markdown":
        last["source"] = lines(_with_next(source(last), entry, after))
    new = serialise(notebook)
    if new == old:
        return None
    write_atomically(path, new)
    return path


def _with_way(opening: str, line: str) -> str:
    """The opening cell with this line under its title, in place of the old one."""
    rows = opening.split("\n")
    place = next((place for place, row in enumerate(rows) if WAY.fullmatch(row)), None)
    if place is None:
        rows[1:1] = ["", line]
    else:
        rows[place] = line
    return "\n".join(rows)


def _with_next(closing: str, entry: Entry, after: Entry) -> str:
    """The closing cell, whose last paragraph leads to the next notebook."""
    target = way_from(entry.place, after.place)
    head, _, last = closing.rpartition("\n\n")
    if LINK.findall(last) == [target] and not NEXT.match(last):
        return closing
    led = f"Next: [{after.number} {after.title}]({target})."
    return f"{head}\n\n{led}" if last.startswith("Next: ") else f"{closing.rstrip()}\n\n{led}"


def _outputs(page: bytes) -> dict[str, Notebook]:
    """The code cells of a page, by their ids."""
    if not page:
        return {}
    return {cell["id"]: cell for cell in parse(page)["cells"] if cell["cell_type"] == "code"}


def _markdown(identity: str, text: str) -> Notebook:
    return {"cell_type": "markdown", "id": identity, "metadata": {}, "source": lines(text)}


def _code(identity: str, text: str, before: Mapping[str, Notebook]) -> Notebook:
    ran = before.get(identity, {})
    return {
        "cell_type": "code",
        "execution_count": ran.get("execution_count"),
        "id": identity,
        "metadata": {},
        "outputs": ran.get("outputs", []),
        "source": lines(text),
    }


def _hours(minutes: int) -> str:
    hours = round(minutes / 30) / 2
    return f"About {hours:g} hour{'' if hours == 1 else 's'}"


def _paths(entries: Sequence[Entry]) -> str:
    """The short paths through the course, with those of their notebooks that exist."""
    known = {entry.key: entry for entry in entries}
    told = [
        "## Three short paths\n\nEach path leaves out notebooks that you can do without at first. Where you miss "
        "something, *Before this*, at the top of a notebook, leads to the one that teaches it."
    ]
    for name, (what, keys) in PATHS.items():
        steps = [known[key] for key in keys if key in known]
        minutes = sum(step.minutes for step in steps)
        way = " → ".join(f"[{step.title}]({step.place})" for step in steps)
        told.append(word(f"**{name}** ({_hours(minutes).lower()}). {what}") + f"\n\n{way}")
    return "\n\n".join(told)


def _part_table(part: str, members: Sequence[Entry], known: Collection[PurePosixPath]) -> str:
    title, what = PARTS.get(part, (part.partition("_")[2], ""))
    minutes = sum(entry.minutes for entry in members)
    rows = [
        f"| [{entry.number} {entry.title}]({entry.place}), {entry.minutes} min | {entry.asks}{_needs(entry, known)} |"
        for entry in members
    ]
    return "\n".join(
        [
            f"## Part {part.partition('_')[0]}: {title}",
            "",
            " ".join(filter(None, [what, f"{_hours(minutes)}."])),
            "",
            "| notebook | the question |",
            "|---|---|",
            *rows,
        ]
    )


def _needs(entry: Entry, known: Collection[PurePosixPath]) -> str:
    """The notebooks that this one builds on, as links after its question: "02", or "1·02" in another part."""
    needed = word(", ").join(f"[{_short(place, entry.part)}]({place})" for place in entry.needs if place in known)
    return f" *After {needed}*" if needed else ""


def _short(place: PurePosixPath, part: str) -> str:
    number = place.name[:2]
    return number if place.parts[0] == part else f"{place.parts[0].partition('_')[0]}·{number}"


def _index(entries: Sequence[Entry]) -> str:
    known = {entry.key: entry for entry in entries}
    told = [
        "## If you came with a question",
        "",
        "These are what people ask most. Where there are several notebooks, begin with the first.",
    ]
    for group, questions in QUESTIONS.items():
        told += ["", f"**{group}**", "", "| question | notebook |", "|---|---|"]
        for question in questions:
            answers = [known[key] for key in question.answered_by if key in known]
            links = " · ".join(f"[{_short(answer.place, '')}]({answer.place})" for answer in answers)
            told.append(f"| {question.number}. {question.text} | {links} |")
    return "\n".join(told)


def _glossary() -> str:
    rows = [f"| **{term}** | {meaning} |" for term, meaning in GLOSSARY.items()]
    return "\n".join([word("## Glossary"), "", "| word | meaning |", "|---|---|", *rows])
