"""What inspectors cost when there is much to see: `python benchmarks/inspectors.py [--torch]`.

Times are the best of three, in a process that does nothing else; bytes are those of a notebook's output: the text, the
static picture, and the live form, which is all that the browser is ever sent.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

from glassroom import device_map, graph, memory_timeline, show, watch
from glassroom.inspector import Inspector

MANY = 10_000
STEPS = 1_000


def cases(lib: Any) -> dict[str, Callable[[], Inspector]]:
    """What is measured, by what it is called."""
    billion = lib.zeros(1).expand(10**9)
    empty = lib.empty(10**9, dtype=lib.uint8)
    many = [lib.zeros(3) for _ in range(MANY)]
    table = lib.zeros(50, 50)

    def counting() -> Any:
        total = lib.zeros(4)
        for number in range(STEPS // 2):
            total[0] = number
        return total

    def idling() -> Any:
        held = [lib.rand(50, 50) for _ in range(16)]
        for _ in range(STEPS // 2):
            pass
        return held

    def chain() -> Any:
        weight = lib.ones(3, requires_grad=True)
        result = weight
        for _ in range(MANY):
            result = result + weight
        return result.sum()

    def allocating() -> None:
        for _ in range(MANY // 2):
            table.clone()

    loss = chain()
    found: dict[str, Callable[[], Inspector]] = {
        "`show`, 10⁹ elements, expanded": lambda: show(billion),
        "`show`, 10⁹ elements, a gigabyte": lambda: show(empty),
        "`show`, 10⁴ tensors": lambda: show(many),
        "`device_map`, 10⁴ tensors": lambda: device_map(many),
        "`graph`, 10⁴ nodes": lambda: graph(loss),
        "`watch`, 1,000 steps, one tensor of 4": lambda: watch(counting, steps=2 * STEPS),
        "`watch`, 500 steps, 16 tensors of 50 × 50": lambda: watch(idling, steps=2 * STEPS),
    }
    if lib.__name__ == "tensorglass":
        found["`memory_timeline`, 10⁴ events"] = lambda: memory_timeline(allocating)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", action="store_true", help="measure tensors of PyTorch rather than tensorglass's")
    lib = __import__("torch" if parser.parse_args().torch else "tensorglass")
    if hasattr(lib, "set_num_threads"):
        lib.set_num_threads(1)
    print("| what | ms to look | ms to draw live | text | static | live |\n|---|---|---|---|---|---|")
    for name, look in cases(lib).items():
        looking, drawing = [], []
        for _ in range(3):
            begin = perf_counter()
            picture = look()
            seen = perf_counter()
            live = picture.live
            looking.append(seen - begin)
            drawing.append(perf_counter() - seen)
        sizes = [f"{len(form.encode()) / 1000:,.0f} kB" for form in (picture.text, picture.svg, live)]
        print(f"| {name} | {min(looking) * 1e3:,.1f} | {min(drawing) * 1e3:,.1f} | {' | '.join(sizes)} |", flush=True)


if __name__ == "__main__":
    main()
