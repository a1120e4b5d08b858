"""A tensor that requires a gradient is converted at once, so the variable is no leaf.

After "using pytorch 0.4 using cuda show grad was None" (pytorch/pytorch).

Look: graph
Told by: ToCopyBackward0
"""

import torch

start = torch.rand(3).double()
weight = torch.rand(3, requires_grad=True).double()  # mended: weight = start.requires_grad_()
loss = weight.square().sum()
asked = [weight]
