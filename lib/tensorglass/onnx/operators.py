"""`torch.onnx.operators`: sizes as tensors, for networks that are to be exported."""

from __future__ import annotations

import tensorglass as torch
from tensorglass.tensor.tensor import Tensor

__all__ = ["reshape_from_tensor_shape", "shape_as_tensor"]


def shape_as_tensor(x: Tensor) -> Tensor:
    """The size of `x` as a tensor.

    >>> import tensorglass.onnx.operators
    >>> torch.onnx.operators.shape_as_tensor(torch.ones(2, 3))
    tensor([2, 3])
    """
    return torch.tensor(x.shape, dtype=torch.int64)


def reshape_from_tensor_shape(x: Tensor, shape: Tensor) -> Tensor:
    """`x` with the size that a tensor gives."""
    return x.reshape(shape.tolist())
