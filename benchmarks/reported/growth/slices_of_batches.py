"""One row of each batch is kept as an example, and the row keeps the storage of its batch.

After "Saving a small view of the tensor resulted in saving all" (pytorch/pytorch).

Told by: examples
"""

import torch

examples = []


def step() -> None:
    batch = torch.rand(64, 256)
    examples.append(batch[0])  # mended: examples[:] = [batch[0].clone()]
