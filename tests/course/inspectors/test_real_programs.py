"""Inspecting a real PyTorch program computes nothing, raises nothing, finds what is held, and reports its limits."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import MagicMock, Mock

import numpy
import pytest

from glassroom import aliases, device_map, graph, holders, memory_timeline, show, watch
from glassroom.inspectors.watch import accounts
from glassroom.inspectors.watch.watched_names import MOST_TENSORS

torch = pytest.importorskip("torch", reason="these are programs of PyTorch's")

# --- looking computes nothing ----------------------------------------------------------------------------------------


def test_a_checkpoint_is_not_computed_again_for_being_looked_at() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU())
    x = torch.ones(3, 4, requires_grad=True)
    loss = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=False).sum()
    seen, grouped = graph(loss).text, aliases(loss, x).text
    assert net[1].num_batches_tracked == 1
    assert "AddmmBackward0 · net.0 · saved mat1 = packed by a hook, not looked at" in seen
    assert "saved by" not in grouped
    loss.backward()
    assert net[1].num_batches_tracked == 2


def test_no_unpack_hook_is_called_and_what_was_packed_is_reported() -> None:
    calls: list[Any] = []

    def unpack(packed: Any) -> Any:
        calls.append(packed)
        return packed[0]

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2

    w = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: (tensor.double(),), unpack):
        loss = Twice.apply(w.exp())[torch.tensor([0, 1])].sum()
    assert "packed by a hook" in graph(loss).text
    assert "packed for ExpBackward0.result" in aliases(loss).text
    assert calls == []


def test_no_override_of_a_class_or_a_mode_sees_a_look() -> None:
    calls: list[str] = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(func))
            return super().__torch_function__(func, types, args, kwargs or {})

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(func))
            return func(*args, **(kwargs or {}))

    own = torch.ones(3).as_subclass(Own).requires_grad_()
    loss = (own * 2).sum()
    calls.clear()
    with Mode():
        texts = [aliases(own, loss).text, graph(loss).text, show(own).text]
    assert calls == []
    assert all("own" in text for text in texts)


# --- looking raises nothing ------------------------------------------------------------------------------------------


class Raising:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class Pretending:
    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")


class Unreadable(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("no items")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Endless(list[Any]):
    def __iter__(self) -> Any:
        raise RuntimeError("no items")

    def __getitem__(self, place: Any) -> Any:
        raise RuntimeError("no items")


class Overriding(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError("not even a look")


def a_fake() -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.ones(3)


def without_storage() -> Any:
    gone = torch.ones(3)
    gone.untyped_storage().resize_(0)
    return gone


ODD = {
    "lazy": lambda: torch.nn.LazyLinear(3),
    "mock": Mock,
    "magic": MagicMock,
    "like a tensor": lambda: Mock(spec=torch.Tensor),
    "raising": Raising,
    "pretending": Pretending,
    "unreadable": lambda: Unreadable(a=torch.ones(2)),
    "endless": lambda: Endless([torch.ones(2)]),
    "overriding": lambda: torch.ones(2).as_subclass(Overriding),
    "fake": a_fake,
    "meta": lambda: torch.ones(2, device="meta"),
    "sparse": lambda: torch.eye(2).to_sparse(),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
    "without storage": without_storage,
    "inference": lambda: torch.inference_mode()(torch.ones)(2),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("odd", ODD)
def test_no_look_raises_for_what_variables_hold(odd: str) -> None:
    value = ODD[odd]()
    w = torch.ones(2, requires_grad=True)
    loss = (w * 2).sum()

    def program() -> None:
        held = value
        other = [held, w]
        del held, other

    assert "w" in graph(loss).text
    assert aliases().data.tensors >= 2
    assert "other" in watch(program).text
    assert memory_timeline(program).text


def test_what_has_no_memory_is_said_to_have_none() -> None:
    fake, meta = a_fake(), torch.ones(2, device="meta")

    def program() -> None:
        held = [fake, meta]
        del held

    assert "no memory to look at: fake (FakeTensor), meta (Tensor), held[0] (FakeTensor)" in watch(program).text
    with pytest.raises(TypeError, match="without memory"):
        show(fake)
    w = torch.ones(2, device="meta", requires_grad=True)
    y = w.exp()
    assert "saved result = a Tensor without memory to look at" in graph(y).text


def test_what_has_no_memory_hides_nothing_that_has_some() -> None:
    net = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.Linear(2, 1))
    meta = torch.ones(3, device="meta")
    optimizer = torch.optim.SGD(net[1].parameters())  # which has no tensors yet
    for look in (show, device_map):
        seen = look(net, meta, optimizer)
        assert "net.1.weight" in seen.text
        for said in (seen.text, " ".join(re.findall(r">([^<]+)<", seen.svg))):
            assert "no memory to look at: net.0.weight (UninitializedParameter)" in said
            assert "meta (Tensor on meta: no data, 12 bytes needed)" in said
        with pytest.raises(TypeError, match="meta tensor"):
            look(meta)
    assert show(optimizer).text == "no tensors"


@pytest.mark.parametrize(
    "dtype", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
)
def test_every_eight_bit_float_is_read_as_pytorch_reads_it(dtype: str) -> None:
    every = torch.arange(256, dtype=torch.uint8).view(getattr(torch, dtype))
    for first in range(0, 256, 16):
        part = every[first : first + 16].clone()
        cells = [cell.value for cell in show(part).snapshot.storages[0].cells]
        assert [repr(value) for value in cells] == [repr(value) for value in part.float().tolist()]


# --- what is held is found -------------------------------------------------------------------------------------------


@dataclass
class Record:
    loss: Any


class Slotted:
    __slots__ = ("empty", "kept")


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Linear(2, 2, bias=False)
        self.head = torch.nn.Linear(2, 2, bias=False)
        self.head.weight = self.embed.weight
        self.again = self.embed
        self.register_buffer("mean", torch.zeros(2))
        self.cache = [torch.ones(3)]


@dataclass
class Trainer:
    net: Any
    history: Any = field(default_factory=list)
    recent: Any = field(default_factory=deque)


def test_tied_weights_attributes_buffers_states_dataclasses_deques_and_slots_have_paths() -> None:
    trainer = Trainer(Net())
    optimizer = torch.optim.SGD(trainer.net.parameters(), lr=0.1, momentum=0.9)
    trainer.net.head(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    slotted = Slotted()
    slotted.kept = torch.ones(4)
    trainer.history += [{"loss": torch.ones(n + 1)} for n in range(4)]
    trainer.recent.append(Record(torch.zeros(5)))
    paths = {
        "trainer.net.embed.weight", "trainer.net.head.weight", "trainer.net.again.weight", "trainer.net.mean",
        "trainer.net.cache[0]", "trainer.history[3]['loss']", "trainer.recent[0].loss", "slotted.kept",
        "optimizer.state[#0]['momentum_buffer']",
    }  # fmt: skip

    def program() -> Any:
        return trainer, optimizer, slotted

    data = aliases(trainer=trainer, optimizer=optimizer, slotted=slotted).data
    told = {name for group in data.groups for alias in group.members for name in (alias.name, *alias.also)}
    assert paths <= told
    watched = watch(program).story.moments[-1].snapshot
    assert paths <= {header.name for header in watched.headers}
    drawn = show(trainer=trainer, optimizer=optimizer, slotted=slotted).snapshot
    assert paths <= {header.name for header in drawn.headers}


# --- limits are reported ----------------------------------------------------------------------------------------------


def test_what_is_held_and_not_looked_at_is_neither_lost_nor_freed_nor_old() -> None:
    layers = [torch.nn.Linear(2, 2) for _ in range(20)]
    net = torch.nn.Sequential(*layers)

    def program() -> None:
        x = torch.ones(1, 2)
        out = net(x)
        loss = out.sum()
        loss.backward()
        mine = [torch.zeros(3) for _ in range(10)]
        mine.clear()
        with torch.no_grad():
            net[19].bias.add_(1)

    seen = watch(program)
    assert "lives on without a name" not in seen.text
    assert "was there before" not in seen.text
    assert f"{MOST_TENSORS} tensors a step were looked at; up to" in seen.text
    assert "not looked at: " in str(seen.state()["frames"])
    story = seen.story
    for name in ("x", "out", "loss", "mine[9]"):
        assert any(name in storage.shared_by for moment in story.moments for storage in moment.snapshot.storages)
    [last] = [moment for moment in story.moments if "add_(1)" in story.source(moment.statement)]
    assert any("changed" in change.words and "version" in change.words for change in last.changes) or any(
        "net.19.bias" in storage.shared_by for storage in last.snapshot.storages
    )


def test_figures_are_of_the_whole_however_many_steps_are_reported() -> None:
    def program() -> None:
        for _ in range(30):
            kept = torch.ones(4).clone()
        del kept

    short, whole = watch(program, steps=5).story, watch(program).story
    assert (short.allocations, short.allocated, short.copies, short.copied_bytes, short.peak) == (
        whole.allocations, whole.allocated, whole.copies, whole.copied_bytes, whole.peak
    )  # fmt: skip
    assert len(short.moments) == 5


def test_a_name_is_a_name_and_a_misspelt_one_is_said() -> None:
    def program() -> None:
        loss = torch.ones(2)
        l = torch.ones(3)  # noqa: E741  # which "loss" must not be taken for
        del l, loss

    seen = watch(program, names="loss")
    assert {header.name for moment in seen.story.moments for header in moment.snapshot.headers} == {"loss"}
    assert "no variable is called" not in seen.text
    assert "no variable is called los" in watch(program, names=["los"]).text


def test_lambdas_and_partials_are_watched() -> None:
    def work(t: Any, scale: float) -> None:
        u = t * scale
        del u

    x = torch.ones(2)
    assert [moment.function for moment in watch(partial(work, scale=2.0), x).story.moments] == ["work", "work"]
    story = watch(lambda: x * 3).story
    assert "new storage" in "; ".join(change.words for moment in story.moments for change in moment.changes)


def test_cells_that_are_not_shown_are_not_said_to_be_as_they_were() -> None:
    x = torch.zeros(10_000)

    def program() -> None:
        x.add_(1)

    assert " of the " in watch(program).text


def test_a_step_with_jagged_and_fake_tensors_is_watched_to_its_end() -> None:
    fake = pytest.importorskip("torch._subclasses.fake_tensor")

    def step() -> Any:
        rows = [torch.ones(2, 3), torch.ones(1, 3)]
        doubled = torch.nested.nested_tensor(rows, layout=torch.jagged) * 2
        with fake.FakeTensorMode():
            size = (torch.ones(3, 4) @ torch.ones(4, 5)).shape
        return doubled.values().sum().item(), tuple(size)

    seen = []
    watch(lambda: seen.append(step()))
    memory_timeline(lambda: seen.append(step()))
    assert seen == [(18.0, (3, 5))] * 2


def test_a_look_is_seen_by_no_mode_of_the_program() -> None:
    modes = pytest.importorskip("torch.utils._python_dispatch")
    calls = []

    class Noting(modes.TorchDispatchMode):  # type: ignore[misc, name-defined]  # PyTorch's is Any here
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(func)
            return func(*args, **(kwargs or {}))

    x = torch.ones(3, requires_grad=True)
    with Noting():
        y = x * 2
        before = len(calls)
        for look in (show, aliases, device_map, graph, holders):
            assert look(y).text
        assert len(calls) == before


def test_containers_that_refuse_or_hold_themselves_are_shown() -> None:
    class Refusing(dict):  # type: ignore[type-arg]  # of anything
        def items(self) -> Any:
            raise RuntimeError("not now")

    held: dict[str, Any] = {"x": torch.ones(2)}
    held["itself"] = held
    for value in (held, Refusing(x=torch.ones(2))):
        for look in (show, device_map):
            assert "'x'" in look(value=value).text


def test_the_graph_of_an_orthogonal_weight_is_reported_whole() -> None:
    parametrizations = pytest.importorskip("torch.nn.utils.parametrizations")
    layer = parametrizations.orthogonal(torch.nn.Linear(3, 3))
    spectral = parametrizations.spectral_norm(torch.nn.Linear(4, 4))
    loss = layer(torch.ones(2, 3)).sum() + spectral(torch.ones(2, 4)).sum()
    picture = graph(loss)
    assert "SumBackward0" in picture.text
    assert picture.svg


def test_a_sparse_leaf_has_no_graph_to_show() -> None:
    leaf = torch.eye(3).to_sparse().requires_grad_()
    with pytest.raises(ValueError, match="leaf of layout"):
        graph(leaf)


KEPT: list[Any] = []  # which the watched code below does not mention


def keep(tensor: Any) -> None:
    KEPT.append(tensor)


def test_what_a_variable_holds_that_the_code_does_not_mention_is_not_said_to_have_no_name() -> None:
    given = torch.ones(3)
    box = [given]

    def program() -> None:
        mine = torch.ones(5)
        keep(mine)
        mine = None
        taken = box.pop()
        del mine, taken

    text = watch(program).text
    KEPT.clear()
    assert "not looked at now, KEPT[0] holds it" in text
    assert "not looked at now, given holds it" in text
    assert "without a name" not in text


def test_what_names_leaves_out_is_not_said_to_have_no_name() -> None:
    def program() -> None:
        x, y = torch.ones(3), torch.zeros(4)
        z = x
        z = None
        del x, y, z

    text = watch(program, names="z").text
    assert "2 storages of 28 bytes allocated, held by what is not looked at" in text
    assert "without a name" not in text
    assert watch(program, names="").text.count("new storage") == 2


def test_a_variable_is_found_though_a_global_has_its_name() -> None:
    def program() -> None:
        other, field = None, torch.ones(3)
        del other, field

    assert field.__module__ == "dataclasses"
    text = watch(program, names="other").text
    assert "held by what is not looked at" in text
    assert "without a name" not in text


def test_memory_of_another_library_is_not_said_to_be_allocated_by_pytorch() -> None:
    def program() -> None:
        array = numpy.ones(4, numpy.float32)
        shared = torch.from_numpy(array)
        copied = torch.tensor(array)
        outside = torch.frombuffer(bytearray(16), dtype=torch.float32)
        del shared, copied, outside

    picture = watch(program)
    assert (picture.story.allocations, picture.story.allocated, picture.story.copied_bytes) == (2, 32, 16)
    assert "temporar" not in picture.text
    assert "outside: " in picture.text
    assert "was there before" not in picture.text


def test_a_network_is_told_under_one_name_and_what_it_does_in_a_few_words() -> None:
    net = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(30)])
    optimizer = torch.optim.Adam(net.parameters(), foreach=True)

    def layers(inner: Any, x: Any) -> Any:
        for layer in inner:
            x = layer(x)
        return x

    def program() -> None:
        for _ in range(2):
            out = layers(net, torch.ones(2, 3))
            out.sum().backward()
            optimizer.step()

    picture = watch(program)
    assert "inner." not in picture.text
    assert "layer." not in picture.text
    assert "more allocated" in picture.text
    assert max(map(len, picture.text.splitlines())) < 1_000
    story = picture.story
    for moment in story.moments:  # parameters that are not touched are not reported as appearing and disappearing
        if story.source(moment.statement).strip() == "x = layer(x)":
            assert "net." not in " ".join(change.words for change in moment.changes)


def test_of_many_arrays_those_that_were_written_lately_are_in_view() -> None:
    def program() -> None:
        first = numpy.arange(10)
        many = [numpy.ones(n + 1) for n in range(MOST_TENSORS + 5)]
        late = numpy.zeros(3)
        late[0] = 1
        copied = first.copy()
        del many, copied

    story = watch(program).story
    [write] = [moment for moment in story.moments if "late[0]" in story.source(moment.statement)]
    assert write.did("wrote")
    [copy] = [moment for moment in story.moments if "first.copy" in story.source(moment.statement)]
    assert copy.did("copied")


def test_tensors_in_a_list_that_is_returned_are_its_result() -> None:
    def program() -> Any:
        a = torch.ones(2)
        return [a, torch.zeros(3)]

    last = watch(program).story.moments[-1]
    assert "result of program()[1]" in [header.name for header in last.snapshot.headers]


def test_a_copy_of_a_tensor_by_numpy_is_a_copy() -> None:
    x = torch.ones(3)

    def program() -> Any:
        y = x.detach().numpy().copy()
        return len(y)

    story = watch(program).story
    assert (story.copies, story.copied_bytes) == (1, 12)


# --- what PyTorch runs within its operators --------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_a_traced_function_runs_as_it_does_unwatched() -> None:
    results = []

    def program() -> None:
        traced = torch.jit.trace(lambda x: x.relu() + 1, torch.ones(2))
        results.append(traced(torch.full((2,), 3.0)))

    watch(program)
    memory_timeline(program)
    assert [tensor.tolist() for tensor in results] == [[4.0, 4.0], [4.0, 4.0]]


class Wrapping(torch.Tensor):
    """A class with a `__torch_dispatch__`, and no memory of its own."""

    inner: Any

    @staticmethod
    def __new__(cls, inner: Any) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(
            *[argument.inner if isinstance(argument, cls) else argument for argument in args], **(kwargs or {})
        )
        return cls(result)


def test_what_a_class_that_wraps_tensors_allocates_is_reported_and_counted() -> None:
    def program() -> Any:
        x = Wrapping(torch.ones(3))
        y = x * 2 + 1
        return y.inner

    story = watch(program).story
    assert (story.allocations, story.allocated, story.peak) == (3, 36, 36)
    assert "was not looked at before" not in watch(program).text
    assert sum(life.nbytes == 12 for life in memory_timeline(program).data.lives) == 3


# --- the limits and the account of a watch ---------------------------------------------------------------------------


NETS: list[Any] = []


def backward_of_the_first() -> None:
    NETS[0](torch.ones(1, 3)).sum().backward()


def test_what_a_variable_holds_that_only_a_helper_mentions_is_not_said_to_have_no_name() -> None:
    NETS[:] = [torch.nn.Linear(3, 2)]

    def program(step: Any) -> None:
        step()

    changes = [change for moment in watch(program, backward_of_the_first).story.moments for change in moment.changes]
    allocated = [change.words for change in changes if change.kind == "allocated"]
    assert any(words.startswith("2 storages of 32 bytes allocated, held by what is not") for words in allocated)
    assert not any("without a name" in words for words in allocated)
    NETS.clear()


def test_a_tensor_with_many_names_takes_one_place() -> None:
    def program() -> None:
        t = torch.ones(2)
        often = [t] * 2 * MOST_TENSORS
        others = [torch.zeros(2) for _ in range(MOST_TENSORS - 1)]
        del often, others

    story = watch(program).story
    assert story.unshown == 0
    assert "others[22]" in {header.name for moment in story.moments for header in moment.snapshot.headers}


def test_what_was_looked_at_once_is_not_said_never_to_have_been() -> None:
    def program() -> None:
        first = [torch.zeros(2) for _ in range(MOST_TENSORS)]
        second = [torch.zeros(2) for _ in range(MOST_TENSORS)]
        for parameter in first:
            parameter.add_(1)
        del second

    told = [
        change.words for moment in watch(program).story.moments for change in moment.changes if change.kind == "shown"
    ]
    assert told
    assert all(words.endswith("was not looked at in the step before") for words in told)


def test_memory_that_a_storage_gives_back_is_no_longer_held() -> None:
    def program() -> None:
        whole = torch.ones(1000)
        whole.untyped_storage().resize_(0)
        whole.untyped_storage().resize_(8)
        whole.resize_(2000)

    assert [moment.held for moment in watch(program).story.moments][:4] == [4000, 0, 8, 8000]


def test_each_birth_costs_the_same_however_many_storages_live(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(accounts, "_is_alive", lambda weak: (asked.append(weak), not weak.expired())[1])

    def program() -> None:
        kept = [torch.ones(3) for _ in range(300)]
        del kept

    assert watch(program).story.peak == 3600
    assert len(asked) < 3000
