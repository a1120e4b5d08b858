"""`torch.utils`, as PyTorch calls it: `checkpoint`, which trades time for memory, `deterministic`, `dlpack`, hooks."""

from typing import TYPE_CHECKING

from tensorglass.core.lazy_modules import fetching

if TYPE_CHECKING:
    from tensorglass.utils import checkpoint, deterministic, dlpack, hooks

__all__ = ["checkpoint", "deterministic", "dlpack", "hooks"]

__getattr__ = fetching(globals(), {"checkpoint": (), "deterministic": (), "dlpack": (), "hooks": ()})


def __dir__() -> list[str]:
    """The names above, and those that are imported lazily."""
    return sorted({*globals(), *__all__})
