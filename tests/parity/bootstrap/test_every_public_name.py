"""Every public name of PyTorch is here, or its error says that it is out of scope and what to do instead."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import types
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle is missing: pip install torch==2.13.0")

HOMES = [
    *("", "Tensor", "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "optim", "optim.lr_scheduler"),
    *("utils.data", "linalg", "fft", "special", "cuda", "cuda.amp", "amp", "distributions", "nn.parallel"),
    *("nn.attention", "func", "backends", "distributed", "library", "multiprocessing", "overrides", "random"),
    *("return_types", "serialization", "types", "utils"),
]
#: Packages whose modules are gone through too.
PACKAGES = ("amp", "autograd", "distributions", "func", "nn", "optim", "signal", "utils.data")
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


def modules_below(package: str) -> list[str]:
    """The public modules of a package of PyTorch's, by their paths."""
    modules = [package]
    for module in pkgutil.iter_modules(sys.modules[f"torch.{package}"].__path__, f"torch.{package}."):
        if not module.name.rpartition(".")[2].startswith("_"):
            with contextlib.suppress(ImportError):  # from packages that are not installed
                importlib.import_module(module.name)
                path = module.name.removeprefix("torch.")
                modules += modules_below(path) if module.ispkg else [path]
    return modules


def own(path: str) -> list[str]:
    """The names that a module of PyTorch's defines, or says that it offers."""
    module = sys.modules[f"torch.{path}"]
    offered = getattr(module, "__all__", None)
    missing = []
    for name, value in vars(module).items():
        if name[:1] != "_" and is_of_pytorch(value) and not isinstance(value, types.ModuleType):
            home = getattr(value, "__module__", None)
            if name in offered if offered is not None else home == module.__name__:
                missing.append(name)
    return missing


def public(home: str) -> list[str]:
    holder = there(torch, home)
    return [name for name in dir(holder) if name[:1] != "_" and is_of_pytorch(getattr(holder, name, None))]


def says_what_to_do(error: BaseException) -> bool:
    return "Instead, " in " ".join(getattr(error, "__notes__", ()))


def here(path: str) -> Any:
    """A module of this library, or its attribute of that path; None if it is refused with a word on what to do."""
    try:
        return importlib.import_module(f"tensorglass.{path}")
    except ModuleNotFoundError:
        try:
            return there(tensorglass, path)
        except AttributeError as error:
            if says_what_to_do(error):
                return None
            raise


def mute(holder: Any, names: list[str]) -> list[str]:
    """The names that are neither there nor refused with a word on what to do instead."""
    missing = []
    for name in names:
        try:
            getattr(holder, name)
        except AttributeError as error:
            if not says_what_to_do(error):
                missing.append(name)
        except RuntimeError:
            continue  # raised as PyTorch raises it, for names that need a graph or a device
    return missing


@pytest.mark.parametrize("home", HOMES)
def test_a_name_is_here_or_its_error_says_what_to_do(home: str) -> None:
    holder: Any = there(tensorglass, home)
    if home == "Tensor":
        holder = tensorglass.ones(2)
    assert not mute(holder, public(home))


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.filterwarnings("ignore")
def test_so_is_every_name_of_the_modules_below(package: str) -> None:
    for path in modules_below(package):
        holder = here(path)
        assert (path, mute(holder, own(path)) if holder else []) == (path, [])


def test_a_module_of_pytorchs_that_is_in_another_one_here_is_found_as_an_attribute() -> None:
    assert tensorglass.distributions.normal.Normal is tensorglass.distributions.Normal
    assert tensorglass.nn.modules.utils._pair(3) == torch.nn.modules.utils._pair(3)


def test_a_misspelt_name_is_told_what_is_close_to_it() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Adm'") as caught:
        tensorglass.optim.Adm  # noqa: B018  # looked up for its error
    assert "torch.optim.Adam" in caught.value.__notes__[0]


def test_most_names_are_here() -> None:
    for home in ("nn", "nn.functional", "optim", "optim.lr_scheduler", "linalg", "fft", "special"):
        names = public(home)
        missing = [name for name in names if not hasattr(there(tensorglass, home), name)]
        assert len(missing) < len(names) / 3, (home, missing)
