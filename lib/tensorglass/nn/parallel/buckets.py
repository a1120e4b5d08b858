"""Averaging gradients over processes during the backward pass.

Parameters share buckets: flat tensors of a few megabytes, each of which is sent in one message. The last parameters
come first, since their gradients are ready first. A bucket is sent as soon as all its gradients are there and the
buckets before it have been sent. After the last gradient, the averages are awaited and written to the gradients.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import tensorglass as torch
from tensorglass import distributed
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.distributed.process_group import ProcessGroup

#: The first bucket is small, so that sending begins early.
FIRST_BUCKET_BYTES = 1024 * 1024


class Bucket:
    """Parameters of one dtype and device, and a flat tensor with room for their gradients."""

    def __init__(self, parameters: list[Tensor]) -> None:
        self.parameters = parameters
        first = parameters[0]
        sizes = [parameter.numel() for parameter in parameters]
        self.flat = torch.zeros(sum(sizes), dtype=first.dtype, device=first.device)
        parts = self.flat.split(sizes)
        self.places = [part.view(parameter.shape) for part, parameter in zip(parts, parameters, strict=True)]
        self.missing = len(parameters)
        self.work: distributed.Work | None = None

    def fill(self, divisor: int) -> None:
        """Copy the gradients, divided by `divisor`, to the flat tensor; missing ones are zero."""
        with torch.no_grad():
            for parameter, place in zip(self.parameters, self.places, strict=True):
                if parameter.grad is None:
                    place.zero_()
                elif parameter.grad.data_ptr() != place.data_ptr():
                    place.copy_(parameter.grad)
            self.flat.div_(divisor)


def into_buckets(parameters: list[Tensor], capacity: int) -> list[Bucket]:
    """The parameters, the last ones first, in buckets of at most `capacity` bytes; a larger parameter has its own."""
    buckets: list[Bucket] = []
    chosen: list[Tensor] = []
    room = min(FIRST_BUCKET_BYTES, capacity)
    for parameter in reversed(parameters):
        is_alike = not chosen or (parameter.dtype, parameter.device) == (chosen[0].dtype, chosen[0].device)
        if chosen and (parameter.nbytes > room or not is_alike):
            buckets.append(Bucket(chosen))
            chosen, room = [], capacity
        chosen.append(parameter)
        room -= parameter.nbytes
    if chosen:
        buckets.append(Bucket(chosen))
    return buckets


class Reducer:
    """Averages the gradients of parameters over a group's processes, bucket by bucket."""

    def __init__(self, parameters: list[Tensor], group: ProcessGroup, capacity: int, *, views: bool) -> None:
        """With `views`, gradients become views of the buckets, which saves the memory of a copy."""
        self._parameters = parameters
        self._group = group
        self._views = views
        self._buckets = into_buckets(parameters, capacity)
        self._bucket_of = {id(parameter): bucket for bucket in self._buckets for parameter in bucket.parameters}
        self._divisor = group.size()
        self._is_on = False  # True from a forward pass until its backward pass is complete
        self._sent = 0
        self._arrived: set[int] = set()
        self._reached: set[int] | None = None  # the parameters that the outputs depend on, if that was asked for
        for parameter in parameters:
            parameter.register_post_accumulate_grad_hook(self._gradient_is_there)

    def check_finished(self) -> None:
        """Raise an error if only some of the gradients have arrived since the last forward pass."""
        if self._is_on and self._arrived:
            raise RuntimeError(_UNFINISHED)

    def begin(self, outputs: Any, *, search: bool, divisor: int) -> None:
        """Expect gradients, whose sums are divided by `divisor`.

        With `search`, parameters that the outputs do not depend on are not awaited.
        """
        self._is_on = True
        self._divisor = divisor
        self._sent = 0
        self._arrived.clear()
        self._reached = {id(tensor) for tensor in leaves_of(outputs)} if search else None
        for bucket in self._buckets:
            bucket.missing, bucket.work = len(bucket.parameters), None

    def answer(self, *, search: bool) -> None:
        """Take part in the reductions of one backward pass of the other processes, with zeros."""
        for bucket in self._buckets:
            distributed.all_reduce(torch.zeros_like(bucket.flat), group=self._group)
        if search:
            nothing = torch.zeros(len(self._parameters), dtype=torch.bool)
            distributed.all_reduce(nothing, distributed.ReduceOp.MAX, group=self._group)

    def _gradient_is_there(self, parameter: Tensor) -> None:
        if not self._is_on:
            return
        if id(parameter) in self._arrived:
            raise RuntimeError(_TWICE)
        if self._reached is not None and not self._arrived:
            for expected in self._parameters:
                if id(expected) not in self._reached:
                    self._count(expected)
        self._count(parameter)
        self._send_what_is_full()
        if len(self._arrived) == len(self._parameters):
            self._finish()

    def _count(self, parameter: Tensor) -> None:
        self._arrived.add(id(parameter))
        self._bucket_of[id(parameter)].missing -= 1

    def _send_what_is_full(self) -> None:
        # In the same order in all processes, whichever gradients arrive first.
        while self._sent < len(self._buckets) and not self._buckets[self._sent].missing:
            bucket = self._buckets[self._sent]
            bucket.fill(self._divisor)
            bucket.work = distributed.all_reduce(bucket.flat, group=self._group, async_op=True)
            self._sent += 1
        for bucket in self._buckets[: self._sent]:
            if bucket.work is not None:
                bucket.work.is_completed()  # polling lets MPI make progress

    def _finish(self) -> None:
        """Wait for the averages, and write them to the gradients."""
        self._is_on = False
        used = self._used_anywhere()
        with torch.no_grad():
            for bucket in self._buckets:
                if bucket.work is not None:
                    bucket.work.wait()
                for parameter, place in zip(bucket.parameters, bucket.places, strict=True):
                    if id(parameter) in used:
                        self._store(parameter, place)

    def _store(self, parameter: Tensor, average: Tensor) -> None:
        if self._views:
            parameter.grad = average
        elif parameter.grad is None:
            parameter.grad = average.clone()
        else:
            parameter.grad.copy_(average)

    def _used_anywhere(self) -> set[int]:
        """The parameters with a gradient in at least one process; the gradients of the others are not changed."""
        if self._reached is None:
            return self._arrived
        flags = torch.tensor([id(parameter) in self._reached for parameter in self._parameters])
        distributed.all_reduce(flags, distributed.ReduceOp.MAX, group=self._group)
        return {id(parameter) for parameter, flag in zip(self._parameters, flags.tolist(), strict=True) if flag}


def leaves_of(outputs: Any) -> Iterator[Tensor]:
    """The leaves that tensors, in nested containers, depend on and whose gradients backward will accumulate."""
    pending = [tensor.grad_fn for tensor in tensors_in(outputs) if tensor.grad_fn is not None]
    seen = set(pending)
    while pending:
        node = pending.pop()
        if hasattr(node, "variable"):
            yield node.variable
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                pending.append(following)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)


_UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
    "your module has parameters that were not used in producing loss. You can enable unused parameter detection by "
    "passing the keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and "
    "by \nmaking sure all `forward` function outputs participate in calculating loss. "
)
_TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a "
    "module parameter outside the `forward` function. Please make sure model parameters are not shared across multiple "
    "concurrent forward-backward passes. 2) Reused parameters in multiple reentrant backward passes."
)
