"""Each result is written into one buffer, and the buffer is put into a list each time.

After "DataLoader has a side-effect on Numpy arrays?" (pytorch/pytorch).

Look: aliases
Shared: rows[0] and rows[2]
Told by: rows[0], rows[1] and rows[2]
"""

import torch

buffer = torch.zeros(16)
rows = []
for number in range(3):
    buffer.fill_(number)
    rows.append(buffer)  # mended: rows.append(buffer.clone())
