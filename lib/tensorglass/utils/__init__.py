"""`torch.utils`, as PyTorch calls it: `checkpoint`, which trades time for memory, `dlpack`, and hooks' handles."""

from tensorglass.utils import checkpoint, dlpack, hooks

__all__ = ["checkpoint", "dlpack", "hooks"]
