"""The losses of an epoch are added up as tensors, so the sum leads to every step's graph.

After "GPU memory leak on Pytorch 1.0?" (pytorch/pytorch).

Told by: total
"""

import torch

weight = torch.ones(64, requires_grad=True)
total = torch.zeros(())


def step() -> None:
    global total
    loss = weight.sum()
    total = total + loss  # mended: total = total + loss.item()
