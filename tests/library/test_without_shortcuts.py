"""The shortcuts in `fast` are the root's to install: nothing else knows of them, and without them all is right."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "lib" / "tensorglass"
FILES = {path.relative_to(LIBRARY).as_posix(): ast.parse(path.read_text("utf-8")) for path in LIBRARY.rglob("*.py")}
#: Where NumPy, or the backend that wraps it, may be named; and the public modules that give users the backend.
OF_NUMPY = (
    "backends/", "ops/kernels/", "fast/", "bootstrap/", "interop/numpy.py", "__init__.py", "extending.py",
    # users' own arrays among arguments and in a batch, and the seed of NumPy's generator in a worker process
    "amp/autocast_mode.py", "utils/data/collate.py", "utils/data/workers.py",
)  # fmt: skip

#: Tests of what `fast` has shortcuts for: views, indices, gathering, copies, gradients.
REPRESENTATIVE = (
    "ops/views/test_views.py",
    "ops/indexing/test_indexing.py",
    "ops/indexing/test_gathering.py",
    "autograd/test_autograd.py",
    "autograd/test_hooks.py",
)


def imported_by(tree: ast.Module) -> set[str]:
    """The modules that a file imports anywhere in it; for `from a import b` both `a` and `a.b`."""
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.update((node.module, *[f"{node.module}.{name.name}" for name in node.names]))
    return imported


def test_nothing_but_the_root_imports_the_shortcuts() -> None:
    importers = [
        path
        for path, tree in FILES.items()
        if any(f"{name}.".startswith("tensorglass.fast.") for name in imported_by(tree))
    ]
    assert [path for path in importers if not path.startswith("fast/")] == ["__init__.py"]


def test_numpy_is_named_where_kernels_and_backends_are_and_nowhere_else() -> None:
    importers = [
        path
        for path, tree in FILES.items()
        if any(name.partition(".")[0] == "numpy" or "backends.numpy_backend" in name for name in imported_by(tree))
    ]
    assert importers
    assert [path for path in importers if not path.startswith(OF_NUMPY)] == []


@pytest.fixture(scope="module")
def without_shortcuts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the library without `fast`."""
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(LIBRARY, folder / "tensorglass", ignore=shutil.ignore_patterns("fast", "__pycache__"))
    return folder


def test_the_folder_can_be_deleted(without_shortcuts: Path) -> None:
    paths = os.pathsep.join((str(without_shortcuts), str(ROOT / "course")))
    environment = {name: value for name, value in os.environ.items() if name != "TENSORGLASS_FAST"}
    environment["PYTHONPATH"] = paths
    tests = [str(ROOT / "tests" / "library" / name) for name in REPRESENTATIVE]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n0", *tests],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not run.returncode, run.stdout[-3000:]
    where = subprocess.run(
        [sys.executable, "-c", "import tensorglass; print(tensorglass.__file__, hasattr(tensorglass, 'fast'))"],
        cwd=without_shortcuts, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.split() == [str(without_shortcuts / "tensorglass" / "__init__.py"), "False"]
