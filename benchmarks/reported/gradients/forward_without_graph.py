"""The forward ran under `no_grad`, so its loss has no graph.

After "tensors does not require grad and does not have a grad_fn" (MoyGcc/vid2avatar).

Look: explain_error
Told by: with torch.no_grad()
"""

import torch
from torch import nn

net = nn.Linear(4, 1)
with torch.no_grad():  # mended: with torch.enable_grad():
    loss = net(torch.rand(2, 4)).sum()
asked = [net.weight]
loss.backward()
