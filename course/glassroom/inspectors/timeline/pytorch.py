"""What PyTorch allocates and frees in a block of code: the memory events of its profiler, connected with the program's
lines.

The one idea: PyTorch's allocators report every block of memory to the profiler, scratch memory of kernels included; but
the profiler knows no variables. A dispatch mode sees every operator, with the line and the module that called it and
what the graph has saved; but it sees no scratch memory. A mark around each operator in the profiler's record puts the
two together.
"""

from __future__ import annotations

import gc
import os
import sys
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from operator import itemgetter
from threading import get_ident
from types import FrameType
from typing import Any, NamedTuple

from glassroom.inspectors.timeline.modules import ModulePaths, module_of
from glassroom.inspectors.timeline.places import Place, user_place
from glassroom.reading.adapters import library_of, without_modes, without_overrides
from glassroom.reading.guarded import is_a
from glassroom.reading.nodes import grad_fn_of
from glassroom.reading.places import attributes_of
from glassroom.reading.referrers import live_tensors
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
from glassroom.translations.templates import as_is

BUSY = "PyTorch was not watched: its profiler, which says what is allocated, was on already"
LATE = "PyTorch was not watched: it was imported in the block"
MOST_MARKS = 4096  # the operators after which the profiler's record is emptied: it takes 2 KB for each
COMPILED = "PyTorch was not watched: torch.compile was first called in the block, call it before"
#: Operators by which PyTorch's own code marks its parts, such as an optimizer's step; they touch no memory.
MARKING = frozenset({"_record_function_enter", "_record_function_enter_new", "_record_function_exit"})
ALONE = (
    "torch.compile is in use, so PyTorch's profiler alone has watched: bytes without lines, modules and copies, until "
    "torch._dynamo.reset() ends its use"
)


class Site(NamedTuple):
    """An operator that ran: its name, the program's line that called it, and the path of the module that it ran in."""

    operator: str
    place: Place | None
    module: str


@dataclass(slots=True, eq=False)
class Block:
    """Memory that PyTorch allocated. `made` and `freed` count the operators that had begun by then; `path` leads to a
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
    """The role of the memory at an address, as seen after the given number of operators had begun."""

    address: int
    seen: int
    role: str


class PyTorch:
    """Watches PyTorch, in the thread that starts it, from `start` to `stop`."""

    def __init__(self, paths: ModulePaths) -> None:
        self.sites: list[Site] = []
        self._alike: dict[Site, Site] = {}  # each of them once
        self._written = 0  # the operators that the profiler's earlier records had
        self.notes: list[_Note] = []
        self.why_not = "" if is_there() else LATE  # the reason if PyTorch is installed but not watched
        #: Allocations and ends: 2n within the nth operator, 2n + 1 between it and the next.
        self.history: list[tuple[int, Block]] = []
        self._at: dict[int, list[Block]] = {}  # by address, the blocks that notes may concern
        self.copies: list[tuple[int, int, Site]] = []  # with bytes and what copied them
        self.before: list[Block] = []
        #: The results of operators, each with the module that it was made in.
        self.returned: list[tuple[str, weakref.ref[Any]]] = []
        #: By operators that get memory which their line may have taken just before, its device and address.
        self._fresh: dict[int, list[tuple[str, int]]] = {}
        self.failed = (0, 0)  # the last operator that raised, and the id of what
        self._met: dict[int, Block] = {}  # by address, memory without a variable that may be older
        self._ends: list[weakref.ref[Any]] = []  # for what was there before
        self._gone: list[Block] = []  # what was there before, without a variable, and has ended
        self._mode = OperatorMode(self) if is_there() else None
        self._has_profiler = False
        self._is_alone = _compiles()  # then no mode and no hooks: the compiler would trace them
        self._thread = get_ident()
        self._mark = as_is(f"glassroom {next(_numbers)} operator ")  # each of several nested timelines has its own
        self._living: dict[tuple[str, int], Block] = {}
        self._begun = 0
        self._nodes = Nodes()
        self._module_of_node: dict[int, str] = {}
        self._looked = 0  # the number of results that were looked at
        self._recomputed: set[int] = set()
        self._paths = paths
        self._running: list[str] = []  # the modules that run, outermost first

    # --- on and off --------------------------------------------------------------------------------------------------

    def start(self, roles: Iterable[tuple[str, str, Any]]) -> None:
        """Begin; `roles` lists the tensors that variables lead to: role, path and tensor."""
        if self._mode is None:
            return
        import torch

        if torch.autograd._profiler_enabled() and not _recorded:
            self.why_not = BUSY
            return
        self._know(roles)
        if self._is_alone:
            self.why_not = ALONE
        else:
            self._put_on_hooks()
        self._has_profiler = True
        _hand_over()
        _recorded.append(self)
        _switch_profiler_on()
        if not self._is_alone:
            self._mode.put_on()

    def _put_on_hooks(self) -> None:
        from torch.nn.modules import module as modules
        from torch.optim import optimizer as optimizers

        modules.register_module_forward_pre_hook(self._enters)
        modules.register_module_forward_hook(self._leaves, always_call=True)
        optimizers.register_optimizer_step_post_hook(self._stepped)

    def _know(self, roles: Iterable[tuple[str, str, Any]]) -> None:
        """Note the memory that is there already, and watch for its end, which the profiler does not report."""
        known: dict[int, Block] = {}
        others: dict[int, Block] = {}
        ended = sys.modules["torch"]._dynamo.disable(self._ended) if self._is_alone else self._ended
        out_of_sight = ((OTHER, "", tensor) for tensor in live_tensors())
        for blocks, listed in ((known, roles), (others, out_of_sight)):
            for role, path, tensor in listed:
                storage = storage_of(tensor) if library_of(tensor) == "torch" else None
                address = address_of(tensor) if storage is not None else 0
                if storage is None or not address or (blocks is others and address in known):
                    continue
                if address not in blocks:
                    site = Site("", None, module_of(path) if role == PARAMETERS else "")
                    block = Block(str(storage.device), storage.nbytes(), address, 0, site, None, role, path)
                    blocks[address] = block
                    self._ends.append(weakref.ref(storage, partial(ended, block)))
                elif ROLES.index(role) < ROLES.index(blocks[address].role):
                    blocks[address].role = role
        self.before = list(known.values())

    def _ended(self, block: Block, _: object) -> None:
        if self._has_profiler:
            if not block.path:
                self._gone.append(block)
            if self._is_alone:  # no operators are marked that could order it: it gets a mark of its own
                self.sites.append(Site("", None, ""))
                with _Mark(f"{self._mark}{len(self.sites)}"):
                    pass
            block.freed = len(self.sites)
            self.history.append((2 * block.freed + 1, block))

    def stop(self, roles: Iterable[tuple[str, Any]] = ()) -> None:
        """End, and write the history. `roles` lists the tensors that variables lead to now."""
        if self._mode is None:
            return
        self._mode.take_off()
        if self._has_profiler:
            if _compiles() and not self._is_alone:
                self.why_not = COMPILED
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
            for _, block in self.history:
                if block.role == OTHER and block.freed is not None and block.path is None:
                    block.role = TEMPORARIES
            self.history.sort(key=lambda entry: entry[0])
        self._has_profiler = False
        self._ends.clear()
        self._running.clear()

    def _take_off_hooks(self) -> None:
        """Remove our hooks. They are looked up where PyTorch keeps them, since an interrupt may have lost their
        handles."""
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
        """Run an operator, and look at its arguments before it. Its results are looked at before the next one, since
        its graph is not recorded yet when it returns."""
        torch = sys.modules["torch"]
        name, is_view = _known_operators.get(operator) or _know_operator(operator)
        if name in MARKING:
            return call()
        in_backward = torch._C._current_graph_task_id() != -1
        if not in_backward and len(self.sites) - self._written >= MOST_MARKS:
            _empty_the_record()
        # What a plain backward computes belongs to no graph, and its parameters were seen in the forward.
        is_recorded = not in_backward or torch.is_grad_enabled() or bool(self._running)
        if is_recorded and name != "detach":  # by it nodes save, which have not saved all yet
            with without_overrides("torch"), without_modes("torch"):
                self._look_at_results()
                self._look_at_arguments(given, in_backward)
        elif self._recomputed:
            self._look_for_recomputed(given)
        site = self._site_of(name, in_backward)
        if is_view and self.sites and site.place == self.sites[-1].place:  # it takes no memory, so it needs no mark
            result = call()
        else:
            self.sites.append(site)
            number = len(self.sites)
            taken = _taken_before(name, given)
            if taken:
                self._fresh[number] = [(str(storage.device), storage.data_ptr()) for storage in taken]
            try:
                with _Mark(f"{self._mark}{number}"):
                    result = call()
            except BaseException as error:
                self.failed = number, id(error)  # by id: holding the error would hold the variables of its frames
                raise
            if name in COPYING:
                with without_overrides("torch"), without_modes("torch"):
                    self.copies.append((2 * number, bytes_written(result), site))
        if is_recorded:
            self.returned += [(site.module, weakref.ref(tensor)) for tensor in tensors_in((result,))]
        if in_backward:
            self._look_at_gradients(result)
        return result

    def _site_of(self, name: str, in_backward: bool) -> Site:
        module = self._running[-1] if self._running else ""
        if in_backward and not module:
            node = sys.modules["torch"]._C._current_autograd_node()
            module = "" if node is None else self._module_of_node.get(node._sequence_nr(), "")
        site = Site(name, user_place(sys._getframe(3)), module)
        return self._alike.setdefault(site, site)

    def _look_at_arguments(self, given: tuple[Any, ...], in_backward: bool) -> None:
        torch = sys.modules["torch"]
        requires_grad, is_leaf = torch.Tensor.requires_grad.__get__, torch.Tensor.is_leaf.__get__
        for tensor in tensors_in(given):
            is_recorded = requires_grad(tensor)
            if (is_recorded and not in_backward and is_leaf(tensor)) or is_a(tensor, torch.nn.Parameter):
                self._note(tensor, PARAMETERS)  # in the backward, checkpoints make more leaves
            if is_recorded:
                self._look_behind(_grad_fn(tensor))

    def _look_for_recomputed(self, given: tuple[Any, ...]) -> None:
        """Note what a checkpoint has computed again and the backward now uses."""
        for tensor in tensors_in(given):
            if address_of(tensor) in self._recomputed:
                self._note(tensor, ACTIVATIONS)

    def _look_at_gradients(self, result: Any) -> None:
        """Note what an operator in the backward returned."""
        torch = sys.modules["torch"]
        recomputes = torch.is_grad_enabled()  # a checkpoint recomputes its part of the forward
        is_gradient = type(torch._C._current_autograd_node()).__name__ == "AccumulateGrad"
        if not (is_gradient or recomputes or self._recomputed):
            return
        for tensor in tensors_in((result,)):
            if is_gradient:
                self._note(tensor, GRADIENTS)
            elif recomputes:
                self._recomputed.add(address_of(tensor))
            else:
                self._recomputed.discard(address_of(tensor))

    def _look_at_results(self) -> None:
        """Look at what operators have returned since the last look."""
        for module, reference in self.returned[self._looked :]:
            tensor = reference()
            node = None if tensor is None else _grad_fn(tensor)
            if node is not None:
                if module:
                    self._module_of_node.setdefault(node._sequence_nr(), module)
                self._look_behind(node)
        self._looked = len(self.returned)

    def _look_behind(self, node: Any) -> None:
        """Note what nodes have saved, for nodes that were not visited yet."""
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
        devices: dict[Any, str] = {}
        for mark, memory in _in_order(tree, self._mark):
            if memory is None:
                self._begun = max(self._begun, mark)
                for where in self._fresh.get(mark, ()):
                    fresh = living.get(where)
                    if fresh is not None and fresh.site == nowhere:
                        fresh.site = self.sites[mark - 1]
                continue
            begun, size, address = self._begun, memory.alloc_size, memory.ptr
            device = devices.get(memory.device) or devices.setdefault(memory.device, str(memory.device))
            if size > 0:
                site = self.sites[mark - 1] if mark else nowhere
                block = living[device, address] = Block(device, size, address, begun, site)
                self._at.setdefault(address, []).append(block)
                self.history.append((2 * begun + (not mark), block))
            elif (device, address) in living:  # otherwise it was allocated before watching began
                block = living.pop((device, address))
                block.freed = begun
                block.is_scratch = mark > 0 and block.made == begun
                self.history.append((2 * begun + (not mark), block))
        self._settle()
        self._fresh.clear()
        self._written = len(self.sites)
        self.returned, waiting = self.returned[: self._looked], self.returned[self._looked :]
        self.returned = [entry for entry in self.returned if entry[1]() is not None]
        self._looked = len(self.returned)
        self.returned += waiting

    def _settle(self) -> None:
        """Give each block its role, from the notes on its address while it lived."""
        gone = {block.address for block in self._gone}
        self.before = [block for block in self.before if block.path or block.address not in gone] + self._gone
        self._gone = []
        known = {block.address for block in self.before}
        for address, seen, role in self.notes:
            alike = self._at.get(address, [])
            at = bisect_right(alike, seen, key=lambda block: block.made) - 1
            freed = alike[at].freed if at >= 0 else -1
            if freed is None or seen <= freed:
                if ROLES.index(role) < ROLES.index(alike[at].role):
                    alike[at].role = role
            elif address not in known and address in self._met:
                self.before.append(self._met[address])
                known.add(address)
        self.notes.clear()
        self._at = {block.address: [block] for block in self._living.values()}


def _compiles() -> bool:
    """Whether the program has called `torch.compile`, since the compiler was last reset.

    PyTorch itself excludes some functions from compilation, as optimizers do: those have None for a backend.
    """
    frames = sys.modules.get("torch._dynamo.eval_frame")
    return any(map(callable, getattr(frames, "cached_backends", {}).values()))


_known_operators: dict[Any, tuple[str, bool]] = {}


def _know_operator(operator: Any) -> tuple[str, bool]:
    """The name of an operator, and whether it is one of PyTorch's that only make a view. Those that are made of others,
    such as `reshape`, may copy."""
    c = sys.modules["torch"]._C
    is_view = operator.is_view and operator.namespace == "aten" and not operator._defined_in_python
    is_view = is_view and not c._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd")
    name = operator.overloadpacket.__name__
    _known_operators[operator] = (
        name,
        is_view and name != "lift_fresh",
    )  # `torch.tensor` ends by it
    return _known_operators[operator]


def _taken_before(name: str, given: tuple[Any, ...]) -> list[Any]:
    """The storages that the line of an operator may have taken before it: for a new tensor, for a copy by `deepcopy`,
    for what a file or a pickle holds, or for a Python number, which PyTorch makes a tensor of.
    """
    if name == "lift_fresh" or (name == "copy_" and _clones_a_storage(sys._getframe(3))):
        taken = [storage_of(given[0])]
    elif name == "set_":
        taken = [storage for storage in given[1:2] if is_a(storage, sys.modules["torch"].UntypedStorage)]
    else:
        dims = sys.modules["torch"].Tensor.dim
        taken = [storage_of(tensor) for tensor in given if library_of(tensor) == "torch" and not dims(tensor)]
    return [storage for storage in taken if storage is not None and storage.device.type != "meta"]


def _clones_a_storage(frame: FrameType) -> bool:
    """Whether this is the code of PyTorch that copies a whole storage, for `deepcopy`: it takes and fills memory."""
    return frame.f_code.co_name == "clone" and frame.f_globals.get("__name__") == "torch.storage"


def _grad_fn(tensor: Any) -> Any:
    """The node that made a tensor of PyTorch: asked at every operator."""
    try:
        return sys.modules["torch"].Tensor.grad_fn.__get__(tensor)
    except RuntimeError:  # one of several views made at once has no grad_fn any more once its base was written to
        return None


def _in_order(tree: list[Any], own: str) -> Iterator[tuple[int, Any]]:
    """The profiler's operators and memory events, in the order in which they happened. Operators are known by the
    numbers after a timeline's `own` mark; each memory event has the number of its operator, 0 for none.
    """
    events: list[tuple[int, int, Any]] = []
    waiting = [(event, 0) for event in tree]
    while waiting:
        event, mark = waiting.pop()
        name = event.name
        if name == "[memory]":
            events.append((event.start_time_ns, mark, event.extra_fields))
            continue
        if name.startswith(own):
            mark = int(name[len(own) :])
            events.append((event.start_time_ns, mark, None))
        waiting += [(child, mark) for child in event.children]
    events.sort(key=itemgetter(0))
    return ((mark, memory) for _, mark, memory in events)


_recorded: list[
    PyTorch
] = []  # all timelines that the profiler records for: PyTorch has one profiler, and timelines may be nested
_numbers = count()


def _hand_over() -> None:
    """End the profiler's record, and give it to every timeline that it was made for."""
    tree = _record()
    for recorder in _recorded:
        recorder.write(tree)


def _empty_the_record() -> None:
    """Give the profiler's record to the timelines, and let it begin another. Not within a backward, at whose end
    PyTorch switches the profiler back to what it was at its beginning.
    """
    is_on = sys.modules["torch"].autograd._profiler_enabled()
    if not is_on or any(recorder._thread != get_ident() for recorder in _recorded):
        return
    was_collecting = gc.isenabled()
    try:
        gc.disable()  # what it would free between the two records would be in neither, and it takes long in `write`
        tree = _record()
        _switch_profiler_on()
        for recorder in _recorded:
            recorder.write(tree)
    finally:
        if was_collecting:
            gc.enable()


def _record() -> list[Any]:
    """End the profiler's record and return it; empty if there is none."""
    import torch

    _tell_of_operators(True)
    if not _recorded or not torch.autograd._profiler_enabled():
        return []
    tree: list[Any] = torch.autograd._disable_profiler().experimental_event_tree()
    return tree


def _switch_profiler_on() -> None:
    """Have PyTorch's profiler record memory events. On its first use, its library is set to print nothing."""
    import torch
    from torch._C import _profiler

    activities = {_profiler.ProfilerActivity.CPU}
    config = _profiler.ProfilerConfig(
        _profiler.ProfilerState.KINETO, False, True, False, False, False, _profiler._ExperimentalConfig()
    )
    is_told = "KINETO_LOG_LEVEL" in os.environ
    if not is_told:
        os.environ["KINETO_LOG_LEVEL"] = "6"  # above every level; 5 would print a line at each start and stop
    try:
        torch.autograd._prepare_profiler(config, activities)
    finally:
        if not is_told:
            os.environ.pop("KINETO_LOG_LEVEL", None)
    torch.autograd._enable_profiler(config, activities)
    _tell_of_operators(False)


class _Mark:
    """A block that appears in the profiler's record under these words. Only marks and memory are recorded: PyTorch's
    switch for the recording of operators is on just while a mark is set. Operators would make the record four times as
    long.
    """

    __slots__ = ("_mark", "_tell")

    def __init__(self, words: str) -> None:
        torch = sys.modules["torch"]
        self._mark = torch._C._profiler._RecordFunctionFast(words)
        self._tell = torch.autograd._enable_record_function

    def __enter__(self) -> None:
        self._tell(True)
        self._mark.__enter__()
        self._tell(False)

    def __exit__(self, *raised: object) -> None:
        self._mark.__exit__(*raised)


def _tell_of_operators(is_on: bool) -> None:
    """Have PyTorch report each operator of this thread to its profiler, as it does by default."""
    sys.modules["torch"].autograd._enable_record_function(is_on)
