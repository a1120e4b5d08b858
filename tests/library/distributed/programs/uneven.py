"""Processes with unequal numbers of batches train within `join()`; the last words are `fine` from each."""

import pytest

import tensorglass as torch
from tensorglass import distributed as dist
from tensorglass import nn
from tensorglass.distributed.algorithms import Join, Joinable, JoinHook
from tensorglass.nn.parallel import DistributedDataParallel

dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()
torch.set_default_dtype(torch.float64)


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


def batches(of):
    """Process r has 2 + r batches, each of four samples."""
    generator = torch.Generator().manual_seed(of)
    return [torch.randn(4, 3, generator=generator) for _ in range(2 + of)]


# One process that knows all batches, and divides by all processes or by those that still have one, is right.
for divides_by_all in (True, False):
    for settings in ({}, {"bucket_cap_mb": 1e-4}, {"find_unused_parameters": True}, {"gradient_as_bucket_view": True}):
        alone, together = network(), DistributedDataParallel(network(), **settings)
        first, second = (torch.optim.SGD(model.parameters(), lr=0.1) for model in (alone, together))
        for step in range(2 + size - 1):
            losses = [alone(batches(number)[step]).square().mean() for number in range(size) if step < 2 + number]
            first.zero_grad()
            (sum(losses) / (size if divides_by_all else len(losses))).backward()
            first.step()
        with together.join(divide_by_initial_world_size=divides_by_all):
            for batch in batches(rank):
                second.zero_grad()
                together(batch).square().mean().backward()
                second.step()
        for a, b in zip(alone.parameters(), together.parameters(), strict=True):
            assert torch.allclose(a, b, rtol=1e-12, atol=1e-13), (rank, settings)

# Statistics are those of a process that still has batches; passes without gradients or a sync are joined, too.
model = DistributedDataParallel(nn.BatchNorm1d(3))
with model.join():
    for number, batch in enumerate(batches(rank)):
        with model.no_sync() if number == 0 else torch.enable_grad():
            model(batch).sum().backward()
        with torch.no_grad():
            model(batch)
own = model.module.running_mean.clone()
dist.broadcast(own, size - 1)
assert own.equal(model.module.running_mean)
model(batches(0)[0]).sum().backward()  # after the context all go on as before

# All raise when the first runs out.
if size > 1:
    words = "Rank 0 exhausted all inputs." if rank == 0 else "Detected at least one rank that exhausted inputs."
    steps = []

    def train():
        with model.join(throw_on_early_termination=True):
            for batch in batches(rank):
                model(batch).sum().backward()
                steps.append(batch)

    with pytest.raises(RuntimeError, match=words):
        train()
    assert len(steps) == 2

# An error of the program's passes through; a context that is not enabled does nothing.
with pytest.raises(ZeroDivisionError), model.join():
    raise ZeroDivisionError
with model.join(enable=False):
    model(batches(0)[0]).sum().backward()


class Counter(Joinable):
    """Counts the batches of all processes together."""

    def __init__(self):
        super().__init__()
        self.total = 0

    def count(self):
        Join.notify_join_context(self)
        self.add(1)

    def add(self, own):
        number = torch.tensor(own)
        dist.all_reduce(number)
        self.total += int(number)

    def join_hook(self, **kwargs):
        return Follow(self)

    join_device = torch.device("cpu")
    join_process_group = dist.group.WORLD


class Follow(JoinHook):
    """Takes part in the rounds of the processes that still have batches."""

    def __init__(self, counter):
        self.counter, self.was_last = counter, None

    def main_hook(self):
        self.counter.add(0)

    def post_hook(self, is_last_joiner):
        assert is_last_joiner == (rank == size - 1)


counter = Counter()
with Join([counter, model]):
    for batch in batches(rank):
        counter.count()
        model(batch).sum().backward()
assert counter.total == sum(2 + number for number in range(size))
with pytest.raises(ValueError, match="requires at least one joinable"):
    Join([])

dist.destroy_process_group()
print("fine", flush=True)
