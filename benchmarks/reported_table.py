"""The table of `docs/inspectors-compared.md`: faulty programs, what is true of each, and what inspectors and other
tools say.
"""

from __future__ import annotations

import json
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from other_tools import TOOLS, in_a_process_of_its_own
from reported_programs import KINDS, Program, look_at, programs, truth_of

WIDTH = 150  # characters of an answer that are shown
SHORT = {"does not apply": "–", "not installed": "not installed"}


def table_of_reported(python: str | None) -> None:
    """Print a table for each kind of fault; `python` is that of an environment with the other tools, if any."""
    if find_spec("torch") is None:
        print("\nThe programs that were reported are PyTorch's, which is not installed (extra: parity).")
        return
    others = _asked(python)
    chosen = programs()
    looked_at = in_a_process_of_its_own(_looked_at, [(program,) for program in chosen])
    by_name = dict(zip((program.name for program in chosen), looked_at, strict=True))
    for kind, words in KINDS.items():
        print(f"\n## {words[0].upper()}{words[1:]}\n")
        heads = ["program", "what is true", "call", "cause named", "what it says", *TOOLS]
        print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        for program in (one for one in chosen if one.kind == kind):
            truth, answer, seconds = by_name[program.name]
            verdict = "yes" if program.names_cause(answer) else "no"
            cells = [f"`{program.name}`", truth, f"`{program.look}`", f"{verdict}, {seconds:.1f} s"]
            cells += [f"`{_sentence(program, answer)}`", *(others[tool].get(program.name, "") for tool in TOOLS)]
            print(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |", flush=True)
        print()
        for program in (one for one in chosen if one.kind == kind):
            print(f"- `{program.name}`: {program.fault} After {program.source}.")


def _looked_at(program: Program) -> tuple[str, str, float]:
    import torch

    torch.set_num_threads(1)
    truth = truth_of(program).words
    return truth, *look_at(program, program.run())


def _sentence(program: Program, answer: str) -> str:
    """The line of an answer that names the cause, or else the first line."""
    lines = [" ".join(line.split()).replace("`", "") for line in answer.splitlines()]
    said = next((line for line in lines if program.names_cause(line)), lines[0])
    said = said.split("  # mended")[0].split(" # mended")[0]
    return said if len(said) <= WIDTH else f"{said[: WIDTH - 1]}…"


def _asked(python: str | None) -> dict[str, dict[str, str]]:
    """The verdict on each tool by program."""
    verdicts: dict[str, dict[str, str]] = {}
    for tool in TOOLS:
        lines = _lines(python, tool) if python else [{"verdict": "not installed"}]
        if lines[0]["verdict"] == "not installed":
            verdicts[tool] = {program.name: "not installed" for program in programs()}
        else:
            verdicts[tool] = {line["name"]: _cell(line) for line in lines}
    return verdicts


def _cell(line: dict[str, Any]) -> str:
    verdict = line["verdict"]
    return SHORT.get(verdict, f"{verdict}, {line['seconds']:.1f} s" if verdict != "raises" else verdict)


def _lines(python: str, tool: str) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("other_tools.py")
    ran = subprocess.run([python, str(script), tool], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
