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


@pytest.mark.parametrize("layer", ["array_api", "browser", "course", "geometry", "library", "notebooks"])
def test_no_layer_but_that_of_parity_wants_pytorch_to_be_collected(layer, tmp_path):
    """The test command installs none."""
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    command = [
        sys.executable,
        "-m",
        "pytest",
        f"tests/{layer}",
        "--collect-only",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
    ]
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    said = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert "error" not in said.stdout.lower().splitlines()[-1], said.stdout
