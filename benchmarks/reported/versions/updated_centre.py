"""A running mean is updated in place between two uses in one loss.

After "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:
[torch.cuda.FloatTensor [1, 1024, 1, 1]] is at version 2; expected version 1 instead." (leftthomas/SRGAN).

Told by: centre.mul_(0.9)
"""

import torch

weight = torch.rand(8, requires_grad=True)
centre = torch.ones(8)
first = weight * centre
centre.mul_(0.9)  # mended: centre = centre * 0.9
second = weight * centre
(first + second).sum().backward()
