"""A layer is made and never used, so its parameters get no gradient.

After "A redundant layer in PyTorch implementation" (NVlabs/PWC-Net).

Look: model_map
Told by: deconv: Linear · 80 bytes · no gradient
"""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.deconv = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)  # mended: return self.deconv(self.conv(x))


net = Net()
loss = net(torch.rand(2, 4)).sum()
loss.backward()
asked = [net.deconv.weight]
