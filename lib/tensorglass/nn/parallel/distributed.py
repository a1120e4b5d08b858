"""`DistributedDataParallel`: a copy of a network in each process, kept equal by averaging gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import tensorglass as torch
from tensorglass import distributed
from tensorglass.core.errors import explained, warn
from tensorglass.distributed.algorithms.join import Join, Joinable, JoinHook
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parallel.buckets import Reducer
from tensorglass.nn.parameter import is_lazy
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.core.devices import device
    from tensorglass.distributed.process_group import ProcessGroup


class DistributedDataParallel(Module, Joinable):
    """A module whose gradients are, after each `backward()`, the averages over all processes.

    Process 0 sends its parameters and buffers to all processes at the start, and its buffers again before each forward
    pass, unless `forward_sync_buffers` is False. Every process passes its own part of the batch. If the parts have
    equal lengths, the average is the gradient of the mean loss over the whole batch.

    Gradients are sent in buckets of `bucket_cap_mb` megabytes during the backward pass. Parameters that a loss does not
    depend on need `find_unused_parameters=True`. Processes with unequal numbers of batches train within `join()`.
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
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        Module.__init__(self)
        Joinable.__init__(self)
        _refuse(
            delay_all_reduce_named_params=delay_all_reduce_named_params,
            param_to_hook_all_reduce=param_to_hook_all_reduce,
            mixed_precision=mixed_precision,
            device_mesh=device_mesh,
            bucket_cap_mb_list=bucket_cap_mb_list,
        )
        if check_reduction:
            warn(
                "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please avoid using "
                "it.",
                FutureWarning,
            )
        group = process_group or distributed.group.WORLD
        if group is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
        _check_module(module, trained, device_ids, output_device)
        self.module = module
        self.process_group = group
        self.device = next(iter(trained)).device
        self.device_ids = None
        self.output_device = None
        self.dim = dim
        self.forward_sync_buffers, sync_at_first = _which_buffers(broadcast_buffers, forward_sync_buffers)
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        if init_sync:
            self._check_same_shapes(trained)
            self._broadcast([*module.parameters(), *(module.buffers() if sync_at_first else ())])
        capacity = int((25 if bucket_cap_mb is None else bucket_cap_mb) * 1024 * 1024)
        self._divides_by_initial_world_size = True
        self._reducer = Reducer(trained, group, capacity, views=gradient_as_bucket_view)

    @property
    def broadcast_buffers(self) -> bool:
        """The deprecated name of `forward_sync_buffers`."""
        return self.forward_sync_buffers

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The output of this process's copy of the module."""
        will_reduce = torch.is_grad_enabled() and self.require_backward_grad_sync
        divisor = self._tell_the_joined(will_reduce)
        # Not after a pass without gradients: processes may evaluate different numbers of batches.
        self.require_forward_param_sync = will_reduce
        if will_reduce:
            self._reducer.check_finished()
        outputs = self.module(*inputs, **kwargs)
        if will_reduce:
            self._reducer.begin(outputs, search=self.find_unused_parameters, divisor=divisor)
        return outputs

    def _tell_the_joined(self, will_reduce: bool) -> int:
        """Synchronize buffers, and announce the next step to processes that have joined. Returns the divisor of
        gradients.
        """
        work = Join.notify_join_context(self)
        active = int(work.result()[0].item()) if work is not None else self.process_group.size()
        if self._join is None:
            self._broadcast_buffers(root=0)
            return active
        self._broadcast_buffers(root=self._highest(self.process_group.rank()))
        self._highest(int(will_reduce))
        return self.process_group.size() if self._divides_by_initial_world_size else active

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within the block gradients accumulate without being averaged, until the first forward and backward pass after
        it.
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """A context for processes with unequal numbers of batches: a process that has run out takes part with zeros.

        Gradients are divided by the number of all processes; without `divide_by_initial_world_size`, by the number of
        those that still have a batch. At the end, all processes have the parameters of one of the last to finish.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What this process does after its last batch."""
        self._divides_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return _Joined(self)

    @property
    def join_device(self) -> device:
        """The device of the parameters."""
        return self.device

    @property
    def join_process_group(self) -> ProcessGroup:
        """The group of processes that train together."""
        return self.process_group

    def _highest(self, own: int) -> int:
        number = torch.tensor(own)
        distributed.all_reduce(number, distributed.ReduceOp.MAX, group=self.process_group)
        return int(number.item())

    def _broadcast_buffers(self, root: int) -> None:
        if self.require_forward_param_sync and self.forward_sync_buffers:
            self._broadcast(list(self.module.buffers()), root)

    def _broadcast(self, tensors: list[Tensor], root: int = 0) -> None:
        """Overwrite tensors with those of one process of the group."""
        group = self.process_group
        begun = [distributed.broadcast(tensor, group=group, async_op=True, group_src=root) for tensor in tensors]
        for work in begun:
            if work is not None:
                work.wait()

    def _check_same_shapes(self, parameters: list[Tensor]) -> None:
        rank = self.process_group.rank()
        first: list[Any] = [[list(parameter.shape) for parameter in parameters]]
        distributed.broadcast_object_list(first, group=self.process_group, group_src=0)
        if len(first[0]) != len(parameters):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {rank} has {len(parameters)} params, while rank 0 "
                f"has inconsistent {len(first[0])} params."
            )
        for number, (size, own) in enumerate(zip(first[0], parameters, strict=True)):
            if size != list(own.shape):
                raise RuntimeError(
                    f"[{rank}]: params[{number}] in this process with sizes {list(own.shape)} appears not to match "
                    "sizes of the same param in process 0."
                )


class _Joined(JoinHook):
    """A process that has no more batches: it takes part in the others' collective operations, and ends with their
    parameters.
    """

    def __init__(self, network: DistributedDataParallel) -> None:
        self._network = network

    def main_hook(self) -> None:
        """Take part in one step of the others."""
        network = self._network
        network._broadcast_buffers(root=network._highest(-1))
        will_reduce = bool(network._highest(0))
        network.require_forward_param_sync = will_reduce
        if will_reduce:
            network._reducer.answer(search=network.find_unused_parameters)

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take the parameters and buffers of one of the last processes to finish."""
        network = self._network
        root = network._highest(network.process_group.rank() if is_last_joiner else -1)
        network._broadcast([*network.module.parameters(), *network.module.buffers()], root)


def _which_buffers(broadcast_buffers: bool | None, forward_sync_buffers: bool | None) -> tuple[bool, bool]:
    """Whether buffers are synchronized before each forward pass, and whether at the start."""
    if broadcast_buffers is not None:
        warn(
            "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. IMPORTANT: unlike "
            "`broadcast_buffers=False`, `forward_sync_buffers=False` still syncs buffers at init. If you rely on "
            "buffers NOT being synced at init (e.g. rank-local buffers), keep using `broadcast_buffers=False` until "
            "`init_sync_buffers` is available."
            if forward_sync_buffers is None
            else "Both `broadcast_buffers` and `forward_sync_buffers` were specified. `broadcast_buffers` is "
            "deprecated and its value is ignored when `forward_sync_buffers` is provided.",
            FutureWarning,
        )
    if forward_sync_buffers is not None:
        return forward_sync_buffers, True
    sync = broadcast_buffers is not False
    return sync, sync


def _refuse(**settings: Any) -> None:
    """Raise for PyTorch's settings that choose other ways to share the work."""
    for name, value in settings.items():
        if value is not None:
            raise explained(
                NotImplementedError(f"DistributedDataParallel(…, {name}=…) is not implemented"),
                "Gradients are averaged in buckets of `bucket_cap_mb`, in the parameters' own dtypes: leave it out.",
            )


def _check_module(module: Module, trained: list[Tensor], device_ids: list[Any] | None, output_device: Any) -> None:
    if not trained:
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
        )
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    if device_ids or output_device:
        devices = {parameter.device for parameter in module.parameters()}
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            "single-device/multiple-device GPU modules or CPU modules, "
            f"but got device_ids {device_ids}, output_device {output_device}, and module parameters {devices}."
        )
    if any(is_lazy(parameter) for parameter in module.parameters()):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
            "Run a dummy forward pass to correctly initialize the modules"
        )


def _find_tensors(obj: Any) -> list[Tensor]:
    """The tensors in lists, tuples, dicts and data classes, however nested."""
    if isinstance(obj, Tensor):
        return [obj]
    if isinstance(obj, dict):
        obj = list(obj.values())
    elif is_dataclass(obj):
        obj = [getattr(obj, field.name) for field in fields(obj)]
    return [tensor for part in obj for tensor in _find_tensors(part)] if isinstance(obj, (list, tuple)) else []
