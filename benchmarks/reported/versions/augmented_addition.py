"""A pyramid of features is added up by `+=`, which writes to what a ReLU has saved.

After "gradient computation problems" (lyongo/NWPU-MOC).

Told by: laterals[0] += laterals[1]
"""

import torch
from torch import nn

layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))
laterals = [layer(torch.rand(4, 8)).relu() for layer in layers]
laterals[0] += laterals[1]  # mended: laterals[0] = laterals[0] + laterals[1]
laterals[0].sum().backward()
