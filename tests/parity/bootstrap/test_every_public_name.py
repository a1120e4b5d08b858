"""Every public name of PyTorch is here, or its error says that it is out of scope and what to do instead."""

from __future__ import annotations

import types
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

HOMES = [
    *("", "Tensor", "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "optim", "optim.lr_scheduler"),
    *("utils.data", "linalg", "fft", "special", "cuda", "cuda.amp", "amp", "distributions", "nn.parallel"),
    *("nn.attention", "func"),
]
OTHERS = (
    "typing",
    "typing_extensions",
    "collections",
    "builtins",
    "functools",
    "dataclasses",
    "enum",
    "abc",
    "warnings",
)
OTHERS += ("_bisect", "weakref", "__future__")


def there(library: Any, home: str) -> Any:
    for part in filter(None, home.split(".")):
        library = getattr(library, part)
    return library


def is_of_pytorch(value: Any) -> bool:
    """Whether PyTorch means a name for its users: no module of Python's that a file of PyTorch imports, no constant."""
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("torch.")
    if isinstance(value, (str, int, float, dict, tuple)) or value in (torch.Tensor, torch.optim.Optimizer):
        return False
    return (getattr(value, "__module__", None) or "torch").partition(".")[0] not in OTHERS


def public(home: str) -> list[str]:
    holder = there(torch, home)
    return [name for name in dir(holder) if name[:1] != "_" and is_of_pytorch(getattr(holder, name, None))]


@pytest.mark.parametrize("home", HOMES)
def test_a_name_is_here_or_its_error_says_what_to_do(home: str) -> None:
    holder: Any = there(tensorglass, home)
    if home == "Tensor":
        holder = tensorglass.ones(2)
    mute = []
    for name in public(home):
        try:
            getattr(holder, name)
        except AttributeError as error:
            path = f"{home}.{name}" if home else name
            notes = " ".join(getattr(error, "__notes__", ()))
            if "Instead, " not in notes:
                mute.append(path)
        except RuntimeError:
            continue  # PyTorch's own, of names that need a graph or a device
    assert not mute


def test_most_names_are_here() -> None:
    for home in ("nn", "nn.functional", "optim", "optim.lr_scheduler", "linalg", "fft", "special"):
        names = public(home)
        missing = [name for name in names if not hasattr(there(tensorglass, home), name)]
        assert len(missing) < len(names) / 3, (home, missing)
