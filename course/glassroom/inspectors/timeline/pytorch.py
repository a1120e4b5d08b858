"""What PyTorch allocates and frees in a block of code: its profiler's memory events, told in the words of the program.

The one idea: PyTorch's allocators tell the profiler of every block of memory, kernels' scratch memory included; but the
profiler knows no variables. A dispatch mode sees every operator, with the line and the module that called it and what
the graph has saved; but it sees no scratch memory. A mark around each operator in the profiler's record puts the two
together.
"""

from __future__ import annotations

import os
import sys
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from itertools import count
from threading import get_ident
from typing import Any, NamedTuple

from glassroom.inspectors.timeline.modules import ModulePaths, module_of
from glassroom.inspectors.timeline.places import Place, user_place
from glassroom.reading.adapters import library_of, without_overrides
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import grad_fn_of
from glassroom.reading.places import attributes_of
from glassroom.reading.roles import (
    ACTIVATIONS,
    GRADIENTS,
    OTHER,
    PARAMETERS,
    ROLES,
    STATE,
    TEMPORARIES,
    Nodes,
    tensors_of_module,
)
from glassroom.reading.torch_operators import (
    COPYING,
    OperatorMode,
    address_of,
    bytes_written,
    is_there,
    storage_of,
    tensors_in,
)

BUSY = "PyTorch was not watched: its profiler, which says what is allocated, was on already"
LATE = "PyTorch was not watched: it was imported in the block"


class Site(NamedTuple):
    """An operator that ran: its name, the line of the program that called it, and the path of the module it ran in."""

    operator: str
    place: Place | None
    module: str


@dataclass
class Block:
    """Memory that PyTorch allocated. `made` and `freed` say how many operators had begun by then; `path` is that of a
    tensor on it, if it was there before. Scratch memory is what an operator frees before it returns.
    """

    device: str
    nbytes: int
    address: int
    made: int
    site: Site
    freed: int | None = None
    role: str = OTHER
    path: str | None = None
    is_scratch: bool = False


class _Note(NamedTuple):
    """What the memory at an address is for, as seen when so many operators had begun."""

    address: int
    seen: int
    role: str


class PyTorch:
    """Watches PyTorch, in the thread that starts it, from `start` to `stop`."""

    def __init__(self, paths: ModulePaths) -> None:
        self.sites: list[Site] = []
        self.notes: list[_Note] = []
        self.why_not = "" if is_there() else LATE  # why nothing was watched, if PyTorch is there
        #: Allocations and ends: 2n within the nth operator, 2n + 1 between it and the next.
        self.history: list[tuple[int, Block]] = []
        self.copies: list[tuple[int, int, Site]] = []  # with bytes and what copied them
        self.before: list[Block] = []
        self._met: dict[int, Block] = {}  # by address, memory that no variable refers to, in case it was there before
        self._ends: list[weakref.ref[Any]] = []  # for what was there before
        self._mode = OperatorMode(self) if is_there() else None
        self._has_profiler = False
        self._thread = get_ident()
        self._mark = f"glassroom {next(_numbers)} operator "  # each of several nested timelines has its own
        self._living: dict[tuple[str, int], Block] = {}
        self._begun = 0
        self._nodes = Nodes()
        self._module_of_node: dict[int, str] = {}
        self._results: list[tuple[int, weakref.ref[Any]]] = []  # results of the last operator
        self._recomputed: set[int] = set()
        self._paths = paths
        self._running: list[str] = []  # the modules that run, outermost first

    # --- on and off --------------------------------------------------------------------------------------------------

    def start(self, roles: Iterable[tuple[str, str, Any]]) -> None:
        """Begin; `roles` are those of the tensors that variables lead to: role, path and tensor."""
        if self._mode is None:
            return
        import torch

        if torch.autograd._profiler_enabled() and not _recorded:
            self.why_not = BUSY
            return
        self._know(roles)
        from torch.nn.modules import module as modules
        from torch.optim import optimizer as optimizers

        modules.register_module_forward_pre_hook(self._enters)
        modules.register_module_forward_hook(self._leaves, always_call=True)
        optimizers.register_optimizer_step_post_hook(self._stepped)
        self._has_profiler = True
        _hand_over()
        _recorded.append(self)
        _switch_profiler_on()
        self._mode.put_on()

    def _know(self, roles: Iterable[tuple[str, str, Any]]) -> None:
        """Note the memory that is there, and watch for its end, of which the profiler says nothing."""
        known: dict[int, Block] = {}
        for role, path, tensor in roles:
            storage = storage_of(tensor) if library_of(tensor) == "torch" else None
            address = address_of(tensor) if storage is not None else 0
            if storage is None or not address:
                continue
            if address not in known:
                site = Site("", None, module_of(path) if role == PARAMETERS else "")
                block = Block(str(storage.device), storage.nbytes(), address, 0, site, None, role, path)
                known[address] = block
                self._ends.append(weakref.ref(storage, partial(self._ended, block)))
            elif ROLES.index(role) < ROLES.index(known[address].role):
                known[address].role = role
        self.before = list(known.values())

    def _ended(self, block: Block, _: object) -> None:
        if self._has_profiler:
            block.freed = len(self.sites)
            self.history.append((2 * block.freed + 1, block))

    def stop(self, roles: Iterable[tuple[str, Any]] = ()) -> None:
        """End, and write the history. `roles` are those of the tensors that variables lead to now."""
        if self._mode is None:
            return
        self._mode.take_off()
        if self._has_profiler:
            self._look_at_results()
            for role, tensor in roles:
                if library_of(tensor) == "torch":
                    self._note(tensor, role)
                    self._look_behind(grad_fn_of(tensor))
        self._take_off_hooks()
        if self._has_profiler:
            _hand_over()
            if self in _recorded:
                _recorded.remove(self)
            if _recorded:  # those around this one
                _switch_profiler_on()
            self._settle()
            self.history.sort(key=lambda each: each[0])
        self._has_profiler = False
        self._ends.clear()
        self._running.clear()
        self._results.clear()

    def _take_off_hooks(self) -> None:
        """Take off our hooks. They are found where PyTorch keeps them, as an interrupt may have kept their handles."""
        from torch.nn.modules import module as modules
        from torch.optim import optimizer as optimizers

        ours = (self._enters, self._leaves, self._stepped)
        always_called = modules._global_forward_hooks_always_called
        for table in (
            modules._global_forward_pre_hooks,
            modules._global_forward_hooks,
            optimizers._global_optimizer_post_hooks,
        ):
            for number in [number for number, hook in table.items() if hook in ours]:
                always_called.pop(number, None)
                del table[number]

    # --- what is seen ------------------------------------------------------------------------------------------------

    def run(self, operator: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Run an operator between a look at what it is given and one at what it returns."""
        with without_overrides("torch"):
            if operator.overloadpacket.__name__ != "detach":  # by it nodes save, which have not saved all yet
                self._look_at_results()
                self._look_at_arguments(given)
            self.sites.append(self._site_of(operator))
        number = len(self.sites)
        with _marked(f"{self._mark}{number}"):
            result = call()
        with without_overrides("torch"):
            self._look_at(result)
            if self.sites[number - 1].operator in COPYING:
                self.copies.append((2 * number, bytes_written(result), self.sites[number - 1]))
        return result

    def _site_of(self, operator: Any) -> Site:
        node = sys.modules["torch"]._C._current_autograd_node()
        number = -1 if node is None else node._sequence_nr()
        module = self._running[-1] if self._running else self._module_of_node.get(number, "")
        return Site(operator.overloadpacket.__name__, user_place(sys._getframe(3)), module)

    def _look_at_arguments(self, given: tuple[Any, ...]) -> None:
        torch = sys.modules["torch"]
        in_backward = torch._C._current_graph_task_id() != -1
        for tensor in tensors_in(given):
            is_leaf = not in_backward and _is_leaf(tensor)  # there checkpoints make more
            if is_leaf or is_a(tensor, torch.nn.Parameter):
                self._note(tensor, PARAMETERS)
            elif in_backward and not torch.is_grad_enabled() and address_of(tensor) in self._recomputed:
                self._note(tensor, ACTIVATIONS)
            self._look_behind(_grad_fn(tensor))

    def _look_at(self, result: Any) -> None:
        """What an operator returned: its graph is not recorded yet, so it is looked at again before the next one."""
        torch = sys.modules["torch"]
        node = torch._C._current_autograd_node()
        in_backward = torch._C._current_graph_task_id() != -1
        for tensor in tensors_in((result,)):
            self._results.append((len(self.sites) - 1, weakref.ref(tensor)))
            if type(node).__name__ == "AccumulateGrad":
                self._note(tensor, GRADIENTS)
            elif in_backward and torch.is_grad_enabled():  # a checkpoint runs its part of the forward again
                self._recomputed.add(address_of(tensor))
            else:
                self._recomputed.discard(address_of(tensor))

    def _look_at_results(self) -> None:
        results, self._results = self._results, []
        for number, reference in results:
            tensor = reference()
            node = None if tensor is None else _grad_fn(tensor)
            if node is not None:
                self._module_of_node.setdefault(node._sequence_nr(), self.sites[number].module)
                self._look_behind(node)

    def _look_behind(self, node: Any) -> None:
        """Note what nodes have saved that were not looked at yet."""
        if node is not None:
            for tensor in self._nodes.saved_behind(node):
                self._note(tensor, ACTIVATIONS)

    def _note(self, tensor: Any, role: str) -> None:
        if role == OTHER:
            return
        address, seen = address_of(tensor), len(self.sites)
        self.notes.append(_Note(address, seen, role))
        if role != ACTIVATIONS and address and address not in self._met:
            storage = storage_of(tensor)
            module = self._running[-1] if self._running and role == PARAMETERS else ""
            site = Site("", None, module)
            self._met[address] = Block(str(storage.device), storage.nbytes(), address, 0, site, None, role, "")

    # --- modules and optimizers --------------------------------------------------------------------------------------

    def _enters(self, module: Any, given: object) -> None:
        if get_ident() != self._thread:
            return
        self._running.append(self._paths.path_of(module))
        if len(self._running) == 1:
            for tensor in tensors_of_module(module):
                self._note(tensor, PARAMETERS)

    def _leaves(self, module: Any, given: object, result: object) -> None:
        if get_ident() == self._thread and self._running:
            self._running.pop()

    def _stepped(self, optimizer: Any, given: object, named: object) -> None:
        if get_ident() == self._thread:
            state = attributes_of(optimizer).get("state")
            for kept in dict.values(state) if is_a(state, dict) else ():
                for tensor in tensors_in(tuple(dict.values(kept)) if is_a(kept, dict) else ()):
                    self._note(tensor, STATE)

    # --- the profiler's record ---------------------------------------------------------------------------------------

    def write(self, tree: list[Any]) -> None:
        """Write what the profiler has recorded into the history."""
        living, nowhere = self._living, Site("", None, "")
        for mark, memory in _in_order(tree, self._mark):
            if memory is None:
                self._begun = max(self._begun, mark)
                continue
            begun, device, size = self._begun, str(memory.device), memory.alloc_size
            if size > 0:
                site = self.sites[mark - 1] if mark else nowhere
                block = Block(device, size, memory.ptr, begun, site)
                living[device, memory.ptr] = block
                self.history.append((2 * begun + (not mark), block))
            elif (device, memory.ptr) in living:  # else it was allocated before anybody watched
                block = living.pop((device, memory.ptr))
                block.freed = begun
                block.is_scratch = mark > 0 and block.made == begun
                self.history.append((2 * begun + (not mark), block))

    def _settle(self) -> None:
        """Give each block its role: that of the notes on its address while it lived."""
        blocks: dict[int, list[Block]] = {}
        for _, block in self.history:
            if block.path is None and not any(block is each for each in blocks.get(block.address, ())[-1:]):
                blocks.setdefault(block.address, []).append(block)
        found: dict[int, set[str]] = {}
        known = {block.address for block in self.before}
        for address, seen, role in self.notes:
            alike = blocks.get(address, [])
            at = bisect_right(alike, seen, key=lambda block: block.made) - 1
            freed = alike[at].freed if at >= 0 else -1
            if freed is None or seen <= freed:
                found.setdefault(id(alike[at]), set()).add(role)
            elif address not in known and address in self._met:
                self.before.append(self._met[address])
                known.add(address)
        for _, block in self.history:
            if block.path is not None:
                continue
            roles = found.get(id(block), set())
            plain = OTHER if block.freed is None else TEMPORARIES
            block.role = next((role for role in ROLES if role in roles), plain)


def _is_leaf(tensor: Any) -> bool:
    """Whether a tensor of PyTorch collects a gradient: asked at every operator, past what its class has instead."""
    kind = sys.modules["torch"].Tensor
    return bool(kind.requires_grad.__get__(tensor) and kind.is_leaf.__get__(tensor))


def _grad_fn(tensor: Any) -> Any:
    """The node that made a tensor of PyTorch: asked at every operator."""
    try:
        return sys.modules["torch"].Tensor.grad_fn.__get__(tensor)
    except RuntimeError:  # one of several views whose base was written to says no more what made it
        return None


def _in_order(tree: list[Any], own: str) -> Iterator[tuple[int, Any]]:
    """The operators of the profiler's tree, by the numbers after a timeline's `own` mark, and the memory events, each
    with the number of the operator that it belongs to, 0 for none; in the order in which they happened.
    """
    found: list[tuple[int, int, Any]] = []
    waiting = [(event, 0) for event in tree]
    while waiting:
        event, mark = waiting.pop()
        if event.name.startswith(own):
            mark = int(event.name.removeprefix(own))
            found.append((event.start_time_ns, mark, None))
        elif event.name == "[memory]":
            found.append((event.start_time_ns, mark, event.extra_fields))
        waiting += [(each, mark) for each in event.children]
    found.sort(key=lambda each: each[0])
    return ((mark, memory) for _, mark, memory in found)


_recorded: list[
    PyTorch
] = []  # all that the profiler records for: PyTorch has one profiler, and timelines may be nested
_numbers = count()


def _hand_over() -> None:
    """End the profiler's record, and give it to all that it was made for."""
    import torch

    if _recorded and torch.autograd._profiler_enabled():
        tree = torch.autograd._disable_profiler().experimental_event_tree()
        for each in _recorded:
            each.write(tree)


def _switch_profiler_on() -> None:
    """Have PyTorch's profiler record memory events. When it is first used its library is told to print nothing."""
    import torch
    from torch._C import _profiler

    activities = {_profiler.ProfilerActivity.CPU}
    config = _profiler.ProfilerConfig(
        _profiler.ProfilerState.KINETO, False, True, False, False, False, _profiler._ExperimentalConfig()
    )
    is_told = "KINETO_LOG_LEVEL" in os.environ
    if not is_told:
        os.environ["KINETO_LOG_LEVEL"] = "6"  # above all that there is; 5 would print a line at each start and stop
    try:
        torch.autograd._prepare_profiler(config, activities)
    finally:
        if not is_told:
            os.environ.pop("KINETO_LOG_LEVEL", None)
    torch.autograd._enable_profiler(config, activities)


def _marked(words: str) -> AbstractContextManager[object]:
    """A block that stands in the profiler's record under these words."""
    block: AbstractContextManager[object] = sys.modules["torch"]._C._profiler._RecordFunctionFast(words)
    return block
