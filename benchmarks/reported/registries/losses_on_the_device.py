"""Losses are detached and kept until the next line of the log, which is hardly ever written.

After "Memory grows due to keeping losses on device" (pytorch/torchtitan).

Told by: losses
"""

import torch
from torch import nn

net = nn.Linear(64, 1)
losses: list[torch.Tensor] = []


def step() -> None:
    loss = net(torch.rand(32, 64)).square().mean()
    loss.backward()
    net.zero_grad()
    losses.append(loss.detach())  # mended: losses[:] = [loss.detach()]
