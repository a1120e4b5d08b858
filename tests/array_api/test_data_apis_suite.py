"""data-apis' own suite, `array-api-tests`, on our namespace, if it has been downloaded.

``ARRAY_API_TESTS=/path/to/array-api-tests`` says where its checkout is; `docs/array-api.md` says how to get one. The
suite is not a package, so `pyproject.toml` cannot list it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = os.environ.get("ARRAY_API_TESTS")
EXPECTED_FAILURES = Path(__file__).with_name("expected_failures.txt")
EXAMPLES = os.environ.get("ARRAY_API_TESTS_EXAMPLES", "20")


@pytest.mark.skipif(not CHECKOUT, reason="array-api-tests is not here: set ARRAY_API_TESTS, see docs/array-api.md")
@pytest.mark.timeout(1800)
def test_the_suite_passes_but_for_the_failures_that_are_expected() -> None:
    assert CHECKOUT
    # "--xfails-file=PATH" is one argument: given a path as an argument of its own, pytest would read our settings.
    command = [sys.executable, "-m", "pytest", "array_api_tests", "-q", "--max-examples", EXAMPLES, "--derandomize",
               "--disable-deadline", f"--xfails-file={EXPECTED_FAILURES}"]  # fmt: skip
    environment = os.environ | {"ARRAY_API_TESTS_MODULE": "tensorglass.array_api"}
    ended = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    print(ended.stdout.splitlines()[-1:])
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
