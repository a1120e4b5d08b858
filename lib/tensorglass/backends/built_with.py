"""``torch.has_cuda`` and its siblings, by which old programs ask what the library was built with."""

from __future__ import annotations

from tensorglass.backends import cuda, cudnn, mkldnn, mps
from tensorglass.core.errors import warn

_INSTEAD = {
    "has_cuda": ("cuda.is_built", cuda.is_built),
    "has_cudnn": ("cudnn.is_available", cudnn.is_available),
    "has_mkldnn": ("mkldnn.is_available", mkldnn.is_available),
    "has_mps": ("mps.is_built", mps.is_built),
}


def is_built_with(name: str) -> bool:
    """What the function says that programs should ask instead, with PyTorch's warning."""
    instead, ask = _INSTEAD[name]
    warn(f"'{name}' is deprecated, please use 'torch.backends.{instead}()'")
    return ask()
