"""A moving average of the weights is computed with the graph on.

After "issues about add with torch.no_grad():" (fadel/pytorch_ema).

Told by: shadow
"""

import torch
from torch import nn

net = nn.Linear(64, 64)
shadow = {name: parameter.detach().clone() for name, parameter in net.named_parameters()}


def step() -> None:
    for name, parameter in net.named_parameters():
        shadow[name] = 0.99 * shadow[name] + 0.01 * parameter  # mended: shadow[name].lerp_(parameter.detach(), 0.01)
