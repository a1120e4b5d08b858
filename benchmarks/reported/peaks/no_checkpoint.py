"""A deep network keeps the activations of all its blocks for the backward.

After "lambda saved_tensor_hook memory leak?" (pytorch/pytorch).

Told by: activations
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

blocks = nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64)) for _ in range(8)])
batch = torch.rand(512, 64)


def step() -> None:
    result = blocks(batch)  # mended: result = checkpoint_sequential(blocks, 4, batch, use_reentrant=False)
    result.mean().backward()
