"""The cost of inspectors where there is much to see, and what they say of faulty programs: `python
benchmarks/inspectors.py [--torch] [--reported] [--others PYTHON]`.

The second table needs PyTorch. It includes other tools if `--others` names a Python that has them: `pip install torch
torchviz objgraph memray pytorch_memlab torchlens`. `--reported` prints only that table.

Times are processor time, the best of two, in a process that does nothing else; bytes are those of a notebook's output:
the text, the static picture, and the live form, which is all that is sent to the browser.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import followed_trainer
from reported_table import table_of_reported

from glassroom import aliases, device_map, graph, memory_timeline, model_map, show, watch
from glassroom.inspectors.base import Inspector

MANY = 10_000
STEPS = 1_000
ROUNDS = 8  # of a trainer, some 44 steps each
TURNS = 2


Look = Callable[[], Inspector]


def of_a_billion(lib: Any) -> Look:
    table = lib.zeros(1).expand(10**9)
    return lambda: show(table)


def of_a_gigabyte(lib: Any) -> Look:
    table = lib.empty(10**9, dtype=lib.uint8)
    return lambda: show(table)


def of_many(lib: Any) -> Look:
    many = [lib.zeros(3) for _ in range(MANY)]
    return lambda: show(many)


def aliases_of_many(lib: Any) -> Look:
    many = [lib.zeros(3) for _ in range(MANY)]
    return lambda: aliases(many)


def devices_of_many(lib: Any) -> Look:
    many = [lib.zeros(3) for _ in range(MANY)]
    return lambda: device_map(many)


def a_deep_graph(lib: Any) -> Look:
    weight = result = lib.ones(3, requires_grad=True)
    for _ in range(MANY):
        result = result + weight
    loss = result.sum()
    return lambda: graph(loss)


def a_long_watch(lib: Any) -> Look:
    def count() -> Any:
        total = lib.zeros(4)
        for number in range(STEPS // 2):
            total[0] = number
        return total

    return lambda: watch(count, steps=2 * STEPS)


def a_wide_watch(lib: Any) -> Look:
    def wait() -> Any:
        held = [lib.rand(50, 50) for _ in range(16)]
        for _ in range(STEPS // 2):
            len(held)
        return held

    return lambda: watch(wait, steps=2 * STEPS)


def a_followed_trainer(lib: Any) -> Look:
    trainer = followed_trainer.trainer_of(lib, ROUNDS)
    return lambda: watch(trainer.run, steps=2 * STEPS, follow=[followed_trainer])


def a_network(lib: Any) -> Look:
    class Net:
        """An object like a module, with tensors of any library: 1,000 modules."""

        def __init__(self, count: int = 0) -> None:
            self._parameters = {"weight": lib.ones(8, 8, requires_grad=True), "bias": lib.ones(8, requires_grad=True)}
            self._buffers: dict[str, Any] = {}
            self._modules = {str(at): Net() for at in range(count)}

    net = Net(STEPS)
    return lambda: model_map(net=net)


def a_long_timeline(lib: Any) -> Look:
    table = lib.zeros(50, 50)

    def allocate() -> None:
        for _ in range(MANY // 2):
            table.clone()

    return lambda: memory_timeline(allocate)


CASES = {
    "`show`, 10⁹ elements, expanded": of_a_billion,
    "`show`, 10⁹ elements, a gigabyte": of_a_gigabyte,
    "`show`, 10⁴ tensors": of_many,
    "`aliases`, 10⁴ tensors": aliases_of_many,
    "`device_map`, 10⁴ tensors": devices_of_many,
    "`graph`, 10⁴ nodes": a_deep_graph,
    "`model_map`, 1,000 modules": a_network,
    "`watch`, 1,000 steps, one tensor of 4": a_long_watch,
    "`watch`, 1,000 steps, 16 tensors of 50 × 50": a_wide_watch,
    "`watch`, 355 steps of a trainer that it follows": a_followed_trainer,
    "`memory_timeline`, 10⁴ events": a_long_timeline,  # only for tensorglass: PyTorch does not record these
}


def overheads(lib: Any) -> None:
    """What `watch` adds to an operator, and to a statement with 1 and with 24 tensors in view.

    Operators are measured after the last step that is shown, where `watch` only counts them.
    """
    x = lib.ones(4)

    def operators() -> None:
        for _ in range(MANY):
            x + x

    def statements(names: int) -> Callable[[], None]:
        held = [lib.ones(4) for _ in range(names)]

        def pass_by() -> None:
            local = held  # noqa: F841  # it brings the tensors into view
            for _ in range(STEPS // 2):
                pass

        return pass_by

    plain = min(_seconds(operators) for _ in range(TURNS))
    counted = min(_seconds(lambda: watch(operators, steps=1)) for _ in range(TURNS))
    print("\n| overhead of `watch` | µs |\n|---|---|")
    print(
        f"| an operator that is counted (plain: {plain / MANY * 1e6:.1f} µs) | {(counted - plain) / MANY * 1e6:.1f} |"
    )
    for names in (1, 24):
        wait = statements(names)
        seconds = min(_seconds(partial(watch, wait, steps=2 * STEPS)) for _ in range(TURNS))
        print(f"| a statement, {names} in view | {seconds / STEPS * 1e6:,.0f} |", flush=True)


def _seconds(call: Callable[[], object]) -> float:
    begin = process_time()
    call()
    return process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", action="store_true", help="measure tensors of PyTorch rather than tensorglass's")
    parser.add_argument("--reported", action="store_true", help="only the programs with a fault")
    parser.add_argument("--others", metavar="PYTHON", help="the Python of an environment that has the other tools")
    chosen = parser.parse_args()
    if not chosen.reported:
        costs("torch" if chosen.torch else "tensorglass")
    table_of_reported(chosen.others)


def costs(library: str) -> None:
    """Print the cost of the inspectors, with tensors of one library."""
    lib = __import__(library)
    if hasattr(lib, "set_num_threads"):
        lib.set_num_threads(1)
    print("| what | ms to look | ms to draw live | text | static | live |\n|---|---|---|---|---|---|")
    for name, prepared in CASES.items():
        if lib.__name__ == "torch" and prepared is a_long_timeline:
            continue
        look = prepared(lib)
        looking, drawing = [], []
        for _ in range(TURNS):
            begin = process_time()
            picture = look()
            seen = process_time()
            live = picture.live
            looking.append(seen - begin)
            drawing.append(process_time() - seen)
        sizes = [f"{len(form.encode()) / 1000:,.0f} kB" for form in (picture.text, picture.svg, live)]
        print(f"| {name} | {min(looking) * 1e3:,.1f} | {min(drawing) * 1e3:,.1f} | {' | '.join(sizes)} |", flush=True)
    overheads(lib)


if __name__ == "__main__":
    main()
