"""PyTorch's module of this name, from which programs import some of the functions of ``torch``."""

from __future__ import annotations

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

_NAMES = (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod",
    "cdist", "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank", "split", "stft", "svd_lowrank", "tensordot",
    "unique", "unique_consecutive", "unravel_index",
)  # fmt: skip
globals().update({name: getattr(torch, name) for name in _NAMES})
__all__ = ["Tensor", *_NAMES]
