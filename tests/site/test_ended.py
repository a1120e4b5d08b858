"""A build that is ended leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from time import monotonic, sleep

import psutil  # which ipykernel needs
import pytest

pytest.importorskip("furo", reason="the site's tests need the extra: site")


def is_a_kernel(process: psutil.Process) -> bool:
    try:
        return "ipykernel_launcher" in process.cmdline()
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(sys.platform == "win32", reason="no process can ask another to end on Windows")
def test_a_build_that_is_ended_leaves_no_process_and_no_folder(tmp_path):
    command = [sys.executable, "-m", "glassroom", "site", "--out", str(tmp_path / "out"), "--cache"]
    building = subprocess.Popen(
        [*command, str(tmp_path / "cache"), "1_memory/00_start_here"], stderr=subprocess.PIPE, text=True
    )
    others: list[psutil.Process] = []
    until = monotonic() + 120
    while not any(is_a_kernel(other) for other in others):
        assert monotonic() < until, "no kernel has been started"
        sleep(0.02)
        others = psutil.Process(building.pid).children(recursive=True)
    building.send_signal(signal.SIGTERM)
    _, told = building.communicate(timeout=200)
    assert (building.returncode, told.strip().splitlines()[-1]) == (130, "glassroom: interrupted")
    assert psutil.wait_procs(others, timeout=60)[1] == []
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
