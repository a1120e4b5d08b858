"""The cost of a device: overhead for each operator, training steps, and transfers compared with the limit of the link.

    python benchmarks/gpu.py                      # on the GPU if there is one, else on the simulated device and the CPU
    python benchmarks/gpu.py --device cuda --markdown

For comparison, raw CuPy (on the CPU raw NumPy), which is the lower bound, and PyTorch on that device are run too, if
they are installed. Contestants take turns, and wait for the device before the clock is read; figures are medians of
wall-clock time. On `sim` they are this computer's; the simulated clock's figures are in a column of their own. The
limit of the link is what CuPy alone reaches when it copies from pinned memory.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import lenet

import tensorglass

Call = Callable[[], Any]
OPERATORS = {
    "add": ("a + b", "a + b"),
    "add in place": ("a.add_(b)", "xp.add(a, b, out=a)"),
    "exp": ("a.exp()", "xp.exp(a)"),
    "sum": ("a.sum(1)", "a.sum(1)"),
    "matmul": ("a @ b", "a @ b"),
    "transpose": ("a.t()", "a.T"),
    "a[1]": ("a[1]", "a[1]"),
    "where": ("torch.where(a > 0, a, b)", "xp.where(a > 0, a, b)"),
}
MLP = """
x = torch.linspace(-1, 1, 128 * 64).reshape(128, 64)
w1 = torch.linspace(-0.1, 0.1, 64 * 256).reshape(64, 256).requires_grad_()
w2 = torch.linspace(-0.1, 0.1, 256 * 10).reshape(256, 10).requires_grad_()

def step():
    ((x @ w1).relu() @ w2).square().mean().backward()
    with torch.no_grad():
        for weight in (w1, w2):
            weight -= 1e-6 * weight.grad
            weight.grad = None
"""


def microseconds(calls: dict[str, Call], wait: Call, turns: int = 9) -> dict[str, float]:
    """The median time of each call, in turns of about 20 ms."""
    times: dict[str, int] = {}
    for name, call in calls.items():
        call()
        wait()
        start = time.perf_counter()
        call()
        wait()
        times[name] = max(1, int(0.02 / max(time.perf_counter() - start, 1e-7)))
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(times[name]):
                call()
            wait()
            seconds[name].append((time.perf_counter() - start) / times[name] * 1e6)
    return {name: statistics.median(value) for name, value in seconds.items()}


class Bench:
    """One device, and the libraries that can use it."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.xp: Any = {"cuda": "cupy", "cpu": "numpy"}.get(device) and import_module(
            {"cuda": "cupy", "cpu": "numpy"}[device]
        )
        self.libraries: dict[str, Any] = {"tensorglass": tensorglass}
        if device in ("cpu", "cuda") and find_spec("torch") is not None:
            torch = import_module("torch")
            torch.set_num_threads(1)
            if device == "cpu" or torch.cuda.is_available():
                self.libraries["PyTorch"] = torch

    def wait(self) -> None:
        """Wait until the device has finished."""
        if self.device != "cpu":
            getattr(tensorglass, self.device).synchronize()

    def operators(self) -> list[tuple[str, dict[str, float]]]:
        """Operators on 4×4 tensors, which measure overhead only."""
        rows = []
        for name, (code, raw) in OPERATORS.items():
            calls: dict[str, Call] = {}
            for who, torch in self.libraries.items():
                names = {"torch": torch}
                for letter in "ab":
                    names[letter] = torch.linspace(0.1, 1, 16).reshape(4, 4).to(self.device)
                calls[who] = eval(f"lambda: {code}", names)
            if self.xp is not None:
                pair = {letter: self.xp.linspace(0.1, 1, 16, dtype="float32").reshape(4, 4) for letter in "ab"}
                calls[f"raw {self.xp.__name__}"] = eval(f"lambda: {raw}", {"xp": self.xp, **pair})
            rows.append((name, microseconds(calls, self.wait)))
        return rows

    def steps(self) -> list[tuple[str, dict[str, float]]]:
        """Training steps, with the same code for every library."""
        rows = []
        for name, code in (("MLP step, 64-256-10, batch 128", MLP), ("LeNet step, batch 64", lenet.STEP)):
            calls: dict[str, Call] = {}
            for who, torch in self.libraries.items():
                names: dict[str, Any] = {"torch": torch}
                before = torch.get_default_device()
                torch.set_default_device(self.device)
                try:
                    exec(code, names)
                    names["step"]()
                finally:
                    torch.set_default_device(before)
                calls[who] = self._on_device(torch, names["step"])
            rows.append((name, microseconds(calls, self.wait)))
        return rows

    def _on_device(self, torch: Any, step: Call) -> Call:
        def run() -> None:
            before = torch.get_default_device()
            torch.set_default_device(self.device)
            step()
            torch.set_default_device(before)

        return run

    def transfers(self) -> list[tuple[str, dict[str, float]]]:
        """GB/s to the device and back, by size."""
        rows = []
        for nbytes in (2**12, 2**20, 2**26):
            pageable = tensorglass.ones(nbytes // 4)
            pinned = pageable.pin_memory()
            there = pageable.to(self.device)
            calls: dict[str, Call] = {
                "pageable": lambda pageable=pageable: pageable.to(self.device),
                "pinned": lambda pinned=pinned: pinned.to(self.device, non_blocking=True),
                "back": there.cpu,
            }
            if self.xp is not None and self.device == "cuda":
                host, on_device = pinned.numpy(), self.xp.ones(nbytes // 4, "float32")
                calls["limit"] = lambda host=host, on_device=on_device: on_device.set(host)
            if "PyTorch" in self.libraries:
                other = self.libraries["PyTorch"].ones(nbytes // 4).pin_memory()
                calls["PyTorch, pinned"] = lambda other=other: other.to(self.device, non_blocking=True)
            figures = microseconds(calls, self.wait)
            rows.append((f"{nbytes:,} bytes", {name: nbytes / time / 1e3 for name, time in figures.items()}))
        return rows


def table(title: str, rows: list[tuple[str, dict[str, float]]], markdown: bool) -> str:
    """Rows of figures as text, or as Markdown."""
    heads = list(rows[0][1])
    lines = [[title, *heads], *([name, *(f"{figures[head]:,.1f}" for head in heads)] for name, figures in rows)]
    if markdown:
        rule = "|---|" + "---:|" * len(heads)
        head, *rest = ["| " + " | ".join(line) + " |" for line in lines]
        return "\n".join([head, rule, *rest, ""])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join([*(_aligned(line, widths) for line in lines), ""])


def _aligned(line: list[str], widths: list[int]) -> str:
    first, *rest = zip(line, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "sim", "cpu"), help="that device alone")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    options = parser.parse_args()
    devices = ["cuda"] if tensorglass.cuda.is_available() else ["sim", "cpu"]
    for device in [options.device] if options.device else devices:
        bench = Bench(device)
        name = tensorglass.cuda.get_device_name() if device == "cuda" else device
        start = tensorglass.sim.now()
        print(f"{name}\n")
        print(table("overhead of an operator, µs", bench.operators(), options.markdown))
        print(table("training step, µs", bench.steps(), options.markdown))
        if device != "cpu":
            print(table("transfers, GB/s", bench.transfers(), options.markdown))
        if device == "sim":
            print(f"the simulated clock went on by {tensorglass.sim.now() - start:.3f} s\n")


if __name__ == "__main__":
    main()
