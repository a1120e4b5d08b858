"""Snapshots: which bytes every visible cell is, who shares what, and that looking keeps nothing alive."""

from __future__ import annotations

import gc
import json
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorglass
from glassroom.reading.snapshot import snapshot
from glassroom.records.snapshot import Header

torch = pytest.importorskip("torch", reason="snapshots of real PyTorch tensors need PyTorch")

LIBRARIES = [tensorglass, torch]


def only(tensor: object) -> Header:
    [header] = snapshot({"t": tensor}).headers
    return header


@pytest.fixture(params=LIBRARIES, ids=["tensorglass", "torch"])
def lib(request: pytest.FixtureRequest):
    return request.param


def test_every_cell_is_the_bytes_that_its_header_says(lib) -> None:
    t = lib.arange(24).reshape(2, 3, 4).permute(2, 0, 1)
    for cell in only(t).cells:
        assert cell.value == t[cell.index].item()
        assert cell.byte == t[cell.index].storage_offset() * t.element_size()


def test_a_header_holds_the_tensors_own_numbers(lib) -> None:
    t = lib.arange(12.0).reshape(3, 4)[1:, ::2]
    header = only(t)
    assert header.size == tuple(t.shape)
    assert header.stride == t.stride()
    assert header.storage_offset == t.storage_offset()
    assert header.contiguous is t.is_contiguous()
    assert (header.dtype, header.itemsize, header.device) == ("float32", 4, "cpu")
    assert header.version == t._version


def test_views_share_a_storage_and_copies_do_not(lib) -> None:
    a = lib.arange(6)
    seen = snapshot({"a": a, "view": a.view(2, 3), "copy": a.clone()})
    assert [storage.shared_by for storage in seen.storages] == [("a", "view"), ("copy",)]
    assert [header.base for header in seen.headers] == [None, "a", None]


def test_lists_and_dicts_give_nested_names(lib) -> None:
    tensors = {"xs": [lib.zeros(1), (lib.zeros(2),)], "net": {"w": lib.zeros(3)}}
    assert [header.name for header in snapshot(tensors).headers] == ["xs[0]", "xs[1][0]", "net['w']"]


def test_an_array_and_the_tensor_made_from_it_are_one_storage(lib) -> None:
    array = np.arange(6.0)
    [storage] = snapshot({"array": array, "tensor": lib.from_numpy(array[2:])}).storages
    assert storage.shared_by == ("array", "tensor")
    assert storage.nbytes == array.nbytes


def test_an_array_seen_before_its_tensor_keeps_its_name(lib) -> None:
    t = lib.arange(5)
    name = snapshot({"n": t.numpy()}).storages[0].name
    assert snapshot({"t": t}).storages[0].name == name


def test_a_storage_keeps_its_name_while_it_lives_even_when_resized(lib) -> None:
    t = lib.zeros(4)
    name = only(t).storage
    t.untyped_storage().resize_(1600)
    assert only(t[:1]).storage == name
    assert only(lib.zeros(4)).storage != name


def test_names_go_up_by_one_over_all_libraries() -> None:
    tensors = [tensorglass.zeros(2), torch.zeros(2), np.zeros(2), tensorglass.ones(2)]
    names = [storage.name for storage in snapshot({"xs": tensors}).storages]
    first = int(names[0][1:])
    assert names == [f"S{first + position}" for position in range(4)]


def test_a_dead_storages_name_is_not_given_to_its_successor_at_the_same_address(lib) -> None:
    seen = set()
    for _ in range(20):
        seen.add(only(lib.zeros(1000)).storage)
    assert len(seen) == 20


def test_tensorglass_and_the_inspector_call_a_storage_the_same() -> None:
    t = tensorglass.zeros(3)
    assert only(t).storage == tensorglass.memory.name_of(t.untyped_storage())


def test_a_snapshot_keeps_nothing_alive(lib) -> None:
    t = lib.zeros(3)
    array = np.zeros(3)
    seen = snapshot({"t": t, "array": array})
    watched = [weakref.ref(t), weakref.ref(array)]
    del t, array
    gc.collect()
    assert [reference() for reference in watched] == [None, None]
    assert seen.headers[0].cells[0].value == 0


def test_looking_is_not_counted_as_memory() -> None:
    t = tensorglass.arange(12).reshape(3, 4)
    with tensorglass.memory.track() as report:
        snapshot({"t": t, "transposed": t.t()})
    with tensorglass.memory.track() as transposing:
        t.t()
    assert str(report) == str(transposing)


def test_an_expanded_tensor_of_a_billion_elements_is_read_at_its_ends_only(lib) -> None:
    header = only(lib.zeros(1).expand(10**9))
    assert header.windowed
    assert header.window[0][-1] == 10**9 - 1
    assert len(header.cells) < 100
    assert only(np.broadcast_to(np.zeros(1), (10**5, 10**4))).windowed


def test_a_tensor_over_a_storage_resized_under_it_has_cells_without_value(lib) -> None:
    t = lib.ones(8)
    t.untyped_storage().resize_(16)
    assert [cell.value for cell in only(t).cells] == [1.0] * 4 + [None] * 4


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "uint16", "uint32", "uint64", "int16", "int64", "float16", "float32", "float64", "complex64"],
)
def test_values_are_read_in_every_dtype(lib, dtype: str) -> None:
    t = lib.tensor([0, 1, 3]).to(getattr(lib, dtype))
    assert [cell.value for cell in only(t).cells] == t.tolist()


def test_bfloat16_is_read_though_numpy_lacks_it() -> None:
    t = torch.tensor([1.5, -3.0], dtype=torch.bfloat16)
    assert [cell.value for cell in only(t).cells] == t.tolist()


def test_lazily_conjugated_and_negated_tensors_show_what_they_mean() -> None:
    z = torch.tensor([1 + 2j])
    assert only(z.conj()).cells[0].value == 1 - 2j
    assert only(z.conj().imag).cells[0].value == -2


def test_two_dtypes_over_one_storage_are_drawn_in_the_smaller_cells(lib) -> None:
    f = lib.tensor([1.0, 2.0])
    [storage] = snapshot({"f": f, "bytes": f.view(lib.uint8)}).storages
    assert (storage.itemsize, storage.dtype, storage.length) == (1, "uint8", 8)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_numpy_views_are_drawn_where_they_lie(data: st.DataObject) -> None:
    owner = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    slices = tuple(
        slice(*data.draw(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.sampled_from([-2, -1, 1, 2]))))
        for _ in range(3)
    )
    view = owner[slices]
    header = snapshot({"owner": owner, "view": view}).headers[1]
    for cell in header.cells:
        assert cell.value == view[cell.index] == cell.byte // 2


def test_strides_that_are_no_whole_elements_are_counted_in_bytes() -> None:
    records = np.zeros(3, dtype=[("tag", "i1"), ("x", "f4")])
    records["x"] = [1, 2, 3]
    header = only(records["x"])
    assert (header.unit, header.stride, header.storage_offset) == ("bytes", (5,), 1)
    assert [cell.byte for cell in header.cells] == [1, 6, 11]
    assert [cell.value for cell in header.cells] == [1.0, 2.0, 3.0]


def test_byte_swapped_arrays_show_their_values() -> None:
    assert [cell.value for cell in only(np.array([1, 258], dtype=">i2")).cells] == [1, 258]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: torch.zeros(2, device="meta"), "meta tensor"),
        (lambda: torch.eye(2).to_sparse(), "torch.sparse_coo"),
        (lambda: np.array([object()]), "references to Python objects"),
        (lambda: np.array(["a"]), "not numbers"),
        (lambda: 3, "is an int"),
        (lambda: None, "is a NoneType"),
        (lambda: [1, 2], r"t\[0\] is an int"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(make, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        snapshot({"t": make()})


def test_a_snapshot_is_json_with_a_schema_number() -> None:
    values = torch.tensor([float("nan"), float("inf"), 1.0])
    seen = snapshot({"t": values, "z": torch.tensor([1j]), "e": torch.zeros(0, 3)})
    read = json.loads(json.dumps(seen.as_dict(), allow_nan=False))
    assert read["schema"] == 1
    assert [cell["value"] for cell in read["headers"][0]["cells"]] == ["nan", "inf", 1.0]


def test_inference_tensors_have_no_version() -> None:
    with torch.inference_mode():
        t = torch.zeros(2)
    assert only(t).version is None


@pytest.mark.parametrize("size", [(2, 3), (300, 300)], ids=["small", "large"])
def test_who_looks_again_gets_the_same_records_of_what_stayed_and_new_ones_of_what_changed(size) -> None:
    stays, changes = torch.ones(size), torch.ones(size)
    known: dict = {}
    tensors = {"stays": stays, "changes": changes, "view": changes.t()}
    first = snapshot(tensors, known=known)
    changes.data[0, 0] = 7  # past the version
    second = snapshot(tensors, known=known)
    assert second == snapshot(tensors)
    assert second.headers[0] is first.headers[0]
    assert second.storages[0] is first.storages[0]
    assert [header.cells[0].value for header in second.headers] == [1.0, 7.0, 7.0]
    snapshot({"stays": stays}, known=known)
    assert set(known) == {first.storages[0].name}
