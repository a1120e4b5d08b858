"""Time the whole tensor API beside PyTorch on one thread: 730 calls, with operands of 4×4, 64×64 and 1000×1000.

    python benchmarks/breadth.py                      # geometric means, and the twenty slowest calls
    python benchmarks/breadth.py --sizes 64 cumsum    # the calls in which `cumsum` occurs, of one size
    python benchmarks/breadth.py --json figures.json

The calls are in `calls.txt`. They are timed as in `compare.py`: each library has its own process, processor time is
measured, and results are compared before they are timed, except random ones. Needs the extra `parity`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when the libraries are loaded, so before any import of them

import numpy as np  # noqa: E402  # as said above
from contestant import Contestant  # noqa: E402  # as said above

SIZES = (4, 64, 1000)
TURNS = 5
SECONDS_A_TURN = 0.004
SLOW = 0.02  # calls of this many seconds are timed in three turns only
RANDOM = ("rand", "normal", "bernoulli", "multinomial", "poisson", "x.uniform_", "exponential_", "cauchy", "geometric")
FREE = (*RANDOM, "eigvals(", "argsort")  # calls whose results, or their order, are not determined
#: Calls of which only the first result is compared: equal elements may swap places, and vectors may change sign.
FIRST_ALONE = ("sort(", "mode(", "eigh(")
#: How each operand is created: from NumPy's random numbers, so that both libraries get the same; `n` is the size.
OPERANDS = {
    "a": "tensor(random.random((n, n)) * 0.8 + 0.1)",  # between 0.1 and 0.9
    "b": "tensor(random.random((n, n)) * 0.8 + 0.1)",
    "s": "tensor(random.standard_normal((n, n)))",
    "t": "tensor(random.standard_normal((n, n)))",
    "at": "tensor(random.random((n, n)) * 0.8 + 0.1).t()",
    "v": "tensor(random.random(n))",
    "w": "tensor(random.random(n))",
    "row": "tensor(random.random((1, n)))",
    "column": "tensor(random.random((n, 1)))",
    "flat": "tensor(random.standard_normal(n * n))",
    "q": "(lambda m: tensor(m @ m.T / n + numpy.eye(n)))(random.standard_normal((n, n)))",  # positive definite
    "lower": "tensor(numpy.tril(random.random((n, n))) + 2 * numpy.eye(n))",
    "batch": "tensor(random.random((max(n // 4, 1), 4, n)))",
    "batch2": "tensor(random.random((max(n // 4, 1), n, 4)))",
    "threes": "tensor(random.standard_normal((n * n // 3, 3)))",
    "i": "torch.from_numpy(random.integers(-50, 50, (n, n))).clone()",
    "j": "torch.from_numpy(random.integers(1, 10, (n, n))).clone()",
    "small": "torch.from_numpy(random.integers(0, 60, (n, n))).to(torch.uint8)",
    "flat_i": "torch.from_numpy(random.integers(0, 50, n * n)).clone()",
    "p": "torch.from_numpy(random.random((n, n)) < 0.5).clone()",
    "o": "torch.from_numpy(random.random((n, n)) < 0.5).clone()",
    "c": "tensor(random.standard_normal((n, n)) + 1j * random.standard_normal((n, n)), torch.complex64)",
    "d": "tensor(random.standard_normal((n, n)) + 1j * random.standard_normal((n, n)), torch.complex64)",
    "h": "tensor(random.random((n, n)) + 0.1).half()",
    "k": "tensor(random.random((n, n)) + 0.1).half()",
    "g": "tensor(random.random((n, n)) + 0.1).bfloat16()",
    "f": "tensor(random.random((n, n)) + 0.1).bfloat16()",
    "e": "tensor(random.random((n, n)) * 0.8 + 0.1, torch.float64)",
    "index": "torch.from_numpy(random.permutation(n)).clone()",
    "places": "torch.from_numpy(random.integers(0, n, (n, n))).clone()",
    "picture": "tensor(random.random((1, max(n // 16, 1), 16 if n > 4 else 4, n)))",
    "bounds": "tensor(numpy.linspace(-2, 2, n))",
    "x": "tensor(random.random((n, n)))",  # for calls that write to their operand
    "xi": "torch.zeros(n, n, dtype=torch.int64)",
    "r": "tensor(random.random((n, n)) * 0.8 + 0.1).requires_grad_()",
    "r2": "tensor(random.random((n, n)) * 0.8 + 0.1).requires_grad_()",
    "rv": "tensor(random.random(n)).requires_grad_()",
    "rh": "tensor(random.random((n, n)) + 0.1).half().requires_grad_()",
    "rg": "tensor(random.random((n, n)) + 0.1).bfloat16().requires_grad_()",
    "rbatch": "tensor(random.random((max(n // 4, 1), 4, n))).requires_grad_()",
    "rq": "(lambda m: tensor(m @ m.T / n + numpy.eye(n)))(random.standard_normal((n, n))).requires_grad_()",
}
_SETUP = """
import numpy
random = numpy.random.default_rng(0)
def tensor(array, dtype=torch.float32):
    return torch.from_numpy(numpy.array(array)).to(dtype)
"""


class Figure(NamedTuple):
    """The median times of one call in seconds, and the median of their ratios."""

    group: str
    call: str
    size: int
    ours: float
    theirs: float
    ratio: float


def operands_of(call: str) -> list[str]:
    """The names of operands that a call uses."""
    return [name for name in OPERANDS if re.search(rf"(?<![\w.]){name}\b(?!\()", call)]


def setup_of(call: str, size: int) -> str:
    """The code that runs before the call, and creates its operands."""
    operands = [f"{name} = {OPERANDS[name]}" for name in operands_of(call)]
    return "\n".join([_SETUP, f"n = {size}", *operands])


def cases(sizes: list[int], words: list[str]) -> Iterator[tuple[str, str, int]]:
    """Each group with its calls and sizes."""
    group = ""
    for line in (Path(__file__).parent / "calls.txt").read_text().splitlines():
        call, _, most = line.partition("  ~")
        if line.startswith("["):
            group = line.strip("[]")
        elif call and not line.startswith("#") and (not words or any(word in call for word in words)):
            yield from [(group, call, size) for size in sizes if not most or size <= int(most)]


def measure(group: str, call: str, size: int, ours: Contestant, theirs: Contestant) -> Figure:
    """Compare the call's results, and time it turn by turn."""
    setup, code = setup_of(call, size), call
    if group == "gradients":
        leaves = ", ".join(name for name in operands_of(call) if name.startswith("r") and name != "row")
        setup += f"\nlike = ({call}).detach()\nbegin = torch.linspace(0.5, 1.5, like.numel())"
        setup += ".reshape(like.shape).to(like.dtype)"
        code = f"answer = torch.autograd.grad({call}, ({leaves},), begin)"
    elif " = " in call:
        setup += "\nanswer = x"
    else:
        code = f"answer = {call}"
    agree(ours.prepare(setup, code), theirs.prepare(setup, code), call)
    slower = max(ours.seconds(1), theirs.seconds(1), 1e-7)
    times = max(1, min(2000, int(SECONDS_A_TURN / slower)))
    turns = [(ours.seconds(times), theirs.seconds(times)) for _ in range(3 if slower > SLOW else TURNS)]
    middle = [statistics.median(turn) for turn in zip(*turns, strict=True)]
    return Figure(group, call, size, *middle, statistics.median(mine / his for mine, his in turns))


def agree(ours: Any, theirs: Any, call: str) -> None:
    """Raise if results differ, unless they are random."""
    if isinstance(theirs, list):
        compared = 1 if any(word in call for word in FIRST_ALONE) else len(theirs)
        for mine, his in zip(ours[:compared], theirs[:compared], strict=True):
            agree(mine, his, call)
    elif not any(word in call for word in FREE):
        rough = 1e-2 if re.search(r"half|\b[fghk]\b|r[gh]", call) else 2e-4
        largest = np.abs(theirs).max(initial=0) if isinstance(theirs, np.ndarray) else 0
        np.testing.assert_allclose(ours, theirs, rtol=rough, atol=rough * largest, err_msg=call)


def mean(figures: list[Figure]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(statistics.fmean(math.log(figure.ratio) for figure in figures))


def summary(figures: list[Figure], worst: int) -> str:
    """Geometric means by group and size, and the slowest calls relative to PyTorch."""
    sizes = sorted({figure.size for figure in figures})
    lines = [f"{'geometric means':24}" + "".join(f"{size:>7}×{size:<5}" for size in sizes)]
    for group in [*dict.fromkeys(figure.group for figure in figures), "all"]:
        cells = []
        for size in sizes:
            among = [figure for figure in figures if figure.size == size and group in (figure.group, "all")]
            cells.append(f"{mean(among):11.2f}  " if among else " " * 13)
        lines.append(f"{group:24}" + "".join(cells))
    for size in sizes:
        lines += ["", f"farthest behind, {size}×{size}"]
        among = sorted((figure for figure in figures if figure.size == size), key=lambda figure: -figure.ratio)
        for figure in among[:worst]:
            times = f"{figure.ours * 1e6:10,.1f} µs for {figure.theirs * 1e6:10,.1f}"
            lines.append(f"{figure.ratio:7.2f}  {times}  {figure.call}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only the calls in which one of these occurs")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), help="n, for operands of n × n")
    parser.add_argument("--worst", type=int, default=20, help="how many to show of those that are farthest behind")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    ours, theirs = Contestant("tensorglass"), Contestant("torch")
    figures = []
    for group, call, size in cases(options.sizes, options.words):
        try:
            figures.append(measure(group, call, size, ours, theirs))
        except Exception as error:
            print(f"{call}, {size}×{size}: {type(error).__name__}: {str(error).strip()[:300]}", file=sys.stderr)
    for contestant in (ours, theirs):
        contestant.close()
    print(summary(figures, options.worst))
    if options.json:
        options.json.write_text(json.dumps([figure._asdict() for figure in figures], indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
