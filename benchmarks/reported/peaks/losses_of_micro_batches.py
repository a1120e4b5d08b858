"""The losses of all micro-batches are added up before one backward, so all their graphs live at once.

After "Losses are backpropagated separately" (lhoyer/DAFormer).

Told by: loss = net(batch).mean()
"""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(128, 256), nn.Tanh(), nn.Linear(256, 1))
batches = [torch.rand(128, 128) for _ in range(8)]


def step() -> None:
    net.zero_grad()
    total = torch.zeros(())
    for batch in batches:
        loss = net(batch).mean()
        total = total + loss  # mended: loss.backward()
    total.requires_grad and total.backward()
