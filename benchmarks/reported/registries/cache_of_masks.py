"""Masks are kept by the length of their sequence, and every length comes.

After "[Perf] DeepSeek-OCR-2 TTFT Optimize" (vllm-project/vllm).

Told by: mask_of.masks | mask_of() closure
"""

from collections.abc import Callable

import torch


def masking() -> Callable[[int], torch.Tensor]:
    masks: dict[int, torch.Tensor] = {}

    def mask_of(length: int) -> torch.Tensor:
        if length not in masks:
            masks[length] = torch.ones(length, 64)  # mended: return torch.ones(length, 64)
        return masks[length]

    return mask_of


mask_of = masking()
lengths = iter(range(16, 10_000))


def step() -> None:
    mask_of(next(lengths))
