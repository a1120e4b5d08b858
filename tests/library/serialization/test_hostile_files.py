"""Files that were made, or mangled, to do harm: `load` refuses them, and allocates no more than they are long."""

from __future__ import annotations

import io
import pickle
import tempfile
import zipfile
from pathlib import Path
from random import Random

import pytest
from attacks.files import good_files, loaded, mangled
from attacks.words import (
    NEGATED,
    ORDERED,
    described,
    entry,
    name,
    number,
    program,
    safetensors,
    sequence,
    storage,
    tensor,
    text,
    zipped,
)

import tensorglass as torch


@pytest.fixture(scope="module")
def files():
    """One good file of each kind, as bytes."""
    return good_files()


@pytest.fixture
def no_large_storages(monkeypatch):
    """Storages of more than 100 kB raise: no such file holds that much."""
    backend = torch.zeros(1).untyped_storage().backend
    allocate = type(backend).allocate

    def small(self, nbytes, device, *, zeroed=False):
        assert nbytes < 100_000
        return allocate(self, nbytes, device, zeroed=zeroed)

    monkeypatch.setattr(type(backend), "allocate", small)


def outcome(data: bytes, path: Path | None = None, mmap: bool = False) -> str:
    """What comes of loading these bytes, as a file at `path` or in memory: "read", or the error of those allowed."""
    if path is not None:
        path.write_bytes(data)
    return loaded(io.BytesIO(data) if path is None else path, mmap=mmap)[0]


@pytest.mark.parametrize("kind", ["flat.safetensors", "nested.safetensors", "a.pt"])
def test_a_file_that_is_cut_off_anywhere_is_refused(files, kind, no_large_storages):
    data = files[kind]
    assert outcome(data) == "read"
    assert {outcome(data[:length]) for length in range(len(data))} <= {"RuntimeError", "EOFError", "UnpicklingError"}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", range(300))
@pytest.mark.parametrize("kind", ["flat.safetensors", "nested.safetensors", "a.pt"])
def test_a_mangled_file_is_refused_or_read(files, kind, seed, no_large_storages, tmp_path):
    data = mangled(files[kind], Random(f"{kind}{seed}"))
    for mmap in (False, True):
        outcome(data, tmp_path / "mangled", mmap)


# --- safetensors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x01{", "header too small"),
        (safetensors({}, length=2**63), "header too large"),
        (safetensors({}, length=100), "invalid header length"),
        (safetensors(b"{nonsense}"), "invalid JSON"),
        (safetensors(b"[1]"), "invalid JSON"),
        (safetensors(b"{" + b'"a":{' * 50_000), "invalid JSON"),
        (safetensors(b'{"a":\xff}'), "invalid JSON"),
        (safetensors(b'{"a":' + b"1" * 5000 + b"}"), "invalid JSON"),
        (safetensors(b'{"a":1,"a":2}'), "a name stands in it twice"),
        (safetensors({"a": entry(extra=1)}, bytes(8)), "has other fields"),
        (safetensors({"a": entry(dtype="F4")}, bytes(8)), "of dtype F4, which tensorglass does not have"),
        (safetensors({"a": entry(dtype="F31")}, bytes(8)), "of no known dtype"),
        (safetensors({"a": entry(dtype=["F32"])}, bytes(8)), "of no known dtype"),
        (safetensors({"a": entry(shape=[-2])}, bytes(8)), "not of integers"),
        (safetensors({"a": entry(shape=[True, 2])}, bytes(8)), "not of integers"),
        (safetensors({"a": entry(shape=[2.0])}, bytes(8)), "not of integers"),
        (safetensors({"a": entry(shape=[2**64])}, bytes(8)), "not of integers"),
        (safetensors({"a": entry(shape=[2**40, 2**40, 0], data_offsets=[0, 0])}), "more elements than 64 bits"),
        (safetensors({"a": entry(shape=[1] * 65)}, bytes(8)), "has 65 dimensions"),
        (safetensors({"a": entry(shape=[3])}, bytes(8)), "its shape needs another number"),
        (safetensors({"a": entry(shape=[2**40], data_offsets=[0, 2**42])}, bytes(8)), "not fully covered"),
        (safetensors({"a": entry(data_offsets=[8, 0])}, bytes(8)), "its shape needs another number"),
        (safetensors({"a": entry(data_offsets=[8, 16])}, bytes(16)), "invalid offset for tensor `a`"),
        (safetensors({"a": entry(), "b": entry(data_offsets=[4, 12])}, bytes(12)), "invalid offset for tensor `b`"),
        (safetensors({"a": entry(), "b": entry(data_offsets=[12, 20])}, bytes(20)), "invalid offset for tensor `b`"),
        (safetensors({"a": entry()}, bytes(9)), "not fully covered"),
        (safetensors({"a": entry(), "__metadata__": {"x": 1}}, bytes(8)), "metadata are not strings"),
    ],
)  # fmt: skip
def test_a_header_that_lies_is_refused(data, said, no_large_storages):
    with pytest.raises(RuntimeError, match="Error while deserializing header") as caught:
        torch.load(io.BytesIO(data)) if data[8:9] == b"{" else load_by_name(data)
    assert said in "\n".join([str(caught.value), *caught.value.__notes__])


def load_by_name(data):
    """`load` of a file whose format is told by its name alone."""
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(data)
        file.flush()
        return torch.load(file.name)


@pytest.mark.parametrize(
    "data",
    [
        described(data={"tensor": 1}), described(data={"tensor": -1}), described(data={"tensor": True}),
        described(data={"call": "print"}), described(data={"tuple": 1}), described(data={"dict": [[1]]}),
        described(data={"dict": [[[], 1]]}), described(data={"Size": [1.5]}), described(data={"dtype": "Tensor"}),
        described(data={"bytes": "?"}), described(data={"complex": ["1", 2]}), described(data={"int": "1" * 10 + "g"}),
        described(data={}), described(data={"tensor": 0, "tuple": []}), described(version=[]),
        described(tensors=[{"entry": "b"}]), described(tensors=[{"entry": "a", "nonsense": 1}]), described(tensors=3),
        described(tensors=[{"entry": "a", "size": [2**40], "stride": [1], "offset": 0}]),
        described(tensors=[{"entry": "a", "size": [2], "stride": [1], "offset": 2**62}]),
        described(tensors=[{"entry": "a", "size": [2], "stride": [-1], "offset": 1}]),
        described(tensors=[{"entry": "a", "size": [2], "stride": [1, 1], "offset": 0}]),
        described(tensors=[{"entry": "a", "size": [1] * 70, "stride": [1] * 70, "offset": 0}]),
        described(tensors=[{"entry": "a", "size": [2], "stride": [1], "offset": 0, "conj": True}]),
        described(tensors=[{"entry": "a", "attributes": {"dict": [["sum", 1]]}}]),
        described(tensors=[{"entry": "a", "attributes": [1]}]),
        described(entries={"a": {"stride": [2**40]}}), described(entries={"a": {"stride": [1, 1]}}),
        described(entries={"a": {"dtype": "complex128"}}), described(entries={"a": {"dtype": "int8"}}),
        described(entries={"a": {"device": "nowhere"}}), described(entries={"a": 3}), described(entries=3),
    ],
)  # fmt: skip
def test_a_description_that_lies_is_refused(data, no_large_storages):
    assert outcome(described()) == "read"
    assert outcome(data) == "RuntimeError"


# --- zip ---------------------------------------------------------------------------------------------------------


def test_the_programs_below_would_be_read_if_they_were_right(no_large_storages):
    loaded = torch.load(io.BytesIO(zipped(program(tensor(storage())))))
    assert loaded.tolist() == [0, 0]
    assert outcome(zipped(program(tensor(storage(), metadata=NEGATED)))) == "read"
    assert outcome(zipped(program(ORDERED + b"}" + text("_metadata") + b"Nsb"))) == "read"


@pytest.mark.parametrize(
    "pickled",
    [
        # names
        program(name("os", "system")), program(name("builtins", "eval")), program(name("torch", "load")),
        program(name("collections", "OrderedDict.clear")), program(name("torch._utils", "__builtins__")),
        program(name("torch", "Size")), program(b"]" + name("torch", "Size") + b"a"),
        program(b"(" + name("torch", "Size") + b"l"), program(b"\x82\x01"),
        # calls
        program(name("torch", "Size"), number(10**12), b"\x85R"), program(name("torch", "float32"), b")R"),
        program(name("builtins", "bytearray"), number(10**12), b"\x85R"), program(text("print"), b")R"),
        program(name("torch", "Tensor"), number(10**12), b"\x85R"), program(name("torch", "Tensor"), b")\x81"),
        program(name("torch", "FloatStorage"), number(10**12), b"\x85R"), program(b"NNR"),
        program(name("_codecs", "encode"), text("a"), text("idna"), b"\x86R"),
        program(name("collections", "Counter"), text("aab"), b"\x85R"),
        # states
        program(name("torch", "Size"), b"}" + text("numel") + b"Nsb"), program(ORDERED + b"}" + text("items") + b"Nsb"),
        program(ORDERED, b"N}" + text("update") + b"Ns\x86b"), program(tensor(storage()), b"}" + text("data") + b"Nsb"),
        # keys
        program(b"}" + b")" + b"\x85" * 300_000 + b"Ns"), program(b"}]Ns"), program(b"}", tensor(storage()), b"Ns"),
        # a stack with too few or wrong items
        program(), program(b"0"), program(b"a"), program(b"NN"), program(b"\x85"), program(b"t"), program(b"s"),
        program(b"N", b"u"), program(b"N]b"), program(b"h\x07"), program(b"]q\x00(h\x00N"), b"", b"\x80\x02",
        program(b"r\xff\xff\xff\xff"), program(b"K"), program(b"X\xff\xff\xff\xffa"), program(b"\x8a\xffa"),
        # storages
        program(storage()), program(storage(), b"\x85"), program(b"]", storage(), b"\x85\x85a"),
        program(tensor(storage(numel=3))), program(tensor(storage(numel=2**60))),
        program(tensor(storage(numel=-2))), program(tensor(storage("1"))), program(tensor(storage("../data.pkl"))),
        program(b"(", tensor(storage()), tensor(storage(kind="IntStorage")), b"t"), program(number(3) + b"Q"),
        program(tensor(storage(kind="Size"))), program(sequence(text("module"), b"NNNN") + b"Q"),
        # headers
        program(tensor(storage(), size=(3,))), program(tensor(storage(), size=(2**40,), stride=(2**40,))),
        program(tensor(storage(), offset=-1)), program(tensor(storage(), offset=2**70)),
        program(tensor(storage(), size=(2, 1))), program(tensor(storage(), size=(1,) * 65, stride=(1,) * 65)),
        program(tensor(storage(), stride=(-1,))), program(tensor(b"N")), program(tensor(storage(kind="LongStorage"))),
        program(tensor(storage(kind="IntStorage"), requires_grad=pickle.NEWTRUE)),
    ],
)  # fmt: skip
def test_a_pickle_that_is_more_than_data_or_less_is_refused(pickled, no_large_storages):
    assert outcome(zipped(pickled)) in ("UnpicklingError", "RuntimeError")


def test_a_pickle_that_makes_much_of_little_is_refused():
    large = "a" * 100_000
    copies = b"".join(name("_codecs", "encode") + b"h\x00R" for _ in range(1000))
    words = b"](", text(large), text("latin1"), b"\x86q\x00", copies, b"e"
    with pytest.raises(pickle.UnpicklingError, match="makes far more data than it holds"):
        torch.load(io.BytesIO(zipped(program(*words))))


@pytest.mark.parametrize("seed", range(300))
def test_a_mangled_pickle_in_a_sound_archive_is_refused_or_read(files, seed, no_large_storages):
    random = Random(seed)
    with zipfile.ZipFile(io.BytesIO(files["a.pt"])) as archive:
        pickled = bytearray(archive.read("archive/data.pkl"))
        rest = {name.removeprefix("archive/"): archive.read(name) for name in archive.namelist()}
    for _ in range(random.choice((1, 2, 5))):
        place, change = random.randrange(len(pickled)), random.randrange(3)
        if change == 0:
            pickled[place] = random.choice(b"().]}aest\x85\x86\x87QRbhrKM\x00\xff")
        elif change == 1:
            pickled[place : place + random.randrange(9)] = random.randbytes(random.randrange(9))
        else:
            pickled[place:place] = pickled[place : place + random.randrange(60)]
    outcome(zipped(bytes(pickled), **{name: data for name, data in rest.items() if name != "data.pkl"}))


@pytest.mark.parametrize(
    "data",
    [
        zipped(program(tensor(storage())), compression=zipfile.ZIP_DEFLATED),
        zipped(program(tensor(storage(numel=10**6))), bytes(4 * 10**6), compression=zipfile.ZIP_DEFLATED),
        zipped(program(b"N"), byteorder=b"middle"), zipped(program(b"N"), **{"constants.pkl": b""}),
        zipped(program(b"N")).replace(b"data.pkl", b"else.pkl"), zipped(program(b"N"))[3:],
        zipped(program(tensor(storage())), b"12345678").replace(b"12345678", b"12345679"),
    ],
)  # fmt: skip
def test_an_archive_that_torch_save_would_not_write_is_refused(data, no_large_storages):
    assert outcome(data) in ("RuntimeError", "UnpicklingError", "ValueError")
