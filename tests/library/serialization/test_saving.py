"""`save` and `load`: what comes back, what is left out, what is shared, and what is refused."""

from __future__ import annotations

import gc
import io
import math
import os
import pickle
import stat
import subprocess
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path

import pytest

import tensorglass as torch
from tensorglass.core.dtypes import ALL

FORMATS = ["tensors.safetensors", "tensors.pt"]


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a file, named for either format."""
    return str(tmp_path / request.param)


def saved_and_loaded(data, path, **how):
    torch.save(data, path)
    return torch.load(path, **how)


# --- what comes back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_tensor_of_every_dtype_comes_back(dtype, mmap, path):
    tensor = torch.arange(6).view(2, 3).to(dtype)
    loaded = saved_and_loaded(tensor, path, mmap=mmap)
    assert loaded.dtype is dtype
    assert loaded.tolist() == tensor.tolist()
    loaded[0, 0] = 1  # what is loaded can be written to, and a mapped file stays as it is
    assert torch.load(path).tolist() == tensor.tolist()


@pytest.mark.parametrize(
    "data",
    [
        None, True, 7, -(2**40), 2**100, 0.1, math.inf, "text", "\ud800", b"\x00\xff", 1 + 2j, [], (), {},
        [1, [2.0, (3,)]],
        {"a": {"b": [None]}, 3: "three", (1, "x"): 2}, OrderedDict(b=1, a=2), {1, 2}, bytearray(b"ab"),
    ],
    ids=repr,
)  # fmt: skip
def test_plain_data_come_back_as_they_were(data, path):
    loaded = saved_and_loaded(data, path)
    assert loaded == data
    assert type(loaded) is type(data)


def test_what_describes_tensors_comes_back(path):
    data = [torch.Size([2, 3]), torch.float32, torch.device("cpu"), torch.device("cuda", 1)]
    loaded = saved_and_loaded(data, path)
    assert loaded == data
    assert type(loaded[0]) is torch.Size


def test_tensors_come_back_from_any_depth(path):
    data = {"model": OrderedDict(w=torch.ones(2, 2), b=torch.zeros(2)), "steps": [torch.tensor(3), (torch.arange(2),)]}
    loaded = saved_and_loaded(data, path)
    assert list(loaded["model"]) == ["w", "b"]
    assert loaded["model"]["w"].tolist() == [[1, 1], [1, 1]]
    assert loaded["steps"][1][0].tolist() == [0, 1]


def test_the_order_of_a_dictionary_is_kept(path):
    data = {name: torch.zeros(1, dtype=dtype) for name, dtype in [("z", torch.int8), ("a", torch.float64)]}
    assert list(saved_and_loaded(data, path)) == ["z", "a"]


def test_names_that_would_meet_are_kept_apart(path):
    data = {
        "a.b": torch.zeros(1),
        "a": {"b": torch.ones(1)},
        "__metadata__": torch.tensor([2.0]),
        "\ud800": torch.ones(2),
    }
    loaded = saved_and_loaded(data, path)
    assert loaded["a.b"].item() == 0
    assert loaded["a"]["b"].item() == 1
    assert loaded["__metadata__"].item() == 2
    assert list(loaded) == list(data)


def test_flags_and_attributes_of_a_tensor_come_back(path):
    tensor = torch.ones(2, requires_grad=True)
    tensor.kind = ["weights", torch.zeros(1)]
    loaded = saved_and_loaded({"w": tensor}, path)["w"]
    assert loaded.requires_grad
    assert loaded.is_leaf
    assert loaded.kind[0] == "weights"
    assert loaded.kind[1].tolist() == [0]


def test_one_tensor_in_two_places_is_one_tensor_again(path):
    tensor = torch.ones(2)
    first, second = saved_and_loaded([tensor, tensor], path)
    assert first is second


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.arange(6).view(2, 3).t(), lambda: torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last),
        lambda: torch.ones(1).expand(3, 4), lambda: torch.arange(5.0).unfold(0, 3, 1), lambda: torch.zeros(0, 3),
        lambda: torch.tensor(3.0), lambda: torch.arange(4)[1:3],
    ],
)  # fmt: skip
@pytest.mark.parametrize("mmap", [False, True])
def test_strides_without_gaps_are_kept(make, mmap, path):
    tensor = make()
    loaded = saved_and_loaded(tensor, path, mmap=mmap)
    assert loaded.shape == tensor.shape
    assert loaded.stride() == tensor.stride()
    assert loaded.tolist() == tensor.tolist()


def test_a_conjugated_tensor_comes_back_with_its_values(path):
    tensor = torch.tensor([1 + 2j, 3j])
    alone = saved_and_loaded(tensor.conj(), path)
    assert alone.tolist() == [1 - 2j, -3j]
    both = saved_and_loaded([tensor, tensor.conj()], path)
    both[0][0] = 5j
    assert both[1].tolist() == [-5j, -3j]


# --- which bytes are saved ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [lambda big: big[3], lambda big: big[:, 3], lambda big: big[::100, ::100]])
def test_saving_a_slice_saves_the_slice(part, path):
    big = torch.arange(1_000_000).view(1000, 1000)
    piece = part(big)
    loaded = saved_and_loaded(piece, path)
    assert loaded.tolist() == piece.tolist()
    assert loaded.untyped_storage().nbytes() == piece.nbytes
    assert os.path.getsize(path) < piece.nbytes + 2000


def test_tensors_that_share_memory_share_it_again_and_are_saved_once(path):
    whole = torch.arange(100_000.0).view(100, 1000)
    loaded = saved_and_loaded({"row": whole[5], "whole": whole, "turned": whole.t()}, path)
    assert os.path.getsize(path) < whole.nbytes + 2000
    loaded["row"][0] = -1
    assert loaded["whole"][5, 0] == -1
    assert loaded["turned"][0, 5] == -1


def test_halves_that_overlap_are_saved_as_one_run(path):
    numbers = torch.arange(1000)
    first, second = saved_and_loaded((numbers[100:103], numbers[102:105]), path)
    first[2] = -1
    assert second.tolist() == [-1, 103, 104]
    assert first.untyped_storage().nbytes() == 5 * 8


def test_slices_that_do_not_meet_are_saved_apart(path):
    numbers = torch.zeros(1_000_000)
    saved_and_loaded([numbers[:2], numbers[-2:]], path)
    assert os.path.getsize(path) < 3000


def test_one_memory_in_two_dtypes_is_refused(path):
    tensor = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        torch.save([tensor, tensor.view(torch.int32)], path)


# --- files -------------------------------------------------------------------------------------------------------


def test_the_name_decides_the_format(tmp_path):
    for name, is_zip in [("a", False), ("a.safetensors", False), ("a.pt", True), ("a.pth", True), ("a.ckpt", True)]:
        torch.save(torch.ones(1), tmp_path / name)
        assert zipfile.is_zipfile(tmp_path / name) is is_zip, name


def test_files_in_memory_are_read_from_where_they_stand(path):
    torch.save([torch.arange(3)], path)
    buffer = io.BytesIO()
    torch.save([torch.arange(3)], buffer)
    for data in (buffer.getvalue(), Path(path).read_bytes()):
        file = io.BytesIO(b"before" + data)
        file.seek(6)
        assert torch.load(file)[0].tolist() == [0, 1, 2]


def test_a_file_that_fails_to_be_written_leaves_the_old_one(path):
    torch.save(torch.ones(2), path)
    before = Path(path).read_bytes()
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):  # as of safetensors, and as of pickle
        torch.save({"first": torch.zeros(1000), "later": [1, lambda: 0]}, path)
    assert Path(path).read_bytes() == before
    assert os.listdir(Path(path).parent) == [Path(path).name]


def test_a_file_is_replaced_under_those_who_have_it_mapped(path):
    torch.save(torch.ones(100_000), path)
    mapped = torch.load(path, mmap=True)
    os.chmod(path, 0o640)
    torch.save(torch.zeros(1), path)
    assert mapped.sum() == 100_000
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def test_a_link_stays_a_link(path):
    link = f"{path}.link{Path(path).suffix}"
    torch.save(torch.ones(1), path)
    os.symlink(path, link)
    torch.save(torch.zeros(1), link)
    assert os.path.islink(link)
    assert torch.load(path).item() == 0


def test_a_mapped_file_costs_no_memory_until_it_is_read(path):
    torch.save(torch.zeros(1_000_000), path)
    gc.collect()  # what other tests have left
    before = torch.memory.allocated()
    mapped = torch.load(path, mmap=True)
    assert torch.memory.allocated() == before
    assert mapped.sum() == 0


def test_a_small_file_in_another_process_is_what_was_saved(path):
    torch.save({"x": torch.arange(3)}, path)
    program = f"import tensorglass as torch; print(torch.load({path!r})['x'].tolist())"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout == "[0, 1, 2]\n"


def test_a_checkpoint_of_a_big_endian_machine_is_turned_around(tmp_path):
    torch.save(torch.tensor([1, 2]), tmp_path / "little.pt")
    with zipfile.ZipFile(tmp_path / "little.pt") as little, zipfile.ZipFile(tmp_path / "big.pt", "w") as big:
        for name in little.namelist():
            data = little.read(name)
            data = b"big" if name.endswith("byteorder") else data[::-1] if "/data/" in name else data
            big.writestr(name, data)
    assert torch.load(tmp_path / "big.pt").tolist() == [2, 1]


def test_records_too_large_for_32_bits_are_announced_as_such(tmp_path, monkeypatch):
    monkeypatch.setattr("tensorglass.serialization.zip_io._BEYOND_32_BITS", 1000)
    torch.save(torch.arange(1000), tmp_path / "wide.pt")
    assert torch.load(tmp_path / "wide.pt", mmap=True).tolist() == list(range(1000))
    assert torch.load(tmp_path / "wide.pt").data_ptr() % 8 == 0


# --- devices -----------------------------------------------------------------------------------------------------


def test_tensors_go_back_to_their_device_or_where_map_location_says(path):
    torch.save({"x": torch.arange(3, device="sim"), "y": torch.ones(2)}, path)
    assert torch.load(path)["x"].device == torch.device("sim:0")
    for where in ("cpu", torch.device("cpu"), {"sim:0": "cpu"}, lambda storage, location: storage):
        loaded = torch.load(path, map_location=where)
        assert {tensor.device.type for tensor in loaded.values()} == {"cpu"}
        assert loaded["x"].tolist() == [0, 1, 2]
    assert torch.load(path, map_location="sim")["y"].device.type == "sim"


def test_what_shared_memory_on_a_device_shares_it_there(path):
    whole = torch.zeros(2, 3, device="sim")
    loaded = saved_and_loaded([whole, whole[1], whole.t()], path)
    loaded[1].fill_(4)
    assert loaded[0].cpu().tolist() == [[0, 0, 0], [4, 4, 4]]
    assert loaded[2].stride() == (1, 3)


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([print], r"obj\[0\] is of type builtin_function_or_method"),
        ({"a": object()}, r"obj\['a'\] is of type object"),
        ({torch.ones(1): 1}, "obj is of type tensorglass.Tensor"),
        (range(3), "obj is of type range"),
    ],
)
def test_what_is_no_data_is_not_saved_as_safetensors(data, said, tmp_path):
    path = tmp_path / "tensors.safetensors"
    with pytest.raises(TypeError, match=said) as caught:
        torch.save(data, path)
    assert "how to make them, and that is code" in caught.value.__notes__[0]
    assert not path.exists()


def test_a_list_that_holds_itself_is_not_saved(path):
    data: list = []
    data.append(data)
    with pytest.raises(ValueError, match=r"obj\[0\] holds itself"):
        torch.save(data, path)


class Trap:
    """What a pickle can do: run anything when it is read."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


@pytest.mark.parametrize("weights_only", [None, True])
@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_would_run_code_is_refused_and_not_run(tmp_path, protocol, weights_only):
    marker = tmp_path / "ran"
    trap = pickle.dumps({"w": [1.0], "x": Trap(marker)}, protocol)
    (tmp_path / "plain.pt").write_bytes(trap)
    with zipfile.ZipFile(tmp_path / "zipped.pt", "w") as archive:
        archive.writestr("archive/data.pkl", trap)
        archive.writestr("archive/version", "3\n")
    for name in ("plain.pt", "zipped.pt"):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            torch.load(tmp_path / name, weights_only=weights_only)
    assert not marker.exists()
    pickle.loads(trap)
    assert marker.exists()  # so it was a trap


def test_a_refusal_says_what_the_file_asked_for(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Trap("x"), 2))
    with pytest.raises(pickle.UnpicklingError, match=r"unsupported GLOBAL (posix|nt).mkdir whose module") as caught:
        torch.load(tmp_path / "a.pt")
    assert "was not run" in caught.value.__notes__[0]


def test_a_file_that_is_neither_says_how_it_begins(tmp_path):
    (tmp_path / "a.pt").write_bytes(b"GIF89a, and so on")
    with pytest.raises(pickle.UnpicklingError, match="neither a safetensors file nor a zip file") as caught:
        torch.load(tmp_path / "a.pt")
    assert "GIF89a" in caught.value.__notes__[0]
