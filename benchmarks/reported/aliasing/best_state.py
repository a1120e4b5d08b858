"""The best weights so far are kept, but they are the network's own.

After "Fixed deep copying model.state_dict()" (pytorch/tutorials).

Look: aliases
Shared: net.weight and best["weight"]
Told by: net.weight and best['weight']: the same
"""

from copy import deepcopy

import torch
from torch import nn

net = nn.Linear(8, 8)
best = net.state_dict()  # mended: best = deepcopy(net.state_dict())
with torch.no_grad():
    net.weight.zero_()
