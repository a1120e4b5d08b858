"""`memory_log`: what it tells of loops that leak and of loops that do not, and that it leaves nothing on."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensorglass
from glassroom import memory_log
from tensorglass import memory

torch = pytest.importorskip("torch", reason="the log is for programs of PyTorch too")
modules_of_networks = pytest.importorskip("torch.nn.modules.module", reason="where PyTorch keeps hooks")
optimizers = pytest.importorskip("torch.optim.optimizer", reason="where PyTorch keeps hooks")
modes = pytest.importorskip("torch.utils._python_dispatch", reason="where PyTorch keeps its modes")

LIBRARIES = pytest.mark.parametrize("lib", [tensorglass, torch], ids=lambda lib: lib.__name__)
STEPS = 24


def what_is_on() -> dict[str, object]:
    """What is on while memory is looked at."""
    return {
        "modes": list(modes._get_current_dispatch_mode_stack()),
        "profiler": torch.autograd._profiler_enabled(),
        "observers": list(memory.figures.observers),
        "hooks": [
            *modules_of_networks._global_forward_pre_hooks.values(),
            *modules_of_networks._global_forward_hooks.values(),
            *optimizers._global_optimizer_post_hooks.values(),
        ],
    }


def trained(lib: Any, rest: Callable[[list[Any], Any, int], None], **settings: Any) -> Any:
    """The log of a loop that trains a line, and does the `rest` with a list, each step's loss and its number."""
    kept: list[Any] = []
    weight = lib.ones(50, requires_grad=True)
    log = memory_log(every=5, **settings)
    for number in range(STEPS):
        with log.step():
            loss = (lib.ones(50) * weight).exp().mean()
            loss.backward()
            weight.grad = None
            rest(kept, loss, number)
    return log


def nothing(kept: list[Any], loss: Any, number: int) -> None:
    """Keep nothing."""


def append(kept: list[Any], loss: Any, number: int) -> None:
    kept.append(loss * 2)


def window(kept: list[Any], loss: Any, number: int) -> None:
    kept.append(loss.detach() * 2)
    del kept[:-3]


def cached(kept: list[Any], loss: Any, number: int) -> None:
    if number == 4:  # a step that is looked at
        kept.append(loss.detach() * 2)


@LIBRARIES
def test_a_list_of_losses_is_reported_with_its_line_its_bytes_and_its_nodes(lib: Any) -> None:
    data = trained(lib, append).data
    [line] = [line for line in data.lines if "kept.append(loss * 2)" in line.line]
    assert (line.nbytes, line.storages, line.holders) == (4, 1, ("kept",))
    [graph] = data.graphs
    assert (graph.name, graph.more) == ("kept", 4)
    assert [look.step for look in data.looks] == [2, 5, 10, 15, 20]


@LIBRARIES
@pytest.mark.parametrize("rest", [nothing, window, cached], ids=lambda rest: rest.__name__)
def test_a_loop_that_lets_go_of_what_it_makes_grows_nowhere(lib: Any, rest: Any) -> None:
    log = trained(lib, rest)
    assert (log.data.lines, log.data.graphs, log.data.judged) == ((), (), 4)
    assert "no line adds memory step by step, and no graph grows" in log.text


@LIBRARIES
def test_a_running_total_is_reported_with_its_nodes_and_the_memory_that_they_keep(lib: Any) -> None:
    weight = lib.ones(50, requires_grad=True)
    total = lib.zeros(())
    log = memory_log(every=5)
    for _ in range(STEPS):
        with log.step():
            total += weight.exp().sum()
    [graph] = log.data.graphs
    assert (graph.name, graph.more) == ("total", 3)
    [line] = log.data.lines
    assert (line.nbytes, line.holders) == (200, ("total",))
    assert "total += weight.exp().sum()" in line.line


@LIBRARIES
def test_nothing_is_on_between_looks_nor_after_a_step_that_raises(lib: Any) -> None:
    before = what_is_on()
    log = memory_log(every=4)
    for number in range(1, 13):
        try:
            with log.step():
                looked = what_is_on() != before
                lib.ones(3) * 2
                if number == 4:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        assert looked == (number in (2, 4, 5, 8, 12)), number
        assert what_is_on() == before, number
    assert [look.step for look in log.data.looks] == [2, 5, 8, 12]


def test_a_step_within_a_step_is_refused() -> None:
    log = memory_log(every=1)
    with log.step(), pytest.raises(RuntimeError, match="cannot stand within another"), log.step():
        pass
    assert log.data.steps == 1


def test_the_lines_of_json_are_bounded_and_a_run_is_gone_on_with_or_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    trained(torch, append, path=path)
    first = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert first[0] == {"memory_log": 1, "run": 1, "every": 5}
    assert [line["step"] for line in first[1:]] == [2, 5, 10, 15, 20]
    assert {growth["bytes_per_step"] for growth in first[-1]["growth"]} >= {4}
    assert first[-1]["nodes_per_step"] == {"kept": 4}
    assert max(map(len, path.read_text(encoding="utf-8").splitlines())) < 4_000
    with path.open("a", encoding="utf-8") as file:
        file.write('{"run": 1, "st')  # a run was killed as it wrote
    trained(torch, nothing, path=path, mode="a")
    again = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(again[len(first) + 1]) == {"memory_log": 1, "run": 2, "every": 5}
    assert {json.loads(line)["run"] for line in again[len(first) + 1 :]} == {2}
    trained(torch, nothing, path=path)
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(first)


def test_a_long_run_keeps_so_many_looks_from_its_first_to_its_last() -> None:
    # In a process of its own: a look searches all objects, and here those of thousands of other tests are among them.
    program = (
        "from glassroom import memory_log\n"
        "log = memory_log(every=1)\n"
        "for _ in range(450):\n"
        "    with log.step():\n"
        "        pass\n"
        "print([look.step for look in log.data.looks])"
    )
    steps = json.loads(subprocess.check_output([sys.executable, "-c", program]))
    assert len(steps) <= 200
    assert (steps[0], steps[-1]) == (1, 450)
    assert steps == sorted(set(steps))


@pytest.mark.parametrize("hooks", [("on_train_batch_start", "on_train_batch_end"), ("on_step_begin", "on_step_end")])
def test_a_trainer_that_knows_callbacks_tells_what_its_network_keeps(hooks: tuple[str, str]) -> None:
    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(4, 1)
            self.history: list[Any] = []

    network, log = Network(), memory_log(every=5)
    callback, before = log.callback, what_is_on()
    callback.on_fit_start(None, None)
    for _ in range(STEPS):
        of_lightning = hooks[0].startswith("on_train")
        given = ((None, network), {}) if of_lightning else ((None, None, None), {"pl_module": network})
        getattr(callback, hooks[0])(*given[0], **given[1])
        network.history.append(network.line(torch.ones(2, 4)).sum())
        getattr(callback, hooks[1])(*given[0], **given[1])
        assert what_is_on() == before
    assert {line.holders for line in log.data.lines} == {("pl_module.history",)}
    assert [graph.name for graph in log.data.graphs] == ["pl_module.history"]
    callback.on_step_begin(None, None, None)
    callback.on_exception(None)
    assert (what_is_on(), callback.state_dict()) == (before, {})
    assert callback.state_key == callback._legacy_state_key, "Lightning reads both when it resumes a run"


@pytest.mark.parametrize("wrong", [{"every": 0}, {"every": 2.5}, {"mode": "x"}])
def test_what_is_no_interval_and_no_mode_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        memory_log(**wrong)


TRAINERS = """
class Handler:
    def __init__(self, callbacks):
        self.callbacks = callbacks

    def call(self, hook):
        for callback in self.callbacks:
            getattr(callback, hook)(None, None, None, model=None)

class LikeTransformers:
    def __init__(self, callbacks):
        self.callback_handler = Handler(callbacks)

    def fit(self, steps):
        for _ in range(steps):
            self.callback_handler.call("on_step_begin")
            self.callback_handler.call("on_step_end")

class LikeLightning:
    def __init__(self, callbacks):
        self.callbacks = callbacks

    def fit(self, steps):
        for _ in range(steps):
            for hook in ("on_train_batch_start", "on_train_batch_end"):
                for callback in self.callbacks:
                    getattr(callback, hook)(self, None)
"""


class Keeping:
    """A callback that keeps what it computes."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.seen.append(torch.ones(64))

    def __getattr__(self, name: str) -> Any:
        return self.on_step_end if name == "on_train_batch_end" else lambda *_, **__: None


@pytest.mark.parametrize(
    ("kind", "holder"),
    [("LikeTransformers", "loop.callback_handler.callbacks"), ("LikeLightning", "trainer.callbacks")],
)
def test_what_the_callbacks_of_an_installed_trainer_keep_is_named(
    kind: str, holder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "trainers_installed.py").write_text(TRAINERS)
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    log = memory_log(every=5)
    loop = getattr(importlib.import_module("trainers_installed"), kind)([Keeping(), log.callback])
    loop.fit(STEPS)
    assert [line.holders for line in log.data.lines] == [(holder,)]
