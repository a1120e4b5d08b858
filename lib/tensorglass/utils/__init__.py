"""`torch.utils`: `backcompat`, `checkpoint`, which trades time for memory, `data`, `deterministic`, `dlpack`, `hooks`,
`model_zoo`.
"""

from typing import TYPE_CHECKING

from tensorglass.core.lazy_modules import fetching

if TYPE_CHECKING:
    from tensorglass.utils import backcompat, checkpoint, data, deterministic, dlpack, hooks, model_zoo

__all__ = ["backcompat", "checkpoint", "data", "deterministic", "dlpack", "hooks", "model_zoo"]

__getattr__ = fetching(
    globals(),
    {
        "_contextlib": (),
        "_foreach_utils": (),
        "_pytree": (),
        "backcompat": (),
        "checkpoint": (),
        "data": (),
        "deterministic": (),
        "dlpack": (),
        "hooks": (),
        "model_zoo": (),
    },
)


def __dir__() -> list[str]:
    """The names above, and those that are imported lazily."""
    return sorted({*globals(), *__all__})
