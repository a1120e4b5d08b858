"""Collective operations of two processes, on either library; writes what each process sees to a file.

python distributed_calls.py tensorglass|torch FOLDER    (tensorglass: under mpiexec; torch starts its processes itself)
"""

import os
import sys
import warnings
from pathlib import Path


def seen(torch, dist):
    """What this process sees, line by line."""
    lines = []

    def see(name, call):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            try:
                said = repr(call())
            except (TypeError, ValueError, RuntimeError, AssertionError) as error:
                said = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        told = [str(warning.message) for warning in given if "global rank" in str(warning.message)]
        lines.append(f"{name}: {said} {told}")

    def changed(call, tensor, *arguments, **named):
        see(f"{call.__name__} {tensor.dtype} {arguments}", lambda: (call(tensor, *arguments, **named), tensor))

    rank = dist.get_rank()
    x = torch.arange(4.0) + rank
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8):
        changed(dist.all_reduce, x.to(dtype))
        changed(dist.broadcast, x.to(dtype), 1)
    changed(dist.all_reduce, x > 2)
    changed(dist.all_reduce, x + 1j)
    for op in ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"):
        changed(dist.all_reduce, x.int() + 1, getattr(dist.ReduceOp, op))
        changed(dist.all_reduce, x + 1, getattr(dist.ReduceOp, op))
        changed(dist.all_reduce, x + 1j, getattr(dist.ReduceOp, op)) if op != "AVG" else None
    changed(dist.all_reduce, x, "sum")
    changed(dist.reduce_scatter, torch.zeros(4), [x, x * 2])
    changed(dist.reduce_scatter_tensor, torch.zeros(2), x)
    changed(dist.all_gather_into_tensor, torch.zeros(8), x)
    changed(dist._reduce_scatter_base, torch.zeros(2), x)
    changed(dist._all_gather_base, torch.zeros(8), x)
    see("all_gather", lambda: (lambda to: (dist.all_gather(to, x), to))([torch.zeros(4), torch.zeros(4)]))
    see("all_to_all", lambda: (lambda to: (dist.all_to_all(to, [x, x * 2]), to))([torch.zeros(4), torch.zeros(4)]))
    changed(dist.all_to_all_single, torch.zeros(4), x)
    changed(dist.scatter, torch.zeros(4), [x, x * 2] if rank == 0 else None)
    changed(dist.scatter, torch.zeros(4), None, rank)
    changed(dist.scatter, torch.zeros(4), [x, x], 1 - rank)
    changed(dist.gather, x.clone(), None, rank)
    changed(dist.gather, x.clone(), [x, x], 1 - rank)
    see("send", lambda: dist.send(x, 1) if rank == 0 else (dist.recv(x), x))
    see("send to itself", lambda: dist.send(x, rank))
    changed(dist.reduce_scatter_single, torch.zeros(2), x)
    changed(dist.all_gather_single, torch.zeros(8), x)
    see("objects to another", lambda: dist.send_object_list(["a", {1: x}], 1) if rank == 0 else received(dist))
    see("around", lambda: passed_around(torch, dist, rank))
    see("neither", lambda: dist.P2POp(dist.send, x, 1 - rank))
    see("no operations", lambda: dist.batch_isend_irecv([x]))
    for size in (None, 0, 1, 3):
        see(f"groups of {size}", lambda size=size: in_groups(dist, *dist.new_subgroups(size)))
    see("groups", lambda: in_groups(dist, *dist.new_subgroups_by_enumeration([[1]])))
    see("groups of the same", lambda: dist.new_subgroups_by_enumeration([[1, 0], [1]]))
    see("no groups", lambda: dist.new_subgroups_by_enumeration([]))
    see(
        "engines",
        lambda: (dist.Backend("MPI"), dist.Backend.NCCL, dist.Backend("mine"), dist.is_torchelastic_launched()),
    )
    see("no engine", lambda: dist.Backend(3))
    see("local rank", lambda: (dist.get_node_local_rank(3), dist.supports_complex(dist.ReduceOp.MAX)))
    see("no local rank", dist.get_node_local_rank)
    for call in (dist.broadcast, dist.reduce, dist.send):
        changed(call, x.clone())
    changed(dist.broadcast, x.clone(), 0, group_src=0)
    changed(dist.broadcast, x.double(), 0, async_op=False)
    see("a list", lambda: dist.all_gather(x, x))
    see("of numbers", lambda: dist.all_gather([1], x))
    see("of another dtype", lambda: dist.all_gather([x.double(), x.double()], x))
    see("no tensor", lambda: dist.all_reduce([1]))
    for name, call in ways_of_gradients(torch, rank).items():
        see(f"gradient of {name}", lambda call=call: gradient_through(torch, rank, call))
    see("again", lambda: dist.init_process_group("mpi"))
    see("ranks", lambda: dist.get_process_group_ranks(dist.group.WORLD))
    for ranks in ([0, 7], [0, 1, 1], [0, 1, 2]):
        see(f"new_group {ranks}", lambda ranks=ranks: dist.new_group(ranks))
    part = dist.new_group([1])
    see("in a part", lambda: (dist.get_rank(part), dist.get_world_size(part)))
    for call in (dist.all_reduce, dist.barrier) if rank == 0 else ():
        see(
            f"{call.__name__} outside", lambda call=call: call(x, group=part) if call is dist.all_reduce else call(part)
        )
    see("send outside", lambda: dist.send(x, 1, group=part))
    work = dist.all_reduce(x, async_op=True)
    see("work", lambda: (work.wait(), work.is_completed(), work.is_success(), work.result()))
    for settings in ({}, {"divide_by_initial_world_size": False}):
        see(f"unequal batches {settings}", lambda settings=settings: trained_by_unequal_batches(torch, rank, settings))
    for settings in ({"broadcast_buffers": False}, {"forward_sync_buffers": False}, {"output_device": 0}):
        see(f"buffers {settings}", lambda settings=settings: kept_buffers(torch, rank, settings))
    see("nothing to join", lambda: dist.algorithms.Join([]))
    see("destroyed", lambda: (dist.destroy_process_group(), dist.is_initialized()))
    see("after that", dist.get_rank)
    return lines


def received(dist):
    objects = [None, None]
    return dist.recv_object_list(objects, 0), objects


def passed_around(torch, dist, rank):
    """What two processes get that send to each other at once."""
    here = torch.zeros(2)
    there = dist.P2POp(dist.isend, torch.ones(2) * rank, 1 - rank)
    for work in dist.batch_isend_irecv([there, dist.P2POp(dist.irecv, here, group_peer=1 - rank)]):
        work.wait()
    return here, there.peer, there.group_peer


def in_groups(dist, own, groups):
    """The ranks of this process's group, and how many groups there are."""
    return own and dist.get_process_group_ranks(own), len(groups)


def ways_of_gradients(torch, rank):
    """Calls of `torch.distributed.nn`, on this process's tensor."""
    from importlib import import_module

    nn = import_module(f"{torch.__name__}.distributed.nn")
    empty = torch.zeros
    return {
        "broadcast": lambda x: nn.broadcast(x, 1),
        "gather": lambda x: nn.gather(x, 1),
        "scatter": lambda x: nn.scatter([x, x * 2], 1),
        "reduce": lambda x: nn.reduce(x, 1) * (rank == 1),
        "reduce_scatter": lambda x: nn.reduce_scatter(empty(3), [x, x * x]),
        "all_gather": lambda x: nn.all_gather(x),
        "all_to_all": lambda x: nn.all_to_all([empty(3), empty(3)], [x, x * x]),
        "all_to_all_single": lambda x: nn.all_to_all_single(empty(4), torch.cat([x, x[:1]])),
        "rows to all": lambda x: nn.all_to_all_single(
            empty(2 if rank == 0 else 4), x, [1, 1] if rank == 0 else [2, 2], [1, 2]
        ),
        "all_reduce": lambda x: nn.all_reduce(x * (rank + 1)),
        "functional": lambda x: nn.functional.all_reduce(x),
    }


def gradient_through(torch, rank, call):
    """The results of a call that gradients flow through, and the gradient that arrives at its tensor."""
    x = (torch.arange(3.0) + rank + 1).requires_grad_()
    results = call(x)
    results = results if isinstance(results, tuple) else (results,)
    weight = 1.0 + rank
    sum((value * weight * (number + 1)).sum() for number, value in enumerate(results)).backward()
    return [result.tolist() for result in results], x.grad.tolist()


def kept_buffers(torch, rank, settings):
    """A buffer of a network after DistributedDataParallel was created, and after a forward."""
    net = torch.nn.BatchNorm1d(2)
    net.running_mean += rank
    model = torch.nn.parallel.DistributedDataParallel(net, **settings)
    return net.running_mean.tolist(), model.broadcast_buffers, model.forward_sync_buffers


def trained_by_unequal_batches(torch, rank, settings):
    """The parameters of a small network after process 0 has trained on two batches, and process 1 on four."""
    torch.manual_seed(rank)
    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)).double()
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with model.join(**settings):
        for number in range(2 + 2 * rank):
            optimizer.zero_grad()
            (model(torch.arange(6.0).double().view(3, 2) * number - rank) ** 3).sum().backward()
            optimizer.step()
    return {name: value.mul(1e6).round().tolist() for name, value in model.state_dict().items()}


def by_torch(rank, folder):
    import torch
    from torch import distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    (Path(folder) / f"torch{rank}").write_text("\n".join(seen(torch, dist)))
    os._exit(0)  # PyTorch's own threads have aborted the process as the interpreter closed, after all was seen


if __name__ == "__main__":
    library, folder = sys.argv[1:]
    if library == "torch":
        from torch import multiprocessing

        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        multiprocessing.spawn(by_torch, args=(folder,), nprocs=2)
    else:
        import tensorglass
        from tensorglass import distributed

        distributed.init_process_group("mpi")
        rank = distributed.get_rank()
        (Path(folder) / f"tensorglass{rank}").write_text("\n".join(seen(tensorglass, distributed)))
