"""Run in Pyodide: pytest on tests of the library, and one line of JSON with the results.

A test that needs what the platform does not have (processes, threads, users, a package that Pyodide has not got) is
skipped with the platform's own words. Every other failure is one.
"""

import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

#: The platform's words for what it cannot do.
REFUSALS = re.compile(
    r"emscripten does not support processes|can't start new thread|\[Errno (52|138)\] Function not implemented"
    r"|No module named '(ml_dtypes|_multiprocessing|grp|pwd|resource)'"
    r"|module 'os' has no attribute '(mkfifo|geteuid|fork|sched_getaffinity)'"
    r"|(tensors cannot be shared between processes|no process can be started) on 'emscripten'"
    r"|no file can be mapped for writing on 'emscripten'"
)


class Report:
    """Counts outcomes, and keeps the last lines of failures."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.failures: list[str] = []
        self.skipped: Counter[str] = Counter()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        report = (yield).get_result()
        if report.failed and (refused := REFUSALS.search(report.longreprtext)):
            report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"Skipped: {refused.group()}")
            self.skipped[refused.group()] += 1

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.outcome] += 1
        if report.failed:
            self.failures.append(f"{report.nodeid}\n{report.longreprtext[-1500:]}")

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.outcomes["failed"] += 1
            self.failures.append(f"{report.nodeid}\n{report.longreprtext[-1500:]}")


def main(paths: list[str]) -> None:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir("/checkout")
    Path("/tmp/pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib\npythonpath = /checkout/tests\nxfail_strict = true\n"
    )
    report = Report()
    options = ["-c", "/tmp/pytest.ini", "--rootdir", "/checkout", "-q", "-p", "no:cacheprovider", "--capture=sys"]
    pytest.main([*options, "--continue-on-collection-errors", *paths], plugins=[report])
    answer = {"outcomes": report.outcomes, "failures": report.failures, "skipped": report.skipped}
    print("\n" + json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
