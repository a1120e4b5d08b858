"""The log of transfers between memories: complete, in order, holding nothing."""

from __future__ import annotations

import weakref

import pytest

import tensorglass as torch
from tensorglass import memory, transfers
from tensorglass.backends.transfer_log import KEPT, Transfer


def test_a_copy_to_a_device_and_back_is_logged_with_its_storages() -> None:
    start = transfers.count()
    x = torch.ones(1000)
    y = x.to("sim")
    z = y.cpu()
    there, back = transfers.since(start)
    assert (there.source, there.target, there.nbytes) == ("cpu", "sim:0", 4000)
    assert (back.source, back.target) == ("sim:0", "cpu")
    source, target = there.storages
    assert source is not None
    assert source() is x.untyped_storage()
    assert target is not None
    assert target() is y.untyped_storage()
    assert back.storages[1] is not None
    assert back.storages[1]() is z.untyped_storage()


def test_times_on_simulated_devices_are_the_cost_models() -> None:
    start = transfers.count()
    y = torch.ones(6_000_000 // 4).to("sim")
    [went] = transfers.since(start)
    costs = torch.sim.costs()
    assert went.is_simulated
    assert went.seconds == costs.of_transfer(y.nbytes, costs.pageable_rate)


def test_a_value_that_python_reads_has_no_target() -> None:
    y = torch.ones(3, device="sim")
    start = transfers.count()
    y[0].item()
    [went] = transfers.since(start)
    assert (went.target, went.storages) == ("cpu", (None, None))


@pytest.mark.parametrize(
    "expression",
    [
        "x.clone().index_add_(0, i, y)",
        "x.scatter_add(0, wide, y)",
        "x.gather(0, wide)",
        "x.index_select(0, i)",
        "x.take(i)",
        "x.put(i - 12, y[:, 0])",
        "x.index_put((i,), y, accumulate=True)",
        "x.clone().__setitem__(i, y)",
        "x.clone().__setitem__(x > 3, 0.5)",
        "F.embedding(i, x)",
        "F.cross_entropy(x, i % 3)",
        "F.one_hot(i, 4)",
    ],
)
def test_a_device_asserts_that_positions_are_there_and_asks_the_host_for_nothing(expression: str) -> None:
    x, y = torch.arange(12.0, device="sim").view(4, 3), torch.ones(4, 3, device="sim")
    i = torch.tensor([0, 1, 1, 3], device="sim")
    names = {"x": x, "y": y, "i": i, "wide": i[:, None].expand(4, 3), "F": torch.nn.functional}
    expected = eval(
        expression, {name: value.cpu() if hasattr(value, "cpu") else value for name, value in names.items()}
    )
    start = transfers.count()
    result = eval(expression, names)
    assert transfers.since(start) == []
    assert result is None or torch.equal(result.cpu(), expected)
    names["i"], names["wide"] = i + 24, names["wide"] + 24
    if "x > 3" not in expression:
        with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)|smaller than num_classes"):
            eval(expression.replace("% 3", ""), names)


def test_nothing_is_logged_on_the_host() -> None:
    start = transfers.count()
    torch.ones(3).clone().to(torch.float64).tolist()
    assert transfers.count() == start


def test_the_log_keeps_nothing_alive() -> None:
    y = torch.ones(3).to("sim")
    storage = weakref.ref(y.untyped_storage())
    del y
    assert storage() is None


def test_the_log_holds_the_latest_thousand() -> None:
    y = torch.ones(1, device="sim")
    start = transfers.count()
    for _ in range(KEPT + 5):
        y.item()
    assert transfers.count() - start == KEPT + 5
    assert len(transfers.since(start)) == len(transfers.since()) == KEPT
    assert len(transfers.since(transfers.count() - 2)) == 2


def test_an_observer_is_told_of_each_transfer_in_its_block() -> None:
    told: list[Transfer] = []
    x = torch.ones(3)
    with transfers.observed(told.append):
        y = x.to("sim")
    y.cpu()
    assert [transfer.target for transfer in told] == ["sim:0"]


def test_an_observer_of_memory_is_told_of_births_resizes_and_copies() -> None:
    told = []

    class Observer:
        def born(self, storage: torch.UntypedStorage, nbytes: int) -> None:
            told.append(("born", nbytes))

        def resized(self, storage: torch.UntypedStorage, nbytes: int) -> None:
            told.append(("resized", nbytes))

        def copied(self, nbytes: int) -> None:
            told.append(("copied", nbytes))

    with memory.observed(Observer()):
        x = torch.zeros(4)
        x.resize_(8)
        x.clone()
    torch.zeros(100)
    assert told == [("born", 16), ("resized", 32), ("born", 32), ("copied", 32)]
