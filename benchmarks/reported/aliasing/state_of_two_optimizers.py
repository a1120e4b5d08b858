"""One optimizer loads the state of another, and both then write to the same averages.

After "Calling optimizer.load_state_dict causes Tensors lost" (pytorch/pytorch).

Look: aliases
Shared: first.state[one]["exp_avg"] and second.state[other]["exp_avg"]
Told by: also second.state[#0]['exp_avg']
"""

from copy import deepcopy

import torch

one, other = torch.ones(8, requires_grad=True), torch.ones(8, requires_grad=True)
first, second = torch.optim.Adam([one]), torch.optim.Adam([other])
one.sum().backward()
first.step()
second.load_state_dict(first.state_dict())  # mended: second.load_state_dict(deepcopy(first.state_dict()))
