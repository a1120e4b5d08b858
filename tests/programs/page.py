"""`docs/programs.md`: which public programs were run on both libraries, and where they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

HEAD = """\
# Programs that others wrote

Usage examples, scripts, notebooks, networks and test suites of public repositories, run unchanged on PyTorch 2.13 and,
by `python -m tensorglass`, on tensorglass: {tried} programs of {repositories} repositories. **{agree} agree,
{declared} differ as declared, {differ} differ.**{suites}

A program agrees when it leaves the same in every variable (tensors with dtype, size, values and gradients; parameters
and gradients of modules; states of optimizers), prints the same text, and ends with the same error, if any. Numbers may
be apart by rounding: a difference counts if it is far larger than that between PyTorch and PyTorch whose sums and
functions are rounded the other way in the last digit, at random.{suite_agrees} Sizes and numbers of steps are smaller
than in the repositories, so that a program takes seconds.

None of this code is part of the project. `tests/programs/manifest/` names the repositories, commits, files and
arguments; given a folder with checkouts (`FOLDER/OWNER/NAME`),

```bash
python tests/programs/run.py FOLDER            # all programs, or those whose names have one of the words that follow
python tests/programs/run.py FOLDER --page     # and writes this page
```

says of each program that differs where it does, and of each checkout that is missing which commit it should be.

At the first try fewer agree: of 62 programs of 18 repositories that no one had run before, 36 did (58 %). Each time
after what the last had shown was mended, of 66 programs of 18 others 54 did (82 %), of 52 of 22 others 48 (92 %), and
of 62 of 26 others 60 (97 %). With larger libraries among them, of 53 of 19 others 40 did (75 %: six stopped at three
names that they import, five at one data loader), of 49 of 16 others 24 (49 %: 22 stopped at two names that MONAI and
Pyro import), and then, of 22 of 17 others, 21 (95 %), of 14 of 8 others 13 (93 %). Of 88 of 27 others 63 did, and two
differed as declared (74 %: 16 stopped at two names that ignite and PyPose import); then, of 27 of 12 others, 27. Of 19
of 11 others 8 did (42 %: 10 stopped at names that PyG, torchtnt and other large libraries import), then, of 39 of 28
others, 36 (92 %). Of 168 of 86 others 143 did, and six differed for reasons that are declared (89 %: 17 stopped at
three names that storchastic, dlrm and torcheval ask for). Of 145 of 87 others 133 did, and five differed for reasons
that are declared: sparse gradients, gamma variables, rounding of float32 (95 %: four stopped at one name that PyTorch
Lightning imports).

## By repository

| repository | commit | programs | agree | declared | differ |
|---|---|---|---|---|---|
"""
SUITES = "\n{} of them are test suites, of which {:,} tests pass on PyTorch."
SUITE_AGREES = " A test suite agrees when all of its tests pass\nthat pass on PyTorch."
ORDER = ("agrees", "declared", "differs")


def page(programs: Iterable[Any], commits: dict[str, str]) -> str:
    """The page on the programs, each judged already; `commits` by repository."""
    tried = [program for program in programs if program.outcome in ORDER]
    counts = Counter(program.outcome for program in tried)
    repositories = sorted({program.repository for program in tried}, key=str.lower)
    suites = [program for program in tried if program.job["kind"] == "tests"]
    text = HEAD.format(
        tried=len(tried), repositories=len(repositories), agree=counts["agrees"], declared=counts["declared"],
        differ=counts["differs"], suite_agrees=SUITE_AGREES if suites else "",
        suites=SUITES.format(len(suites), sum(suite.tests for suite in suites)) if suites else "",
    )  # fmt: skip
    for repository in repositories:
        of = Counter(program.outcome for program in tried if program.repository == repository)
        numbers = " | ".join(str(of[outcome]) for outcome in ORDER)
        text += f"| {repository} | `{commits[repository][:8]}` | {of.total()} | {numbers} |\n"
    text += "".join(_section("Declared", "declared", tried)) + "".join(_section("Different", "differs", tried))
    failing = [program for program in programs if program.outcome == "fails on PyTorch"]
    return text + (
        f"\n{len(failing)} more programs of these files do not run on PyTorch here (a package, a download or a GPU is "
        "missing; a piece of an example is no program by itself) and are not counted.\n"
    )


def _section(title: str, outcome: str, programs: list[Any]) -> Iterator[str]:
    chosen = [program for program in programs if program.outcome == outcome]
    if chosen:
        yield f"\n## {title}\n\n| program | what | {'why' if outcome == 'declared' else 'and'} |\n|---|---|---|\n"
    for program in chosen:
        more = program.differs if outcome == "declared" else f"{len(program.why) - 1} more" if program.why[1:] else ""
        yield f"| {_cell(program.name)} | {_cell(program.why[0][:160])} | {more} |\n"


def _cell(text: str) -> str:
    """A cell of a table; the path of a file on this machine, which Python adds to some errors, is left out."""
    return re.sub(r" \(/[^ )]*\)", "", text).replace("|", "\\|").replace("\n", " ")
