"""The loss is put into a new tensor, which knows nothing of the network.

After "Gradient unable to backprop if we use argmax or torch.where" (Ugenteraan/Deep_Hierarchical_Classification).

Look: explain_error
Told by: penalty.item()
"""

import torch
from torch import nn

net = nn.Linear(4, 1)
penalty = net(torch.rand(2, 4)).mean()
loss = torch.tensor(penalty.item(), requires_grad=False)  # mended: loss = penalty
asked = [net.weight]
loss.backward()
