"""Switches of PyTorch's own CUDA kernels and of cuBLAS: ``torch.backends.cuda.matmul.allow_tf32 = True``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec

from tensorglass.core.errors import warn


class matmul:
    """How matrices may be multiplied on a GPU. Here they are multiplied as CuPy does it."""

    allow_tf32 = False  #: whether float32 may be rounded to TF32
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False


def is_built() -> bool:
    """Whether CUDA can be used where there is a GPU: whether CuPy is installed."""
    return find_spec("cupy") is not None


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> AbstractContextManager[None]:
    """An older form of `nn.attention.sdpa_kernel`, with one argument for each way to compute attention."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    attention = import_module("tensorglass.nn.attention")  # which stands above
    kinds = {
        "FLASH_ATTENTION": enable_flash,
        "EFFICIENT_ATTENTION": enable_mem_efficient,
        "MATH": enable_math,
        "CUDNN_ATTENTION": enable_cudnn,
    }
    chosen = [getattr(attention.SDPBackend, name) for name, is_on in kinds.items() if is_on]
    manager: AbstractContextManager[None] = attention.sdpa_kernel(chosen)
    return manager
