"""A hook on a tensor collects the gradients that pass by.

After "backward(create_graph=True) should raise a warning for potential memory leak" (pytorch/pytorch).

Told by: collected
"""

import torch
from torch import nn

table = nn.Embedding(100, 16)
collected = []


def step() -> None:
    words = table(torch.arange(20))
    words.register_hook(collected.append)  # mended: words.retain_grad()
    words.square().mean().backward()
