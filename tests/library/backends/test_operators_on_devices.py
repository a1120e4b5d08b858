"""Every operator does on an accelerator what it does on the CPU: one kernel source for all devices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from devices_here import ACCELERATORS

import tensorglass as torch
from tensorglass import backends
from tensorglass.backends.numpy_backend import NumpyBackend
from tensorglass.ops import OPERATORS
from tensorglass.ops.declare.registry import Operator
from tensorglass.ops.declare.samples import samples_of
from tensorglass.testing import check_backend, check_operator


@pytest.mark.sweep
@pytest.mark.parametrize("device", ACCELERATORS)
@pytest.mark.parametrize("row", [row for row in OPERATORS.values() if samples_of(row)], ids=lambda row: row.name)
def test_an_operator_does_what_it_does_on_the_cpu(row: Operator, device: str) -> None:
    check_operator(row, device)


class Sloppy(NumpyBackend):
    """A backend with a fault: its kernels forget about the last row of what `add` writes."""

    device_type = "sloppy"

    def ufunc(self, name: str):
        function = super().ufunc(name)
        if name != "add":
            return function

        def add(one, other, out=None):
            result = function(one, other, out=out)
            if result.size:
                result.reshape(-1)[-1] = 0
            return result

        return add


class SloppyDevices:
    def count(self) -> int:
        return 1

    def make(self, index: int) -> Sloppy:
        return Sloppy()


@pytest.fixture
def sloppy() -> Iterator[str]:
    backends.register_family("sloppy", SloppyDevices())
    yield "sloppy"
    backends.forget(backends.get(torch.device("sloppy", 0)))


@pytest.mark.skipif(os.environ.get("TENSORGLASS_FAST") == "0", reason="the fault is in what the shortcuts call")
def test_a_fault_of_a_backend_is_found_and_named(sloppy: str) -> None:
    assert torch.zeros(2, device="sloppy").device == torch.device("sloppy", 0)
    report = check_backend(sloppy, ["mul", "add", "cat"])
    assert not report.ok
    assert report.checked == ["mul", "add", "cat"]
    assert list(report.failures) == ["add"]
    assert repr(report).startswith("sloppy: 2 of 3 operators do what they do on the CPU\n  add: results of add(")


def test_a_report_says_that_all_is_well() -> None:
    assert repr(check_backend("sim", ["mul", "sum"])) == "sim: 2 of 2 operators do what they do on the CPU"
    with pytest.raises(ValueError, match="no operator 'mull'"):
        check_backend("sim", ["mull"])


MODULE = """
from tensorglass.backends.numpy_backend import NumpyBackend

class Plain(NumpyBackend):
    device_type = "installed"

class Devices:
    def count(self):
        return 1
    def make(self, index):
        return Plain()

DEVICES = Devices()
"""


def test_an_installed_package_may_bring_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brings_devices.py").write_text(MODULE)
    about = tmp_path / "brings_devices-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brings-devices\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tensorglass.backends]\ninstalled = brings_devices:DEVICES\n")
    with pytest.raises(RuntimeError, match="at start of device string: installed"):
        torch.device("installed")
    monkeypatch.syspath_prepend(tmp_path)
    tensor = torch.arange(3, device="installed") + 1
    assert tensor.device == torch.device("installed:0")
    assert tensor.tolist() == [1, 2, 3]
    assert check_backend("installed", ["add", "matmul"]).ok
