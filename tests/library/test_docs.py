"""The pages about the library: examples run, excerpts stand in it, and tables and the map are what the library says."""

import re
import runpy
import subprocess
import sys
import warnings
from collections import Counter
from operator import attrgetter
from pathlib import Path

import tensorglass
from tensorglass.core.left_out import is_left_out
from tensorglass.core.names_alone import is_module

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "adding-an-operator.md").read_text(), re.DOTALL)
EXAMPLES = [block for block in BLOCKS if block.startswith("from __future__")]

# What a reader would try next. It runs in a process of its own, so that this one's operator table stays unchanged.
TRIED = """
import tensorglass as torch
x = torch.tensor([[1.0], [2.0]])
print(torch.nextafter(x, torch.tensor([5.0, 0.0])).shape)
print(x.nextafter(x).tolist(), x.nextafter_(x) is x, x._version)
print(torch.nextafter(x, x, out=torch.empty(0)).tolist())
print(torch.nextafter(torch.tensor(0.0), torch.tensor(1.0)).item())
try:
    torch.nextafter(torch.tensor([1]), torch.tensor([2]))
except NotImplementedError as error:
    print(error)
"""
PRINTED = """\
torch.Size([2, 2])
[[1.0], [2.0]] True 1
[[1.0], [2.0]]
1.401298464324817e-45
"nextafter_cpu" not implemented for 'Long'
"""


def test_the_declaration_gives_every_form_of_the_operator(tmp_path):
    assert EXAMPLES
    script = tmp_path / "declared.py"
    # The library has its own `nextafter`, for more dtypes: remove that from the table first.
    forget = 'from tensorglass.ops import OPERATORS\n\ndel OPERATORS["nextafter"]\n\n@pointwise('
    script.write_text("\n".join([*EXAMPLES, TRIED]).replace("@pointwise(", forget, 1))
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert said.stdout == PRINTED, said.stderr


def test_the_other_pieces_of_code_are_the_librarys_own():
    sources = "\n".join(path.read_text() for path in (ROOT / "lib" / "tensorglass" / "ops").rglob("*.py"))
    excerpts = [block for block in BLOCKS if block not in EXAMPLES]
    assert excerpts
    assert [block for block in excerpts if block not in sources] == []


def test_the_network_of_the_page_learns_what_the_page_says():
    program, printed = re.findall(r"```(?:python|text)\n(.*?)```", PAGES["networks"], re.DOTALL)
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert said.stdout == printed, said.stderr


def test_the_page_and_the_list_of_operators_are_what_the_table_makes():
    making = runpy.run_path(str(ROOT / "docs" / "make_operators.py"))
    assert making["PAGE"].read_text() == making["page"](), "run: python docs/make_operators.py"
    assert making["LATER"].read_text() == making["later"](), "run: python docs/make_operators.py"


PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text()
    for name in ("architecture", "internals", "adding-an-operator", "networks")
}
#: What is written as a path: `ops/declare/registry`, `graph/node.py`, `core/`.
PATHS = re.compile(r"`((?:[a-z_]\w*/)+(?:[a-z_]\w*(?:\.\w+)?)?)[\w.()]*`")


def rooms(package: Path) -> set[str]:
    """The folders of a package that hold code."""
    return {path.parent.name for path in package.glob("*/__init__.py")}


def test_the_map_has_every_room_and_no_other():
    tensorglass, glassroom = PAGES["architecture"].split("\n## glassroom")
    named = set(re.findall(r"`(\w+)/`", tensorglass.split("## Rules")[0]))
    library = ROOT / "lib" / "tensorglass"
    assert named == rooms(library) | rooms(library / "ops") | {"lib", "course", "notebooks"}
    assert rooms(ROOT / "course" / "glassroom") <= set(re.findall(r"`(\w+)/`", glassroom))


def test_every_path_that_the_pages_name_is_there():
    library, course = ROOT / "lib" / "tensorglass", ROOT / "course" / "glassroom"
    homes = (ROOT, library, library / "ops", library / "backends", course, course / "drawing", course / "inspectors")
    paths = {path for page in PAGES.values() for path in PATHS.findall(page)}
    missing = [
        path
        for path in sorted(paths)
        if not any((home / path).exists() or (home / f"{path}.py").exists() for home in homes)
    ]
    assert len(paths) > 40
    assert missing == []


def test_the_architecture_fits_on_two_screens():
    assert len(PAGES["architecture"].splitlines()) <= 115


def test_what_a_user_meets_of_the_differences_fits_on_two_screens():
    pages = [(ROOT / "docs" / name).read_text() for name in ("differences.md", "differences-appendix.md")]
    assert len(pages[0].splitlines()) <= 110
    rows = [line.strip("| ").split(" | ") for page in pages for line in page.splitlines() if line.startswith("| ")]
    assert [row for row in rows if len(row) != 3] == []
    subjects = Counter(row[0] for row in rows if row[0] != "subject")
    assert [subject for subject, count in subjects.items() if count > 1] == []


def there(name: str) -> bool:
    """Whether the library has this function, module or method, other than by its name alone."""
    if is_module(name.removeprefix("torch.")):
        return False
    for root in (tensorglass, tensorglass.Tensor):
        try:
            if not is_left_out(attrgetter(name.removeprefix("torch."))(root)):
                return True
        except (AttributeError, RuntimeError):  # the namespace's errors tell what to use instead
            continue
    return False


def test_what_the_differences_call_missing_is_missing():
    """The names are in backquotes; a name after "of" says where another belongs, and need not be missing."""
    page = (ROOT / "docs" / "differences-appendix.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    missing = [subject for subject, _, ours in rows if re.match(r"(do|does) not exist(:|$)", ours)]
    names = [name for subject in missing for name in re.findall(r"(?<!of )`([\w.]+)`", subject)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(names) > 40
        assert [name for name in names if there(name)] == []
