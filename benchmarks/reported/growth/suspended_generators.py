"""A generator is asked for its first batch and then left; its frame keeps all that it had read.

After "[opt mem] Reduce mem spikes: MultimetDataLoader::iter keeps only results" (google-research/flood-forecasting).

Told by: readers
"""

from collections.abc import Iterator

import torch

readers = []


def batches() -> Iterator[torch.Tensor]:
    everything = torch.rand(100, 64)
    for batch in everything.split(10):
        yield batch.sum()


def step() -> None:
    reader = batches()
    next(reader)
    readers.append(reader)  # mended: reader.close()
