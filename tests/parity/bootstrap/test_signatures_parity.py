"""Functions and classes of networks take PyTorch's arguments: their names, order, defaults and kinds."""

from __future__ import annotations

import importlib
import inspect
import types
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

HOMES = (
    *("nn", "nn.functional", "nn.init", "nn.parallel", "nn.attention", "nn.attention.bias", "nn.utils"),
    *("nn.utils.parametrizations", "nn.utils.parametrize", "nn.utils.prune", "nn.utils.rnn", "nn.utils.stateless"),
    *("optim", "optim.lr_scheduler", "optim.swa_utils", "utils.data", "amp", "distributions", "distributed", "func"),
)
OF_NETWORKS = tuple(f"torch.{room}" for room in ("nn", "optim", "utils", "amp", "distribut", "_functorch"))
#: Where PyTorch's own signature says less, or leaves an argument out.
OTHERWISE = {"Container", "rrelu"}


def signature(value: Any) -> list[tuple[str, Any, str]] | None:
    """The parameters, except private ones; None if there is no signature, or one that says nothing."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    if [item.kind for item in parameters if item.name != "self"] == [2, 4]:  # *args, **kwargs
        return None
    return [(item.name, item.kind, default(item.default)) for item in parameters if not item.name.startswith("_")]


def default(value: Any) -> str:
    shown = repr(value).replace("tensorglass", "torch")
    return type(value).__name__ if " at 0x" in shown or isinstance(value, types.FunctionType) else shown


def differences(home: str) -> list[str]:
    here, there = importlib.import_module(f"tensorglass.{home}"), importlib.import_module(f"torch.{home}")
    differing = []
    for name in dir(there):
        theirs, ours = getattr(there, name), getattr(here, name, None)
        if name.startswith("_") or name in OTHERWISE or not callable(theirs) or not callable(ours):
            continue
        if not str(theirs.__module__).startswith(OF_NETWORKS):
            continue
        pairs = [(name, ours, theirs)]
        if isinstance(theirs, type):
            own = [name for name in vars(theirs) if not name.startswith("_") and callable(getattr(ours, name, None))]
            pairs += [
                (f"{name}.{attribute}", getattr(ours, attribute), getattr(theirs, attribute)) for attribute in own
            ]
        for path, one, other in pairs:
            expected, given = signature(other), signature(one)
            if None not in (expected, given) and not path.endswith("_with_indices") and given != expected:
                differing.append(f"{path}: {given}, not {expected}")
    return differing


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.filterwarnings("ignore")
def test_arguments_are_pytorchs(home: str) -> None:
    assert differences(home) == []
