"""`torch.onnx`: networks ask whether they are being exported. They never are."""

from __future__ import annotations

__all__ = ["is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether a network is being exported: never."""
    return False
