"""`torch.utils`, as PyTorch calls it: `checkpoint`, which trades time for memory, and the class of hooks' handles."""

from tensorglass.utils import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]
