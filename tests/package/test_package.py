"""The distribution: what the wheel carries, and that it works alone in an empty environment with NumPy."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

FOREIGN_MODULES = """
import json, sys
before = set(sys.modules)
import tensorglass as torch
assert torch.arange(6).view(2, 3).t().stride() == (1, 3)
new = {name for name in set(sys.modules) - before if getattr(sys.modules[name], "__file__", None)}
print(json.dumps(sorted({name.partition(".")[0] for name in new} - set(sys.stdlib_module_names))))
"""


MARKED = """
from pathlib import Path

import pytest

import glassroom
import tensorglass as torch


@pytest.mark.no_copy
def test_of_a_view():
    assert torch.ones(3).view(3, 1).shape == (3, 1)
    assert Path(glassroom.__file__).is_relative_to(Path(__file__).parent)


@pytest.mark.no_copy
def test_of_a_copy():
    torch.ones(3).clone()
"""


def in_the_sources(pattern):
    """Our files of a kind, as they are named inside the wheel."""
    modules = {
        path.relative_to(ROOT / top).as_posix() for top in ("lib", "course") for path in (ROOT / top).rglob(pattern)
    }
    pages = {"glassroom/" + path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").rglob(pattern)}
    return {name for name in modules | pages if ".ipynb_checkpoints" not in name}


def test_the_wheel_carries_the_notebooks_the_scripts_the_stubs_and_the_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for pattern in ("*.py", "*.pyi", "*.ipynb", "*.js", "*.css", "*.json", "*.txt", "py.typed"):
        expected = in_the_sources(pattern)
        assert expected, pattern
        assert expected <= names
    assert {"tensorglass/py.typed", "glassroom/py.typed"} <= names


def test_pytest_finds_the_markers_of_the_wheel(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (tmp_path / "test_marked.py").write_text(MARKED)
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "--rootdir=.", "test_marked.py"]
    alone = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False).stdout
    assert "1 failed, 1 passed" in said, said
    assert "FAILED test_marked.py::test_of_a_copy" in said


def test_the_wheel_carries_the_packages_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "tensorglass",
        "glassroom",
        f"tensorglass-{PROJECT['version']}.dist-info",
    }
    assert not [name for name in names if "__pycache__" in name or ".ipynb_checkpoints" in name]


def test_the_sdist_carries_all_that_is_needed_to_build_and_test(sdist):
    top = f"tensorglass-{PROJECT['version']}"
    with tarfile.open(sdist) as archive:
        names = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    for name in ("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "environment.yml", ".ci/run"):
        assert name in names
    for folder in ("lib", "course", "notebooks", "tests"):
        ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
        assert {name for name in ours if "__pycache__" not in name} <= names
    assert not [name for name in names if "__pycache__" in name]


def test_importing_the_library_alone_needs_numpy_only(empty_environment):
    said = empty_environment("python", "-c", FOREIGN_MODULES)
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout) == ["numpy", "tensorglass"]


def test_all_versions_agree(empty_environment):
    ask = "import tensorglass, glassroom; print(tensorglass.__version__, glassroom.__version__)"
    assert empty_environment("python", "-c", ask).stdout.split() == [PROJECT["version"]] * 2


def test_the_command_starts_with_numpy_only_and_doctor_says_what_is_missing(empty_environment):
    assert empty_environment("glassroom", "--version").stdout.strip() == f"glassroom {PROJECT['version']}"
    said = empty_environment("glassroom", "doctor")
    assert said.returncode == 1
    assert "missing   jupyterlab" in said.stdout
    assert "pip install 'tensorglass[course]'" in said.stdout
    said = empty_environment("glassroom", "lab")
    assert said.returncode == 4
    assert "jupyterlab" in said.stderr


def test_with_the_extras_the_command_makes_a_working_copy_and_doctor_finds_nothing_missing(empty_environment, tmp_path):
    pytest.importorskip("jupyterlab", reason="the extra `course` is not installed")
    said = empty_environment("glassroom", "lab", "mine", "--no-lab", cwd=tmp_path, extras=True)
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "mine" / "1_memory" / "00_start_here.ipynb").is_file()
    said = empty_environment("glassroom", "doctor", "mine", cwd=tmp_path, extras=True)
    assert "The course can run." in said.stdout
    assert str(ROOT) not in re.search("course .*", said.stdout)[0]


INSPECT = """
import sys
import numpy as np
import tensorglass as torch
from glassroom import aliases, graph, holders, memory_timeline, model_map, show, step_backward, watch
x = torch.ones(3, requires_grad=True)
made = [show(x, a=np.arange(3)), aliases(x), graph((x * 2).sum()), step_backward((x * 2).sum()), holders(x)]
made += [memory_timeline(lambda: x * 2), watch(lambda: x * 2)]
for at, each in enumerate(made):
    print(each.text.partition("\\n")[0])
    each.save(f"{at}.html")
    each.save(f"{at}.svg")
assert not {"jupyterlab", "IPython", "matplotlib", "anywidget"} & set(sys.modules)
"""


def test_the_inspectors_work_with_numpy_alone(empty_environment):
    said = empty_environment("python", "-c", INSPECT)
    assert said.returncode == 0, said.stderr
    assert len(said.stdout.splitlines()) == 7


def test_the_extra_of_the_inspectors_is_part_of_the_courses_and_has_no_jupyterlab():
    extras = PROJECT["optional-dependencies"]
    assert set(extras["inspect"]) < set(extras["course"])
    assert not [
        requirement
        for requirement in extras["inspect"]
        if requirement.startswith(("jupyterlab", "notebook", "ipykernel"))
    ]


def test_the_wheels_notebooks_make_a_working_copy(empty_environment, tmp_path):
    said = empty_environment("glassroom", "lab", tmp_path / "mine", "--no-lab")
    assert said.returncode == 0, said.stderr
    ours = {path.relative_to(ROOT / "notebooks") for path in (ROOT / "notebooks").rglob("*.ipynb")}
    theirs = {path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*.ipynb")}
    assert {path for path in ours if ".ipynb_checkpoints" not in path.parts} == theirs


def test_each_requirement_has_a_lower_bound():
    extras = PROJECT["optional-dependencies"]
    requirements = {*PROJECT["dependencies"], *chain.from_iterable(extras.values())}
    others = [requirement for requirement in requirements if not requirement.startswith("tensorglass[")]
    assert [requirement for requirement in others if not re.search("[>=]=", requirement)] == []


def test_the_library_depends_on_numpy_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        stated = archive.read(f"tensorglass-{PROJECT['version']}.dist-info/METADATA").decode()
    required = re.findall("^Requires-Dist: (.*)$", stated, re.MULTILINE)
    assert [requirement for requirement in required if "extra ==" not in requirement] == PROJECT["dependencies"]


def test_the_conda_environment_asks_for_what_the_package_and_the_course_ask_for():
    asked_for = set(re.findall("^  - ([^ :]+)$", (ROOT / "environment.yml").read_text(), re.MULTILINE))
    python = f"python{PROJECT['requires-python']}"
    stated = (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["course"])  # the course may ask for more
    wanted = {requirement.partition(">")[0]: requirement for requirement in stated}
    assert asked_for - {"conda-forge"} == {python, "pip", *wanted.values()}


def test_the_conda_recipe_says_what_the_package_says():
    recipe = yaml.safe_load((ROOT / "deploy" / "conda" / "recipe.yaml").read_text())
    assert (recipe["package"]["name"], recipe["package"]["version"]) == (PROJECT["name"], PROJECT["version"])
    asked_for = {requirement.replace(" ", "") for requirement in recipe["requirements"]["run"]}
    assert asked_for == {f"python{PROJECT['requires-python']}", *PROJECT["optional-dependencies"]["course"]}
    building = {requirement.replace(" ", "") for requirement in recipe["requirements"]["host"]}
    assert building >= set(tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"])
    assert recipe["build"]["noarch"] == "python"
    (script,) = recipe["build"]["python"]["entry_points"]
    assert [script] == [f"{name} = {called}" for name, called in PROJECT["scripts"].items()]
    assert recipe["about"]["homepage"] == PROJECT["urls"]["Repository"]


def test_binder_installs_the_course_and_makes_the_copy_that_pages_lead_to():
    from glassroom.site.elsewhere import BINDER

    script = ROOT / ".binder" / "postBuild"
    install, lab = script.read_text("utf-8").splitlines()[-2:]
    assert os.access(script, os.X_OK)
    assert install.endswith("pip install --no-cache-dir '.[course]'")
    assert lab == f"glassroom lab {BINDER.rpartition('/')[2]} --no-lab"


def test_links_and_pictures_of_the_readme_hold_on_the_page_of_an_index(wheel):
    with zipfile.ZipFile(wheel) as archive:
        stated = archive.read(f"tensorglass-{PROJECT['version']}.dist-info/METADATA").decode()
    header, _, page = stated.partition("\n\n")
    page = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)  # `layers[0](batch)` is no link
    repository = PROJECT["urls"]["Repository"]
    raw = repository.replace("github.com", "raw.githubusercontent.com")
    links = re.findall(r"\]\(([^)]+)\)", page) + re.findall(r'src(?:set)?="([^"]+)"', page)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    ours = [re.sub(f"^({repository}/blob|{raw})/main/", "", link) for link in links]
    paths = [path for path in ours if "://" not in path and not path.startswith("#")]
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path.partition("#")[0]).exists()] == []
    for name in ("Repository", "Issues", "Documentation", "Changelog"):
        assert f"Project-URL: {name}, {PROJECT['urls'][name]}" in header
