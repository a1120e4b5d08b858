"""Each step registers a hook of its own, whose closure keeps that step's target.

After "Be more careful with tensor references in Hook" (chr5tphr/zennit).

Told by: _forward_hooks
"""

import torch
from torch import nn

net = nn.Linear(64, 64)


def step() -> None:
    target = torch.rand(32, 64)
    handle = net.register_forward_hook(lambda module, given, output: output - target)
    net(torch.rand(32, 64))
    pass  # mended: handle.remove()
