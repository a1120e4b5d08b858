"""Each step's loss is kept for a plot, and with it the step's graph.

After "Memory Leak in torch.autograd.grad" (pytorch/pytorch).

Told by: history
"""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64))
x = torch.rand(32, 64)
history = []


def step() -> None:
    loss = net(x).square().mean()
    history.append(loss)  # mended: history.append(loss.item())
