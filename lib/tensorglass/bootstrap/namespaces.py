"""How names of the namespace, its modules such as `linalg`, and tensors are found; errors for those that are missing.

Python calls a module's `__getattr__` for names that are not among its globals; what it finds here becomes a global. For
a name that does not exist, the first line of the error is Python's own. A note says whether it is a misspelling or a
name of PyTorch's that is missing here (`pytorch_names.txt` lists PyTorch's), and what to write instead.

Tensors have no `__getattr__`, which would slow down every access to their fields (see `core.errors`). Methods that only
PyTorch's tensors have can be asked for, and refuse to be called; misspellings are explained by Python in a terminal
("Did you mean"), and by the course in a notebook, with `about_attribute`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorglass.core.errors import explained
from tensorglass.core.left_out import left_out
from tensorglass.core.out_of_scope import is_probed, tell_of_missing
from tensorglass.ops.declare.lazy_loading import awaited, fetch
from tensorglass.ops.declare.registry import FUNCTIONS
from tensorglass.tensor.tensor import Tensor


def answering(
    there: dict[str, Any], home: str = "", also: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of the namespace, or of its module `home`; `there` are the module's globals.

    `also` are names that it has besides operators, and gives in another way.
    """
    beginning = f"{home}." if home else ""

    def look(name: str) -> Any:
        if name == "__all__":  # for `import *`
            return [name for name in names() if not name.startswith("_")]
        path = beginning + name
        if path in FUNCTIONS or fetch(path):
            value = there[name] = FUNCTIONS[path]
            return value
        from tensorglass.core.names_alone import is_module, name_alone  # when it is needed: imports should be quick

        if is_module(path):
            return import_module(f"tensorglass.{path}")
        value = name_alone(home, name, look)
        if value is look:
            raise no_such_name(name, names(), home)
        there[name] = value
        return value

    def names() -> list[str]:
        paths = [path.removeprefix(beginning) for path in (*FUNCTIONS, *awaited()) if path.startswith(beginning)]
        return sorted({*there, *also, *[name for name in paths if "." not in name]})

    return look, names


_PYTORCH_NAMES = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")
_INNER = (
    "Tensor._indices",
    "Tensor._make_wrapper_subclass",
    "Tensor._values",
)  #: names that PyTorch does not document, and that libraries ask for
_PROPERTIES = ("grad_dtype",)  #: attributes of PyTorch's tensors that are no methods
MODULES = ("linalg", "special", "fft")
_library: ModuleType  #: the package, which imports this module


def no_such_name(name: str, there: Iterable[str], module: str = "") -> AttributeError:
    """The error for a `name` that the namespace, or a `module` of it, does not have; `there` are those it has."""
    tell_of_missing(f"{module}.{name}" if module else name)
    error = AttributeError(f"module '{'.'.join(filter(None, ('tensorglass', module)))}' has no attribute '{name}'")
    return _noted(error, name, there, module)


def about_attribute(name: str) -> list[str]:
    """What there is to say about an attribute that tensors do not have."""
    there = [attribute for attribute, value in vars(Tensor).items() if type(value) is not MissingAttribute]
    return _about(name, there, "Tensor")


class MissingAttribute:
    """An attribute that PyTorch's tensors have and ours do not: a method that refuses to be called, or an error."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._method = None if name in _PROPERTIES else left_out(f"Tensor.{name}")

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        if self._method is not None:
            return self._method
        name = self._name
        tell_of_missing(f"Tensor.{name}")
        whose = f"type object '{owner.__name__}'" if tensor is None else f"'{owner.__name__}' object"
        error = AttributeError(f"{whose} has no attribute '{name}'", name=name, obj=owner if tensor is None else tensor)
        raise explained(error, *about_attribute(name))


def _dir(tensor: Tensor) -> list[str]:
    """The attributes of a tensor, without the missing ones."""
    attributes = vars(Tensor)
    return [name for name in object.__dir__(tensor) if type(attributes.get(name)) is not MissingAttribute]


def pytorch_names() -> list[str]:
    """PyTorch's names, by path: "add", "linalg.det", "Tensor.add"."""
    with open(_PYTORCH_NAMES, encoding="utf-8") as file:
        return file.read().split()


def attach(library: ModuleType) -> None:
    """Give Tensor its missing attributes. `library` is where functions are looked for: the package itself."""
    global _library
    _library = library
    attributes: dict[str, Any] = {"__dir__": _dir}
    there = frozenset(dir(Tensor))
    for path in (*pytorch_names(), *_INNER):
        home, _, name = path.rpartition(".")
        if home == "Tensor" and name not in there:
            attributes[name] = MissingAttribute(name)
    for name, value in attributes.items():
        setattr(Tensor, name, value)


def _noted(error: AttributeError, name: str, there: Iterable[str], home: str) -> AttributeError:
    return explained(error, *_about(name, there, home))


def _about(name: str, there: Iterable[str], home: str) -> list[str]:
    from difflib import get_close_matches  # when it is needed: imports should be quick

    if name != "__future__" and is_probed(name):
        return []
    from tensorglass.core.out_of_scope import about  # as above

    path = f"{home}.{name}" if home else name
    left_out = about(path)
    if left_out is not None and (home or name == "__future__" or path in pytorch_names()):
        return [left_out]
    elsewhere = _elsewhere(name, home)
    close = get_close_matches(name, [name for name in there if not name.startswith("_")], cutoff=0.7)
    if path in pytorch_names():
        notes = [
            f"PyTorch has torch.{path}, which is left out here. Instead, compose it of what there is, or compute it "
            "with PyTorch."
        ]
        if elsewhere or close:
            notes.append(f"What is close to it here: {', '.join(elsewhere or close)}.")
        return notes
    if elsewhere:
        return [f"PyTorch has no such name either. There is {' and '.join(elsewhere)}."]
    if close:
        return [f"PyTorch has no such name either. Did you mean {' or '.join(close)}?"]
    return ["PyTorch has no such name either."]


def _elsewhere(name: str, home: str) -> list[str]:
    """Where the namespace, one of its modules or a tensor has something of this name that can be called."""
    holders = {module: getattr(_library, module) if module else _library for module in ("", "Tensor", *MODULES)}
    return [
        f"torch.{module}.{name}" if module else f"torch.{name}"
        for module, holder in holders.items()
        if module != home and _has(holder, name)
    ]


def _has(holder: Any, name: str) -> bool:
    """Whether a namespace or class has a function of this name. Missing names are not looked up."""
    is_there = name in dir(holder) and type(vars(holder).get(name)) is not MissingAttribute
    return is_there and callable(getattr(holder, name))
