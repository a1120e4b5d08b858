"""The state that was loaded stays in a variable beside the network that has copied it.

After "wasted GPU memory when loading optimizer state" (huggingface/accelerate).

Told by: loaded = deepcopy | loaded['weight']
"""

from copy import deepcopy

import torch
from torch import nn

net = nn.Linear(256, 256)
saved = net.state_dict()


def step() -> None:
    loaded = deepcopy(saved)
    net.load_state_dict(loaded)
    pass  # mended: del loaded
    net(torch.rand(8, 256)).sum().backward()
