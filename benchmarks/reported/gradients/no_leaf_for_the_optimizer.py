"""An optimizer is given a tensor that was computed from the leaf.

After "can't optimize a non-leaf Tensor" (mazzzystar/randomCNN-voice-transfer).

Look: explain_error
Told by: noise
"""

import torch

noise = torch.rand(8, requires_grad=True) * 0.01  # mended: noise = (torch.rand(8) * 0.01).requires_grad_()
asked = [noise]
optimizer = torch.optim.SGD([noise], lr=0.1)
loss = noise.square().sum()
