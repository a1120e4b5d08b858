"""Time tensorglass side by side with PyTorch (one thread and all) and raw NumPy.

    python benchmarks/compare.py                 # the table, on the terminal
    python benchmarks/compare.py --markdown      # as Markdown, for docs/performance.md
    python benchmarks/compare.py --json out.json --plot out.svg
    python benchmarks/compare.py --against ../older/lib    # beside another version of tensorglass

The contestants take turns, each in its own process, so that a slow moment of the machine hits all of them. A ratio is
computed within each turn; the figure is the median over all turns. Processor time is measured, so that other programs'
work does not count; only PyTorch on all threads is measured in wall-clock time. A case's result is compared with
PyTorch's before it is timed. Needs the extra `parity`.

With `--against` there are more cases, calls on a few elements. A version's figure is then its fastest turn in several
processes, which shows differences of a few per cent even on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

THREADS = os.cpu_count() or 1
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when the libraries are loaded, so before any import of them

import numpy as np  # noqa: E402  # as said above
from cases import CASES, SMALL_CALLS, Case  # noqa: E402  # as said above
from contestant import Contestant  # noqa: E402  # as said above

TURNS = 9
SECONDS_A_TURN = 0.01  # for each contestant
ROUNDS = 5  # each with new processes for both versions
LIBRARIES = ("torch", "tensorglass", "numpy")
Seconds = dict[str, list[float]]  # by contestant, one figure for each turn


def measure(case: Case, contestants: dict[str, Contestant], all_threads: bool) -> Seconds:
    """Seconds that one run of the case's code took, turn by turn."""
    torch, ours, numpy = [contestants[name] for name in LIBRARIES]
    torch.set_threads(1)
    theirs = torch.prepare(case.pytorch_setup or case.setup, case.code)
    np.testing.assert_allclose(ours.prepare(case.setup, case.code), theirs, rtol=2e-4, atol=1e-5, err_msg=case.name)
    numpy.prepare(case.numpy_setup, case.numpy_code)
    slowest = max(contestant.seconds(3) for contestant in contestants.values())
    times = max(1, min(20_000, int(SECONDS_A_TURN / slowest)))
    seconds: Seconds = defaultdict(list)
    for _ in range(TURNS):
        for name, contestant in contestants.items():
            seconds[name].append(contestant.seconds(times))
        if all_threads:
            seconds["torch on the wall"].append(torch.seconds(times, "perf_counter"))
            torch.set_threads(THREADS)
            seconds["torch, all threads"].append(torch.seconds(times, "perf_counter"))
            torch.set_threads(1)
    return seconds


def measure_import() -> Seconds:
    """Seconds of a fresh process that imports the library and ends; bytecode is cached, as after an installation."""
    seconds: Seconds = {name: [] for name in LIBRARIES}
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(6):
            for name, figures in seconds.items():
                start = sum(os.times()[2:4])  # the processor time of child processes that have ended
                subprocess.run([sys.executable, "-c", f"import {name}"], check=True, env=environment)
                if turn:  # the first one compiles
                    figures.append(sum(os.times()[2:4]) - start)
    return seconds


def rows(names: list[str], all_threads: bool) -> list[dict[str, Any]]:
    """The table: for each case the median seconds and the median ratios to PyTorch on one thread."""
    table = []
    contestants = {name: Contestant(name) for name in LIBRARIES}
    for case in (None, *CASES):
        name = "import, fresh process" if case is None else case.name
        if names and not any(part in name for part in names):
            continue
        seconds = measure_import() if case is None else measure(case, contestants, all_threads)
        measures = {"torch, all threads": "torch on the wall"}  # every other contestant is compared with "torch"
        ratios = {
            who: statistics.median(a / b for a, b in zip(figures, seconds[measures.get(who, "torch")], strict=True))
            for who, figures in seconds.items()
        }
        medians = {who: statistics.median(figures) for who, figures in seconds.items()}
        table.append({"case": name, "goal": 0.15 if case is None else case.goal, "seconds": medians, "ratios": ratios})
        print(".", end="", file=sys.stderr, flush=True)
    for contestant in contestants.values():
        contestant.close()
    print(file=sys.stderr)
    return table


def against(folder: Path, names: list[str]) -> str:
    """A table of this version's fastest turns beside those of the version in `folder`, from which it is imported."""
    chosen = [case for case in (*CASES, *SMALL_CALLS) if not names or any(part in case.name for part in names)]
    now, before = dict.fromkeys(chosen, math.inf), dict.fromkeys(chosen, math.inf)
    for _ in range(ROUNDS):
        versions = [(Contestant("tensorglass"), now), (Contestant("tensorglass", folder), before)]
        for case in chosen:
            for version, _fastest in versions:
                version.prepare(case.setup, case.code)
            slowest = max(version.seconds(3) for version, _fastest in versions)
            times = max(1, min(20_000, int(SECONDS_A_TURN / 4 / slowest)))
            for _turn in range(TURNS):
                for version, fastest in versions:
                    fastest[case] = min(fastest[case], version.seconds(times))
        for version, _fastest in versions:
            version.close()
    lines = []
    for title, cases in (("cases", CASES), ("small calls", SMALL_CALLS)):
        ratios = {case: now[case] / before[case] for case in cases if case in now}
        for case, ratio in ratios.items():
            lines.append(f"{ratio:5.2f}  {now[case] * 1e6:11,.2f} µs for {before[case] * 1e6:11,.2f}  {case.name}")
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
            lines += [f"{mean:5.3f}  geometric mean of the {title}", ""]
    return "\n".join(lines)


def show(table: list[dict[str, Any]], markdown: bool) -> str:
    """The table as text. Below 1 is faster than PyTorch on one thread."""
    several = any("torch, all threads" in row["ratios"] for row in table)
    head = ("work", "tensorglass", "raw NumPy", *["PyTorch, all threads"] * several, "goal", "PyTorch, 1 thread")
    lines = [head]
    for row in table:
        ratios = row["ratios"]
        every = ratios.get("torch, all threads")
        lines.append(
            (
                row["case"],
                f"{ratios['tensorglass']:.2f}",
                f"{ratios['numpy']:.2f}",
                *["" if every is None else f"{every:.2f}"] * several,
                "" if row["goal"] is None else f"≤ {row['goal']:g}",
                f"{row['seconds']['torch'] * 1e6:,.1f} µs",
            )
        )
    for name, counted in (
        ("geometric mean", table),
        ("geometric mean of those with a goal", [row for row in table if row["goal"] is not None]),
    ):
        if counted:
            mean = math.exp(statistics.fmean(math.log(row["ratios"]["tensorglass"]) for row in counted))
            lines.append((name, f"{mean:.2f}", *[""] * (len(head) - 2)))
    if markdown:
        rule = "|---|" + "---:|" * (len(head) - 1)
        return "\n".join(
            ["| " + " | ".join(lines[0]) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines[1:])]
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def plot(table: list[dict[str, Any]], path: Path) -> None:
    """The ratios as bars on a logarithmic axis; PyTorch is the line at 1."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # keep text as text: a quarter of the bytes
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 0.24 * len(table) + 1), layout="constrained")
    names = [row["case"] for row in table]
    axes.barh(names, [row["ratios"]["tensorglass"] - 1 for row in table], left=1, color="#0072b2", label="tensorglass")
    axes.plot([row["ratios"]["numpy"] for row in table], names, "D", markersize=4, color="#d55e00", label="raw NumPy")
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks([0.05, 0.1, 0.2, 0.5, 1, 2, 5], ["0.05", "0.1", "0.2", "0.5", "PyTorch", "2", "5"], minor=False)
    axes.minorticks_off()
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("time relative to PyTorch on one thread (left is faster)")
    axes.legend(loc="lower left")
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only the cases whose name contains one of these")
    parser.add_argument(
        "--all-threads", action="store_true", help="time PyTorch on all cores too; wants a quiet machine"
    )
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--plot", type=Path, help="draw the ratios there")
    parser.add_argument(
        "--against", type=Path, metavar="LIB", help="time this version beside the tensorglass in that folder"
    )
    options = parser.parse_args()
    if options.against:
        print(against(options.against, options.names))
        return
    table = rows(options.names, options.all_threads)
    print(show(table, options.markdown))
    if options.json:
        options.json.write_text(json.dumps(table, indent=1, ensure_ascii=False))
    if options.plot:
        plot(table, options.plot)


if __name__ == "__main__":
    main()
