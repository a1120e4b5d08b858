"""Each inspector once, for tests that hold for all of them."""

from __future__ import annotations

from typing import Any

import tensorglass
from glassroom import (
    aliases,
    device_map,
    explain_error,
    explore_broadcast,
    explore_index,
    explore_strides,
    graph,
    holders,
    memory_log,
    memory_timeline,
    model_map,
    show,
    step_backward,
    watch,
)
from glassroom.inspectors.base import Inspector

#: Known without making them, since every process that collects tests asks for them.
KINDS = tuple(inspector.kind for inspector in Inspector.__subclasses__())


class Network:
    """A network as PyTorch's are, made of any library's tensors."""

    def __init__(self, parameters: dict[str, Any], **modules: Network) -> None:
        self._parameters = parameters
        self._buffers: dict[str, Any] = {}
        self._modules = modules


def overwriting(lib: Any, name: str) -> RuntimeError:
    """The error of a backward whose tensor was overwritten, in a dict under `name`."""
    y = lib.ones(3, requires_grad=True).exp()
    held = {name: y}
    y.add_(1)
    try:
        held[name].sum().backward()
    except RuntimeError as error:
        return error
    raise AssertionError("the backward must fail")


def every_inspector(lib: Any, name: str = "a") -> dict[str, Inspector]:
    """Every inspector by its kind, each of which shows a tensor called `name`."""
    line = lib.arange(6.0)
    table = line.view(2, 3)
    weights = {name: lib.ones(3, requires_grad=True)}
    loss = (table @ weights[name]).relu().sum()

    def steps(held: dict[str, Any]) -> Any:
        held[name] = lib.arange(6.0)
        rows = held[name].view(2, 3)
        rows[0] = 7
        return rows.t().contiguous()

    on_device = tensorglass.ones(10).to("sim")
    with memory_timeline() as timeline:
        held = {name: on_device * 2}
        passing = held[name] + 1
        del passing
    log = memory_log(every=1)
    history: list[Any] = []
    for _ in range(4):
        log.callback.on_step_begin(None, None, None, **{name: history})
        history.append((table @ weights[name]).exp())
        log.callback.on_step_end(None, None, None, **{name: history})
    pictures = [
        show(**{name: line, "table": table, "turned": table.t()}),
        aliases(**{name: line, "held": [table[:, 1], weights[name]], "loss": loss}),
        explore_strides(lib.arange(12.0), (3, 4), (3, 1)),
        explore_broadcast(**{name: table, "column": lib.ones(2, 1), "bias": (3,)}),
        explore_index(table, "1, keep", **{"keep": [0, 2], name: lib.arange(2)}),
        graph(**{name: loss}),
        step_backward((table @ weights[name]).relu().sum()),
        device_map(**{name: on_device, "line": line}),
        timeline,
        watch(steps, {}),
        holders(weights[name]),
        memory_timeline(**{name: lambda: (line * 2).sum(), "other": lambda: line.sum()}),
        log,
        explain_error(overwriting(lib, name)),
        model_map(net=Network(weights, inner=Network({"table": lib.zeros(2, 3, requires_grad=True)}))),
    ]
    assert set(Inspector.__subclasses__()) == {type(picture) for picture in pictures}
    return {picture.kind: picture for picture in pictures}
