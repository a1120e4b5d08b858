"""A replay memory stores values with the graphs that computed them.

After "Improve the replay memory to avoid storing the autograd graphs in it" (Kaixhin/Rainbow).

Told by: memory
"""

from collections import deque

import torch
from torch import nn

critic = nn.Linear(64, 1)
memory: deque[tuple[torch.Tensor, int]] = deque(maxlen=10_000)


def step() -> None:
    observed = torch.rand(32, 64)
    value = critic(observed).square().mean()
    memory.append((value, 1))  # mended: memory.append((value.item(), 1))
