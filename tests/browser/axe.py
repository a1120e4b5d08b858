"""axe-core, which looks for what keeps people with disabilities out: fetched by npm once, at one version, and kept."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

VERSION = "4.14.1"
KEPT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "glassroom-tests" / f"axe-core-{VERSION}"
GRAVE = ("serious", "critical")
#: What passes need not be described: it is nearly all that there is on a page.
VIOLATIONS = """async (selector) => {
    const report = await axe.run(document.querySelector(selector), { resultTypes: ["violations"] });
    return report.violations;
}"""


@cache
def source() -> str:
    """The text of axe-core; skips the test where it is not kept and npm cannot bring it."""
    script = KEPT / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core is not here and neither is npm: apt-get install npm")
        KEPT.mkdir(parents=True, exist_ok=True)
        quietly = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
        command = [npm, "install", "--prefix", str(KEPT), *quietly, f"axe-core@{VERSION}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            pytest.skip("axe-core is not here, and npm could not bring it")
    return script.read_text(encoding="utf-8")


def faults(page: Any, selector: str, every: bool = False) -> list[str]:
    """What axe finds serious or critical inside an element, or whatever it finds: the rule, what it is about, where."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(source())
    found = page.evaluate(VIOLATIONS, selector)
    told = [violation for violation in found if every or violation["impact"] in GRAVE]
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:120]}"
        for violation in told
        for node in violation["nodes"]
    ]
