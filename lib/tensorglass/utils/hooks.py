"""`torch.utils.hooks`: what registering a hook returns."""

from tensorglass.graph.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
