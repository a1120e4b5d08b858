"""Several gradients in one run of bytes: what DistributedDataParallel on PyTorch hands to hooks. None is made here."""

from __future__ import annotations

from tensorglass.core.left_out import LeftOut

__all__ = ["GradBucket"]


class GradBucket(LeftOut):
    """Gradients that are sent together."""
