"""A sigmoid has saved its result, and a ReLU in place writes over it.

After "Inplace ReLU's are unnecessary and wrong" (osmr/imgclsmob).

Told by: inplace=True
"""

import torch
from torch import nn

relu = nn.ReLU(inplace=True)  # mended: relu = nn.ReLU()
net = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), relu)
loss = net(torch.rand(4, 8)).sum()
loss.backward()
