"""An average of the losses is carried from step to step without a detach.

After "Compute EMAs outside of pytorch" (alexhernandezgarcia/gflownet).

Told by: average
"""

import torch
from torch import nn

net = nn.Linear(64, 64)
average = torch.zeros(())
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)


def step() -> None:
    global average
    loss = net(torch.rand(16, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * loss  # mended: average = 0.9 * average + 0.1 * loss.detach()
