"""Networks of PyTorch's layers, written once for both libraries: a step of each, its time and its memory.

    python benchmarks/networks.py              # the table; words of cases may follow: lenet lstm
    python benchmarks/networks.py --growth     # how time grows with batch, width and length
    python benchmarks/networks.py --markdown   # for docs/performance.md

The contestants take turns on one thread, each in a process of its own; a ratio is formed within each turn, and the
figure is the median of the ratios. What a step computes is compared with PyTorch before it is timed. Processor time
counts, except for `DataLoader`, whose workers are other processes. Where there is code for NumPy, it is the same work
by hand, every derivative written out, without tensors, modules and graph: the floor under what is written with NumPy.
The peak is the resident memory that ten steps add to that of a process with the network in place.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from typing import Any, NamedTuple

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when the libraries are loaded, so before any import of them

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
