"""The discriminator's weights are updated between the generator's loss and its backward.

After "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation?"
(pytorch/pytorch).

Told by: the_optimizer.step()
"""

import torch
from torch import nn

generator, discriminator = nn.Linear(4, 4), nn.Linear(4, 1)
the_optimizer = torch.optim.SGD(discriminator.parameters(), lr=0.1)
made = generator(torch.rand(8, 4))
judged = discriminator(made).sigmoid().log().mean()
(-judged).backward(retain_graph=True)
the_optimizer.step()  # mended: judged = discriminator(made).sigmoid().log().mean()
judged.backward()
