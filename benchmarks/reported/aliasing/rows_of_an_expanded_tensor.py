"""One row of an expanded tensor is written, and all of them change.

After "When should I use the clone function after expand" (pytorch/pytorch).

Look: show
Shared: table[0] and table[1]
Told by: stride (0, 1)
"""

import torch

bias = torch.zeros(3)
table = bias.expand(4, 3)  # mended: table = bias.expand(4, 3).clone()
table[0] = 1
