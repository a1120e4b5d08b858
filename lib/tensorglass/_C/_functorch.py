"""What libraries ask PyTorch's C++ about the tensors within `torch.func`'s transformations.

Here `vmap` calls the function for each slice, and derivatives are those of ordinary tensors: no tensor is wrapped.
"""

from __future__ import annotations

from tensorglass.tensor.tensor import Tensor

__all__ = [
    "get_unwrapped",
    "is_batchedtensor",
    "is_functorch_wrapped_tensor",
    "is_gradtrackingtensor",
    "maybe_get_bdim",
    "maybe_get_level",
    "unwrap_if_dead",
]


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """False: no tensor stands for another."""
    return False


is_batchedtensor = is_gradtrackingtensor = is_functorch_wrapped_tensor


def maybe_get_level(tensor: Tensor) -> int:
    """-1: the tensor belongs to no transformation."""
    return -1


maybe_get_bdim = maybe_get_level


def unwrap_if_dead(tensor: Tensor) -> Tensor:
    """The tensor itself."""
    return tensor


def get_unwrapped(tensor: Tensor) -> Tensor:
    """RuntimeError, as for every tensor that stands for no other."""
    raise RuntimeError("No wrappers present!")
