"""`torch.quasirandom`: every engine gives PyTorch's points, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("scipy", reason="the direction numbers are SciPy's (extra: scipy)")

LIBRARIES = (tensorglass, torch)
OPTIONS: tuple[dict[str, Any], ...] = (
    {"dimension": 1}, {"dimension": 7}, {"dimension": 3000}, {"dimension": 5, "scramble": True, "seed": 12345},
    {"dimension": 1, "scramble": True, "seed": 0}, {"dimension": 400, "scramble": True, "seed": 2**40},
)  # fmt: skip
PROGRAMS: tuple[Callable[[Any, Any], list[Any]], ...] = (
    lambda engine, library: [engine.draw(), engine.draw(3), engine.draw(), engine.draw(100)],
    lambda engine, library: [engine.draw(5, dtype=library.float64), engine.reset().draw(2), engine.num_generated],
    lambda engine, library: [engine.fast_forward(1).draw(2), engine.fast_forward(9).draw(4), engine.quasi],
    lambda engine, library: [engine.fast_forward(1000).draw(1, dtype=library.float64), engine.fast_forward(0).draw(2)],
    lambda engine, library: [engine.draw_base2(4), engine.draw_base2(4), engine.draw_base2(5, dtype=library.float64)],
    lambda engine, library: [engine.draw(3, out=library.empty(0)), engine.sobolstate, engine.shift, repr(engine)],
)


def _plain(value: Any) -> Any:
    return (str(value.dtype).rsplit(".", 1)[1], value.tolist()) if hasattr(value, "tolist") else value


@pytest.mark.parametrize("program", range(len(PROGRAMS)))
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_points_are_those_of_pytorch(options: dict[str, Any], program: int) -> None:
    ours, theirs = (
        [_plain(item) for item in PROGRAMS[program](library.quasirandom.SobolEngine(**options), library)]
        for library in LIBRARIES
    )
    assert ours == theirs


def test_without_a_seed_scrambling_draws_from_the_default_generator() -> None:
    results = []
    for library in LIBRARIES:
        library.manual_seed(3)
        engine = library.quasirandom.SobolEngine(3, scramble=True)
        results.append((engine.draw(4).tolist(), library.rand(2).tolist(), repr(engine)))
    assert results[0] == results[1]


@pytest.mark.parametrize("dimension", [1, 2, 21201])
def test_the_whole_table_is_that_of_pytorch(dimension: int) -> None:
    ours, theirs = (library.quasirandom.SobolEngine(dimension).sobolstate for library in LIBRARIES)
    assert (ours.numpy() == theirs.numpy()).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda library: library.quasirandom.SobolEngine(0),
        lambda library: library.quasirandom.SobolEngine(21202),
        lambda library: library.quasirandom.SobolEngine(2).fast_forward(3).draw_base2(2),
        lambda library: library.quasirandom.SobolEngine(2).draw(3, dtype=library.float16),
    ],
)
def test_refusals_are_those_of_pytorch(call: Callable[[Any], Any]) -> None:
    said = []
    for library in LIBRARIES:
        with pytest.raises((ValueError, NotImplementedError)) as caught:
            call(library)
        said.append((caught.type, str(caught.value)))
    assert said[0] == said[1]
