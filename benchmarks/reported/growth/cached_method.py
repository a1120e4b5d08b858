"""A cache on a method keeps the results for every argument, and the object too.

After "[BE][Ez]: Enable B019 - flags memory leaks through LRU cache on method" (pytorch/pytorch).

Told by: cache of Positions.encoding | lru_cache
"""

from functools import lru_cache

import torch


class Positions:
    @lru_cache(maxsize=None)  # mended: @lru_cache(maxsize=1)
    def encoding(self, length: int) -> torch.Tensor:
        return torch.full((64,), float(length))


positions = Positions()
length = 10


def step() -> None:
    global length
    length += 1
    positions.encoding(length)
