"""An attack: one path to which several processes save while it is read and mapped, and whose writers are killed.

Each round draws how many write, whether the system has files without a name, and how soon writers are killed. A load
that fails, or gives what nobody saved, and a leftover after the last save are broken promises.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import tensorglass as torch

SIZE = 4_000  # elements of the saved tensor
LOADS = 50  # in a round


def run(amount: int, seed: int) -> dict[str, Any]:
    """Try `amount` loads. Returns how many of each kind there were, and what went wrong."""
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    while tried["read"] + tried["mapped"] < amount:
        with tempfile.TemporaryDirectory() as folder:
            broken += _round(Path(folder) / "m.pt", drawn, tried)
    return {"tried": tried["read"] + tried["mapped"], "kinds": dict(tried), "broken": broken}


def _round(path: Path, drawn: random.Random, tried: Counter[str]) -> list[str]:
    count, has_names, broken = drawn.choice((2, 4, 8)), drawn.random() < 0.5, []
    torch.save(torch.zeros(SIZE), path)
    saving = [_writer(path, number, has_names) for number in range(count)]
    mapped = []
    try:
        for _ in range(LOADS):
            kind = drawn.choice(("read", "mapped"))
            tried[kind] += 1
            try:
                loaded = torch.load(path, mmap=kind == "mapped")
            except Exception as error:
                broken.append(f"{kind}, {count} writers: {error!r}")
                continue
            mapped.append(loaded)
            if drawn.random() < 0.1:
                time.sleep(drawn.random() * 0.01)
                tried["killed"] += 1
                _end(saving.pop(0))
                saving.append(_writer(path, drawn.randrange(100), has_names))
        broken += [
            f"{count} writers: torn" for number in mapped if number.shape != (SIZE,) or not (number == number[0]).all()
        ]
    finally:
        for process in saving:
            _end(process)
    torch.save(torch.ones(1), path)
    if (left := os.listdir(path.parent)) != [path.name]:
        broken.append(f"left: {left}")
    return broken


def _writer(path: Path, number: int, has_names: bool) -> Any:
    writer = multiprocessing.get_context("fork").Process(target=_save, args=(str(path), number, has_names))
    writer.start()
    return writer


def _save(path: str, number: int, has_names: bool) -> None:
    if has_names and hasattr(os, "O_TMPFILE"):
        del os.O_TMPFILE
    while True:
        torch.save(torch.full((SIZE,), float(number)), path)


def _end(writer: Any) -> None:
    writer.kill()
    writer.join()
