"""The state of a recurrent network goes on to the next batch with the graph of all earlier ones.

After "Memory leak problem in LSTM and RNN" (pytorch/pytorch).

Told by: hidden
"""

import torch
from torch import nn

cell = nn.GRUCell(16, 32)
hidden = torch.zeros(8, 32)


def step() -> None:
    global hidden
    hidden = cell(torch.rand(8, 16), hidden)  # mended: hidden = cell(torch.rand(8, 16), hidden.detach()).detach()
