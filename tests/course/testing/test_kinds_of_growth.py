"""Kinds of growth that were reported in public: what `assert_no_leak` says holds the memory, and which line made it."""

from __future__ import annotations

import asyncio
import collections
import io
import itertools
import logging.handlers
import pickle
import queue
import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from glassroom import holders
from glassroom.testing import assert_no_leak

torch = pytest.importorskip("torch", reason="growth of PyTorch's memory needs PyTorch")


Kind = tuple[Callable[[], object], object, str]  # a step that leaks, what holds the memory, and the path to it


def batch() -> Any:
    return torch.rand(32, 64)


def keys_of_a_dict() -> Kind:
    names: dict[Any, str] = {}
    return lambda: names.setdefault(batch(), "batch"), names, "held.keys()"


def a_cycle_over_batches() -> Kind:
    batches = itertools.cycle(batch() for _ in range(50))
    return lambda: next(batches), batches, "held: cycle[3]"


def a_queue_that_nobody_empties() -> Kind:
    waiting: queue.Queue[Any] = queue.Queue()
    return lambda: waiting.put(batch()), waiting, "held.queue[3]"


def arguments_of_log_records() -> Kind:
    handler, log = logging.handlers.MemoryHandler(1000), logging.Logger("steps")
    log.addHandler(handler)
    return lambda: log.debug("a loss of %s", batch()), handler, "held.buffer[3].args[0]"


def a_list_of_parameters() -> Kind:
    means = torch.nn.ParameterList()
    return lambda: means.append(torch.nn.Parameter(batch())), means, "held.3"


def groups_of_an_optimizer() -> Kind:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(3))], lr=0.1)
    add = lambda: optimizer.add_param_group({"params": [torch.nn.Parameter(batch())]})  # noqa: E731  # one of several
    return add, optimizer, "held.param_groups[4]['params'][0]"


class Exponential(torch.autograd.Function):
    """Keeps its result on the context, past `save_for_backward`."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.powers = x.exp()
        return ctx.powers * 1

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * ctx.powers


def what_is_set_on_a_context() -> Kind:
    losses: list[Any] = []
    return (
        lambda: losses.append(Exponential.apply(batch().requires_grad_()).sum()),
        losses,
        "held[3] → ExponentialBackward.powers",
    )


def a_leaf_that_only_its_graph_knows() -> Kind:
    losses: list[Any] = []
    return lambda: losses.append(batch().requires_grad_().sum()), losses, "held[3] → AccumulateGrad.variable"


def results_of_coroutines() -> Kind:
    loop, tasks = asyncio.new_event_loop(), list[Any]()

    async def load() -> Any:
        return batch()

    def step() -> None:
        tasks.append(loop.create_task(load()))
        loop.run_until_complete(tasks[-1])

    return step, tasks, "held[3].result()"


def clones_of_losses() -> Kind:
    net, reports = torch.nn.Linear(64, 64), collections.deque[Any](maxlen=1000)
    return lambda: reports.append(net(batch()).sum().clone()), reports, "held[3] → AddmmBackward0.mat1"


def values_whose_keys_live() -> Kind:
    known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
    keys: list[Any] = []

    def step() -> None:
        keys.append(type("Key", (), {})())
        known[keys[-1]] = batch()

    return step, known, "held.data[…]"


def graphs_saved_on_the_cpu() -> Kind:
    net, losses = torch.nn.Linear(64, 64), list[Any]()

    def step() -> None:
        with torch.autograd.graph.save_on_cpu():
            losses.append(net(batch()).tanh().sum())

    return step, losses, "held[3] → TanhBackward0.result, packed by a hook"


def tensors_of_pickles() -> Kind:
    content, read = pickle.dumps(batch()), list[Any]()
    return lambda: read.append(pickle.loads(content)), read, "held[3]"


def tensors_of_files() -> Kind:
    file, read = io.BytesIO(), list[Any]()
    torch.save(batch(), file)
    return lambda: read.append(torch.load(io.BytesIO(file.getvalue()))), read, "held[3]"


def arrays_over_tensors() -> Kind:
    rows: list[Any] = []
    return lambda: rows.append(batch().numpy()[0]), rows, "held[3]"


def views_of_buffers() -> Kind:
    views: list[Any] = []
    return lambda: views.append(memoryview(batch().numpy())), views, "held[3].obj"


def arrays_of_objects() -> Kind:
    table, places = numpy.empty((5, 2), dtype=object), itertools.count()

    def step() -> None:
        table[next(places), 1] = batch()

    return step, table, "held[3, 1]"


def hooks_of_a_parameter() -> Kind:
    net = torch.nn.Linear(64, 1)

    def step() -> None:
        held = batch()
        net.weight.register_hook(lambda gradient: gradient * held.mean())

    return step, net, "held._parameters['weight']._backward_hooks["


KINDS = [
    keys_of_a_dict,
    a_cycle_over_batches,
    a_queue_that_nobody_empties,
    arguments_of_log_records,
    a_list_of_parameters,
    groups_of_an_optimizer,
    what_is_set_on_a_context,
    a_leaf_that_only_its_graph_knows,
    results_of_coroutines,
    clones_of_losses,
    values_whose_keys_live,
    graphs_saved_on_the_cpu,
    tensors_of_pickles,
    tensors_of_files,
    arrays_over_tensors,
    views_of_buffers,
    arrays_of_objects,
    hooks_of_a_parameter,
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_leak_is_reported_with_its_holder_and_its_line(kind: Callable[[], Kind]) -> None:
    step, held, holder = kind()
    for _ in range(3):
        step()
    with pytest.raises(AssertionError) as failed, assert_no_leak():
        step()
    assert f"held by {holder}" in str(failed.value), failed.value
    assert held is not None
    assert "made by line" in str(failed.value)
    assert "somewhere" not in str(failed.value)


def test_a_storage_that_a_variable_holds_by_itself_has_a_holder() -> None:
    storage = torch.UntypedStorage(4096)
    assert storage.nbytes() == 4096
    assert re.search(r"4,096 bytes +storage\b", holders().text)
