"""A callback is registered for every picture, and its closure keeps the tensor that the picture was drawn from.

After "Fix a memory leak in the plotting" (cdtools-developers/cdtools).

Told by: callbacks
"""

from collections.abc import Callable

import torch

callbacks: list[Callable[[], float]] = []


def step() -> None:
    image = torch.rand(64, 64)
    callbacks.append(lambda: image.mean().item())  # mended: callbacks[:] = [lambda: image.mean().item()]
