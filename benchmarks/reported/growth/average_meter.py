"""A meter adds up what it is given, which is a loss with its graph.

After "dataloader memory leak issue" (rabbityl/lepard).

Told by: meter
"""

import torch
from torch import nn


class AverageMeter:
    def __init__(self) -> None:
        self.sum = torch.zeros(())
        self.count = 0

    def update(self, value: torch.Tensor) -> None:
        self.sum = self.sum + value
        self.count += 1


net = nn.Linear(64, 64)
meter = AverageMeter()


def step() -> None:
    loss = net(torch.rand(16, 64)).square().mean()
    loss.backward()
    meter.update(loss)  # mended: meter.update(loss.detach())
