"""Networks as plain data: module by module what it holds, and the bytes of parameters, gradients and optimizer state.

The one idea: what lies at the same bytes is one thing, however many names it has. So tied weights are counted once, and
each says what it is tied with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from glassroom.reading.adapters import (
    Description,
    declared,
    described_if_there,
    is_on_meta,
    is_uninitialized,
    library_of,
    needed_by,
    without_overrides,
)
from glassroom.reading.guarded import is_a, name_of_class
from glassroom.reading.nodes import gradient_of
from glassroom.reading.places import attributes_of, modules_in, tensors_at
from glassroom.reading.storage_names import names_of
from glassroom.records.printable import printable


@dataclass(frozen=True)
class Held:
    """A parameter or a buffer of a module. `tied` are the further names of the same bytes; `storage` is None where
    there is no memory yet; `needed` are the bytes that one on meta would need. `gradient` and `state` are bytes: those
    of its gradient, and of what optimizers keep for it.
    """

    name: str
    kind: str
    size: tuple[int, ...]
    dtype: str
    device: str
    nbytes: int
    needed: int
    storage: str | None
    tied: tuple[str, ...]
    requires_grad: bool
    gradient: int
    state: int


@dataclass(frozen=True)
class Module:
    """A module: its path, its class, how deep it lies, what it holds itself, and the bytes of all that is in it.

    `needed` are the bytes that parameters and buffers on meta would need, which are in none of the others.
    """

    path: str
    kind: str
    depth: int
    tensors: tuple[Held, ...]
    parameters: int
    buffers: int
    gradients: int
    state: int
    needed: int

    @property
    def nbytes(self) -> int:
        """All bytes together."""
        return self.parameters + self.buffers + self.gradients + self.state


@dataclass(frozen=True)
class ModelMap:
    """Networks: their modules, each before those in it, and the bytes of all.

    `elements` is the number of the parameters' elements; `needed` are the bytes of what is on meta; `further_state` are
    bytes that optimizers keep for parameters of no module here.
    """

    name: str
    modules: tuple[Module, ...]
    parameters: int
    buffers: int
    gradients: int
    state: int
    needed: int
    elements: int
    further_state: int


@dataclass
class _Tensor:
    name: str
    kind: str
    tensor: Any
    seen: Description | None
    storage: str | None = None
    size: tuple[int, ...] = ()
    dtype: str = "unknown"
    device: str = "unknown"
    needed: int = 0
    requires_grad: bool = False

    @property
    def place(self) -> object:
        """What tells two tensors apart: the bytes that they are."""
        return id(self.tensor) if self.seen is None else (self.storage, self.seen.pointer, self.seen.size)

    @property
    def nbytes(self) -> int:
        return 0 if self.seen is None else prod(self.seen.size) * self.seen.itemsize


def model_map_of(networks: Mapping[str, Any], optimizers: Iterable[Any]) -> ModelMap:
    """Describe networks by their names, with what optimizers keep for their parameters."""
    found = [each for name, network in networks.items() for each in _walk(name, network, 0, ())]
    tensors = [tensor for _, _, _, held in found for tensor in held]
    seen = [each for each in tensors if each.seen is not None]
    for each, storage in zip(seen, names_of([each.seen.memory for each in seen if each.seen]), strict=True):
        each.storage = storage
    names: dict[object, list[str]] = {}
    for each in tensors:
        names.setdefault(each.place, []).append(each.name)
    kept = _state_of(optimizers)
    modules = []
    for at, (path, module, depth, held) in enumerate(found):
        within = list(held)
        for _, _, below, further in found[at + 1 :]:
            if below <= depth:
                break
            within += further
        own = tuple([_held(each, names[each.place], kept) for each in held])
        modules.append(Module(path, name_of_class(module), depth, own, *_totals(within, kept)))
    parameters, buffers, gradients, state, needed = _totals(tensors, kept)
    once = {each.place: each for each in tensors if each.kind == "parameter"}
    known = {id(each.tensor) for each in tensors}
    return ModelMap(
        name=", ".join(networks),
        modules=tuple(modules),
        parameters=parameters,
        buffers=buffers,
        gradients=gradients,
        state=state,
        needed=needed,
        elements=sum(prod(each.size) for each in once.values() if each.seen is not None or each.needed),
        further_state=sum(nbytes for key, nbytes in kept.items() if key not in known),
    )


def _walk(
    path: str, module: Any, depth: int, above: tuple[object, ...]
) -> Iterator[tuple[str, Any, int, list[_Tensor]]]:
    attributes = attributes_of(module)
    held = []
    for kind, place in (("parameter", "_parameters"), ("buffer", "_buffers")):
        inner = attributes.get(place)
        for name, tensor in dict.items(inner) if is_a(inner, dict) else ():
            if library_of(tensor) is not None:
                held.append(_tensor(f"{path}.{printable(name)}", kind, tensor))
    yield path, module, depth, held
    for name, each in modules_in(module):
        if not any(each is other for other in (*above, module)):
            yield from _walk(f"{path}.{printable(name)}", each, depth + 1, (*above, module))


def _tensor(name: str, kind: str, tensor: Any) -> _Tensor:
    made = _Tensor(name, kind, tensor, described_if_there(tensor))
    with without_overrides(library_of(tensor) or "torch"):
        plain = declared(tensor)
        made.requires_grad = bool(plain.requires_grad)
        if made.seen is not None:
            made.size, made.dtype, made.device = made.seen.size, made.seen.dtype, made.seen.memory.device
        elif not is_uninitialized(tensor):
            made.size, made.device = tuple(plain.shape), str(plain.device)
            made.dtype = str(plain.dtype).removeprefix("torch.")
            made.needed = needed_by(tensor) if is_on_meta(tensor) else 0
    return made


def _nbytes(tensor: Any) -> int:
    seen = None if tensor is None else described_if_there(tensor)
    return 0 if seen is None else prod(seen.size) * seen.itemsize


def _state_of(optimizers: Iterable[Any]) -> dict[int, int]:
    """The bytes that optimizers keep for each parameter, by its id."""
    kept: dict[int, int] = {}
    for optimizer in optimizers:
        state = attributes_of(optimizer).get("state")
        for parameter, what in dict.items(state) if is_a(state, dict) else ():
            nbytes = sum(_nbytes(tensor) for _, tensor in tensors_at([("", what)]))
            kept[id(parameter)] = kept.get(id(parameter), 0) + nbytes
    return kept


def _held(each: _Tensor, names: list[str], kept: Mapping[int, int]) -> Held:
    return Held(
        name=each.name,
        kind=each.kind,
        size=each.size,
        dtype=each.dtype,
        device=each.device,
        nbytes=each.nbytes,
        needed=each.needed,
        storage=each.storage,
        tied=tuple([name for name in names if name != each.name]),
        requires_grad=each.requires_grad,
        gradient=_nbytes(gradient_of(each.tensor)) if each.requires_grad else 0,
        state=kept.get(id(each.tensor), 0),
    )


def _totals(tensors: Iterable[_Tensor], kept: Mapping[int, int]) -> tuple[int, int, int, int, int]:
    """Bytes of parameters, buffers, gradients, optimizer state and what meta would need; what is tied counts once."""
    once = {each.place: each for each in tensors}
    parameters = sum(each.nbytes for each in once.values() if each.kind == "parameter")
    buffers = sum(each.nbytes for each in once.values() if each.kind == "buffer")
    gradients = sum(_nbytes(gradient_of(each.tensor)) for each in once.values() if each.seen is not None)
    state = sum(kept.get(id(each.tensor), 0) for each in once.values())
    return parameters, buffers, gradients, state, sum(each.needed for each in once.values())
