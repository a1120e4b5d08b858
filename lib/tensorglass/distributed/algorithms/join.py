"""`Join`: processes with unequal numbers of batches.

Collective operations wait for every process of a group. One that has run out of batches would leave the others waiting
for ever, so it goes on answering: in each round it first learns how many processes still have a batch, and if any does,
it makes the same collective operations as they do, with zeros for its own share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tensorglass.core.errors import warn
from tensorglass.distributed.collectives import all_reduce
from tensorglass.ops.creation.fill import full

if TYPE_CHECKING:
    from tensorglass.core.devices import device
    from tensorglass.distributed.process_group import ProcessGroup
    from tensorglass.distributed.work import Work

_SKEW_TO_WARN_OF = 1000


class JoinHook:
    """What a process does for one `Joinable` when it has run out of batches."""

    def main_hook(self) -> None:
        """Take part in the collective operations of one round of a process that still has a batch."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Run once when all have joined. `is_last_joiner`: whether this process was among the last."""


class Joinable(ABC):
    """A class whose collective operations a process that has joined can make along with the others."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join: Join | None = None  # the context that this object is in

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook for one context; `kwargs` are what `Join` was given."""

    @property
    @abstractmethod
    def join_device(self) -> device:
        """The device of the tensors that say who has joined."""

    @property
    @abstractmethod
    def join_process_group(self) -> ProcessGroup:
        """The processes that wait for one another."""


class Join:
    """A context in which processes may have unequal numbers of batches.

    With `throw_on_early_termination` all processes raise a RuntimeError as soon as one has run out. `kwargs` go to each
    object's `join_hook`.
    """

    def __init__(
        self,
        joinables: list[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        groups = [joinable.join_process_group for joinable in joinables]
        if any(group is not groups[0] for group in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._joinables = joinables
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._group = groups[0]
        self._device = joinables[0].join_device
        self._enable = enable
        self._throws = throw_on_early_termination
        for joinable in joinables if enable else ():
            joinable._join = self

    def __enter__(self) -> None:
        """Does nothing: the objects get their context when it is created."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """This process has joined: go on with the others until all have."""
        try:
            if self._enable and kind is None:
                self._go_on()
        finally:
            for joinable in self._joinables:
                joinable._join = None

    def _go_on(self) -> None:
        rounds = 0
        while self._count(0.0):
            if self._throws:
                self._count(1.0)  # the others ask for this in their next round
                raise RuntimeError(f"Rank {self._group.rank()} exhausted all inputs.")
            for hook in self._hooks:
                hook.main_hook()
            rounds += 1
            if rounds == _SKEW_TO_WARN_OF + 1:
                warn(
                    f"Detected uneven input skew of greater than {_SKEW_TO_WARN_OF}. This means that rank "
                    f"{self._group.rank()} has at least {_SKEW_TO_WARN_OF} fewer inputs than other currently-active "
                    "ranks. This level of skew could lead to performance degradation during training."
                )
        for hook in self._hooks:
            hook.post_hook(is_last_joiner=rounds == 0)

    def _count(self, own: float) -> int:
        number = full((1,), own, device=self._device)
        all_reduce(number, group=self._group)
        return int(number.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Announce that this process has another batch; called before the collective operations of each round.

        Only the first object of a context says it. The result of the `Work` is how many processes have one.
        """
        if not hasattr(joinable, "_join"):
            raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
        context = joinable._join
        if context is None or context._joinables[0] is not joinable:
            return None
        work = all_reduce(full((1,), 1.0, device=context._device), group=context._group, async_op=True)
        if context._throws and context._count(0.0):
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
