"""`torch.distributed.optim`: libraries import it to ask of an optimizer whether its state is shared among processes."""

from __future__ import annotations

from typing import Any

from tensorglass.core.errors import explained
from tensorglass.core.out_of_scope import about

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer:
    """An optimizer whose state is shared among processes. No optimizer here is one, and making one is refused."""

    def __init__(self, params: Any, optimizer_class: type, **options: Any) -> None:
        raise explained(
            NotImplementedError("ZeroRedundancyOptimizer: an optimizer's state is whole in every process here"),
            about("distributed.optim.ZeroRedundancyOptimizer") or "",
        )
