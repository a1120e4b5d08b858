"""A forward hook stores each output in a list that is never emptied.

After "torch.no_grad() creates memory leak because of forward hook" (meta-pytorch/opacus).

Told by: seen
"""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
seen = []
handle = net[0].register_forward_hook(lambda module, given, output: seen.append(output))


def step() -> None:
    with torch.no_grad():
        net(torch.rand(32, 64))
    pass  # mended: seen.clear()
