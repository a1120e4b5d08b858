"""How cost grows: with elements, with live views of one storage, with dimensions and with the depth of a graph.

And that of drawing, with size.

    python benchmarks/growth.py --plot docs/images/growth.svg

Prints a table for each and, with `--plot`, draws them. A straight line of slope 1 is linear growth.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import tensorglass as torch
from glassroom import show

Curve = dict[int, float]


def median_seconds(call: Callable[[], object], repeats: int = 7) -> float:
    """The median processor time of one call."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def by_elements(largest: int) -> Curve:
    """Adding two tensors of 1 … `largest` elements."""
    curve = {}
    count = 1
    while count <= largest:
        a = torch.ones(count)
        curve[count] = median_seconds(lambda a=a: a + a)
        count *= 10
    return curve


def by_live_views(largest: int) -> Curve:
    """Making that many views of one storage and keeping them all."""
    curve = {}
    count = 1
    while count <= largest:
        base = torch.zeros(count)
        curve[count] = median_seconds(lambda base=base: base.unbind(0), repeats=3)
        count *= 10
    return curve


def by_dimensions(largest: int = 64) -> Curve:
    """Transposing a tensor of 1 … `largest` dimensions."""
    curve = {}
    ndim = 2
    while ndim <= largest:
        tensor = torch.zeros((1,) * ndim)
        curve[ndim] = median_seconds(lambda tensor=tensor: tensor.transpose(0, -1), repeats=51)
        ndim *= 2
    return curve


def by_depth(largest: int) -> Curve:
    """One operator's share of recording a chain of 1 … `largest` of them, walking it backwards and letting it go."""
    leaf = torch.ones(4, requires_grad=True)

    def there_and_back(depth: int) -> None:
        result = leaf
        for _ in range(depth):
            result = result + 1
        result.sum().backward()

    curve = {}
    depth = 1
    while depth <= largest:
        curve[depth] = median_seconds(lambda depth=depth: there_and_back(depth), repeats=3) / depth
        depth *= 10
    return curve


def drawing(largest: int) -> Curve:
    """Drawing the memory map, text and picture, of an expanded tensor of 1 … `largest` elements."""
    curve = {}
    count = 1
    while count <= largest:
        tensor = torch.zeros(1).expand(count)
        curve[count] = median_seconds(lambda tensor=tensor: (show(a=tensor).text, show(a=tensor).svg))
        count *= 10
    return curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10**8, help="the most elements (default: 10**8)")
    parser.add_argument("--plot", type=Path, help="draw the curves there")
    options = parser.parse_args()
    curves = {
        "a + a, by elements": by_elements(options.largest),
        "live views of one storage, by their number": by_live_views(10**5),
        "transpose, by dimensions": by_dimensions(),
        "one operator of a recorded chain, by its depth": by_depth(10**5),
        "show(a), by elements": drawing(10**9),
    }
    for title, curve in curves.items():
        print(title)
        for count, seconds in curve.items():
            print(f"  {count:>13,}  {seconds * 1e6:>13,.1f} µs")
    if options.plot:
        plot(curves, options.plot)


def plot(curves: dict[str, Curve], path: Path) -> None:
    """All curves in one figure with logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for (title, curve), marker in zip(curves.items(), "osD^v", strict=True):
        axes.loglog(list(curve), list(curve.values()), marker=marker, label=title)
    axes.set_xlabel("number")
    axes.set_ylabel("seconds")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path)


if __name__ == "__main__":
    main()
