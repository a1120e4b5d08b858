"""Recording what a block of code does to memory, while it runs.

The one idea: `tensorglass.memory` reports every birth and copy to the recorder, and a weak reference of its own reports
every end. So the order of events is the true one, and nothing lives a moment longer for being watched. What PyTorch
does is recorded by `pytorch`, and merged with the events of tensorglass when the block has ended.
"""

from __future__ import annotations

import sys
import weakref
from bisect import bisect_left
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from threading import get_ident
from types import FrameType
from typing import Any, NamedTuple

from glassroom.inspectors.timeline.modules import ModulePaths, module_of
from glassroom.inspectors.timeline.places import Place, user_place
from glassroom.inspectors.timeline.pools import Pool, address_in_pool, pool_of
from glassroom.inspectors.timeline.pytorch import LATE, Block, PyTorch
from glassroom.reading.adapters import declared, key_of, library_of
from glassroom.reading.nodes import grad_fn_of, gradient_of, is_leaf_with_gradient
from glassroom.reading.places import everything_at
from glassroom.reading.roles import (
    ACTIVATIONS,
    GRADIENTS,
    OTHER,
    PARAMETERS,
    Nodes,
    everything_in,
    roles_among,
    roles_in,
)
from glassroom.reading.torch_operators import is_there
from glassroom.reading.variables import is_a_users
from tensorglass import memory, transfers

MOST_POOLS = 400  # events for which the pool's state is kept


class Event(NamedTuple):
    """One thing that happened: "made", "freed", "resized", "copied" or "moved".

    `birth` is the number of the storage in the order of birth; None if the event concerns no storage. `change` is the
    change in bytes held on `device`. `pool` is the state of the device's allocator after it, if there is one, and
    `time` that of the simulated clock. `is_after` says that it came after the line at `place`, which need not have
    caused it. `operator` is the PyTorch operator that copied.
    """

    kind: str
    nbytes: int
    change: int
    device: str
    place: Place | None
    birth: int | None = None
    time: float | None = None
    pool: Pool | None = None
    transfer: transfers.Transfer | None = None
    is_after: bool = False
    operator: str = ""


class Birth(NamedTuple):
    """A storage. It has a `name`, which may be empty, if it was there before the block. `address` is where its block
    begins, if it lies in a pool; `block` is PyTorch's, of its storages.
    """

    device: str
    nbytes: int
    place: Place | None
    address: int | None
    reference: weakref.ref[Any] | None
    is_borrowed: bool
    name: str | None = None
    block: Block | None = None


@dataclass(slots=True)
class _Held:
    device: str
    nbytes: int
    birth: int
    reference: weakref.ref[Any] | None = None


_open: list[Recorder] = []  # the recorders that watch now


def stop_what_was_left(frame: FrameType | None) -> None:
    """Stop the recorders of blocks that no longer run: an interrupt may prevent a block's `__exit__`."""
    alive: set[int] = set()  # by id: holding a frame would hold its variables
    for thread, innermost in sys._current_frames().items():
        running = frame if thread == get_ident() else innermost
        while running is not None:
            alive.add(id(running))
            running = running.f_back
    del innermost
    for recorder in [opened for opened in _open if id(opened.frame) not in alive]:
        recorder.stop()


class Recorder:
    """Watches from `start` to `stop`; then `events` and `births` hold all that it saw."""

    def __init__(self, frame: FrameType) -> None:
        self.frame: FrameType | None = frame  # the frame of the watched block
        self.events: list[Event] = []
        self.births: list[Birth] = []
        self.start_time = 0.0  #: the simulated clock's
        self.last_pools: dict[str, Pool] = {}
        self.roles: dict[int, set[str]] = {}  #: by birth
        self.standing: set[int] = set()  #: the births of storages that variables referred to at the start
        self.notes: list[str] = []
        self._modules: dict[int, str] = {}  # by birth, of storages of tensorglass
        self._paths = ModulePaths()
        self._torch = PyTorch(self._paths)
        self._entered = 0  # of PyTorch's memory from before the block
        self._had_torch = is_there()
        self._noted: list[tuple[int, Event]] = []  # the events, with their moments as PyTorch's history counts them
        self._nodes = Nodes()
        self._last_born: list[weakref.ref[Any]] = []
        self._leaves: dict[int, weakref.ref[Any]] = {}
        self._backends: dict[str, Any] = {}  # of devices with pools
        self._held: dict[int, _Held] = {}
        self._watching: tuple[memory.observed | transfers.observed, ...] = ()

    def start(self, names: Mapping[Hashable, str], variables: Mapping[str, object]) -> None:
        """Begin to watch. Storages that exist already are watched for their end; `names` has their names, by key.
        `variables` are those of the block's code.
        """
        _open.append(self)
        everything = list(everything_in(variables))  # once: a program may hold a lot
        self._paths.know(everything)
        self._paths.know(everything_at((name, value) for name, value in variables.items() if not is_a_users(name)))
        roles = list(roles_among(everything))
        self._torch.start(roles)
        for storage in memory.live() if memory.figures.allocations else ():  # going through all objects takes long
            if storage.device.type == "meta":  # it has no bytes
                continue
            self._enter(storage, storage.nbytes() if storage.is_ours else 0, None, names.get(key_of(storage), ""))
        if "tensorglass.sim" in sys.modules:
            self.start_time = _time_on("sim") or 0.0
        for role, path, tensor in roles:
            held = self._held_of(tensor)
            if held is not None:
                self.standing.add(held.birth)
                self._is_for(tensor, role)
                if role == PARAMETERS:
                    self._modules.setdefault(held.birth, module_of(path))
        self._entered = len(self._torch.before)
        self._enter_before(self._torch.before)
        self._watching = memory.observed(self), transfers.observed(self._moved)
        for watcher in self._watching:
            watcher.__enter__()

    def stop(self, variables: Mapping[str, object] | None = None) -> None:
        """Stop watching. `variables` are those that the block's code has now."""
        for watcher in self._watching:
            watcher.__exit__(None, None, None)
            watcher.end(None)  # this works even if an interrupt came while watching was being set up
        self._watching = ()
        tensors = list(roles_in(variables or {}))
        self._look_at_last_born()
        for role, _, tensor in tensors:
            if library_of(tensor) == "tensorglass":
                self._is_for(tensor, role)
                self._look_behind(grad_fn_of(tensor))
        self._torch.stop((role, tensor) for role, _, tensor in tensors)
        self._enter_before(self._torch.before[self._entered :])
        self._put_between()
        self._held.clear()
        self._leaves.clear()
        self.frame = None
        if self in _open:
            _open.remove(self)
        for device, backend in self._backends.items():
            self.last_pools[device] = pool_of(backend)

    def _enter_before(self, blocks: list[Block]) -> None:
        """Note PyTorch's memory from before the block."""
        for block in blocks:
            self.standing.add(len(self.births))
            self.births.append(Birth(block.device, block.nbytes, None, None, None, False, block.path, block))

    def _put_between(self) -> None:
        """Merge PyTorch's events with those of tensorglass."""
        numbers = {id(birth.block): number for number, birth in enumerate(self.births) if birth.block is not None}
        told = []
        for moment, block in self._torch.history:
            if id(block) not in numbers:
                numbers[id(block)] = len(self.births)
                place = block.site.place
                self.births.append(Birth(block.device, block.nbytes, place, None, None, False, None, block))
                kind, change = "made", block.nbytes
            else:
                place = self._torch.sites[moment // 2 - 1].place if moment > 1 else None
                kind, change = "freed", -block.nbytes
            event = Event(kind, block.nbytes, change, block.device, place, numbers[id(block)], is_after=kind == "freed")
            told.append((moment, event))
        for moment, nbytes, site in self._torch.copies:
            told.append((moment, Event("copied", nbytes, 0, "", site.place, operator=site.operator)))
        self._torch.history, self._torch.copies = [], []
        self._noted = sorted([*self._noted, *told], key=lambda note: note[0])
        self.events = [event for _, event in self._noted]
        why_not = self._torch.why_not
        if is_there() and why_not and not (why_not == LATE and self._had_torch):
            self.notes = [why_not]

    def results(self) -> list[Any]:
        """The tensors that PyTorch's operators have returned and that are still there."""
        return [tensor for _, reference in self._torch.returned if (tensor := reference()) is not None]

    def before_the_end_of(self, error: BaseException, lines: Collection[tuple[str, int]]) -> int:
        """The number of events before an error was raised. Events after it, which free memory while the error
        propagates, belong to lines of its traceback.
        """
        number, raised = self._torch.failed
        if raised == id(error):
            at = bisect_left(self._noted, 2 * number, key=lambda note: note[0])
            while at < len(self._noted) and self._noted[at][0] == 2 * number and self._noted[at][1].kind == "made":
                at += 1
            return at
        at = len(self.events)
        while at and self.events[at - 1].kind == "freed" and (self.events[at - 1].place or ("", 0))[:2] in lines:
            at -= 1
        return at

    # --- what storages are for ---------------------------------------------------------------------------------------

    def module_of(self, birth: int) -> str:
        """The path of the module that a storage was made in, or belongs to; "" outside of modules."""
        block = self.births[birth].block
        return block.site.module if block is not None else self._modules.get(birth, "")

    def _held_of(self, tensor: Any) -> _Held | None:
        return self._held.get(id(declared(tensor).untyped_storage())) if library_of(tensor) == "tensorglass" else None

    def _is_for(self, tensor: Any, role: str) -> None:
        held = self._held_of(tensor)
        was_there = held is not None and self.births[held.birth].name is not None
        if held is not None and role != OTHER and not (was_there and role == ACTIVATIONS):
            self.roles.setdefault(held.birth, set()).add(role)

    def _look_at_last_born(self) -> None:
        """Look at the tensors on the latest storages: their graph is recorded by now."""
        born, self._last_born = self._last_born, []
        for reference in born:
            storage = reference()
            for tensor in [] if storage is None else storage.headers():
                if is_leaf_with_gradient(tensor):
                    self._leaves[id(tensor)] = weakref.ref(tensor)
                    self._is_for(tensor, PARAMETERS)
                else:
                    self._look_behind(grad_fn_of(tensor))
        for leaf in [reference() for reference in self._leaves.values()]:
            gradient = None if leaf is None else gradient_of(leaf)
            if gradient is not None:
                self._is_for(gradient, GRADIENTS)

    def _look_behind(self, node: Any) -> None:
        if node is not None:
            for tensor in self._nodes.saved_behind(node):
                self._is_for(tensor, ACTIVATIONS)

    # --- what is reported --------------------------------------------------------------------------------------------

    def born(self, storage: Any, nbytes: int) -> None:
        if storage.device.type == "meta":  # it has no bytes
            return
        self._look_at_last_born()
        self._last_born.append(weakref.ref(storage))
        device, place = str(storage.device), user_place(sys._getframe())
        number = len(self.births)
        self._modules[number] = self._paths.around(sys._getframe())
        address = address_in_pool(storage)
        if address is not None:
            self._backends[device] = storage.backend
        pool = pool_of(storage.backend) if address is not None and len(self._noted) < MOST_POOLS else None
        birth = Event("made", storage.nbytes(), nbytes, device, place, number, _time_on(device), pool)
        self._enter(storage, nbytes, place, None, birth)

    def _enter(
        self, storage: Any, nbytes: int, place: Place | None, name: str | None, event: Event | None = None
    ) -> None:
        device, address = str(storage.device), address_in_pool(storage)
        if address is not None and storage.device.type != "cpu":  # a device's pool is shown only if the block uses it
            self._backends[device] = storage.backend
        reference = weakref.ref(storage)
        birth = Birth(device, storage.nbytes(), place, address, reference, not storage.is_ours, name)
        number = len(self.births)
        self.births.append(birth)  # first: an interrupt may come at any moment, and events refer to births
        if event is not None:
            self._note(event)
        self._watch(storage, _Held(device, nbytes, number))

    def resized(self, storage: Any, nbytes: int) -> None:
        held = self._held.get(id(storage))
        if held is not None:
            change, held.nbytes = nbytes - held.nbytes, nbytes
            place = user_place(sys._getframe())
            self._note(Event("resized", nbytes, change, held.device, place, held.birth, _time_on(held.device)))

    def copied(self, nbytes: int) -> None:
        last = self._noted[-1][1] if self._noted else None
        went = None if last is None else last.transfer
        if went is None or went.storages[1] is None or went.nbytes != nbytes:  # otherwise it is a transfer's last step
            self._note(Event("copied", nbytes, 0, "", user_place(sys._getframe())))

    def _moved(self, transfer: transfers.Transfer) -> None:
        place = user_place(sys._getframe())
        time = _time_on("sim") if transfer.is_simulated else None
        self._note(Event("moved", transfer.nbytes, 0, transfer.target, place, None, time, None, transfer))

    def _watch(self, storage: Any, held: _Held) -> None:
        key = id(storage)

        def ended(_: object) -> None:
            # This may run wherever a storage is released, even inside an allocator, so it asks no allocator anything.
            self._held.pop(key, None)
            place = user_place(sys._getframe())
            time = _time_on(held.device)
            self._note(Event("freed", held.nbytes, -held.nbytes, held.device, place, held.birth, time))

        held.reference = weakref.ref(storage, ended)
        self._held[key] = held

    def _note(self, event: Event) -> None:
        self._noted.append((2 * len(self._torch.sites) + 1, event))


def _time_on(device: str) -> float | None:
    if not device.startswith("sim"):
        return None
    from tensorglass import sim  # loaded already, since a simulated device is in use

    return sim.now()
