"""Tensors as MPI reads and writes them: runs of elements in host memory, without gaps."""

from __future__ import annotations

from typing import Any

from tensorglass.core.dtypes import bfloat16, bool, dtype, float16, float32, int32, uint8
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.tensor import Tensor

#: MPI has no arithmetic for these: the sum is made in wider elements and rounded once.
_WIDER = {float16: float32, bfloat16: float32, bool: int32}


class Window:
    """A tensor's elements, in its own memory if they lie there in order on the CPU; else in a copy.

    `data` is the tensor that MPI sees, `array` its memory. `store` writes a copy back. As in PyTorch, received data
    does not change the tensor's version, and is not recorded.
    """

    def __init__(self, tensor: Tensor, dtype: dtype | None = None) -> None:
        self.tensor = tensor.data
        self.data = self.tensor.to("cpu", dtype).contiguous().resolve_conj()

    @classmethod
    def for_sum(cls, tensor: Tensor) -> Window:
        """A window whose elements MPI can compute with."""
        return cls(tensor, _WIDER.get(tensor.dtype))

    @property
    def array(self) -> Any:
        """The elements, as NumPy sees them."""
        return self.data.numpy()

    @property
    def bytes(self) -> Any:
        """The bytes of the elements, for operations that only move them."""
        return as_bytes(self.data)

    def store(self) -> tuple[Tensor]:
        """Write a copy back to the tensor."""
        if self.data.data_ptr() != self.tensor.data_ptr():
            self.tensor.copy_(self.data)
        return (self.tensor,)


def as_bytes(tensor: Tensor) -> Any:
    """The memory of a tensor without gaps on the CPU, as an array of bytes."""
    return tensor.view(-1).view(uint8).numpy()


def in_a_row(tensors: list[Tensor]) -> Tensor:
    """Copies of tensors of one size and dtype, on the CPU, one after another along a new first dimension."""
    return stack([tensor.data.to("cpu") for tensor in tensors])
