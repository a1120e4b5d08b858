"""Mixed work leaves nothing behind; and the program that runs the attacks says how each of them ended."""

from __future__ import annotations

import dataclasses
import socket
import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attacks import soak

import tensorglass as torch

ATTACK = Path(__file__).resolve().parents[2] / "benchmarks" / "attack.py"


@pytest.fixture(scope="module")
def attack() -> Any:
    """The program as a module."""
    spec = spec_from_file_location("attack", ATTACK)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["attack"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_after_seconds_of_mixed_work_the_process_holds_what_it_held_before() -> None:
    said = subprocess.run(
        [sys.executable, ATTACK, "--only", "soak", "--quick"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert int(said.stdout.splitlines()[1].split()[1].replace(",", "")) > 20


@pytest.mark.sweep
@pytest.mark.parametrize("kind", soak.KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_work_leaves_no_storage_thread_or_child(kind: Any, tmp_path: Path) -> None:
    for first in soak.KINDS if kind is soak.threads else (kind,):  # its threads do work of every kind
        for seed in range(3):
            first(Random(seed), tmp_path)  # what is created on first use exists now
    before = soak.held()
    before.pop("resident bytes", None)  # beside other tests they are malloc's affair; the soak above measures them
    for seed in range(10):
        kind(Random(seed), tmp_path)
    until = time.monotonic() + 5
    while left := {what: n for what, n in soak.held().items() if n > before.get(what, n)}:
        assert time.monotonic() < until, (left, before)
        time.sleep(0.1)  # a thread of an earlier test's may have a file or a socket open for a moment


@pytest.mark.parametrize(
    ("leak", "what"),
    [
        (lambda kept: kept.append(torch.ones(3)), "storages"),
        (lambda kept: kept.append(torch.ones(2**18).untyped_storage()), "bytes"),
        (lambda kept: kept.append(torch.ones(9, requires_grad=True).sin().grad_fn), "objects of the library's"),
        (lambda kept: kept.append(socket.socket()), "descriptors"),
        (lambda kept: kept.append(bytearray(32 * 2**20)), "resident bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_kept_is_noticed(leak: Any, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(soak, "WARM_UP", 0)
    monkeypatch.setattr(soak, "KINDS", (lambda random, folder: kept or leak(kept),))
    report = soak.run(0.01, 0)
    for holder in kept:
        getattr(holder, "close", lambda: None)()
    assert any(name.startswith(f"{what}: ") for name in report["differences"])


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.abort()", "ended by SIGABRT"),
        ("raise AssertionError('file 7 of seed 0')", "ended with 1: AssertionError: file 7 of seed 0"),
        ("import time; time.sleep(100)", "no end after 1 seconds"),
    ],
)
def test_an_attack_that_crashes_or_does_not_end_is_a_row_that_says_so(attack: Any, program: str, words: str) -> None:
    row = attack.outcome([sys.executable, "-c", program], 1 if "sleep" in program else 60)
    assert row.tried == 0
    assert row.broken[0].startswith(words) or "SIGABRT" in words
    assert words in row.broken[0]


def test_parts_of_an_attack_come_to_the_whole_and_say_how_far_they_are(
    attack: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (files,) = [item for item in attack.ATTACKS if item.name == "files"]
    row = attack.in_parts(dataclasses.replace(files, part=8), 20, seed=3)
    assert (row.tried, row.broken) == (20, [])
    told = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in told] == [f"files: {tried} of 20" for tried in (8, 16, 20)]
