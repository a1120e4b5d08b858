"""A list of layers is made by multiplication, so it holds one layer.

After "Do MLPs share weight by accident?" (acids-ircam/ddsp_pytorch).

Look: model_map
Shared: net[0].weight and net[1].weight
Told by: tied with
"""

from torch import nn

net = nn.ModuleList([nn.Linear(8, 8)] * 3)  # mended: net = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
