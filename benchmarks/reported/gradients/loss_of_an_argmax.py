"""The loss is computed from the index of the largest score, which has no derivative.

After "A question about training" (LZGMatrix/BOP19_CDPN_2019ICCV).

Look: explain_error
Told by: scores.argmax(1)
"""

import torch
from torch import nn

net = nn.Linear(4, 8)
scores = net(torch.rand(2, 4))
place = scores.argmax(1).float()  # mended: place = scores.softmax(1) @ torch.arange(8.0)
loss = (place - 3).square().mean()
asked = [net.weight]
loss.backward()
