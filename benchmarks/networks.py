"""Networks of PyTorch's layers, written once for both libraries: LeNet, and two convolutions of 64 channels.

    python benchmarks/networks.py      # a step's time and peak memory on one thread, and the time of the products

The goal of each is a ratio to PyTorch. Where NumPy's products by OpenBLAS take longer than that, nothing that is
written with NumPy can reach it; their time stands beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

LENET = """
nn = torch.nn
torch.manual_seed(0)
network = nn.Sequential(
    nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
)
images, labels = torch.randn(64, 1, 28, 28), torch.arange(64) % 10
criterion = nn.CrossEntropyLoss()

def step():
    network.zero_grad()
    criterion(network(images), labels).backward()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter -= 1e-3 * parameter.grad
"""

TWO_CONVOLUTIONS = """
nn = torch.nn
torch.manual_seed(0)
network = nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.Conv2d(64, 64, 3, padding=1))
images = torch.randn(16, 64, 32, 32)

def step():
    network.zero_grad()
    network(images).sum().backward()
"""

#: What two convolutions multiply: forward twice, the weights' gradients twice, the gradient between them once.
PRODUCTS = """
weights = np.ones((64, 576), np.float32)
columns, results = np.ones((16, 576, 1024), np.float32), np.ones((16, 64, 1024), np.float32)

def step():
    for _ in range(2):
        weights @ columns
        results @ columns.transpose(0, 2, 1)
    weights.T @ results
"""

_TIMED = """
import json, resource, time
best = float("inf")
for _ in range(12):
    start = time.perf_counter()
    step()
    best = min(best, time.perf_counter() - start)
print(json.dumps([best * 1e3, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""

_IMPORTS = {
    "tensorglass": "import tensorglass as torch\n",
    "PyTorch": "import torch\ntorch.set_num_threads(1)\n",
    "NumPy": "import numpy as np\n",
}


def measured(library: str, code: str) -> tuple[float, float]:
    """The best time of a step in milliseconds, and the process's peak resident memory in MiB (on Linux)."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    run = subprocess.run(
        [sys.executable, "-c", _IMPORTS[library] + code + _TIMED],
        check=True, capture_output=True, text=True, env={**os.environ, **one_thread},
    )  # fmt: skip
    milliseconds, mebibytes = json.loads(run.stdout)
    return milliseconds, mebibytes


def main() -> None:
    for name, code, goal in (
        ("LeNet step, batch 64", LENET, 0.9),
        ("two convolutions, 64 channels", TWO_CONVOLUTIONS, 2),
    ):
        ours, theirs = measured("tensorglass", code), measured("PyTorch", code)
        print(f"{name}: ratio {ours[0] / theirs[0]:.2f} (goal {goal})")
        for library, (milliseconds, mebibytes) in (("tensorglass", ours), ("PyTorch", theirs)):
            print(f"    {library:12} {milliseconds:8.2f} ms {mebibytes:8.0f} MiB")
    print(f"    the products by NumPy {measured('NumPy', PRODUCTS)[0]:.2f} ms")


if __name__ == "__main__":
    main()
