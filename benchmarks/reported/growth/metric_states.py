"""A metric keeps the predictions of every batch, and nobody resets it at the end of an epoch.

After "Memory leak when using Metric with list state" (Lightning-AI/pytorch-lightning).

Told by: metric
"""

import torch


class Recall:
    def __init__(self) -> None:
        self.predictions: list[torch.Tensor] = []

    def update(self, predictions: torch.Tensor) -> None:
        self.predictions.append(predictions)


metric = Recall()


def step() -> None:
    for _ in range(3):
        metric.update(torch.rand(32, 10))
    pass  # mended: metric.predictions.clear()
