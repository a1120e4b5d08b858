"""`torch.utils`, as PyTorch calls it: `checkpoint`, which trades time for memory, `dlpack`, and hooks' handles."""

from typing import TYPE_CHECKING

from tensorglass.fetching import fetching

if TYPE_CHECKING:
    from tensorglass.utils import checkpoint, dlpack, hooks

__all__ = ["checkpoint", "dlpack", "hooks"]

__getattr__ = fetching(globals(), {"checkpoint": (), "dlpack": (), "hooks": ()})


def __dir__() -> list[str]:
    """The names above, and those that are fetched."""
    return sorted({*globals(), *__all__})
