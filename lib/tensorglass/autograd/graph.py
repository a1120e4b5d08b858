"""`torch.autograd.graph`: hooks on saved tensors, edges, and hooks on several gradients.

What operators keep for their derivatives can be packed (moved, compressed, dropped and recomputed), as long as
unpacking returns an equal tensor.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tensorglass.autograd import engine
from tensorglass.core.contexts import Context, setting
from tensorglass.core.errors import explained
from tensorglass.graph import saved_tensor as saved
from tensorglass.graph.accumulate_grad import gradient_edge
from tensorglass.graph.node import NOWHERE, Node
from tensorglass.tensor.autograd_meta import requires_grad
from tensorglass.tensor.grad_mode import watched
from tensorglass.tensor.hooks import RemovableHandle
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class saved_tensors_hooks(Context):
    """Within it, operators keep ``pack_hook(tensor)`` for their derivatives, which read it by ``unpack_hook``."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def before(self) -> tuple[object, Any]:
        if saved.hooks.disabled is not None:
            raise RuntimeError(saved.hooks.disabled)
        return object(), saved.hooks.stack

    def begin(self, note: tuple[object, Any]) -> Any:
        block, outer = note
        watched.saved_tensors_hooks.add(block)
        saved.hooks.stack = (*outer, (self.pack_hook, self.unpack_hook, block))

    def end(self, note: tuple[object, Any]) -> None:
        block, saved.hooks.stack = note
        watched.saved_tensors_hooks.discard(block)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Within it, what operators keep may be overwritten before the backward, which sees what was there before.

    PyTorch copies a tensor when it is overwritten; here each kept tensor is copied immediately.
    """

    def __init__(self) -> None:
        super().__init__(lambda tensor: tensor.detach().clone(), lambda kept: kept)


class save_on_cpu(saved_tensors_hooks):
    """Within it, what operators keep is copied to the CPU, and back to its device when it is read."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> tuple[Any, Tensor]:
            return tensor.device, tensor.detach().cpu()  # detached: an output must not hold the node that keeps it

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, copy = packed
            there: Tensor = copy.to(device)
            return there

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(setting):
    """Within it, `saved_tensors_hooks` raises a RuntimeError with this message."""

    def __init__(self, error_message: str) -> None:
        super().__init__(saved.hooks, disabled=error_message)
        self._message = error_message

    def before(self) -> dict[str, Any]:
        if saved.hooks.stack:
            raise RuntimeError(self._message)
        return super().before()


class GradientEdge(NamedTuple):
    """Output number `output_nr` of `node` in the graph. `backward` and `grad` accept it in place of a tensor."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge at which gradients of `tensor` arrive; it keeps the graph alive, but not the tensor."""
    node, nr = gradient_edge(tensor) if tensor.requires_grad else NOWHERE
    if node is None:
        raise explained(
            RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients"),
            "Ask for gradients before the computation: x.requires_grad_().",
        )
    return GradientEdge(node.named(), nr)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write that the library did not see."""
    tensors: Iterable[Tensor] = (tensor,) if isinstance(tensor, Tensor) else tensor
    for written in tensors:
        written._written()


class _MultiHandle(RemovableHandle):
    """The handle of several hooks, removed together."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call `fn` once in each backward pass for several tensors.

    With mode "all", `fn` gets the list of their gradients once the last one that this pass reaches has arrived, with
    None for tensors that it does not reach. With "any", it gets the first gradient that arrives.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of {('all', 'any')} but got {mode}")
    return _MultiHandle(_hooked_all(tensors, fn) if mode == "all" else _hooked_any(tensors, fn))


def _hooked_all(tensors: Sequence[Tensor], fn: Callable[[Any], Any]) -> list[RemovableHandle]:
    # Keyed by backward pass: backward may run in several threads, or within a hook.
    arrived: weakref.WeakKeyDictionary[engine.Run, list[Tensor | None]] = weakref.WeakKeyDictionary()
    counts: weakref.WeakKeyDictionary[engine.Run, int] = weakref.WeakKeyDictionary()
    nodes = [gradient_edge(tensor)[0] for tensor in tensors]
    if any(node is None for node in nodes):
        raise explained(
            AssertionError("Expected gradient function to be set"), "One of the tensors does not require a gradient."
        )

    def collector(place: int) -> Callable[[Tensor], None]:
        def collect(gradient: Tensor) -> None:
            walk = engine.current.walk
            gradients = arrived.setdefault(walk, [None] * len(nodes))
            gradients[place] = gradient
            counts[walk] = counts.get(walk, 0) + 1
            if counts[walk] == sum(walk.reaches(node) for node in nodes):
                del arrived[walk], counts[walk]
                fn(gradients)

        return collect

    return [tensor.register_hook(collector(place)) for place, tensor in enumerate(tensors)]


def _hooked_any(tensors: Sequence[Tensor], fn: Callable[[Any], Any]) -> list[RemovableHandle]:
    called: weakref.WeakSet[Any] = weakref.WeakSet()  # the backward passes that have called `fn`

    def first(gradient: Tensor) -> None:
        walk = engine.current.walk
        if walk not in called:
            called.add(walk)
            fn(gradient)

    return [tensor.register_hook(first) for tensor in tensors if requires_grad(tensor)]
