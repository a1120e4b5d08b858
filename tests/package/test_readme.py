"""What the README promises: its examples print what it says, and CI runs the very command that it shows."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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


def test_every_file_that_the_readme_links_to_exists():
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src(?:set)?="([^"]+)"', README)
    assert targets
    missing = [target for target in targets if "://" not in target and not (ROOT / target).exists()]
    assert missing == []
