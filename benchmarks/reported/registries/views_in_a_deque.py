"""Observations go into a deque that is meant for a million of them, and each is a view of a whole batch.

After "Memory Leak with Docker GPU" (pytorch/pytorch).

Told by: buffer
"""

from collections import deque

import torch

buffer: deque[torch.Tensor] = deque(maxlen=1_000_000)  # mended: buffer: deque[torch.Tensor] = deque(maxlen=2)


def step() -> None:
    observed = torch.rand(64, 32)
    buffer.append(observed[0])
