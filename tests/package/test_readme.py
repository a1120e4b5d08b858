"""What the README promises: its examples print what it says, and CI runs the very command that it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()


def test_the_tour_prints_what_the_readme_says():
    pairs = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", README, re.DOTALL)
    assert pairs
    for code, printed in pairs:
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert said.stdout == printed, said.stderr


def test_ci_runs_the_test_command_that_the_readme_shows():
    said = subprocess.run(["bash", ROOT / ".ci" / "run", "--show"], capture_output=True, text=True, check=True)
    command = said.stdout.strip()
    assert command.endswith("glassroom test")
    assert f"\n{command}\n" in README


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{p.name}" for p in DOCS.glob("*.md"))])
def test_every_file_that_a_page_links_to_exists(page):
    text, folder = (ROOT / page).read_text(), (ROOT / page).parent
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)  # `layers[0](batch)` is no link
    targets = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'src(?:set)?="([^"]+)"', text)
    missing = [target for target in targets if "://" not in target and not (folder / target).exists()]
    assert missing == []


LAYERS = ("array_api", "browser", "course", "geometry", "library", "notebooks")


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """What pytest says of these layers' tests where PyTorch is not installed: the test command installs none."""
    folder = tmp_path_factory.mktemp("without-pytorch")
    (folder / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:nbval"]
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [*command, *(f"tests/{layer}" for layer in LAYERS)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_but_that_of_parity_wants_pytorch_to_be_collected(layer, collected):
    lines = collected.splitlines()
    assert [line for line in lines if line.startswith(f"tests/{layer}/")]
    assert [line for line in lines if line.startswith(f"ERROR tests/{layer}/")] == []
    assert "error" not in lines[-1].lower()
