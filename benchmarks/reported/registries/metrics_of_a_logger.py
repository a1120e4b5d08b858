"""A logger keeps each metric as it is given, with the graph that it was computed by.

After "Fixing leaking autograd graph memory in Trainer" (pnnl/neuromancer).

Told by: logger.history
"""

from collections import defaultdict

import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 64), nn.Tanh())


class Logger:
    def __init__(self) -> None:
        self.history: defaultdict[str, list[torch.Tensor]] = defaultdict(list)

    def log(self, **metrics: torch.Tensor) -> None:
        for name, value in metrics.items():
            self.history[name].append(value)  # mended: self.history[name] = [value.detach()]


logger = Logger()


def step() -> None:
    logger.log(loss=net(torch.rand(32, 64)).square().mean())
