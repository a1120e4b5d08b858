"""A result is clamped through `.data`, so no version tells of it, and the gradient is silently wrong.

After "Better document the difference between .data and .detach" (pytorch/pytorch).

Look: watch
Told by: .data
"""

import torch

weight = torch.full((3,), 2.0, requires_grad=True)


def train() -> None:
    result = weight.exp()
    result.data.clamp_(max=1.0)  # mended: result = result.clamp(max=100.0)
    result.sum().backward()


expected = weight.detach().exp()
