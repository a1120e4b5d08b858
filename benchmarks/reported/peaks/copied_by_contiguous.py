"""An expanded tensor is made contiguous, which writes out what was one row.

After "torch.cdist() implementation without using contiguous() calls" (pytorch/pytorch).

Told by: .contiguous()
"""

import torch

row = torch.rand(1, 4096)


def step() -> None:
    table = row.expand(256, -1).contiguous()  # mended: table = row.expand(256, -1)
    table.amax()
