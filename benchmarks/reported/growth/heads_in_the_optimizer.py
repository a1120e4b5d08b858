"""A head is replaced for each task; the optimizer keeps the old ones with their state.

After "Memory leak with stateful optimizers" (DrChainsaw/NaiveNASflux.jl).

Told by: optimizer
"""

import torch
from torch import nn

body = nn.Linear(16, 64)
optimizer = torch.optim.Adam(body.parameters())


def step() -> None:
    head = nn.Linear(64, 10)
    optimizer.add_param_group({"params": head.parameters()})
    head(body(torch.rand(8, 16))).square().mean().backward()
    optimizer.step()
    body.zero_grad()
    pass  # mended: [optimizer.state.pop(each) for each in optimizer.param_groups.pop()["params"]]
