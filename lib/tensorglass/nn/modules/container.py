"""Containers: modules, and parameters, one after another or by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, islice
from typing import Any, Self

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.nn.modules.module import Module, indented
from tensorglass.nn.parameter import Parameter
from tensorglass.tensor.tensor import Tensor

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class Container(Module):
    """Deprecated in PyTorch: derive from `Module`."""

    def __init__(self, **kwargs: Any) -> None:
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Numbered(Module):
    """Modules whose names are "0", "1", "2", …"""

    _modules: dict[str, Any]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def _names(self, idx: int | slice) -> list[str]:
        """The name of the module at an index, or the names at a slice."""
        names = list(self._modules)
        if isinstance(idx, slice):
            return names[idx]
        return [names[_place(idx, len(names))]]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._names(idx)[0], module)

    def __delitem__(self, idx: int | slice) -> None:
        for name in self._names(idx):
            delattr(self, name)
        self._modules = {str(place): module for place, module in enumerate(self._modules.values())}

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take a module out, and return it."""
        taken = self[key]  # type: ignore[index]  # the classes below define it
        del self[key]
        return taken

    def _shift_from(self, index: int, module: Any) -> None:
        for place in range(len(self._modules), index, -1):
            self._modules[str(place)] = self._modules[str(place - 1)]
        self._modules[str(index)] = module


class Sequential(_Numbered):
    """Modules called one after the other, each with the result of the one before.

    >>> net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    >>> net(torch.zeros(2, 4)).shape
    torch.Size([2, 1])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        is_named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if is_named else enumerate(args):
            self.add_module(name if is_named else str(name), module)  # type: ignore[arg-type]  # numbers are made names

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._names(idx)[0]]

    def _get_item_by_idx(self, iterator: Iterable[Any], idx: int) -> Any:
        return next(islice(iterator, _place(idx, len(self)), None))

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self, *_sequential(other))

    def __iadd__(self, other: Any) -> Self:
        return self.extend(list(_sequential(other)))

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*list(self) * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        return self.extend(list(self) * (self._times(other) - 1))

    def _times(self, other: Any) -> int:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self._modules)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        self._shift_from(index + count if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self


def _sequential(other: Any) -> Sequential:
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)!s} is given.")
    return other


def _place(idx: Any, count: int) -> int:
    idx = operator.index(idx)
    if not -count <= idx < count:
        raise IndexError(f"index {idx} is out of range")
    return idx % count


class ModuleList(_Numbered):
    """A list of modules, which belong to the module that has the list."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._get_abs_string_index(idx), module)

    def _get_abs_string_index(self, idx: int) -> str:
        return str(_place(idx, len(self)))

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        self._shift_from(index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        offset = len(self)
        for place, module in enumerate(modules, offset):
            self.add_module(str(place), module)
        return self

    def __repr__(self) -> str:
        """Adjacent modules that print alike share a line: ``(0-2): 3 x Linear(…)``."""
        blocks: list[list[Any]] = []  # the first and the last index, and the text
        for place, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = place
            else:
                blocks.append([place, place, text])
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in blocks
        ]
        inner = "".join([f"\n  {indented(line)}" for line in lines])
        return f"{self._get_name()}({inner}\n)" if inner else f"{self._get_name()}()"


class ModuleDict(Module):
    """Modules by names, which belong to the module that has the dictionary."""

    _modules: dict[str, Any]

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take a module out, and return it."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """The modules with their names."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping, or from pairs of a name and a module."""
        for key, module in _pairs(modules, "ModuleDict", "ModuleDict"):
            self[key] = module


def _pairs(given: Any, owner: str, who: str) -> Iterable[tuple[Any, Any]]:
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{who}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    if isinstance(given, (OrderedDict, ModuleDict, ParameterDict, Mapping)):
        is_sorted = owner == "ParameterDict" and not isinstance(given, (OrderedDict, ParameterDict))
        pairs: Iterable[tuple[Any, Any]] = sorted(given.items()) if is_sorted else list(given.items())
        return pairs
    result = []
    for place, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{owner} update sequence element #{place} should be Iterable; is{type(pair).__name__}")
        pair = list(pair)
        if len(pair) != 2:
            raise ValueError(f"{owner} update sequence element #{place} has length {len(pair)}; 2 is required")
        result.append((pair[0], pair[1]))
    return result


class _OfParameters(Module):
    """The base class of lists and dictionaries of parameters. Other values are kept as plain attributes."""

    def _kept(self, value: Any) -> Any:
        return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value

    def _lines(self, items: Iterable[tuple[Any, Any]]) -> str:
        return "\n".join([f"  ({name}): {self._described(value)}" for name, value in items])

    def _described(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return f"Object of type: {type(value).__name__}"
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        size = "x".join(map(str, value.size()))
        where = f" ({value.device})" if value.device.type != "cpu" else ""
        return f"{kind} containing: [{self._type_of(value)} of size {size}{where}]"

    def _type_of(self, value: Tensor) -> Any:
        return value.dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{type(self).__name__} should not be called.")


class ParameterList(_OfParameters):
    """A list of parameters, which belong to the module that has the list. Tensors in it become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[place] for place in range(*idx.indices(len(self)))])
        return getattr(self, self._get_abs_string_index(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._get_abs_string_index(idx), self._kept(param))

    def _get_abs_string_index(self, idx: int) -> str:
        return str(_place(idx, len(self)))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return self._lines(enumerate(self))


class ParameterDict(_OfParameters):
    """Parameters by names, which belong to the module that has the dictionary. Tensors in it become parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), self._kept(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A new dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of this name; if there is none, `default` is stored under it."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all parameters out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take a parameter out, and return it."""
        taken = self[key]
        del self[key]
        return taken

    def popitem(self) -> tuple[str, Any]:
        """Remove the last parameter, and return its name and the parameter."""
        key = next(reversed(self._keys)) if self._keys else self._keys.popitem()[0]  # KeyError where there is none
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of this name, or `default`."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dictionary with `default` under every name."""
        return ParameterDict([(key, default) for key in keys])

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """The parameters with their names."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters from a mapping, or from pairs of a name and a parameter."""
        for key, value in _pairs(parameters, "ParameterDict", "ParametersDict"):
            self[key] = value

    def _type_of(self, value: Tensor) -> Any:
        return torch.typename(value)

    def extra_repr(self) -> str:
        return self._lines(self.items())

    def __or__(self, other: ParameterDict) -> ParameterDict:
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self
