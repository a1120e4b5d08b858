"""How cost grows: with elements, with live views of one storage, with dimensions and with the depth of a graph.

Also how the cost of drawing grows with size. If PyTorch is installed, its cost is shown beside ours.

    python benchmarks/growth.py --plot docs/images/growth.svg

Prints a table for each and, with `--plot`, draws them. A straight line of slope 1 is linear growth.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tensorglass
from glassroom import show

Curve = dict[int, float]


def median_seconds(call: Callable[[], object], repeats: int = 7) -> float:
    """The median processor time of one call, after one that is not timed."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def powers(base: int, largest: int, first: int = 1) -> list[int]:
    """first, first × base, … up to `largest`."""
    sizes = [first]
    while sizes[-1] * base <= largest:
        sizes.append(sizes[-1] * base)
    return sizes


def by_elements(torch: Any, largest: int) -> Curve:
    """Adding two tensors of 1 … `largest` elements."""
    curve = {}
    for count in powers(10, largest):
        a = torch.ones(count)
        curve[count] = median_seconds(lambda a=a: a + a)
    return curve


def by_live_views(torch: Any, largest: int) -> Curve:
    """Creating that many views of one storage and keeping them all."""
    curve = {}
    for count in powers(10, largest):
        base = torch.zeros(count)
        curve[count] = median_seconds(lambda base=base: base.unbind(0), repeats=3)
    return curve


def by_dimensions(torch: Any, largest: int = 64) -> Curve:
    """Transposing a tensor of 2 … `largest` dimensions, PyTorch's maximum, and adding to it."""
    curve = {}
    for ndim in powers(2, largest, 2):
        tensor = torch.zeros((1,) * (ndim - 1) + (4,))
        curve[ndim] = median_seconds(lambda tensor=tensor: tensor.transpose(0, -1) + 1, repeats=51)
    return curve


def by_depth(torch: Any, largest: int) -> Curve:
    """Recording a chain of 1 … `largest` operators, running it backward and freeing it."""
    leaf = torch.ones(4, requires_grad=True)

    def there_and_back(depth: int) -> None:
        result = leaf
        for _ in range(depth):
            result = result + 1
        result.sum().backward()

    return {
        depth: median_seconds(lambda depth=depth: there_and_back(depth), repeats=3) for depth in powers(10, largest)
    }


def drawing(largest: int) -> Curve:
    """Drawing the memory map, text and picture, of an expanded tensor of 1 … `largest` elements."""
    curve = {}
    for count in powers(10, largest):
        tensor = tensorglass.zeros(1).expand(count)
        curve[count] = median_seconds(lambda tensor=tensor: (show(a=tensor).text, show(a=tensor).svg))
    return curve


def curves_of(torch: Any, largest: int) -> dict[str, Curve]:
    """The curves that are measured for both libraries."""
    return {
        "a + a, by elements": by_elements(torch, largest),
        "live views of one storage, by their number": by_live_views(torch, 10**5),
        "transpose and add, by dimensions": by_dimensions(torch),
        "chain of recorded operators and back, by its length": by_depth(torch, 10**5),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10**8, help="the most elements (default: 10**8)")
    parser.add_argument("--plot", type=Path, help="draw the curves there")
    options = parser.parse_args()
    ours = curves_of(tensorglass, options.largest)
    theirs = {}
    if find_spec("torch") is not None:
        torch = import_module("torch")
        torch.set_num_threads(1)
        theirs = curves_of(torch, options.largest)
    ours["show(a), by elements"] = drawing(10**9)
    for title, curve in ours.items():
        print(title)
        for count, seconds in curve.items():
            beside = f"  PyTorch {theirs[title][count] * 1e6:>13,.1f} µs" if title in theirs else ""
            print(f"  {count:>13,}  {seconds * 1e6:>13,.1f} µs{beside}")
    if options.plot:
        plot(ours, theirs, options.plot)


def plot(ours: dict[str, Curve], theirs: dict[str, Curve], path: Path) -> None:
    """All curves in one figure with logarithmic axes; PyTorch's dashed."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # keep text as text: a quarter of the bytes
    matplotlib.rcParams["svg.hashsalt"] = "growth"  # makes the file depend on the figures only
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for (title, curve), marker in zip(ours.items(), "osD^v", strict=True):
        [line] = axes.loglog(list(curve), list(curve.values()), marker=marker, markersize=5, label=title)
        if title in theirs:
            axes.loglog(list(theirs[title]), list(theirs[title].values()), "--", color=line.get_color(), linewidth=1)
    axes.plot([], [], "--", color="black", linewidth=1, label="dashed: PyTorch, one thread")
    axes.plot([1e3, 1e8], [2e-6, 2e-1], ":", color="gray", linewidth=1, label="linear")
    axes.set_xlabel("number")
    axes.set_ylabel("seconds")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.savefig(path)


if __name__ == "__main__":
    main()
