"""A state is repeated for each position, where a view of stride 0 would do.

After "Would it be faster(or correct) if use expand() instead of repeat() in Attention model ?"
(AuCson/PyTorch-Batch-Attention-Seq2seq).

Told by: hidden.repeat
"""

import torch

hidden = torch.rand(1, 32, 128)


def step() -> None:
    states = hidden.repeat(64, 1, 1)  # mended: states = hidden.expand(64, -1, -1)
    states.sum()
