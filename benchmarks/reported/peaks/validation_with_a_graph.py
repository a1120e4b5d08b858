"""The validation loop records a graph that is never used.

After "torch.no_grad() in validate ?" (OpenNMT/OpenNMT-py).

Told by: activations
"""

import torch
from torch import nn

net = nn.Sequential(*[layer for _ in range(6) for layer in (nn.Linear(128, 128), nn.Sigmoid())])
batch = torch.rand(256, 128)


def step() -> None:
    output = net(batch)  # mended: output = torch.no_grad()(net)(batch)
    output.argmax(1)
