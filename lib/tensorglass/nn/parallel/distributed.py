"""`DistributedDataParallel`: a copy of a network in each process, kept alike by averaging gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import tensorglass as torch
from tensorglass import distributed
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parallel.buckets import Reducer
from tensorglass.nn.parameter import is_lazy
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.distributed.process_group import ProcessGroup


class DistributedDataParallel(Module):
    """A module whose gradients are, after each `backward()`, the averages over all processes.

    Parameters and buffers are those of process 0 at the start, and buffers again before each forward pass, unless
    `broadcast_buffers` is False. Every process gives its own part of the batch; parts of equal length make the average
    the gradient of the mean loss over the whole batch.

    Gradients are sent in buckets of `bucket_cap_mb` megabytes while the backward pass goes on. Parameters that a loss
    does not depend on need `find_unused_parameters=True`.
    """

    def __init__(
        self,
        module: Module,
        device_ids: list[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        group = process_group or distributed.group.WORLD
        if group is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        trained = [each for each in module.parameters() if each.requires_grad]
        _check(module, trained, device_ids, output_device)
        self.module = module
        self.process_group = group
        self.device = next(iter(trained)).device
        self.device_ids = None
        self.output_device = None
        self.dim = dim
        self.broadcast_buffers = True if broadcast_buffers is None else broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        if init_sync:
            self._check_same_shapes(trained)
            self._broadcast([*module.parameters(), *module.buffers()])
        capacity = int((25 if bucket_cap_mb is None else bucket_cap_mb) * 1024 * 1024)
        self._reducer = Reducer(trained, group, capacity, views=gradient_as_bucket_view)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module makes of its inputs, with this process's copy."""
        will_reduce = torch.is_grad_enabled() and self.require_backward_grad_sync
        if self.require_forward_param_sync and self.broadcast_buffers:
            self._broadcast(list(self.module.buffers()))
        # Not after a pass without gradients: processes may evaluate different numbers of batches.
        self.require_forward_param_sync = will_reduce
        if will_reduce:
            self._reducer.check_finished()
        outputs = self.module(*inputs, **kwargs)
        if will_reduce:
            self._reducer.begin(outputs, search=self.find_unused_parameters)
        return outputs

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients accumulate in each process alone, until the first backward pass after a forward pass outside."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def _broadcast(self, tensors: list[Tensor]) -> None:
        """Make tensors those of the group's first process."""
        begun = [distributed.broadcast(each, group=self.process_group, async_op=True, group_src=0) for each in tensors]
        for work in begun:
            if work is not None:
                work.wait()

    def _check_same_shapes(self, parameters: list[Tensor]) -> None:
        rank = self.process_group.rank()
        first: list[Any] = [[list(each.shape) for each in parameters]]
        distributed.broadcast_object_list(first, group=self.process_group, group_src=0)
        if len(first[0]) != len(parameters):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {rank} has {len(parameters)} params, while rank 0 "
                f"has inconsistent {len(first[0])} params."
            )
        for number, (size, each) in enumerate(zip(first[0], parameters, strict=True)):
            if size != list(each.shape):
                raise RuntimeError(
                    f"[{rank}]: params[{number}] in this process with sizes {list(each.shape)} appears not to match "
                    "sizes of the same param in process 0."
                )


def _check(module: Module, trained: list[Tensor], device_ids: list[Any] | None, output_device: Any) -> None:
    if not trained:
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
        )
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    if device_ids or output_device is not None:
        devices = {each.device for each in module.parameters()}
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            "single-device/multiple-device GPU modules or CPU modules, "
            f"but got device_ids {device_ids}, output_device {output_device}, and module parameters {devices}."
        )
    if any(is_lazy(each) for each in module.parameters()):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
            "Run a dummy forward pass to correctly initialize the modules"
        )
