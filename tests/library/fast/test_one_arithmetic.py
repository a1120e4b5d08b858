"""With and without shortcuts the library computes the same numbers, to the last bit, and reports the same copies.

If a shortcut has to add in another order, its entry in the table states its tolerance.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

from tensorglass.ops.declare.seams import FUNCTIONS

pytest.importorskip("tensorglass.fast", reason="the shortcuts are deleted")

PROGRAM = Path(__file__).with_name("shortcut_calls.py")
Found = dict[str, list[Any]]
Told = dict[str, list[tuple[str, int]]]


def in_a_process(shortcuts: str) -> tuple[Found, dict[str, float], Told]:
    environment = {**os.environ, "TENSORGLASS_FAST": shortcuts}
    run = subprocess.run([sys.executable, "-W", "ignore", PROGRAM], env=environment, capture_output=True, check=False)
    assert not run.returncode, run.stderr.decode()
    answer: tuple[Found, dict[str, float], Told] = pickle.loads(run.stdout)
    return answer


@pytest.fixture(scope="module")
def runs() -> tuple[tuple[Found, dict[str, float], Told], tuple[Found, dict[str, float], Told]]:
    """What the calls give without shortcuts, and with them."""
    return in_a_process("0"), in_a_process("1")


@pytest.fixture(scope="module")
def both(runs: Any) -> tuple[Found, Found, dict[str, float]]:
    """The results without shortcuts, and with them; the tolerances of the table."""
    (plain, none, _), (fast, tolerances, _) = runs
    assert not none
    return plain, fast, tolerances


def difference(plain: numpy.ndarray[Any, Any], fast: numpy.ndarray[Any, Any]) -> float:
    """How far two arrays are apart, as a part of the largest element; 0 where all bits are the same."""
    assert (plain.shape, plain.dtype) == (fast.shape, fast.dtype)
    if plain.tobytes() == fast.tobytes():
        return 0.0
    if plain.dtype.kind not in "fc":
        return numpy.inf
    distance = float(numpy.abs(plain - fast).max() / numpy.abs(plain).max())
    return distance or sys.float_info.min  # zeros that differ by their sign


def test_every_shortcut_is_called(both: tuple[Found, Found, dict[str, float]]) -> None:
    plain, fast, tolerances = both
    assert set(tolerances) <= set(plain)
    assert {name: len(results) for name, results in plain.items()} == {name: len(value) for name, value in fast.items()}
    assert all(plain.values())


def test_each_gives_what_the_plain_way_gives_as_near_as_the_table_says(
    both: tuple[Found, Found, dict[str, float]],
) -> None:
    plain, fast, tolerances = both
    worst = {name: max(map(difference, plain[name], fast[name])) for name in plain}
    assert {name: distance for name, distance in worst.items() if not distance <= tolerances.get(name, 0.0)} == {}


def test_an_observer_is_told_of_births_and_copies_in_the_same_order(runs: Any) -> None:
    """A shortcut may leave out a temporary tensor of the plain way; layers may also allocate in another order."""
    (*_, plain), (*_, fast) = runs
    differing = []
    for name in plain.keys() - FUNCTIONS - {"convolution"}:
        following = iter(plain[name])
        if not all(event in following for event in fast[name]):
            differing.append(name)
    assert differing == []
