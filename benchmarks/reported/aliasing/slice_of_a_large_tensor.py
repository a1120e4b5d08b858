"""A small slice is kept, or saved, and with it the whole storage.

After "torch.save is saving too much" (pytorch/pytorch).

Look: aliases
Shared: kept and kept._base
Told by: 976.6 KiB
"""

import torch

large = torch.zeros(250_000)
kept = large[:10]  # mended: kept = large[:10].clone()
del large
