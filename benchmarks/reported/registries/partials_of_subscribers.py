"""Subscribers are partial functions with a tensor as an argument, and nobody unsubscribes.

After "fix: streams memory leak for `partial.functools`" (holoviz/holoviews).

Told by: subscribers
"""

from functools import partial

import torch

subscribers: dict[int, partial[torch.Tensor]] = {}


def step() -> None:
    image = torch.rand(64, 64)
    subscribers[len(subscribers)] = partial(torch.mul, image)  # mended: subscribers[0] = partial(torch.mul, image)
