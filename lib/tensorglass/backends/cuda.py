"""Switches of PyTorch's own CUDA kernels and of cuBLAS: ``torch.backends.cuda.matmul.allow_tf32 = True``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec

from tensorglass.core.errors import warn


class matmul:
    """Settings of matrix products on a GPU. They are stored, and have no effect: CuPy multiplies matrices."""

    allow_tf32 = False  #: whether float32 may be rounded to TF32
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False


def is_built() -> bool:
    """Whether CUDA is supported, that is, whether CuPy is installed."""
    return find_spec("cupy") is not None


#: The attention backends that programs can switch. There is only one implementation here, so they have no effect.
attention = {"FLASH_ATTENTION": True, "EFFICIENT_ATTENTION": True, "MATH": True, "CUDNN_ATTENTION": True}


def _switch(way: str) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    """Make the functions that switch an attention backend, and that return whether it is on."""

    def enable(enabled: bool) -> None:
        """Allow or forbid this attention backend."""
        if not isinstance(enabled, bool):
            raise RuntimeError(f"set_sdp_use_math expects a bool, but got {type(enabled).__name__}")
        attention[way] = enabled

    def is_enabled() -> bool:
        """Whether this attention backend is allowed."""
        return attention[way]

    return enable, is_enabled


enable_flash_sdp, flash_sdp_enabled = _switch("FLASH_ATTENTION")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("EFFICIENT_ATTENTION")
enable_math_sdp, math_sdp_enabled = _switch("MATH")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("CUDNN_ATTENTION")


def is_flash_attention_available() -> bool:
    """Whether FlashAttention is available: never here."""
    return False


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> AbstractContextManager[dict[str, object]]:
    """An older form of `nn.attention.sdpa_kernel`, with one argument for each attention backend."""
    warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
    )
    choosing = import_module("tensorglass.nn.attention")  # the module defined above
    kinds = {
        "FLASH_ATTENTION": enable_flash,
        "EFFICIENT_ATTENTION": enable_mem_efficient,
        "MATH": enable_math,
        "CUDNN_ATTENTION": enable_cudnn,
    }
    chosen = [getattr(choosing.SDPBackend, name) for name, is_on in kinds.items() if is_on]
    manager: AbstractContextManager[dict[str, object]] = choosing.sdpa_kernel(chosen)
    return manager
