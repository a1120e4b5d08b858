"""The borders of an attention map are set to zero after a ReLU has saved it.

After "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:
[torch.cuda.FloatTensor [8, 1, 96, 96]]" (AggMan96/RK-Net).

Told by: attention[:, 0] = 0
"""

import torch

logits = torch.rand(4, 8, requires_grad=True)
attention = logits.exp()
attention[:, 0] = 0  # mended: attention = attention.clone(); attention[:, 0] = 0
attention.sum().backward()
