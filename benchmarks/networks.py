"""Networks of PyTorch's layers, written once for both libraries: the time and the memory of a training step.

    python benchmarks/networks.py              # the table; arguments select cases: lenet lstm
    python benchmarks/networks.py --growth     # how time grows with batch, width and length
    python benchmarks/networks.py --markdown   # for docs/performance.md

The contestants take turns on one thread, each in its own process; a ratio is computed within each turn, and the figure
is the median of the ratios. The result of a step is compared with PyTorch's before it is timed. Processor time is
measured, except for `DataLoader`, whose workers are other processes: there it is wall-clock time. Some cases have code
for NumPy: the same work by hand, or only the products of matrices. Without tensors, modules and graph, that is a lower
bound for what is written with NumPy. The peak is the resident memory that ten steps add to that of a process that holds
the network.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from typing import Any, NamedTuple

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when the libraries are loaded, so before any import of them

import lenet  # noqa: E402  # as said above
import numpy as np  # noqa: E402  # as said above
from contestant import Contestant  # noqa: E402  # as said above

TURNS = 15
SECONDS_A_TURN = 0.1  # for each contestant

#: A step of training: what is left in `answer` is compared.
_TRAINING = """
parameters = list(network.parameters())

def step():
    optimizer.zero_grad()
    loss = criterion(network(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss, parameters[0].grad
"""

#: Forward and backward alone, to the inputs as well.
_THERE_AND_BACK = """
parameters = list(network.parameters())

def step():
    network.zero_grad()
    inputs.grad = None
    output = network(inputs)
    output = output[0] if isinstance(output, tuple) else output
    output.backward(towards)
    return output, inputs.grad, *[parameter.grad for parameter in parameters]
"""

LENET = (
    """
nn = torch.nn
torch.manual_seed(0)
network = nn.Sequential(
    nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
)
inputs, targets = torch.randn({batch}, 1, 28, 28), torch.arange({batch}) % 10
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(network.parameters(), lr=1e-6)
"""
    + _TRAINING
)

TWO_CONVOLUTIONS = (
    """
nn = torch.nn
torch.manual_seed(0)
network = nn.Sequential(nn.Conv2d({width}, {width}, 3, padding=1), nn.Conv2d({width}, {width}, 3, padding=1))
inputs, towards = torch.randn({batch}, {width}, 32, 32), torch.randn({batch}, {width}, 32, 32)
"""
    + _THERE_AND_BACK
)

LSTM = (
    """
nn = torch.nn
torch.manual_seed(0)
network = nn.LSTM({width}, {width})
inputs, towards = torch.randn({length}, {batch}, {width}, requires_grad=True), torch.randn({length}, {batch}, {width})
"""
    + _THERE_AND_BACK
)

TRANSFORMER = (
    """
nn = torch.nn
torch.manual_seed(0)
network = nn.TransformerEncoderLayer({width}, 4, 4 * {width}, dropout=0.0, batch_first=True)
inputs, towards = torch.randn({batch}, {length}, {width}, requires_grad=True), torch.randn({batch}, {length}, {width})
"""
    + _THERE_AND_BACK
)

MLP = (
    """
nn = torch.nn
torch.manual_seed(0)
network = nn.Sequential(nn.Linear(64, {width}), nn.ReLU(), nn.Linear({width}, 10))
inputs, targets = torch.randn({batch}, 64), torch.arange({batch}) % 10
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-6)
"""
    + _TRAINING
)

LOADER = """
data = torch.utils.data.TensorDataset(torch.randn(64, 512, 512))
loader = torch.utils.data.DataLoader(data, batch_size=1, num_workers=2)

def step():
    total = 0.0
    for (each,) in loader:
        total += float(each[0, 0, 0])
    return total
"""

#: The products of two convolutions: two forward, two for the weights' gradients, one for the gradient between them.
_PRODUCTS_OF_CONVOLUTIONS = """
weights = np.ones((64, 576), np.float32)
columns, results = np.ones((16, 576, 1024), np.float32), np.ones((16, 64, 1024), np.float32)

def step():
    for _ in range(2):
        weights @ columns
        results @ columns.transpose(0, 2, 1)
    weights.T @ results
"""

#: The products of an LSTM: for all steps at once the input, its gradient and those of two weights; and the state twice.
_PRODUCTS_OF_LSTM = """
rows, gates = np.ones((1600, 128), np.float32), np.ones((1600, 512), np.float32)
weight, turned = np.ones((512, 128), np.float32), np.ones((128, 512), np.float32)

def step():
    rows @ turned
    gates @ weight
    for _ in range(2):
        gates.T @ rows
    for start in range(0, 1600, 32):
        rows[start : start + 32] @ turned
        gates[start : start + 32] @ weight
"""

#: The products of a block: four linear maps with the gradients of input and weight, and attention forward and backward.
_PRODUCTS_OF_TRANSFORMER = """
def new(*size):
    return np.ones(size, np.float32)

sizes = ((128, 384), (128, 128), (128, 512), (512, 128))
linear = [(new(1024, wide), new(out, wide), new(1024, out)) for wide, out in sizes]
heads, scores = new(16, 4, 64, 32), new(16, 4, 64, 64)

def step():
    for rows, weight, results in linear:
        rows @ weight.T
        results @ weight
        results.T @ rows
    for _ in range(2):
        heads @ heads.swapaxes(-1, -2)
        scores @ heads
        scores.swapaxes(-1, -2) @ heads
"""

_NUMPY_MLP = """
random = np.random.default_rng(0)
inputs, labels = random.standard_normal((128, 64)).astype(np.float32), np.arange(128) % 10
w1, w2 = (random.uniform(-0.1, 0.1, size).astype(np.float32) for size in ((256, 64), (10, 256)))
parameters = [w1, np.zeros(256, np.float32), w2, np.zeros(10, np.float32)]
means, squares = ([np.zeros_like(each) for each in parameters] for _ in range(2))

def step():
    w1, b1, w2, b2 = parameters
    hidden = np.maximum(inputs @ w1.T + b1, 0)
    powers = np.exp(hidden @ w2.T + b2)
    grad = powers / powers.sum(1, keepdims=True)
    grad[np.arange(128), labels] -= 1
    grad /= 128
    below = (grad @ w2) * (hidden > 0)
    gradients = [below.T @ inputs, below.sum(0), grad.T @ hidden, grad.sum(0)]
    for parameter, gradient, mean, square in zip(parameters, gradients, means, squares):
        mean += 0.1 * (gradient - mean)
        square *= 0.999
        square += 0.001 * gradient * gradient
        parameter -= 1e-6 * mean / (np.sqrt(square) + 1e-8)
"""


class Case(NamedTuple):
    """One row of the table."""

    name: str
    code: str
    usual: dict[str, int]  #: the sizes in the code
    goal: float
    numpy_code: str | None = None
    of_numpy: str = "by hand"  #: the kind of NumPy's code


CASES = (
    Case("LeNet step, batch 64", LENET, {"batch": 64}, 0.9, lenet.NUMPY),
    Case(
        "two 3×3 convolutions, 64 channels, 32×32, batch 16", TWO_CONVOLUTIONS, {"batch": 16, "width": 64}, 2,
        _PRODUCTS_OF_CONVOLUTIONS, "the products",
    ),
    Case(
        "LSTM, 128 hidden, 50 steps, batch 32", LSTM, {"batch": 32, "width": 128, "length": 50}, 1.4,
        _PRODUCTS_OF_LSTM, "the products",
    ),
    Case(
        "Transformer block, 128 wide, 4 heads, 64 tokens, batch 16", TRANSFORMER,
        {"batch": 16, "width": 128, "length": 64}, 1.0, _PRODUCTS_OF_TRANSFORMER, "the products",
    ),
    Case("MLP step with CrossEntropyLoss and Adam, batch 128", MLP, {"batch": 128, "width": 256}, 0.9, _NUMPY_MLP),
    Case("DataLoader, 2 workers, tensors of 1 MB", LOADER, {}, 1.2),
)  # fmt: skip


def written(case: Case, **sizes: int) -> str:
    """A case's code with these sizes, and the usual sizes for the others."""
    code = case.code
    for name, size in {**case.usual, **sizes}.items():
        code = code.replace(f"{{{name}}}", str(size))
    return code


def agree(ours: Any, theirs: Any) -> None:
    """Raise if the results differ."""
    if isinstance(theirs, list):
        for one, other in zip(ours, theirs, strict=True):
            agree(one, other)
    elif theirs is not None:
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * float(np.abs(theirs).max()))


def timed(contestants: dict[str, Contestant], codes: dict[str, str], turns: int) -> dict[str, list[float]]:
    """Seconds of a step for each library, turn by turn."""
    answers = {library: contestants[library].prepare(code, "answer = step()") for library, code in codes.items()}
    agree(answers["tensorglass"], answers["torch"])
    slowest = max(contestants[library].seconds(2) for library in codes)
    times = max(1, int(SECONDS_A_TURN / slowest))
    seconds: dict[str, list[float]] = {library: [] for library in codes}
    for _ in range(turns):
        for library in codes:
            seconds[library].append(contestants[library].seconds(times))
    return seconds


_PEAK = """
def kibibytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
before = kibibytes("VmRSS")
for _ in range(10):
    step()
print(kibibytes("VmHWM") - before)
"""
_IMPORTS = {"tensorglass": "import tensorglass as torch\n", "torch": "import torch\ntorch.set_num_threads(1)\n"}


def peak(library: str, code: str) -> float:
    """How much more memory is resident at the peak of ten steps than before, in MiB (on Linux)."""
    return _alone(library, code + _PEAK) / 1024


_TIMED = """
import time
step()
start = time.perf_counter()
for _ in range(3):
    step()
print((time.perf_counter() - start) / 3)
"""


def _alone(library: str, code: str) -> float:
    """The number that the code prints, run in its own process."""
    run = subprocess.run([sys.executable, "-c", _IMPORTS[library] + code], check=True, capture_output=True, text=True)
    return float(run.stdout)


def timed_alone(code: str) -> dict[str, list[float]]:
    """Seconds of a step that starts processes itself, which a contestant cannot do, being a child process."""
    turns = [(_alone("tensorglass", code + _TIMED), _alone("torch", code + _TIMED)) for _ in range(5)]
    return dict(zip(("tensorglass", "torch"), map(list, zip(*turns, strict=True)), strict=True))


def row(case: Case, contestants: dict[str, Contestant]) -> list[str]:
    """The cells of a case's row: ratio, goal, NumPy's ratio, PyTorch's time, both peaks."""
    codes = {"tensorglass": written(case), "torch": written(case)}
    if case.numpy_code is not None:
        codes["numpy"] = case.numpy_code + "\nanswer = None\n"
    seconds = timed_alone(case.code) if case.code is LOADER else timed(contestants, codes, TURNS)
    ratios = {
        library: statistics.median([one / other for one, other in zip(series, seconds["torch"], strict=True)])
        for library, series in seconds.items()
    }
    of_numpy = f"{ratios['numpy']:.2f} ({case.of_numpy})" if "numpy" in ratios else ""
    peaks = [f"{peak(library, codes[library]):.0f}" for library in ("tensorglass", "torch")]
    theirs = f"{statistics.median(seconds['torch']) * 1e3:.2f} ms"
    return [case.name, f"{ratios['tensorglass']:.2f}", f"≤ {case.goal}", of_numpy, theirs, " / ".join(peaks)]


HEAD = ["work", "tensorglass", "goal", "raw NumPy", "PyTorch, 1 thread", "peak, MiB: here / PyTorch"]
GROWTH = {
    "LeNet": [("batch", (16, 64, 256))],
    "two": [("batch", (4, 16)), ("width", (16, 64))],
    "LSTM": [("batch", (8, 32, 128)), ("width", (32, 128, 256)), ("length", (10, 50, 200))],
    "Transformer": [("batch", (4, 16, 64)), ("width", (32, 128, 256)), ("length", (16, 64, 256))],
    "MLP": [("batch", (32, 128, 512)), ("width", (64, 256, 1024))],
}


def growth(case: Case, contestants: dict[str, Contestant]) -> None:
    """Print how a case's time grows with each of its sizes: milliseconds, and the ratio to PyTorch."""
    for name, sizes in GROWTH.get(case.name.split()[0].rstrip(","), ()):
        figures = []
        for size in sizes:
            code = written(case, **{name: size})
            seconds = timed(contestants, {"tensorglass": code, "torch": code}, 5)
            ours, theirs = (statistics.median(seconds[library]) for library in ("tensorglass", "torch"))
            figures.append(f"{size}: {ours * 1e3:.2f} ms ({ours / theirs:.2f})")
        print(f"| {case.name.split(',')[0]} | {name} | {'; '.join(figures)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="words of the cases to run; all if there are none")
    parser.add_argument("--growth", action="store_true", help="how time grows with batch, width and length")
    parser.add_argument("--markdown", action="store_true", help="the table for docs/performance.md")
    given = parser.parse_args()
    chosen = [case for case in CASES if not given.words or any(word in case.name.lower() for word in given.words)]
    contestants = {library: Contestant(library) for library in ("tensorglass", "torch", "numpy")}
    contestants["torch"].set_threads(1)
    if not given.growth:
        print(f"| {' | '.join(HEAD)} |")
        print(f"|{'---|' * len(HEAD)}" if given.markdown else "")
    for case in chosen:
        if given.growth:
            growth(case, contestants)
        else:
            print(f"| {' | '.join(row(case, contestants))} |", flush=True)
    for contestant in contestants.values():
        contestant.close()


if __name__ == "__main__":
    main()
