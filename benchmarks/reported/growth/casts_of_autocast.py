"""Autocast remembers the casts of all weights until its region ends, and this region never ends.

After "Memory leaks related to caching" (ecmwf/anemoi-core).

Told by: region | cache of autocast
"""

import torch
from torch import nn

region = torch.autocast("cpu", dtype=torch.bfloat16)  # mended: region = torch.autocast("cpu", cache_enabled=False)
region.__enter__()


def step() -> None:
    expert = nn.Linear(64, 64)
    expert(torch.rand(8, 64))
