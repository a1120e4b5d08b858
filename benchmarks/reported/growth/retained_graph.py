"""The graph is retained so that a state can be used again, and the state then leads to all steps.

After "why in my model_search only loss.backward(retain_graph=True) can run" (quark0/darts).

Told by: state
"""

import torch
from torch import nn

net = nn.Linear(16, 16)
state = torch.zeros(4, 16)


def step() -> None:
    global state
    state = torch.tanh(net(torch.rand(4, 16)) + state)
    state.square().mean().backward(retain_graph=True)
    state = state.clone()  # mended: state = state.detach()
