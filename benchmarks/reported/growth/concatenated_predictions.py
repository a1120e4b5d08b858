"""All predictions so far are concatenated anew in each step, with their graphs.

After "GPU Memery leak" (pytorch/pytorch).

Told by: everything
"""

import torch
from torch import nn

net = nn.Linear(64, 10)
everything = torch.zeros(0, 10)


def step() -> None:
    global everything
    predicted = net(torch.rand(32, 64))
    everything = torch.cat([everything, predicted])[-64:]  # mended: everything = predicted.detach()
