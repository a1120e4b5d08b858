"""Networks trained by all processes are those trained by one; the last words are `fine` from each."""

from contextlib import nullcontext

import pytest

import tensorglass as torch
from tensorglass import distributed as dist
from tensorglass import nn
from tensorglass.nn.parallel import DistributedDataParallel
from tensorglass.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
inputs, targets = torch.randn(24, 5), torch.randn(24, 3)


def network(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3))


def close(first, second):
    pairs = zip(first.parameters(), second.parameters(), strict=True)
    return all(torch.allclose(a, b, rtol=1e-12, atol=1e-13) for a, b in pairs)


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()


# Equal shares of each batch, from other random beginnings: the first process's parameters count.
for settings in ({}, {"bucket_cap_mb": 0.0005}, {"gradient_as_bucket_view": True}, {"find_unused_parameters": True}):
    alone, together = network(1), DistributedDataParallel(network(1 + rank), **settings)
    assert close(alone, together)
    first, second = (torch.optim.Adam(model.parameters(), lr=1e-2) for model in (alone, together))
    for _ in range(20):
        step(alone, first, inputs, targets)
        step(together, second, inputs[rank::size], targets[rank::size])
    assert close(alone, together), settings
assert list(together.state_dict()) == [f"module.{name}" for name in alone.state_dict()]

# Gradients that accumulate in each process before they are averaged.
alone, together = network(1), DistributedDataParallel(network(1))
nn.functional.mse_loss(alone(inputs), targets).backward()
for part in (0, 1):
    mine = slice(part * 12 + rank, part * 12 + 12, size)
    with together.no_sync() if part == 0 else nullcontext():
        (nn.functional.mse_loss(together(inputs[mine]), targets[mine]) / 2).backward()
for a, b in zip(alone.parameters(), together.parameters(), strict=True):
    assert torch.allclose(a.grad, b.grad, rtol=1e-12, atol=1e-13)


class Branches(nn.Module):
    """Only the last process uses `b`, and none uses `c`."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(5, 3), nn.Linear(5, 3), nn.Linear(5, 3)

    def forward(self, x):
        return self.a(x) + self.b(x) if rank == size - 1 else self.a(x)


model = DistributedDataParallel(Branches(), find_unused_parameters=True)
for _ in range(2):
    model.zero_grad()
    model(torch.ones(2, 5)).sum().backward()
    assert model.module.a.bias.grad.tolist() == [2.0] * 3
    assert torch.allclose(model.module.b.bias.grad, torch.full((3,), 2.0 / size))
    assert model.module.c.bias.grad is None

model = DistributedDataParallel(Branches())
model(torch.ones(2, 5)).sum().backward()
with pytest.raises(RuntimeError, match=r"^Expected to have finished reduction in the prior iteration"):
    model(torch.ones(2, 5))

# The first process's buffers count, before each pass that trains.
model = DistributedDataParallel(nn.BatchNorm1d(5))
for _ in range(3):
    model(inputs[rank::size]).sum().backward()
statistics = model.module.running_mean.clone()
dist.broadcast(statistics, 0)
with torch.no_grad():
    model(inputs[rank::size])
assert rank or torch.allclose(statistics * 0.9 + inputs[::size].mean(0) * 0.1, model.module.running_mean)

# Unequal shards: 10 samples for all; the sampler repeats some, so that every process has as many.
sampler = DistributedSampler(TensorDataset(torch.arange(10)), seed=3)
assert (sampler.num_replicas, sampler.rank) == (size, rank)
sampler.set_epoch(1)
mine = torch.cat([batch for (batch,) in DataLoader(sampler.dataset, batch_size=2, sampler=sampler)])
counts = [torch.zeros(1, dtype=torch.int64) for _ in range(size)]
dist.all_gather(counts, torch.tensor([len(mine)]))
assert {int(count) for count in counts} == {-(-10 // size)}
everything = torch.zeros(len(mine) * size, dtype=torch.int64)
dist.all_gather_single(everything, mine)
assert set(everything.tolist()) == set(range(10))

dist.destroy_process_group()
print("fine", flush=True)
