"""Every collective operation, on any number of processes; the last words are `fine` from each."""

import tensorglass as torch
from tensorglass import distributed as dist

dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()


def same(tensor, expected, dtype=torch.float32):
    assert tensor.tolist() == expected, (rank, tensor, expected)
    assert tensor.dtype is dtype


def own(count=3, dtype=torch.float32):
    return (torch.arange(count) + 10 * rank).to(dtype)


def of(value, count=3):
    return [float(number + 10 * value) for number in range(count)]


total = [float(size * number + 10 * sum(range(size))) for number in range(3)]

for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int16, torch.int64, torch.uint8):
    x = own(dtype=dtype)
    assert dist.all_reduce(x) is None
    same(x, total, dtype)
x = own(dtype=torch.complex64)
dist.all_reduce(x)
same(x.real, total)
x = torch.tensor([rank == 0, False])
dist.all_reduce(x)
same(x, [True, False], torch.bool)

for op, expected in (("MAX", of(size - 1)), ("MIN", of(0)), ("AVG", [number / size for number in total])):
    x = own()
    dist.all_reduce(x, getattr(dist.ReduceOp, op))
    same(x, expected)
x = torch.tensor([1 << rank])
dist.all_reduce(x, dist.ReduceOp.BOR)
same(x, [(1 << size) - 1], torch.int64)
x = torch.tensor([2.0])
dist.all_reduce(x, dist.ReduceOp.PRODUCT)
same(x, [2.0**size])

# Tensors with gaps, on another device, without elements, and in use by autograd.
whole = torch.zeros(3, 2)
whole[:, 0] = own()
dist.all_reduce(whole[:, 0])
same(whole[:, 0], total)
same(whole[:, 1], [0.0, 0.0, 0.0])
x = own().to("sim")
dist.all_reduce(x)
same(x, total)
dist.all_reduce(torch.empty(0))
x = own().requires_grad_()
dist.all_reduce(x)
same(x, total)
assert x.is_leaf
assert x._version == 0

for root in range(size):
    x = own()
    dist.reduce(x, root)
    if rank == root:
        same(x, total)
    x = own(dtype=torch.bfloat16)
    dist.broadcast(x, root)
    same(x, of(root), torch.bfloat16)
    gathered = [torch.zeros(3) for _ in range(size)] if rank == root else None
    dist.gather(own(), gathered, dst=root)
    for each, tensor in enumerate(gathered or []):
        same(tensor, of(each))
    x = torch.zeros(2)
    dist.scatter(
        x, [torch.full((2,), float(number + root)) for number in range(size)] if rank == root else None, src=root
    )
    same(x, [float(rank + root)] * 2)

gathered = [torch.zeros(3) for _ in range(size)]
dist.all_gather(gathered, own())
assert [tensor.tolist() for tensor in gathered] == [of(tensor) for tensor in range(size)]
stacked, row = torch.zeros(size, 3), torch.zeros(3 * size)
dist.all_gather_single(stacked, own())
dist.all_gather_single(row, own())
assert stacked.tolist() == [of(other) for other in range(size)]
assert row.view(size, 3).tolist() == stacked.tolist()

x = torch.zeros(3)
dist.reduce_scatter(x, [own() + number for number in range(size)])
same(x, [number + size * rank for number in total])
x = torch.zeros(1, 3)
dist.reduce_scatter_single(x, torch.stack([own() + number for number in range(size)]), op=dist.ReduceOp.AVG)
same(x[0], [number / size + rank for number in total])

# Unequal parts: process r sends r + 1 rows to each, and gets 1, 2, … of them.
arrived = [torch.zeros(number + 1) for number in range(size)]
dist.all_to_all(arrived, [torch.full((rank + 1,), float(10 * rank + number)) for number in range(size)])
assert [number.tolist() for number in arrived] == [[10.0 * number + rank] * (number + 1) for number in range(size)]
rows = torch.zeros(size * (size + 1) // 2, 2)
sent = torch.full(((rank + 1) * size, 2), float(rank))
dist.all_to_all_single(rows, sent, [number + 1 for number in range(size)], [rank + 1] * size)
assert rows[:, 1].tolist() == [float(number) for number in range(size) for _ in range(number + 1)]
x = torch.zeros(size)
dist.all_to_all_single(x, torch.arange(size) + 10.0 * rank)
same(x, [10.0 * number + rank for number in range(size)])

# Several operations on their way at once.
tensors = [own() + number for number in range(20)]
works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
assert all(work.wait() for work in works)
assert all(work.is_completed() for work in works)
for number, each in enumerate(tensors):
    same(each, [value + size * number for value in total])
assert works[0].result()[0].tolist() == tensors[0].tolist()
dist.barrier(async_op=True).wait()
dist.barrier()

# Objects.
objects = [None] * size
dist.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": other} for other in range(size)]
objects = [rank, "x"]
dist.broadcast_object_list(objects, src=size - 1)
assert objects == [size - 1, "x"]

# A ring of messages; then from anywhere, by tag.
if size > 1:
    x, after, before = torch.zeros(3), (rank + 1) % size, (rank - 1) % size
    works = [dist.isend(own(), after), dist.irecv(x, before)]
    for work in works:
        work.wait()
    same(x, of(before))
    if rank:
        dist.send(own(), 0, tag=7)
    else:
        senders = set()
        for _ in range(size - 1):
            sender = dist.recv(x, tag=7)
            same(x, of(sender))
            senders.add(sender)
        assert senders == set(range(1, size))

# A group of the processes with odd numbers.
odd = dist.new_group([other for other in range(size) if other % 2]) if size > 1 else None
if odd is not None and rank % 2:
    assert (dist.get_rank(odd), dist.get_world_size(odd)) == (rank // 2, size // 2)
    assert dist.get_process_group_ranks(odd) == list(range(1, size, 2))
    assert dist.get_global_rank(odd, rank // 2) == rank
    x = own()
    dist.broadcast(x, 1, group=odd)
    same(x, of(1))
    dist.destroy_process_group(odd)
elif odd is not None:
    assert odd == dist.GroupMember.NON_GROUP_MEMBER
    assert dist.get_rank(odd) == dist.get_world_size(odd) == -1

dist.destroy_process_group()
assert not dist.is_initialized()
print("fine", flush=True)
