"""Switches of PyTorch's own CUDA kernels and of cuBLAS: ``torch.backends.cuda.matmul.allow_tf32 = True``."""

from __future__ import annotations

from importlib.util import find_spec


class matmul:
    """How matrices may be multiplied on a GPU. Here they are multiplied as CuPy does it."""

    allow_tf32 = False  #: whether float32 may be rounded to TF32
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False


def is_built() -> bool:
    """Whether CUDA can be used where there is a GPU: whether CuPy is installed."""
    return find_spec("cupy") is not None
