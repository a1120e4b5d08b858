"""Switches of PyTorch's own CUDA kernels and of cuBLAS: ``torch.backends.cuda.matmul.allow_tf32 = True``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from tensorglass.backends.switches import MatmulPrecision, Switch, check_bool


class _Matmul:
    """How matrices may be multiplied on a GPU. Here they are multiplied as CuPy does it."""

    allow_fp16_reduced_precision_reduction = Switch(True, "set_allow_fp16_reduced_precision_reduction_cublas")
    allow_bf16_reduced_precision_reduction = Switch(True, "set_allow_bf16_reduced_precision_reduction_cublas")
    allow_fp16_accumulation = Switch(False, "set_allow_fp16_accumulation_cublas")

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 may be rounded to TF32: False where `get_float32_matmul_precision` is "highest"."""
        return MatmulPrecision.now != "highest"

    @allow_tf32.setter
    def allow_tf32(self, value: bool) -> None:
        check_bool("set_allow_tf32_cublas", value)
        MatmulPrecision.now = "high" if value else "highest"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(f"Unknown attribute {name}")
        object.__setattr__(self, name, value)


matmul = _Matmul()


def is_built() -> bool:
    """Whether CUDA can be used where there is a GPU: whether CuPy is installed."""
    return find_spec("cupy") is not None
