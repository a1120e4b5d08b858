"""Distances between two sets are computed by broadcasting, through a table of all differences.

After "During the test, the GPU usage is large." (hcw-00/PatchCore_anomaly_detection).

Told by: one[:, None]
"""

import torch

one, other = torch.rand(128, 64), torch.rand(128, 64)


def step() -> None:
    (one[:, None] - other[None]).square().sum(-1).sqrt()  # mended: torch.cdist(one, other)
