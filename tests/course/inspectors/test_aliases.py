"""The alias map: which tensors are grouped, which bytes are shared, what is kept alive, and by whom."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorglass
from glassroom import aliases
from glassroom.inspectors.aliases.byte_runs import runs_of, shared, together
from glassroom.inspectors.aliases.groups import Alias, AliasGroup

torch = pytest.importorskip("torch", reason="the alias map is of PyTorch's tensors too")


@pytest.fixture(params=[tensorglass, torch], ids=lambda lib: lib.__name__)
def lib(request) -> Any:
    return request.param


def group_of(picture: Any, name: str) -> AliasGroup:
    return next(group for group in picture.data.groups if any(member.name == name for member in group.members))


def member(picture: Any, name: str) -> Alias:
    return next(alias for alias in group_of(picture, name).members if alias.name == name)


def names(group: AliasGroup) -> list[str]:
    return [member.name for member in group.members]


def test_tensors_are_grouped_by_storage_with_their_bytes(lib) -> None:
    a = lib.arange(12.0)
    b, c = a[2:5], lib.arange(3)
    picture = aliases(a, b, c)
    assert names(group_of(picture, "a")) == ["a", "b"]
    assert (member(picture, "b").span, member(picture, "b").nbytes) == ((8, 20), 12)
    assert names(group_of(picture, "c")) == ["c"]
    assert "b lies within a" in picture.text


def test_a_slice_that_keeps_much_alive_is_reported_with_its_base_and_a_clone_is_the_way_out(lib) -> None:
    small = lib.zeros(1_000_000)[10:20]
    picture = aliases(small)
    assert (
        "small keeps 3.81 MiB alive, of which 40 bytes are reached. A clone would hold no more than these."
        in picture.text
    )
    assert [(alias.name, alias.how) for alias in group_of(picture, "small").members] == [
        ("small", "name"),
        ("small's base", "base"),
    ]
    small = small.clone()
    assert "alive" not in aliases(small).text


def test_without_arguments_all_that_the_callers_variables_lead_to_is_found(lib) -> None:
    first = lib.ones(2)
    held = {"deep": [first, {"er": lib.ones(3)}], 7: (lib.ones(4),)}
    _hidden = lib.ones(99)
    picture = aliases()
    assert {"first", "held['deep'][1]['er']", "held[7][0]"} <= {
        name for group in picture.data.groups for name in names(group)
    }
    assert "also held['deep'][0]" in picture.text
    assert "396 bytes" not in picture.text
    assert _hidden.numel() + len(held) == 101


def test_networks_optimizers_and_objects_of_ones_own_are_looked_into() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(4, 2)).sum().backward()
    optimizer.step()

    class Own:
        def __init__(self) -> None:
            self.cache = [torch.ones(5)]

    own = Own()
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(6, 2)))
    picture = aliases(net=net, optimizer=optimizer, own=own, data=data)
    told = {name for group in picture.data.groups for name in names(group)}
    assert {
        "net.0.weight",
        "net.1.running_mean",
        "own.cache[0]",
        "data.dataset.tensors[0]",
        "net.0.weight.grad",
    } <= told
    assert any("exp_avg_sq" in name for name in told)


def test_what_graphs_save_and_gradients_are_reported(lib) -> None:
    w = lib.ones(3, requires_grad=True)
    y = (w * 2).exp()
    y.sum().backward(retain_graph=True)
    picture = aliases(w, y)
    assert member(picture, "w.grad").how == "gradient"
    assert member(picture, "y").also == ("saved by ExpBackward0.result",)
    kept = (w * lib.arange(3.0)).sum()
    assert "held by a graph alone" in aliases(kept).text
    assert "saved by MulBackward0.other" in aliases(kept).text


def test_arrays_of_numpy_and_tensors_on_their_memory_are_one_group(lib) -> None:
    array = np.arange(6.0)
    tensor = lib.from_numpy(array)
    picture = aliases(array, tensor)
    assert names(group_of(picture, "array")) == ["array", "tensor"]
    assert "array and tensor: the same 48 bytes" in picture.text


def test_columns_interleave_without_a_byte_in_common(lib) -> None:
    a = lib.arange(12.0).reshape(3, 4)
    left, right = a[:, ::2], a[:, 1::2]
    picture = aliases(left, right)
    assert "left and right: interleaved, not a byte in common" in picture.text
    assert "(3, 2) float32 · bytes 0–43 · 24 of them, in pieces" in picture.text


def test_looking_keeps_nothing_alive_and_changes_nothing(lib) -> None:
    w = lib.ones(3, requires_grad=True)
    y = (w * w).sum()
    picture = aliases(w, y)
    assert y.grad_fn is not None
    gone = weakref.ref(w)
    del w, y
    gc.collect()
    assert gone() is None
    assert "saved by MulBackward0.other" in picture.text


def test_of_many_the_largest_are_shown_and_the_rest_is_counted(lib) -> None:
    many = [lib.zeros(n % 100 + 1) for n in range(10_000)]
    views = list(lib.zeros(10_000, 2))
    picture = aliases(many, views)
    whole = sum(4 * (n % 100 + 1) for n in range(10_000)) + 80_000
    assert (picture.data.storages, picture.data.nbytes) == (10_001, whole)
    assert len(picture.data.groups) == 16
    assert "… and 9,985 more storages" in picture.text
    assert "… and 9,993 more tensors" in picture.text or "… and 9,992 more tensors" in picture.text
    assert len(picture.html) < 200_000


def test_with_the_whole_process_what_no_variable_leads_to_is_found(lib) -> None:
    def closure() -> Any:
        inner = lib.full((123,), 7.0)
        return lambda: inner

    kept = closure()
    mine = lib.ones(2)
    picture = aliases(mine, whole_process=True)
    assert picture.data.tensors > 1
    assert "in a closure" in aliases(mine, whole_process=True).text or picture.data.unshown_storages
    assert kept().numel() == 123


def test_tensors_without_memory_are_named_with_what_they_would_need(lib) -> None:
    header, there = lib.empty(3, 4, device="meta"), lib.ones(2)
    picture = aliases(header=header, there=there)
    line = "no memory to look at: header (Tensor on meta: no data, 48 bytes needed)"
    assert (picture.data.tensors, picture.data.nbytes) == (1, 8)
    assert line in picture.text
    assert "48 bytes needed" in picture.svg
    assert aliases(header=header).text.splitlines() == ["No tensor has memory.", "", line]


def test_what_holds_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="aliases takes tensors, arrays, and what holds them"):
        aliases([1, 2])


def test_no_variable_of_a_kind_that_has_no_bytes_stops_it() -> None:
    meta, sparse, strings = torch.ones(2, device="meta"), torch.eye(2).to_sparse(), np.array(["a"])
    plain = torch.ones(2)
    picture = aliases()
    assert [names(group) for group in picture.data.groups] == [["plain"], ["sparse._indices()"], ["sparse._values()"]]
    assert (meta.numel(), sparse.numel(), strings.size, plain.numel()) == (2, 4, 1, 2)


HEADERS = st.tuples(
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(0, 4), st.integers(-7, 7)), max_size=3),
    st.sampled_from([1, 2, 4]),
)


def bytes_of(first: int, dims: list[tuple[int, int]], itemsize: int) -> set[int]:
    starts = {first}
    for n, step in dims:
        starts = {start + at * step for start in starts for at in range(n)}
    return {start + byte for start in starts for byte in range(itemsize)}


@settings(max_examples=300)
@given(HEADERS, HEADERS)
def test_runs_are_the_bytes_of_a_tensor_and_what_two_share(one: Any, other: Any) -> None:
    runs, truth = [], []
    for first, dims, itemsize in (one, other):
        runs.append(runs_of(first, [n for n, _ in dims], [step for _, step in dims], itemsize))
        truth.append(bytes_of(first, dims, itemsize))
    for covered, expected in zip(runs, truth, strict=True):
        bytes_covered = [
            byte for start, end in zip(covered.starts, covered.ends, strict=True) for byte in range(start, end)
        ]
        assert bytes_covered == sorted(expected)
        assert covered.span == ((min(expected), max(expected) + 1) if expected else None)
    assert shared(*runs) == len(truth[0] & truth[1])
    assert together(runs).nbytes == len(truth[0] | truth[1])


def test_of_a_tensor_in_very_many_pieces_the_range_alone_is_known() -> None:
    a = torch.zeros(100_000, 2)
    column, other = a[:, 0], a[:, 1]
    picture = aliases(column, other)
    assert (member(picture, "column").nbytes, member(picture, "column").span) == (None, (0, 799_996))
    assert "their ranges overlap, in more pieces than are counted" in picture.text


def test_shared_storages_come_first_and_no_label_is_cut_while_there_is_room(lib) -> None:
    a_single_tensor_with_quite_a_long_name = lib.zeros(3)
    shared = lib.zeros(4)
    view = shared.view(2, 2)
    picture = aliases(a_single_tensor_with_quite_a_long_name, shared, view)
    assert [names(group)[:2] for group in picture.data.groups] == [
        ["shared", "view"], ["a_single_tensor_with_quite_a_long_name"]
    ]  # fmt: skip
    assert ">a_single_tensor_with_quite_a_long_name<" in picture.svg
    assert "…" not in picture.svg


def lengths_of_bars(svg: str) -> list[float]:
    return [float(width) for width in re.findall(r'class="whole"[^>]* width="([\d.]+)"', svg)]


def test_bars_are_in_proportion_to_bytes_or_to_their_logarithm(lib) -> None:
    small, large = lib.zeros(10), lib.zeros(20)
    picture = aliases(small, large)
    one, other = lengths_of_bars(picture.svg)
    assert other == pytest.approx(2 * one, abs=0.2)
    tiny, some, huge = lib.zeros(1), lib.zeros(1000), lib.zeros(10**6)
    picture = aliases(tiny, some, huge)
    least, middle, most = lengths_of_bars(picture.svg)
    assert 20 < least < middle / 2
    assert middle < 0.8 * most <= 748
    assert ">1 KiB<" in picture.svg
    assert "logarithm" in picture.svg
    assert "3.81 MiB on cpu" in picture.text


def test_each_variable_is_reported_with_what_it_keeps_alive_and_by_which_path(lib) -> None:
    class Trainer:
        def __init__(self) -> None:
            self.history = [{"loss": (lib.ones(80, 80, requires_grad=True) * 2).pow(2).sum()} for _ in range(3)]

    trainer, batch = Trainer(), lib.zeros(100)
    picture = aliases(trainer=trainer, batch=batch)
    [first, second] = picture.data.roots
    assert (first.name, second.name) == ("trainer", "batch")
    assert first.nbytes == picture.data.nbytes - 400
    assert first.largest == "trainer.history[0]['loss'] → PowBackward0.self"
    assert f"trainer: {first.nbytes / 1024:.1f} KiB in {first.storages} storages" in picture.text
    assert "kept alive by" in picture.svg
    assert "kept alive by" not in aliases(batch).text  # the map says it already
