"""Files go both ways: PyTorch and the safetensors package read ours, and we read theirs; errors are PyTorch's."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import pytest
from parity.steps import disagreement, lines

import tensorglass
from tensorglass.core.dtypes import ALL

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed (extra: parity)")

LIBRARIES = pytest.mark.parametrize(
    ("writer", "reader"), [(tensorglass, torch), (torch, tensorglass)], ids=["ours_to_pytorch", "pytorchs_to_ours"]
)


def facts(thing: Any) -> Any:
    """A thing as it can be compared with the other library's."""
    if hasattr(thing, "untyped_storage"):
        return str(thing.dtype), tuple(thing.shape), thing.stride(), thing.requires_grad, thing.tolist()
    if isinstance(thing, dict):
        return type(thing).__name__, [(facts(key), facts(value)) for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return type(thing).__name__, [facts(item) for item in thing]
    return type(thing).__name__, repr(thing)


def everything(library: Any) -> dict[str, Any]:
    """A checkpoint with all kinds of data in it."""
    matrix = library.arange(12.0).view(3, 4)
    return {
        "model": OrderedDict(w=matrix, b=library.ones(3, requires_grad=True)),
        "views": [matrix.t(), matrix[1], matrix[:, 2], library.ones(1).expand(2, 3)],
        "numbers": (1, -1, 255, 256, 70000, 2**31, -(2**40), 2**100, 0.1, float("inf"), 1 - 2j, True, None),
        "texts": ["", "é\ud800", b"\x00\xff", bytearray(b"ab")],
        "sizes": (library.Size([2, 3]), library.float64, library.device("cpu"), {1, 2}, matrix.shape),
        3: {"empty": [{}, [], (), set(), OrderedDict()], "tensors": library.zeros(0, 3), None: library.tensor(3)},
        "dtypes": [library.arange(3).to(getattr(library, item.name)) for item in ALL],
    }


@pytest.mark.parametrize("mmap", [False, True])
@LIBRARIES
def test_a_checkpoint_goes_from_one_library_to_the_other(writer, reader, mmap, tmp_path: Path) -> None:
    writer.save(everything(writer), tmp_path / "a.pt")
    loaded = reader.load(tmp_path / "a.pt", mmap=mmap)
    assert facts(loaded) == facts(everything(reader))
    turned, row, column, expanded = loaded["views"]
    row[2] = -1
    assert loaded["model"]["w"][1, 2] == -1
    assert turned[2, 1] == -1
    assert column[1] == -1
    assert expanded.untyped_storage().nbytes() == 4


def on_meta(library: Any) -> dict[str, Any]:
    """Tensors without data: a matrix, views of it, parameters, one with an attribute, and one that has data."""
    matrix = library.empty(3000, 4000, device="meta", dtype=library.float16)
    frozen = library.nn.Parameter(library.empty(3, device="meta"), requires_grad=False)
    frozen.kind = named = library.empty(2, dtype=library.int64, device="meta")
    named.kind = ["ids"]
    return {
        "matrix": matrix, "views": [matrix.t(), matrix[1:, ::2], matrix[0].expand(2, 4000)],
        "learned": library.nn.Parameter(library.empty(2, 2, device="meta")), "frozen": frozen, "named": named,
        "wide": library.empty(0, 3, dtype=library.uint16, device="meta", requires_grad=False), "here": library.ones(2),
    }  # fmt: skip


def header(thing: Any) -> Any:
    """A thing as it can be compared where tensors have no elements."""
    if hasattr(thing, "untyped_storage"):
        facts = type(thing).__name__, str(thing.dtype), tuple(thing.shape), thing.stride(), str(thing.device)
        return *facts, thing.requires_grad, header(thing.__dict__)
    if isinstance(thing, dict):
        return {key: header(value) for key, value in thing.items()}
    return [header(item) for item in thing] if isinstance(thing, list) else thing


@pytest.mark.parametrize("place", [None, "cpu"])
@LIBRARIES
def test_tensors_without_data_go_from_one_library_to_the_other(writer, reader, place, tmp_path: Path) -> None:
    writer.save(on_meta(writer), tmp_path / "a.pt")
    assert (tmp_path / "a.pt").stat().st_size < 5000
    loaded = reader.load(tmp_path / "a.pt", map_location=place)
    writer.save(on_meta(writer), tmp_path / "again.pt")
    assert header(loaded) == header(writer.load(tmp_path / "again.pt", map_location=place))
    assert loaded["views"][0].shape == (4000, 3000)
    assert loaded["here"].tolist() == [1, 1]


@LIBRARIES
def test_a_network_without_data_goes_whole_from_one_library_to_the_other(writer, reader, tmp_path: Path) -> None:
    writer.save(writer.nn.Linear(2, 3, device="meta"), tmp_path / "a.pt")
    loaded = reader.load(tmp_path / "a.pt", weights_only=False)
    assert header(dict(loaded.named_parameters())) == header(
        dict(writer.nn.Linear(2, 3, device="meta").named_parameters())
    )


@pytest.mark.parametrize("mmap", [False, True])
@LIBRARIES
def test_a_checkpoint_is_loaded_without_its_data(writer, reader, mmap, tmp_path: Path) -> None:
    writer.save(everything(writer)["model"], tmp_path / "a.pt")
    loaded = reader.load(tmp_path / "a.pt", map_location="meta", mmap=mmap)
    assert header(dict(loaded)) == header(dict(writer.load(tmp_path / "a.pt", map_location="meta", mmap=mmap)))


@pytest.mark.parametrize("name", ["a.pt", "a.safetensors"])
def test_loading_without_data_reads_only_what_is_around_it(name, tmp_path: Path) -> None:
    saved = {"large": tensorglass.zeros(1000, 1000), "turned": tensorglass.ones(3, 2).t()}
    tensorglass.save(saved, tmp_path / name)

    class Counted(io.BytesIO):
        read_in_all = 0

        def readinto(self, buffer: Any) -> int:
            Counted.read_in_all += memoryview(buffer).nbytes
            return super().readinto(buffer)

    loaded = tensorglass.load(Counted((tmp_path / name).read_bytes()), map_location=tensorglass.device("meta"))
    assert header(loaded) == header({key: value.to("meta") for key, value in saved.items()})
    assert Counted.read_in_all < 5000


def test_a_safetensors_file_refuses_tensors_without_data(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=r"Cannot copy out of meta tensor; no data!"):
        tensorglass.save(tensorglass.ones(2, device="meta"), tmp_path / "a.safetensors")
    assert not (tmp_path / "a.safetensors").exists()


@LIBRARIES
def test_conjugates_and_attributes_go_along(writer, reader, tmp_path: Path) -> None:
    tensor = writer.tensor([1 + 2j])
    tensor.kind = ["weights"]
    writer.save([tensor, tensor.conj()], tmp_path / "a.pt")
    loaded, conjugated = reader.load(tmp_path / "a.pt")
    assert loaded.kind == ["weights"]
    assert conjugated.is_conj()
    assert conjugated.tolist() == [1 - 2j]


@LIBRARIES
def test_parameters_are_parameters_in_the_other_library(writer, reader, tmp_path: Path) -> None:
    learned, frozen = writer.nn.Parameter(writer.ones(2)), writer.nn.Parameter(writer.ones(2), requires_grad=False)
    learned.kind = "weights"
    writer.save({"learned": learned, "again": [learned], "frozen": frozen}, tmp_path / "a.pt")
    loaded = reader.load(tmp_path / "a.pt")
    assert type(loaded["learned"]) is type(loaded["frozen"]) is reader.nn.Parameter
    assert loaded["again"][0] is loaded["learned"]
    assert loaded["learned"].kind == "weights"
    assert (loaded["learned"].requires_grad, loaded["frozen"].requires_grad) == (True, False)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_what_programs_save_with_pytorch_is_read(protocol, tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    data = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(), "parameter": model[0].weight,
        "counts": Counter("aab"),
    }  # fmt: skip
    torch.save(data, tmp_path / "a.pt", pickle_protocol=protocol)
    loaded = tensorglass.load(tmp_path / "a.pt")
    assert facts(loaded) == facts(data)
    assert loaded["model"]._metadata == model.state_dict()._metadata


@pytest.mark.parametrize("protocol", [2, 5])
def test_many_small_things_are_not_too_much(protocol, tmp_path: Path) -> None:
    count, key = 10_000, "k" * 2000
    for tensor in (
        [[] for _ in range(count)], [{} for _ in range(count)], [set() for _ in range(count)],
        [OrderedDict() for _ in range(count)], [complex(1, place) for place in range(count)], [torch.Size([2])] * count,
        [bytes([200, place % 256]) for place in range(count)], [bytearray(b"a") for _ in range(count)],
        [{key: 1} for _ in range(count)], {(place % 100, place): 0 for place in range(count)},
        list(torch.arange(2000)), [torch.tensor(place) for place in range(2000)],
    ):  # fmt: skip
        torch.save(tensor, tmp_path / "many.pt", pickle_protocol=protocol)
        assert facts(tensorglass.load(tmp_path / "many.pt")) == facts(tensor)


def test_what_pytorch_negates_when_it_is_read_is_read_negated(tmp_path: Path) -> None:
    torch.save(torch.tensor([1 + 2j, 3j]).conj().imag, tmp_path / "a.pt")
    assert tensorglass.load(tmp_path / "a.pt").tolist() == [-2, -3]


@pytest.mark.parametrize("f", ["a.safetensors", "a"])
def test_the_safetensors_package_reads_ours(f, tmp_path: Path) -> None:
    data = {
        str(dtype): tensorglass.arange(6).view(2, 3).to(dtype) for dtype in ALL if dtype is not tensorglass.complex128
    }
    data |= {
        "turned": tensorglass.arange(6).view(2, 3).t(),
        "part": tensorglass.zeros(9)[2:4],
        "no": tensorglass.ones(0),
    }
    tensorglass.save(data, tmp_path / f)
    loaded = safetensors.load_file(tmp_path / f)
    assert loaded.keys() == data.keys()
    assert {name: value.tolist() for name, value in loaded.items()} == {
        name: value.tolist() for name, value in data.items()
    }
    assert {name: str(value.dtype) for name, value in loaded.items()} == {name: str(data[name].dtype) for name in data}


def test_pytorchs_own_load_reads_our_safetensors(tmp_path: Path) -> None:
    tensorglass.save({"model": {"w": tensorglass.ones(2)}}, tmp_path / "a.safetensors")
    assert torch.load(tmp_path / "a.safetensors")["model.w"].tolist() == [1, 1]


def test_a_flat_dictionary_is_written_as_the_package_writes_it(tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    tensorglass.save({name: tensorglass.ones(2) for name in names}, tmp_path / "ours")
    safetensors.save_file({name: torch.ones(2) for name in names}, tmp_path / "theirs", metadata={"format": "pt"})
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("mmap", [False, True])
def test_files_of_the_safetensors_package_are_read(mmap, tmp_path: Path) -> None:
    data = {
        item.name: torch.arange(6).view(2, 3).to(getattr(torch, item.name))
        for item in ALL
        if item is not tensorglass.complex128
    }
    safetensors.save_file(data, tmp_path / "a", metadata={"made": "by hand"})
    loaded = tensorglass.load(tmp_path / "a", mmap=mmap)
    assert {name: facts(value) for name, value in loaded.items()} == {
        name: facts(value) for name, value in data.items()
    }


ERRORS = [
    lambda library, file: library.save(library.ones(1), "/nowhere/at/all.pt"),
    lambda library, file: library.save(library.ones(1), 3),
    lambda library, file: library.save([library.ones(1), library.ones(1)], None),
    lambda library, file: library.load("/nowhere/at/all.pt"),
    lambda library, file: library.load("/"),
    lambda library, file: library.load(3),
    lambda library, file: library.load(io.BytesIO()),
    lambda library, file: library.load(io.BytesIO(Path(file).read_bytes()[:200])),
    lambda library, file: library.load(io.BytesIO(Path(file).read_bytes()), mmap=True),
    lambda library, file: library.load(file, pickle_module=pickle, weights_only=True),
    lambda library, file: library.load(file, map_location="nonsense"),
    lambda library, file: library.load(file, map_location="cuda"),
    lambda library, file: library.load(file, map_location={"cpu": "cuda:3"}),
    lambda library, file: library.load(file, map_location=3),
    lambda library, file: library.load(file, map_location={"cuda:0": "cuda"}).tolist(),
    lambda library, file: library.load(file, map_location=lambda storage, location: None).tolist(),
    lambda library, file: library.load(file, weights_only=False).tolist(),
    lambda library, file: library.load(file, encoding="latin1").tolist(),
    lambda library, file: (x := library.ones(2)) and library.save([x, x.view(library.int32)], file),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:pickle_load_args")
@pytest.mark.parametrize("call", ERRORS)
def test_calls_end_as_in_pytorch(call, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here, and some of the calls work")

    def outcome(library: Any) -> Any:
        file = str(tmp_path / f"{library.__name__}.pt")
        library.save(library.arange(3), file)
        try:
            return call(library, file)
        except Exception as error:
            return type(error).__name__, str(error).splitlines()[:1]

    assert outcome(tensorglass) == outcome(torch)


COPIES = r"""
x = torch.ones(2) ;; x.__setstate__((True, None, None)) ;; x
x = torch.ones(2) ;; x.__setstate__((torch.arange(4.).untyped_storage(), 1, (2,), (1,))) ;; x
(torch.ones(2, requires_grad=True) * 2).__setstate__((True, None, None))
x = torch.ones(2) ;; x.__setstate__(3)
x = torch.ones(2) ;; x.__setstate__((3,))
x = torch.ones(2, requires_grad=True) ;; y = x * 2 ;; z = pickle.loads(pickle.dumps(y)) ;; z.is_leaf, z.grad_fn
x = torch.ones(2, requires_grad=True) ;; y = x * 2 ;; z = copy.copy(y) ;; z.is_leaf, z.grad_fn
x = torch.ones(2, requires_grad=True) ;; x.sum().backward() ;; pickle.loads(pickle.dumps(x)).grad, copy.copy(x).grad
x = torch.ones(2, requires_grad=True) ;; x.sum().backward() ;; copy.deepcopy(x).grad
x = torch.arange(6).view(2, 3) ;; y = pickle.loads(pickle.dumps(x[1])) ;; y.untyped_storage().nbytes()
x = torch.arange(6).view(2, 3) ;; a, b = copy.deepcopy([x, x.t()])
x = torch.tensor([1 + 2j]).conj() ;; y = pickle.loads(pickle.dumps(x)) ;; z = copy.copy(x) ;; w = copy.deepcopy(x)
x = torch.ones(2, dtype=torch.bfloat16) ;; y = pickle.loads(pickle.dumps(x))
"""


@pytest.mark.parametrize("program", lines(COPIES))
def test_pickles_and_copies_are_pytorchs(program: str) -> None:
    assert disagreement(program) is None


@pytest.mark.parametrize("write", ["pickle.dumps(x)", "torch.save(x, io.BytesIO())", "copy.copy(x)"])
def test_hooks_that_stay_behind_are_warned_of(write: str) -> None:
    def warnings_of(library: Any) -> list[str]:
        x = library.ones(2, requires_grad=True)
        x.register_hook(print)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(write, {"torch": library, "pickle": pickle, "io": io, "copy": copy, "x": x})
        return [str(warning.message) for warning in caught]

    assert warnings_of(tensorglass) == warnings_of(torch)
    assert len(warnings_of(tensorglass)) == 1


def test_a_program_that_asks_for_the_older_format_saves_what_pytorch_reads(tmp_path: Path) -> None:
    tensorglass.save(
        {"w": tensorglass.arange(3.0)}, tmp_path / "a.pt", _use_new_zipfile_serialization=False,
        _disable_byteorder_record=True,
    )  # fmt: skip
    for library in (torch, tensorglass):
        assert library.load(tmp_path / "a.pt")["w"].tolist() == [0.0, 1.0, 2.0]
