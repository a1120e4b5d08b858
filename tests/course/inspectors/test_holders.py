"""holders: the paths from variables to the storages that they keep alive."""

from __future__ import annotations

import gc
import re
import sys
import threading
import weakref
from collections import deque
from functools import cache, partial
from importlib import import_module
from typing import Any

import pytest

import tensorglass
from glassroom import aliases, holders, memory_timeline, show, watch
from glassroom.testing import assert_no_leak

torch = pytest.importorskip("torch", reason="both libraries are looked at")
LIBRARIES = pytest.mark.parametrize("lib", [torch, tensorglass], ids=["torch", "tensorglass"])


class Trainer:
    def __init__(self) -> None:
        self.history: list[dict[str, Any]] = []


def labels(picture: Any) -> list[str]:
    return [row.label for row in picture.data.rows]


@LIBRARIES
def test_a_path_goes_through_objects_containers_and_the_graph(lib: Any) -> None:
    weight = lib.ones(6400, requires_grad=True)
    trainer = Trainer()
    for _ in range(3):
        hidden = weight * 1.5
        trainer.history.append({"loss": (hidden**2).sum()})
    picture = holders(hidden)
    assert labels(picture) == ["hidden", "trainer.history[2]['loss'] → PowBackward0.self"]
    assert picture.data.nbytes == 25_600
    assert "25.0 KiB" in picture.text
    assert "trainer.history[2]['loss'] → PowBackward0.self  ·  saved by a graph" in picture.text
    ours = holders(weight)
    assert labels(ours) == ["weight"]


def test_a_picture_has_room_for_the_whole_path_to_the_largest() -> None:
    weight = tensorglass.ones(16_384, requires_grad=True)
    history = [{"the loss of a batch that was kept, with its graph": (weight * 1.5).pow(2)}]
    assert "its graph'], 64.0 KiB" in " ".join(re.findall(r">([^<>]+)</text>", holders().svg))
    del history


@LIBRARIES
def test_all_whose_graph_reaches_it_are_reported(lib: Any) -> None:
    x = lib.ones(10, requires_grad=True)
    middle = x.exp()
    first, second = middle.sum(), (middle * 2).sin().sum()
    view = middle.detach()[2:5]
    assert labels(holders(middle)) == [
        "middle",
        "view",
        "middle → ExpBackward0.result",
        "first → ExpBackward0.result",
        "second → ExpBackward0.result",
    ]
    assert (first + second).requires_grad
    assert view.shape == (3,)


@LIBRARIES
def test_gradients_and_deques_are_followed(lib: Any) -> None:
    w = lib.ones(5, requires_grad=True)
    (w * 3).sum().backward()
    gradient = w.grad
    recent = deque([w.detach().clone(), gradient[1:]])
    assert labels(holders(gradient)) == ["w.grad", "gradient", "recent[1]"]
    assert labels(holders(recent[0])) == ["recent[0]"]


def test_a_look_computes_nothing_again() -> None:
    norm = torch.nn.BatchNorm1d(4)
    x = torch.ones(3, 4, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(norm, x, use_reentrant=False)
    before = int(norm.num_batches_tracked)
    assert labels(holders(norm.running_mean)) == ["norm.running_mean"]
    assert y.requires_grad
    assert int(norm.num_batches_tracked) == before


def test_the_holder_of_what_nothing_leads_to_is_said_to_be_unknown() -> None:
    assert "its holder is unknown" in holders(torch.zeros(3)).text
    with pytest.raises(TypeError, match="meta tensor"):
        holders(torch.zeros(3, device="meta"))


@LIBRARIES
def test_each_variable_is_reported_with_what_it_holds_and_nothing_is_counted_twice(lib: Any) -> None:
    def look() -> Any:
        table = lib.zeros(1000)
        row = table[:10]
        kept = [lib.zeros(50), lib.zeros(70)]
        picture = holders()
        assert len(kept) + len(row) == 12
        return picture

    picture = look()
    rows = {row.label: row for row in picture.data.rows}
    assert rows["table"].nbytes == 4000
    assert "row" not in rows
    assert rows["kept"].nbytes == 480
    assert rows["kept"].words == "2 storages · the largest: kept[1], 280 bytes"
    assert picture.data.nbytes == sum(row.nbytes for row in rows.values())


@pytest.mark.sweep
@LIBRARIES
def test_growth_is_what_came_between_two_looks(lib: Any) -> None:
    weight, losses = lib.ones(100, requires_grad=True), []
    temporary = lib.zeros(25)
    before = holders()
    losses += [(weight * 2).exp().sum() for _ in range(3)]
    del temporary
    grown = holders().since(before)
    [row] = [row for row in grown.data.rows if row.label == "losses"]
    assert row.nbytes >= 3 * (400 + 4)
    assert "of it saved by graphs" in row.words
    assert "losses[0] → ExpBackward0.result" in row.words
    assert grown.data.title.endswith("100 bytes are gone")
    assert holders().since(holders()).data.rows == ()


def test_what_no_variable_leads_to_is_found_where_python_keeps_it() -> None:
    """Closures, defaults, caches, arguments, classes, generators, tracebacks, and functions that wait for this one."""

    class Registry:
        newest: Any = None

    def closing(held: Any) -> Any:
        return lambda: held

    def defaulting(given: Any) -> Any:
        def work(value: Any = given) -> Any:
            return value

        return work

    def generating(current: Any) -> Any:
        yield current

    def failing(local: Any) -> None:
        raise ValueError

    @cache
    def cached(size: int) -> Any:
        return torch.zeros(size)

    def looking(t: Any) -> str:
        return holders(t[1:]).text

    def program() -> str:
        mine = cached(4)
        kept = [closing(mine), defaulting(mine), generating(mine), partial(print, mine)]
        next(kept[2])
        try:
            failing(mine)
        except ValueError as error:
            kept.append(error)
        Registry.newest = mine
        return looking(mine)

    told = {line.split("bytes  ")[1] for line in program().splitlines()[1:]}
    where = "test_what_no_variable_leads_to_is_found_where_python_keeps_it.<locals>"
    assert told >= {
        "t",
        "mine in program()",
        f"closure of {where}.closing.<locals>.<lambda>(): held",
        f"defaults of {where}.defaulting.<locals>.work()",
        "current in generating()",
        "arguments of a partial of print()",
        "local in failing()",
        "Registry.newest",
        f"cache of {where}.cached()",
    }


@pytest.mark.parametrize("library", [torch, tensorglass], ids=["torch", "tensorglass"])
def test_what_is_set_on_a_tensor_is_found_through_it(library: Any) -> None:
    weight = library.nn.Parameter(library.ones(2))
    weight.main_grad = library.zeros(3)
    weight.itself = weight
    assert "12 bytes  weight.main_grad" in holders(weight.main_grad).text
    assert "weight.main_grad" in aliases(weight).text
    assert "weight.main_grad: new storage" in watch(lambda: setattr(weight, "main_grad", library.ones(4))).text


@pytest.fixture
def _installed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package of networks and optimizers, installed as a wheel is."""
    folder = tmp_path / "site-packages"
    for name, lib in (("zoo_of_torch", "torch"), ("zoo_of_tensorglass", "tensorglass")):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(
            f"import {lib} as lib\n"
            "import tensorglass.nn, tensorglass.optim\n"
            "class Block(lib.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.inner, self.register = lib.nn.Linear(50, 50), [lib.zeros(7)]\n"
            "    def forward(self, x):\n"
            "        return self.inner(x)\n"
            "class Net(lib.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.block = Block()\n"
            "    def forward(self, x):\n"
            "        return self.block(x)\n"
            "class Momentum(lib.optim.SGD):\n"
            "    pass\n"
        )
    monkeypatch.syspath_prepend(str(folder))
    yield
    for name in ("zoo_of_torch", "zoo_of_tensorglass"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("_installed")
@LIBRARIES
def test_networks_and_optimizers_are_looked_into_wherever_their_class_comes_from(lib: Any) -> None:
    zoo = import_module(f"zoo_of_{lib.__name__}")
    net = zoo.Net()
    optimizer = zoo.Momentum(net.parameters(), lr=0.1, momentum=0.9)

    def step() -> None:
        optimizer.zero_grad()
        net(lib.ones(2, 50)).sum().backward()
        optimizer.step()

    step()
    picture = holders()
    rows = {row.label: row for row in picture.data.rows}  # among what other tests of this process have left
    assert rows["net"].nbytes == 2 * (50 * 50 + 50) * 4 + 7 * 4
    assert rows["optimizer"].nbytes >= (50 * 50 + 50) * 4
    weight = next(iter(net.parameters()))
    assert "net.block.inner.weight" in labels(holders(weight))
    assert "net.block.inner.weight.grad" in labels(holders(weight.grad))
    assert "net.block.inner.bias" in aliases(net=net).text
    with assert_no_leak():
        step()
    assert "holder is unknown" not in memory_timeline(step).text


@pytest.mark.sweep
@LIBRARIES
def test_a_tensor_is_reported_with_the_storage_behind_it_and_the_nodes_of_its_graph(lib: Any) -> None:
    values, weight = lib.zeros(100, 10), lib.ones(3, requires_grad=True)
    first = values[0]
    assert holders(first).data.title.endswith("4,000 bytes on cpu, of which it has 40 bytes")
    total = lib.zeros(())
    for steps in (4, 3):
        before = holders()
        for _ in range(steps):
            total = total + weight.exp().sum()
    own = 1 + 3 * 7
    assert holders(total).data.title.endswith(f" · its graph has {own} nodes, which keep 84 bytes")
    rows = {row.label: row.words for row in holders().data.rows}
    assert f"{own} nodes" in rows["total"]
    [row] = [row for row in holders().since(before).data.rows if row.label == "total"]
    assert f"reaches {own} nodes, 9 more" in row.words


def test_what_lives_is_reconciled_with_what_has_a_known_holder() -> None:
    """Out of sight behind hooks, exceptions, thread locals, caches, classes and deep chains: each has a path."""

    class Registry:
        newest: Any = None

    class Recorder:
        def __init__(self, held: Any) -> None:
            self.held = held

        def hook(self, *_: Any) -> None: ...

    def failing(scores: Any) -> None:
        raise ValueError

    def generating(current: Any) -> Any:
        yield current

    @cache
    def cached(size: int) -> Any:
        return [torch.zeros(size)]

    def kept() -> tuple[Any, ...]:
        net, local, errors = torch.nn.Linear(1, 1), threading.local(), []
        net.register_forward_hook(Recorder(torch.zeros(101)).hook)
        net.register_forward_hook(partial(failing, torch.zeros(102)))
        local.scores = torch.zeros(103)
        Registry.newest = {"all": [torch.zeros(104)]}
        cached(105)
        try:
            failing(torch.zeros(106))
        except ValueError as error:
            errors.append(error)
        deep: Any = torch.zeros(107)
        for _ in range(14):
            deep = [deep]
        waiting = generating([torch.zeros(108)])
        next(waiting)
        return net, local, errors, deep, waiting

    net, local, errors, deep, waiting = kept()
    picture = holders()
    told = {path.nbytes: path.words for path in picture._storages.values()}
    assert told[404] == f"net._forward_hooks[{min(net._forward_hooks)}].__self__.held"
    assert told[408].endswith(".args[0]")
    assert re.fullmatch(r"local.*\['scores'\]", told[412])
    assert told[416].endswith("Registry.newest['all'][0]")
    assert told[420].startswith("cache of ")
    assert told[424] == "errors[0].__traceback__ → scores in failing()"
    assert told[428] == "deep" + "[0]" * 14
    assert told[432] == "waiting: current[0]"
    assert re.fullmatch(r"[\d.,]+ \w+ of [\d.,]+ \w+ live bytes have a known holder.*", picture.text.splitlines()[-1])
    del local, errors, deep, waiting


def test_a_search_that_ends_early_says_that_it_does_not_know_the_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chain is longer than what is searched for a variable, and the search from the tensor upward may visit few
    objects."""
    deep: list[Any] = []
    for _ in range(12):
        deep = [deep]

    def step() -> None:
        innermost = deep
        while innermost[0]:
            innermost = innermost[0]
        innermost.append(torch.ones(100))

    monkeypatch.setattr("glassroom.reading.referrers.MOST_LOOKED_AT", 1)
    with pytest.raises(AssertionError, match=r"alive, its holder is unknown: the search ended after [\d,]+ objects;"):
        assert_no_leak()(step)()
    monkeypatch.undo()
    with pytest.raises(AssertionError, match=r"alive, held by deep\[0\]"):
        assert_no_leak()(step)()


def test_what_may_be_in_the_cache_of_autocast_is_said_to_be_unknown_and_perhaps_there() -> None:
    weight = torch.ones(8, 8, requires_grad=True)

    def step() -> None:
        weight @ weight

    told = "holder is unknown, perhaps the cache of autocast, which is on"
    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(AssertionError, match=told):
        assert_no_leak()(step)()


class Unreadable(torch.Tensor):
    """Raises for every access."""

    @staticmethod
    def __new__(cls) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, (3,))

    def __torch_dispatch__(self, *_: Any) -> Any:
        raise RuntimeError("not to be looked at")


@pytest.mark.parametrize("look", [holders, lambda t: holders(), lambda t: aliases(), lambda t: show(Unreadable(), t)])
def test_a_look_leaves_no_cycle_behind_that_keeps_what_it_has_seen(look: Any) -> None:
    """The traceback of an exception that a look catches leads to its frames, and they to everything that they name."""
    alive, value = Unreadable(), torch.zeros(3)
    is_there = weakref.ref(value)
    gc.disable()
    try:
        look(value)
        del value
        assert is_there() is None
    finally:
        gc.enable()
        del alive


def test_a_function_of_the_look_itself_is_no_holder() -> None:
    space: dict[str, Any] = {"__name__": "glassroom.inspectors.elsewhere"}
    exec("def closing(held):\n    return lambda: held\ndef waiting(held):\n    yield held\n", space)
    waiting = space.pop("waiting")(torch.zeros(3))
    closing = space.pop("closing")(next(waiting))
    assert "its holder is unknown" in holders(closing()).text
