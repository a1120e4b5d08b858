"""The style of the code: ruff (lint, layout), mypy (types) and import-linter (who imports whom) report nothing."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: A folder with more Python files than this has no plan that a reader can see.
MOST_FILES = 25
FILES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for folder in ("lib", "course", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
}
SWITCH = re.compile(r"# (?:type: ignore|noqa)\b")
WITH_REASON = re.compile(r"# (?:type: ignore\[[\w, -]+\]|noqa: [A-Z0-9, ]+)  # \S")
ASKS_FOR_MODULE = re.compile(r"__module__\b.*(?:startswith\(| in |==|!=)")
FOREIGN_MODULE = re.compile(r"""(?:==|!=) "builtins"|startswith\("torch\."\)""")

#: A user's programs, and what type checkers must find in the wrong one: it stands beside the lines.
TYPED = ROOT / "tests" / "library" / "typed"
EXPECTED = re.compile(r"# mypy: ([\w-]+)$")

#: What a program asks of inspectors' records.
ATTRIBUTES = """
import torch
from glassroom import aliases, explain_error, graph, holders, memory_timeline, model_map, show, step_backward, watch

x = torch.ones(3, requires_grad=True)
loss = (x * 2).sum()
print(graph(loss).data.steps[0].name, show(x).data.storages[0].nbytes, watch(loss.sum).data.moments[0].statement.line)
print(holders(x).data.nbytes, memory_timeline(loss.sum).data, model_map(torch.nn.Linear(2, 2)).data)
print(graph(loss).data.stops)  # there is none
print(show(x).data.storage)  # there is none
print(watch(loss.sum).data.steps)  # there is none
print(step_backward(loss).data.nodes_of)  # there is none
print(explain_error().data.line)  # there is none
print(aliases(x).data.group)  # there is none
"""

#: Tools that `python -m` does not start.
STARTED = {"importlinter": (str(Path(sys.executable).with_name("lint-imports")),)}


def run(module, *arguments, folder=ROOT):
    """Run a tool, by default on the repository, and return its output; skip if it is not installed."""
    pytest.importorskip(module, reason=f"{module} is not installed (extra: test)")
    command = [*STARTED.get(module, (sys.executable, "-m", module)), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_ruff_has_nothing_to_say():
    said = run("ruff", "check", ".")
    assert said.returncode == 0, said.stdout


def test_the_code_is_laid_out_as_ruff_does():
    said = run("ruff", "format", "--check", ".")
    assert said.returncode == 0, said.stdout


def test_mypy_finds_the_types_sound():
    said = run("mypy")
    assert said.returncode == 0, said.stdout


def test_no_room_imports_from_a_room_above_it():
    said = run("importlinter", "--no-cache", "--no-logo")
    assert said.returncode == 0, said.stdout


def test_no_folder_holds_more_files_than_a_reader_can_survey():
    counts = Counter(Path(path).parent.as_posix() for path in FILES)
    assert {"lib/tensorglass/tensor", "course/glassroom/cli", "tests/style"} <= set(counts)
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_numpy_is_imported_only_where_contributing_says_so():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    said = page[page.index("Does it import NumPy?") : page.index("Is it a better way on the CPU")]
    importing = {
        path.removeprefix("lib/tensorglass/")
        for path, text in FILES.items()
        if path.startswith("lib/") and re.search(r"^ *(?:import|from) numpy\b", text, re.MULTILINE)
    }
    others = {path for path in importing if not path.startswith("backends/")}
    assert others == set(re.findall(r"`([\w/]+\.py)`", said))


def test_no_behaviour_depends_on_the_name_of_a_module():
    """Except for modules of Python and PyTorch: a file can be moved without changing what a program does."""
    asked = [
        f"{path}: {line.strip()}"
        for path, text in FILES.items()
        for line in text.splitlines()
        if path.startswith("lib/") and ASKS_FOR_MODULE.search(line) and not FOREIGN_MODULE.search(line)
    ]
    assert asked == []


def test_no_check_is_switched_off_without_a_reason_beside_it():
    switched_off = [
        f"{path}:{number}"
        for path, text in FILES.items()
        for number, line in enumerate(text.splitlines(), 1)
        if SWITCH.search(line) and not WITH_REASON.search(line)
    ]
    assert switched_off == []


def examples_of(page):
    """The Python of a page of documentation as one program; lines for IPython alone are left out."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    return re.sub(r"^%.*$", "", "\n\n".join(blocks), flags=re.MULTILINE)


def test_mypy_takes_a_users_right_program_and_flags_each_wrong_call(tmp_path):
    """The documentation's examples are right programs too, though written without types."""
    config = tmp_path / "mypy.ini"
    config.write_text(
        f"[mypy]\nmypy_path = {ROOT / 'lib'}:{ROOT / 'course'}\ncache_dir = {tmp_path / 'cache'}\n"
        "local_partial_types = True\n"
        "[mypy-examples]\nallow_redefinition = True\ndisallow_untyped_defs = False\n"
        "disallow_untyped_calls = False\ndisallow_incomplete_defs = False\n"
        "[mypy-torch.*]\nignore_missing_imports = True\n"  # some examples are about PyTorch, which need not be there
    )
    programs = [str(TYPED / name) for name in ("right.py", "wrong.py")]
    (tmp_path / "examples.py").write_text(examples_of("inspectors.md"), encoding="utf-8")
    programs.append("examples.py")
    flags = ["--strict", "--follow-imports=silent", "--no-pretty", f"--config-file={config}"]
    said = run("mypy", *flags, *programs, folder=tmp_path).stdout
    errors = re.findall(r"(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE)
    lines = (TYPED / "wrong.py").read_text(encoding="utf-8").splitlines()
    marked = {at: wanted[1] for at, line in enumerate(lines, 1) if (wanted := EXPECTED.search(line))}
    assert len(marked) > 20
    assert sorted(errors) == sorted(("wrong.py", str(at), code) for at, code in marked.items()), said


def test_pyright_finds_every_attribute_in_the_documentations_examples(tmp_path):
    for page in ("inspectors.md", "testing-memory.md"):
        name = page.removesuffix(".md").replace("-", "_")
        (tmp_path / f"{name}.py").write_text(examples_of(page), encoding="utf-8")
    (tmp_path / "attributes.py").write_text(ATTRIBUTES, encoding="utf-8")
    project = {"extraPaths": [str(ROOT / "lib"), str(ROOT / "course")], "typeCheckingMode": "basic"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(project), encoding="utf-8")
    said = run("pyright", "--outputjson", "--pythonpath", sys.executable, folder=tmp_path).stdout
    if not said.startswith("{"):
        pytest.skip("pyright, which npm installs, does not start")
    found = json.loads(said)
    assert found["summary"]["filesAnalyzed"] == 3
    wrong = [at for at, line in enumerate(ATTRIBUTES.splitlines(), 1) if line.endswith("# there is none")]
    lines = [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in found["generalDiagnostics"]
        if each.get("rule") in ("reportAttributeAccessIssue", "reportCallIssue", "reportArgumentType")
    ]
    assert sorted(lines) == [("attributes.py", at) for at in wrong], found["generalDiagnostics"]
