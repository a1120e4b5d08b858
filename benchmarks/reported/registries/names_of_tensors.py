"""A reporter of memory keeps the name of every tensor that it has seen, and the tensors themselves are the keys.

After "Memory leak when calling mem reporter" (Stonesjtu/pytorch_memlab).

Told by: names
"""

import torch

names: dict[torch.Tensor, str] = {}


def step() -> None:
    hidden = torch.rand(64, 32)
    names[hidden] = f"hidden {len(names)}"  # mended: names.update({})
