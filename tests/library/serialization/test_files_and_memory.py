"""What a file must not do to the process that reads it: set attributes that other programs act on, or make it allocate
more than the file's own length."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from random import Random
from typing import Any

import numpy
import pytest
from attacks import crafted
from attacks.files import REFUSALS, allocated_by, check, loaded, run
from attacks.words import NEGATED, program, storage, tensor, zipped

import tensorglass as torch

MEGABYTE = 1_000_000


@pytest.fixture(params=["a.pt", "a.safetensors"])
def path(request: pytest.FixtureRequest, tmp_path: Any) -> str:
    return str(tmp_path / request.param)


def test_files_by_the_hundred_are_refused_or_read_to_right_values() -> None:
    said = run(140, seed=16)
    assert sum(said["outcomes"].values()) == said["files"] == 140
    assert said["outcomes"]["read"] > 20


# --- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", range(5))
def test_no_name_that_is_a_class_s_or_a_protocol_s_comes_out_of_a_file(how: int) -> None:
    own = dir(torch.Tensor) if how != 3 else dir(OrderedDict)  # the third file gives an OrderedDict the attribute
    names = {name for name in crafted.FORBIDDEN if name.startswith("__") or name in own}
    assert len(names) > 100
    for name in names:
        with pytest.raises(REFUSALS):
            torch.load(io.BytesIO(crafted.with_attribute(name, how)))
    for name in crafted.ALLOWED:
        tensor = torch.load(io.BytesIO(crafted.with_attribute(name, how)))
        assert vars(tensor)[name]["typestr"] == "<f4"


def test_numpy_reads_no_address_that_a_file_names() -> None:
    for how in range(5):
        with pytest.raises(REFUSALS, match=r"Weights only load failed|Error while deserializing") as caught:
            numpy.asarray(torch.load(io.BytesIO(crafted.with_attribute("__array_interface__", how))))
        assert any("__array_interface__" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("name", ["__array_interface__", "__class__", "_as_parameter_", "sum", "solve", "_storage"])
def test_what_could_not_be_loaded_is_not_saved(name: str, path: str) -> None:
    tensor = torch.ones(2)
    tensor.__dict__[name] = 1
    with pytest.raises(ValueError, match=r"obj\['w'\] has an attribute that cannot be saved: '") as caught:
        torch.save({"w": tensor}, path)
    assert f"del tensor.__dict__[{name!r}]" in caught.value.__notes__[0]


# --- memory ------------------------------------------------------------------------------------------------------


def test_records_that_overlap_are_refused(tmp_path: Any) -> None:
    once, often = crafted.overlapping(MEGABYTE, 1), crafted.overlapping(MEGABYTE, 50)
    assert len(often) < 1.1 * len(once)
    assert torch.load(io.BytesIO(once))[0].nbytes == MEGABYTE
    (tmp_path / "often.pt").write_bytes(often)
    for mmap in (False, True):
        with pytest.raises(RuntimeError, match="its records overlap"):
            torch.load(tmp_path / "often.pt", mmap=mmap)
    _, storages, _ = allocated_by(lambda: loaded(io.BytesIO(often)))
    assert storages <= len(often)


@pytest.mark.parametrize("flag", ["neg", "conj"])
def test_tensors_made_of_one_storage_take_it_once(flag: str) -> None:
    data = crafted.rebuilt(flag, 1000, MEGABYTE)
    (_, tensors), storages, _ = allocated_by(lambda: loaded(io.BytesIO(data)))
    assert len(tensors) == 1000
    assert storages <= 3 * MEGABYTE
    assert len({tensor.untyped_storage().data_ptr() for tensor in tensors}) == 1


def test_a_negated_tensor_that_is_expanded_takes_its_storage_and_no_more() -> None:
    stored = tensor(storage(), size=(2**40,), stride=(0,), metadata=NEGATED)
    negated = torch.load(io.BytesIO(zipped(program(stored), numpy.float32([3, 4]).tobytes())))
    assert negated.shape == (2**40,)
    assert negated[-1] == -3
    assert negated.untyped_storage().nbytes() == 8


@pytest.mark.parametrize("kind", crafted.KINDS)
def test_what_a_file_makes_is_bounded_by_its_length(kind: str, tmp_path: Any) -> None:
    for seed in range(12):
        data, expected = crafted.KINDS[kind](Random(seed))
        check(data, tmp_path / "file", expected)


# --- time --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [0, 1])
def test_keys_that_are_made_to_collide_are_refused(kind: int) -> None:
    keys = crafted.colliding(60_000, kind)
    assert len({hash(key) for key in keys}) == 1
    words = [crafted.words_of(key) + b"N" for key in keys]
    with pytest.raises(pickle.UnpicklingError) as caught:
        torch.load(io.BytesIO(zipped(program(b"}(", *words, b"u"))))
    assert "More than 100 keys of one container have the hash" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    "keys",
    [
        range(-20_000, 20_000),
        [sign * 2.0**power for sign in (1, -1) for power in range(-1074, 1024)],
        [2**power for power in range(1000)],
        [complex(x, y) for x in range(100) for y in range(100)],
        [(x, y) for x in range(-100, 100) for y in range(100)],
    ],
)
def test_keys_that_people_have_do_not_count_as_colliding(keys: Any, path: str) -> None:
    data = [dict.fromkeys(keys), set(keys)]
    torch.save(data, path)
    assert torch.load(path) == data
