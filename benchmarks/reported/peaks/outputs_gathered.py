"""The outputs of the whole validation set are gathered before anything is computed of them.

After "Huge memory footprint in evaluation" (facebookresearch/SlowFast).

Told by: outputs
"""

import torch
from torch import nn

net = nn.Linear(64, 512)
batches = [torch.rand(64, 64) for _ in range(16)]


@torch.no_grad()
def step() -> None:
    outputs = []
    for batch in batches:
        outputs.append(net(batch))  # mended: outputs.append(net(batch).mean())
    torch.stack(outputs).mean()
