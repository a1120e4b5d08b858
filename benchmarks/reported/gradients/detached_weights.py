"""A detach was left in a model, so what comes before it learns nothing.

After "Why use weights = weights.detach() on line 137 of the file common.py?" (yifita/deep_cage).

Look: graph
Told by: cage
"""

import torch
from torch import nn

cage, head = nn.Linear(4, 4), nn.Linear(4, 1)
weights = cage(torch.rand(2, 4))
weights = weights.detach()  # mended: weights = weights.relu()
loss = head(weights).sum()
asked = [cage.weight]
