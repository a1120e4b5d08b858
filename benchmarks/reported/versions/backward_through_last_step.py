"""The hidden state still leads to the graph of the step before, which has been freed.

After "403: question about h_state = h_state.data" (MorvanZhou/PyTorch-Tutorial).

Told by: state
"""

import torch
from torch import nn

cell = nn.RNNCell(4, 8)
state = torch.zeros(2, 8)
for _ in range(2):
    state = cell(torch.rand(2, 4), state)  # mended: state = cell(torch.rand(2, 4), state.detach())
    state.sum().backward()
