"""What inspectors say of the small programs in `benchmarks/reported`, each with a fault that was reported in public:
the cause where the page `docs/inspectors-compared.md` says so, and nothing of a program that is mended."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="these are programs of PyTorch's")
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))
reported_programs = pytest.importorskip("reported_programs", reason="it is beside the package, in the repository")
sys.path.pop(0)

PROGRAMS = {program.name: program for program in reported_programs.programs()}
PAGE = (ROOT / "docs" / "inspectors-compared.md").read_text(encoding="utf-8")
#: Those of which the page says that the cause is not named.
NOT_NAMED = set(re.findall(r"^\| `(\w+)` \|(?:[^|]*\|){2} no\b", PAGE, re.MULTILINE))
GROWN = re.compile(r"\(([\d,]+) bytes\) on cpu more|^([\d,]+) bytes on cpu more", re.MULTILINE)
SAYS_NOTHING = {
    "assert_no_leak",
    "assert_shares_memory",
    "explain_error",
}  # assertions, which are silent if all is right


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_cause_of_a_reported_fault_is_named_where_the_page_says_so(name: str) -> None:
    program = PROGRAMS[name]
    variables: dict[str, Any] = program.run()
    try:
        answer, _ = reported_programs.look_at(program, variables)
    finally:
        reported_programs.restore(variables)
    assert program.names_cause(answer) == (name not in NOT_NAMED), answer


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.look in SAYS_NOTHING])
def test_nothing_is_said_of_a_program_that_is_mended(name: str) -> None:
    variables: dict[str, Any] = PROGRAMS[name].run(mended=True)
    try:
        assert reported_programs.look_at(PROGRAMS[name], variables)[0] == reported_programs.NOTHING
    finally:
        reported_programs.restore(variables)


@pytest.mark.parametrize("name", ["caught_errors", "heads_in_the_optimizer", "losses_in_a_list", "slices_of_batches"])
def test_the_bytes_of_a_leak_are_those_of_the_profiler(name: str) -> None:
    variables: dict[str, Any] = PROGRAMS[name].run()
    answer, _ = reported_programs.look_at(PROGRAMS[name], variables)
    match = GROWN.search(answer)
    assert match is not None, answer
    assert int((match[1] or match[2]).replace(",", "")) == reported_programs.truth_of(PROGRAMS[name]).nbytes


def test_every_program_is_on_the_page_with_its_source() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(PROGRAMS)
    assert [program.source for program in PROGRAMS.values() if program.source not in " ".join(PAGE.split())] == []
