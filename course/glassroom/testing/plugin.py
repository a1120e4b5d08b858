"""The pytest plugin: markers that apply the assertions to a test, and a report of peaks. If nbval finds stored outputs
that differ, the plugin says how to store them again.

It is loaded with every pytest that finds it installed, so it imports nothing but pytest until a test asks for it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from glassroom.translations.templates import as_is

MARKERS = {
    "peak_below(limit)": "fail if the test holds so many bytes at any moment: 4096, '10 MiB' (glassroom)",
    "no_copy(above=0)": "fail if the test copies elements, of so many bytes or more (glassroom)",
    "no_leak(allowed=0)": "fail if more bytes are held after the test than before (glassroom)",
}
PEAKS = pytest.StashKey[dict[str, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    if find_spec("pytest_timeout") is None:  # a checkout's settings use it, and pytest would refuse them
        parser.addini("timeout", "seconds a test may take, where pytest-timeout is installed (glassroom)")
    group = parser.getgroup("glassroom", "memory of tensors")
    group.addoption("--memory-peaks", type=int, default=0, metavar="N", help="tell the N tests with the highest peaks")
    group.addoption("--advise-from", default="", help=argparse.SUPPRESS)  # where who reads the report stands


def pytest_configure(config: pytest.Config) -> None:
    for marker, words in MARKERS.items():
        config.addinivalue_line("markers", f"{marker}: {words}")
    config.stash[PEAKS] = {}


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    __tracebackhide__ = True
    demands = [mark for name in ("peak_below", "no_copy", "no_leak") for mark in pyfuncitem.iter_markers(name)]
    if not demands and not pyfuncitem.config.getoption("memory_peaks"):
        return (yield)
    from glassroom.testing import blocks

    blocks_asked = [getattr(blocks, f"assert_{mark.name}")(*mark.args, **mark.kwargs) for mark in demands]
    block = blocks.Together(blocks_asked)
    frame = sys._getframe()
    block.begin(frame, pyfuncitem.obj)
    raised: BaseException | None = None
    try:
        return (yield)
    except BaseException as error:
        raised = error
        raise
    finally:
        try:
            block.end(frame, raised)
        finally:
            pyfuncitem.config.stash[PEAKS][pyfuncitem.nodeid] = block.peak
            del raised  # it leads to this frame


def _differs_from_what_is_stored(report: Any) -> bool:
    """Whether a failure is nbval's, for a cell whose output differs from the stored one."""
    return ".ipynb::" in report.nodeid and "Cell outputs differ" in str(report.longrepr)


def _from(here: Path, path: Path) -> str:
    """A path as it is written in `here`: relative if it lies within, else whole."""
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    failed = terminalreporter.stats.get("failed", [])
    differing = [
        os.path.abspath(config.rootpath / report.location[0])
        for report in failed
        if _differs_from_what_is_stored(report)
    ]
    if differing:
        terminalreporter.section("stored outputs differ")
        terminalreporter.line("If what these notebooks show now is right, store it:")
        here = Path(config.getoption("advise_from") or os.getcwd())
        paths = [shlex.quote(_from(here, Path(path))) for path in dict.fromkeys(differing)]
        terminalreporter.line(as_is(f"    glassroom refresh {' '.join(paths)}"))
    most, peaks = config.getoption("memory_peaks"), config.stash[PEAKS]
    if most and peaks:
        terminalreporter.section(f"{min(most, len(peaks))} highest memory peaks")
        for test, peak in sorted(peaks.items(), key=lambda number: -number[1])[:most]:
            terminalreporter.line(f"{peak:>15,} bytes  {test}")
