"""A program for several processes that one process runs, over "gloo": without MPI, and as on PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest
from parity.same_source import disagreement, torch

if not torch.distributed.is_gloo_available():
    pytest.skip("this PyTorch has no Gloo", allow_module_level=True)

BEGIN = """
dist = torch.distributed
dist.init_process_group("gloo", init_method="file://{meeting}", rank=0, world_size=1)
try:
{body}
finally:
    dist.destroy_process_group()
see(dist.is_initialized())
"""
PROGRAMS = {
    "ranks": """
see(dist.get_rank(), dist.get_world_size(), dist.get_backend(), dist.is_initialized())
see(dist.get_process_group_ranks(None))
group = dist.new_group([0])
see(dist.get_rank(group), dist.get_world_size(group), dist.get_group_rank(group, 0), dist.get_global_rank(group, 0))
see(isinstance(group, dist.ProcessGroup), isinstance(dist.group.WORLD, dist.ProcessGroup))
attempt(lambda: dist.new_group([1])); attempt(lambda: dist.new_group([0, 0])); dist.barrier(); dist.barrier(group)
attempt(lambda: dist.init_process_group("gloo", rank=0, world_size=1))
""",
    "reductions": """
for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
    x = torch.arange(4.0); see(dist.all_reduce(x, op), x)
    x = torch.arange(4); see(dist.reduce(x, 0, op), x)
x = torch.ones(3); work = dist.all_reduce(x, async_op=True); see(work.wait(), work.is_completed(), x)
x = torch.arange(4.0).reshape(2, 2).t(); dist.broadcast(x, 0); see(x)
out = torch.zeros(3); dist.reduce_scatter(out, [torch.arange(3.0)]); see(out)
attempt(lambda: dist.all_reduce(torch.ones(2), dist.ReduceOp.AVG))
attempt(lambda: dist.broadcast(torch.ones(2), 1)); attempt(lambda: dist.all_reduce([torch.ones(2)]))
""",
    "gathers": """
x = torch.arange(4.0).reshape(2, 2); parts = [torch.zeros(2, 2)]
dist.all_gather(parts, x); see(*parts)
out = torch.zeros(2, 2); dist.all_gather_single(out, x); see(out)
parts = [torch.zeros(2, 2)]; dist.gather(x, parts); see(*parts)
out = torch.zeros(2, 2); dist.scatter(out, [x + 1]); see(out)
out = [torch.zeros(4)]; dist.all_to_all(out, [torch.arange(4.0)]); see(*out)
out = torch.zeros(4); dist.all_to_all_single(out, torch.arange(4.0)); see(out)
attempt(lambda: dist.gather(x)); attempt(lambda: dist.scatter(out))
""",
    "objects": """
given = {"a": [1]}; got = [None]
dist.all_gather_object(got, given); see(got, got[0] is given)
got = [None]; dist.gather_object(given, got); see(got)
got = [given]; dist.broadcast_object_list(got); see(got)
got = [None]; dist.scatter_object_list(got, [given]); see(got)
attempt(lambda: dist.scatter_object_list(got, [1, 2]))
attempt(lambda: dist.send(torch.ones(2), 0))
""",
    "training": """
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
data = torch.utils.data.TensorDataset(torch.arange(12.0).reshape(4, 3), torch.ones(4, 2))
sampler = torch.utils.data.DistributedSampler(data, shuffle=False)
for x, y in torch.utils.data.DataLoader(data, batch_size=2, sampler=sampler):
    optimizer.zero_grad(); torch.nn.functional.mse_loss(net(x) / 10, y).backward(); optimizer.step()
see(*[parameter for parameter in net.parameters()], *[parameter.grad for parameter in net.parameters()])
see(list(net.state_dict()))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_process_sees_what_it_sees_on_pytorch(name: str, tmp_path: Path) -> None:
    body = "\n".join(f"    {line}" for line in PROGRAMS[name].strip().splitlines())
    # Each library meets at a file of its own.
    begin = (
        BEGIN.replace("{meeting}", f"{tmp_path}/{{torch.__name__}}").replace('"file', 'f"file').replace("{body}", body)
    )
    told = disagreement(begin)
    assert told is None, told


def test_what_is_missing_is_named_as_on_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    told = disagreement(
        """
        import os
        dist = torch.distributed
        attempt(lambda: dist.init_process_group("gloo"))
        attempt(lambda: dist.init_process_group("gloo", rank=0))
        attempt(lambda: dist.init_process_group("gloo", rank=0, world_size=1))
        attempt(lambda: dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29501"))
        attempt(lambda: dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29501", rank=0))
        attempt(lambda: dist.init_process_group("gloo", init_method="file:///tmp/meeting", world_size=1))
        see(dist.is_initialized())
        """
    )
    assert told is None, told
