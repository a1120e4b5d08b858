"""A table of distances asks for more memory than there is.

After "torch.cdist [Cuda out of memory Tried to allocate 108GB of memory]" (pytorch/pytorch).

Told by: cdist
"""

import torch

a = torch.rand(1, 2).expand(3_000_000, 2)


def step() -> None:
    scores = torch.rand(1000)
    distances = torch.cdist(a, a)  # mended: distances = torch.cdist(a[:10], a[:10])
    (distances.mean() + scores.mean()).item()
