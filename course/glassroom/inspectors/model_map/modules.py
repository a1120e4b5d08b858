"""Networks as plain data: what each module holds, and the bytes of parameters, gradients and optimizer state.

The one idea: tensors at the same bytes are one thing, however many names they have. So tied weights are counted once,
and each lists what it is tied to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
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
    without_modes,
    without_overrides,
)
from glassroom.reading.guarded import attempted, is_a, name_of_class
from glassroom.reading.nodes import gradient_of
from glassroom.reading.parts import descriptions_of
from glassroom.reading.places import attributes_of, modules_in, tensors_at
from glassroom.reading.storage_names import names_of
from glassroom.records.printable import printable


@dataclass(frozen=True)
class Held:
    """A parameter or a buffer of a module. `tied` are other names of the same bytes; `storage` is None if it has no
    memory yet; `needed` is the number of bytes that it would take if it is on meta. `gradient` and `state` are the
    bytes of its gradient and of its optimizer state. `is_left_out` says that it has no gradient, though it requires one
    and others here have theirs.
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
    is_left_out: bool = False


@dataclass(frozen=True)
class Module:
    """A module: its path, its class, its depth, the parameters and buffers that it holds directly, and the bytes of
    everything in it.

    `needed` is the number of bytes that parameters and buffers on meta would take; no other figure includes them.
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
    is_left_out: bool = False  # none of its parameters has a gradient, though others of the network have

    @property
    def nbytes(self) -> int:
        """All bytes together."""
        return self.parameters + self.buffers + self.gradients + self.state


@dataclass(frozen=True)
class ModelMap:
    """Networks: their modules, each before its submodules, and the total bytes.

    `elements` is the number of the parameters' elements; `needed` is the number of bytes that tensors on meta would
    take; `further_state` is that of optimizer state for parameters of no module here.
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
    seen: list[Description]  # the tensor itself, or its parts
    gradient: Any = None
    storage: str | None = None
    size: tuple[int, ...] = ()
    dtype: str = "unknown"
    device: str = "unknown"
    needed: int = 0
    requires_grad: bool = False

    @property
    def place(self) -> object:
        """The key that distinguishes tensors: the bytes that they occupy."""
        return tuple(
            (description.memory.identity, description.pointer, description.size) for description in self.seen
        ) or id(self.tensor)

    @property
    def nbytes(self) -> int:
        return _reached(self.seen)


def model_map_of(networks: Mapping[str, Any], optimizers: Iterable[Any]) -> ModelMap:
    """Describe networks by their names, with the optimizer state of their parameters."""
    walked = [visit for name, network in networks.items() for visit in _walk(name, network, 0, ())]
    tensors = [tensor for _, _, _, held in walked for tensor in held]
    storages = iter(names_of([seen.memory for tensor in tensors for seen in tensor.seen]))
    for tensor in tensors:
        tensor.storage = ", ".join(dict.fromkeys(islice(storages, len(tensor.seen)))) or None
    names: dict[object, list[str]] = {}
    for tensor in tensors:
        names.setdefault(tensor.place, []).append(tensor.name)
    kept = _state_of(optimizers)
    has_gradients = any(tensor.gradient is not None for tensor in tensors)
    modules = []
    for at, (path, module, depth, held) in enumerate(walked):
        within = list(held)
        for _, _, below, further in walked[at + 1 :]:
            if below <= depth:
                break
            within += further
        own = tuple([_held(tensor, names[tensor.place], kept, has_gradients) for tensor in held])
        wanting = [tensor for tensor in within if tensor.kind == "parameter" and tensor.requires_grad]
        is_left_out = has_gradients and bool(wanting) and all(tensor.gradient is None for tensor in wanting)
        modules.append(Module(path, name_of_class(module), depth, own, *_totals(within, kept), is_left_out))
    parameters, buffers, gradients, state, needed = _totals(tensors, kept)
    once = {tensor.place: tensor for tensor in tensors if tensor.kind == "parameter"}
    known = {id(tensor.tensor) for tensor in tensors}
    return ModelMap(
        name=", ".join(networks),
        modules=tuple(modules),
        parameters=parameters,
        buffers=buffers,
        gradients=gradients,
        state=state,
        needed=needed,
        elements=sum(prod(tensor.size) for tensor in once.values() if tensor.seen or tensor.needed),
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
    for name, child in modules_in(module):
        if not any(child is other for other in (*above, module)):
            yield from _walk(f"{path}.{printable(name)}", child, depth + 1, (*above, module))


def _tensor(name: str, kind: str, tensor: Any) -> _Tensor:
    record = _Tensor(name, kind, tensor, descriptions_of(tensor), gradient_of(tensor))
    library = library_of(tensor) or "torch"
    with without_overrides(library), without_modes(library):
        plain = declared(tensor)
        record.requires_grad = bool(plain.requires_grad)
        if not is_uninitialized(tensor):
            record.size = attempted(lambda: tuple(plain.shape), ())  # a nested one has no shape
            record.device = str(plain.device)
            record.dtype = str(plain.dtype).removeprefix("torch.")
            record.needed = needed_by(tensor) if is_on_meta(tensor) else 0
    return record


def _nbytes(tensor: Any) -> int:
    return 0 if tensor is None else _reached(descriptions_of(tensor))


def _reached(seen: Iterable[Description]) -> int:
    return sum(prod(description.size) * description.itemsize for description in seen)


def _state_of(optimizers: Iterable[Any]) -> dict[int, int]:
    """The bytes that optimizers keep for each parameter, by its id."""
    kept: dict[int, int] = {}
    for optimizer in optimizers:
        state = attributes_of(optimizer).get("state")
        for parameter, what in dict.items(state) if is_a(state, dict) else ():
            tensors = (described_if_there(tensor) for _, tensor in tensors_at([("", what)]))  # and all parts of them
            nbytes = _reached(tensor for tensor in tensors if tensor is not None)
            kept[id(parameter)] = kept.get(id(parameter), 0) + nbytes
    return kept


def _held(tensor: _Tensor, names: list[str], kept: Mapping[int, int], has_gradients: bool) -> Held:
    gradient = tensor.gradient if tensor.requires_grad else None
    return Held(
        name=tensor.name,
        kind=tensor.kind,
        size=tensor.size,
        dtype=tensor.dtype,
        device=tensor.device,
        nbytes=tensor.nbytes,
        needed=tensor.needed,
        storage=tensor.storage,
        tied=tuple([name for name in names if name != tensor.name]),
        requires_grad=tensor.requires_grad,
        gradient=_nbytes(gradient),
        state=kept.get(id(tensor.tensor), 0),
        is_left_out=has_gradients and tensor.kind == "parameter" and tensor.requires_grad and gradient is None,
    )


def _totals(tensors: Iterable[_Tensor], kept: Mapping[int, int]) -> tuple[int, int, int, int, int]:
    """Bytes of parameters, buffers, gradients and optimizer state, and those that tensors on meta would take; tied
    tensors count once."""
    once = {tensor.place: tensor for tensor in tensors}
    parameters = sum(tensor.nbytes for tensor in once.values() if tensor.kind == "parameter")
    buffers = sum(tensor.nbytes for tensor in once.values() if tensor.kind == "buffer")
    gradients = sum(_nbytes(tensor.gradient) for tensor in once.values() if tensor.seen)
    state = sum(kept.get(id(tensor.tensor), 0) for tensor in once.values())
    return parameters, buffers, gradients, state, sum(tensor.needed for tensor in once.values())
