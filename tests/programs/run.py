"""Runs public programs on PyTorch and on tensorglass, and says where they differ.

    python tests/programs/run.py FOLDER                      # all programs of which FOLDER has a checkout
    python tests/programs/run.py FOLDER minGPT vit           # those with one of these words in their name
    python tests/programs/run.py FOLDER --page               # all, and write docs/programs.md

FOLDER holds the repositories that `manifest/*.toml` lists, as FOLDER/OWNER/NAME at the commit given there. Nothing is
fetched, and none of their code is part of this project: what is missing is told in one line. A program runs in a
process of its own, with fixed seeds, one thread and a time limit, once on PyTorch and once by ``python -m
tensorglass``; `worker.py` writes what it leaves behind, `comparing.py` compares. What PyTorch gave is kept in the
folder of results, so that a second run only runs tensorglass.

A table ``[[repository]]`` of the manifest has `name` (OWNER/NAME), `commit`, and a list `programs`, each with one of

- `readme`: a file whose fenced blocks of Python are programs, each with the earlier ones that bind names which it
  needs; `blocks` chooses some;
- `script`: a file, run with `arguments`;
- `notebook`: a file, whose cells of code are one program; `cells` says how many of them;
- `tests`: a file or folder for pytest, with `arguments`: what passes on PyTorch must pass here;
- `model`: "MODULE:EXPRESSION", a network that is made by the expression, with the module's names: one step of training
  on random `inputs`, an expression too, and the outputs before and after it; in float64, where rounding decides little;
- `code`: a program in our own words, with a `name`, for what is meant to be imported otherwise;

A `*` in the name of a file stands for several files, without those that have a word of `without` in their names;

and besides: `set` gives other values to named arguments and constants, `numbers` to numbers wherever they stand, so
that programs are small; `import_from` names folders of the repository that its programs import from (its root by
default); `seconds` is the limit of processor time; `differs` declares a difference, with the reason. All of these can
stand in the repository's table, too, for all of its programs, and in a table ``[default]`` for all repositories of the
file.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from comparing import differences
from page import page

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SECONDS = 60
TOGETHER = 30  #: how many programs run on one library before the other has its turn
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
QUIET = {"MPLBACKEND": "Agg", "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore", "TQDM_DISABLE": "1"}
AGAIN = {
    "ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41", "ROUNDING": "otherwise",
}  # fmt: skip
COMMANDS = {"pytorch": (), "again": (), "tensorglass": ("-m", "tensorglass")}

MODEL = """
import torch
torch.set_default_dtype(torch.float64)
from {module} import *

def floats(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs] if outputs.is_floating_point() else []
    parts = outputs.values() if isinstance(outputs, dict) else outputs if isinstance(outputs, (list, tuple)) else ()
    return [tensor for part in parts for tensor in floats(part)]

model = {make}
inputs = {inputs}
inputs = inputs if isinstance(inputs, tuple) else (inputs,)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
outputs = model(*inputs)
loss = sum(each.square().mean() for each in floats(outputs))
loss.backward()
optimizer.step()
model.eval()
with torch.no_grad():
    afterwards = model(*inputs)
print(model)
print(sum(each.numel() for each in model.parameters()), "parameters, loss", loss.item())
"""


@dataclass
class Program:
    """One program: its name, and what the worker is told about it."""

    repository: str
    name: str
    job: dict[str, Any]
    differs: str = ""
    outcome: str = ""  #: "agrees", "differs", "declared", "fails on PyTorch"
    why: list[str] = field(default_factory=list)
    tests: int = 0  #: for a test suite: how many tests pass on PyTorch


def programs_of(repository: dict[str, Any], checkout: Path) -> Iterator[Program]:
    """The programs that the repository's table in the manifest names."""
    for entry in _entries(repository["programs"], checkout):
        both = {key: value for key, value in repository.items() if key not in ("programs", "name", "commit")} | entry
        kind = next(
            candidate for candidate in ("readme", "script", "notebook", "tests", "model", "code") if candidate in entry
        )
        path = entry[kind] if kind != "code" else entry["name"]
        job = {
            "kind": kind, "path": path, "arguments": both.get("arguments", "").split(), "set": both.get("set", {}),
            "numbers": both.get("numbers", {}), "seconds": both.get("seconds", SECONDS), "loud": False,
            "import_from": [str(checkout / path) for path in both.get("import_from", ["."])], "display": False,
            "folder": str(checkout),
        }  # fmt: skip
        for part, pieces in _pieces(kind, entry, checkout):
            name = f"{repository['name']} {path}{part}"
            yield Program(repository["name"], name, job | {"pieces": pieces, "display": kind == "notebook"},
                          both.get("differs", ""))  # fmt: skip


def _entries(entries: list[dict[str, Any]], checkout: Path) -> Iterator[dict[str, Any]]:
    """The entries, with one for each file where a pattern stands for several; `without` names files to leave out."""
    for entry in entries:
        kind = next(iter(entry.keys() & {"script", "notebook", "tests"}), "")
        if "*" not in entry.get(kind, ""):
            yield entry
            continue
        for file in sorted(checkout.glob(entry[kind])):
            path = str(file.relative_to(checkout))
            if not any(word in path for word in entry.get("without", [])):
                yield entry | {kind: path}


def _pieces(kind: str, entry: dict[str, Any], checkout: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The programs in a file: what is added to its name, and pieces of source, each with the file it counts as."""
    if kind == "tests":
        yield "", []
    elif kind == "code":
        yield "", [(entry["name"], entry["code"])]
    elif kind == "model":
        module, _, make = entry["model"].partition(":")
        yield "", [("model", MODEL.format(module=module, make=make, inputs=entry["inputs"]))]
    elif kind == "script":
        yield "", [(str(checkout / entry["script"]), (checkout / entry["script"]).read_text(errors="replace"))]
    elif kind == "notebook":
        cells = json.loads((checkout / entry["notebook"]).read_text())["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        sources = [_without_magic(source) for source in sources[: entry.get("cells", len(sources))]]
        yield "", [(f"cell {number}", source) for number, source in enumerate(sources)]
    else:
        text = (checkout / entry["readme"]).read_text(errors="replace")
        fenced = re.findall(r"^([ \t]*)```\s*(?:python|py)\b[^\n]*\n(.*?)^[ \t]*```", text, re.M | re.S | re.I)
        blocks = [(f"block {number}", textwrap.dedent(block)) for number, (_, block) in enumerate(fenced)]
        for number in entry.get("blocks", range(len(blocks))):
            needed = _needed([source for _, source in blocks], number)
            yield f" {number}", [blocks[block] for block in sorted({*needed, number})]


def _needed(blocks: list[str], number: int) -> set[int]:
    """The blocks before that one which it needs: for a name that it lacks, the nearest that gives one, and so on."""
    needed: set[int] = set()
    _, lacks = _names(blocks[number])
    for name in lacks:
        for before in range(number - 1, -1, -1):
            if name in _names(blocks[before])[0]:
                needed |= {before} | _needed(blocks, before)
                break
    return needed


def _names(source: str) -> tuple[set[str], set[str]]:
    """The names that the source binds, and those that it reads and does not bind."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set(), set()
    bound, read = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bound, read - bound - vars(builtins).keys()


def _without_magic(cell: str) -> str:
    if cell.lstrip().startswith("%%"):
        return ""
    return "\n".join(re.sub(r"^(\s*)[%!].*", r"\1pass", line) for line in cell.splitlines())


def run_all(programs: list[Program], library: str, results: Path) -> None:
    """Run on one library those that have no result yet; `again` is PyTorch rounding otherwise, by other kernels too."""
    jobs = []
    copies = tempfile.mkdtemp()
    for number, program in enumerate(programs):
        result = result_of(program, library, results)
        if result.exists():
            continue
        job = program.job | {"name": program.name, "result": str(result)}
        job["folder"] = str(Path(copies, str(number)))
        if job["kind"] in ("readme", "model", "code"):
            os.mkdir(job["folder"])
        else:  # they read files beside them, and write some
            shutil.copytree(program.job["folder"], job["folder"], symlinks=True, ignore=shutil.ignore_patterns(".git"))
            beside = Path(job["path"]).parent if job["kind"] in ("script", "notebook") else Path()
            job["import_from"] = [str(Path(job["folder"], beside)), *(
                name.replace(program.job["folder"], job["folder"], 1) for name in job["import_from"]
            )]  # fmt: skip
            if job["kind"] in ("script", "notebook"):
                job["folder"] = str(Path(job["folder"], beside))
            else:
                job["import_from"] = job["import_from"][1:]
        jobs.append(job)
    if jobs:
        print(f"{len(jobs)} programs on {library}", flush=True)
        asked = Path(copies, "jobs.json")
        asked.write_text(json.dumps(jobs))
        environment = os.environ | ONE_THREAD | QUIET | (AGAIN if library == "again" else {})
        command = [sys.executable, *COMMANDS[library], str(HERE / "worker.py"), str(asked)]
        subprocess.run(command, env=environment, check=True)
    shutil.rmtree(copies, ignore_errors=True)


def result_of(program: Program, library: str, results: Path) -> Path:
    """The file of what the program left on that library."""
    called = hashlib.sha1(json.dumps(program.job, sort_keys=True).encode()).hexdigest()[:8]
    plain = re.sub(r"[^\w.-]+", "_", program.name)[:150]
    return results / library / f"{plain}.{called}.pickle"


def judge(program: Program, results: Path, *, has_again: bool) -> None:
    """Compare what the program left on both libraries."""
    ours, theirs, again = (
        pickle.loads(file.read_bytes()) if (file := result_of(program, library, results)).exists() else None
        for library in ("tensorglass", "pytorch", "again")
    )
    if theirs["error"]:
        program.outcome = "fails on PyTorch"
        program.why = [f"{theirs['error']['class']}: {theirs['error']['line']}"]
        return
    if "tests" in theirs:
        program.tests = sum(outcome == "passed" for outcome in theirs["tests"].values())
        if not program.tests:
            program.outcome, program.why = "fails on PyTorch", ["no test passes"]
            return
    if again and again["error"] and again["error"]["class"] in ("time", "process"):
        again = None
    program.why = differences(ours, theirs, again if has_again else None)
    if program.why and not (has_again and again and again["error"]):
        program.outcome = "declared" if program.differs else "differs"
    else:
        program.outcome = "agrees"


def try_out(programs: list[Program], results: Path) -> None:
    """Run the programs on both libraries and tell what differs."""
    run_all(programs, "pytorch", results)
    works = [program for program in programs if not _error(program, results)]
    run_all(works, "tensorglass", results)
    for program in programs:
        judge(program, results, has_again=False)
    apart = [work for work in works if work.why and work.job["kind"] != "tests"]
    apart = [program for program in apart if not program.why[0].startswith("error: ")]
    run_all(apart, "again", results)
    for program in apart:
        judge(program, results, has_again=True)
    for program in programs:
        if program.outcome in ("differs", "fails on PyTorch"):
            print(
                f"{program.outcome}: {program.name}\n    " + "\n    ".join(why[:300] for why in program.why[:4]),
                flush=True,
            )


def main(arguments: list[str] | None = None) -> int:
    """Run the programs; returns how many differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="checkouts: FOLDER/OWNER/NAME")
    parser.add_argument("words", nargs="*", help="only programs with one of these in their name")
    parser.add_argument("--results", type=Path, help="where results are kept (FOLDER/results)")
    parser.add_argument("--manifest", type=Path, default=HERE / "manifest", help="a folder of other TOML files")
    parser.add_argument("--fresh", action="store_true", help="run PyTorch again, too")
    parser.add_argument("--kept", action="store_true", help="keep the results that tensorglass gave, too")
    parser.add_argument("--page", action="store_true", help="write docs/programs.md")
    asked = parser.parse_intermixed_args(arguments)
    results = (asked.results or asked.folder / "results").resolve()
    for library in COMMANDS:
        (results / library).mkdir(parents=True, exist_ok=True)
    tables = [tomllib.loads(file.read_text()) for file in sorted(asked.manifest.glob("*.toml"))]
    repositories = [table.get("default", {}) | each for table in tables for each in table["repository"]]
    programs = []
    for repository in repositories:
        checkout = (asked.folder / repository["name"]).resolve()
        if checkout.is_dir():
            programs += programs_of(repository, checkout)
        elif not asked.words or any(word in repository["name"] for word in asked.words):
            print(f"missing: {repository['name']} at {repository['commit'][:8]}")
    programs = [program for program in programs if not asked.words or any(word in program.name for word in asked.words)]
    for library in (*(() if asked.kept else ("tensorglass",)), *(("pytorch", "again") if asked.fresh else ())):
        for program in programs:
            result_of(program, library, results).unlink(missing_ok=True)
    for start in range(0, len(programs), TOGETHER):
        try_out(programs[start : start + TOGETHER], results)
    if asked.page:
        (ROOT / "docs" / "programs.md").write_text(
            page(programs, {repository["name"]: repository["commit"] for repository in repositories})
        )
    count = {word: sum(program.outcome == word for program in programs) for word in ("agrees", "differs", "declared")}
    print(f"{count['agrees']} agree, {count['declared']} declared, {count['differs']} differ")
    return min(count["differs"], 100)


def _error(program: Program, results: Path) -> Any:
    return pickle.loads(result_of(program, "pytorch", results).read_bytes())["error"]


if __name__ == "__main__":
    sys.exit(main())
