"""Checkpoints as people write them: whole networks, arguments, arrays; files go both ways between the libraries."""

from __future__ import annotations

import argparse
import collections
import datetime
import io
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from attacks.words import name, number, program, sequence, storage, tensor, text, zipped

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

LIBRARIES = (tensorglass, torch)


class Config:
    def __init__(self, weight: Any) -> None:
        self.weight = weight
        self.name = "config"


class Made:
    """An object whose `__reduce__` says how to create it."""

    def __init__(self, weight: Any) -> None:
        self.weight = weight

    def __reduce__(self) -> Any:
        return Made, (self.weight.clone(),)


def net_of(library: Any) -> Any:
    nn = library.nn
    library.manual_seed(0)
    return nn.Sequential(
        *(nn.Conv1d(2, 3, 1), nn.BatchNorm1d(3), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1)),
        *(nn.Linear(6, 4), nn.LayerNorm(4), nn.ModuleList([nn.Linear(4, 4)])[0], nn.Softmax(-1)),
    ).eval()


def checkpoint_of(library: Any) -> Any:
    shared = library.arange(6.0)
    library.manual_seed(1)
    net = library.nn.Linear(2, 2)
    return {
        "args": argparse.Namespace(lr=0.1, path=pathlib.PurePosixPath("a/b"), device=library.device("cpu")),
        "history": np.ones(3),
        "best": np.float64(2.5),
        "when": datetime.date(2026, 1, 2),
        "counts": collections.defaultdict(list, {"a": [library.int32, library.Size([1, 2])]}),
        "config": Config(shared[1:4]),
        "made": Made(shared),
        "views": [shared, shared.view(2, 3).t(), shared[::2]],
        "kinds": [
            library.ones(2, dtype=getattr(library, name)) for name in ("bool", "bfloat16", "complex64", "uint16")
        ],
        "leaf": library.ones(2, requires_grad=True),
        "parameter": library.nn.Parameter(library.zeros(2), requires_grad=False),
        "state": collections.OrderedDict(net.state_dict()),
        "range": range(3),
        "function": net_of,
    }


def shown(value: Any) -> Any:
    """A loaded value as plain data, the same for both libraries."""
    if hasattr(value, "untyped_storage"):
        facts = (str(value.dtype), tuple(value.shape), value.stride(), value.storage_offset(), value.requires_grad)
        return type(value).__name__, facts, value.detach().tolist()
    if isinstance(value, dict):
        return type(value).__name__, {key: shown(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if isinstance(value, (argparse.Namespace, Config, Made)):
        return type(value).__name__, shown(vars(value))
    return repr(value)


def saved(library: Any, value: Any, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    library.save(value, file, **options)
    file.seek(0)
    return file


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("writes", LIBRARIES)
@pytest.mark.parametrize("reads", LIBRARIES)
def test_a_checkpoint_of_objects_is_read_by_both_libraries(writes: Any, reads: Any, protocol: int) -> None:
    file = saved(writes, checkpoint_of(writes), pickle_protocol=protocol)
    loaded = reads.load(file, weights_only=False)
    assert shown(loaded) == shown(checkpoint_of(reads))
    base = loaded["views"][0]
    assert all(view.untyped_storage().data_ptr() == base.untyped_storage().data_ptr() for view in loaded["views"])
    assert loaded["config"].weight.untyped_storage().data_ptr() == base.untyped_storage().data_ptr()


@pytest.mark.parametrize("writes", LIBRARIES)
@pytest.mark.parametrize("reads", LIBRARIES)
def test_a_whole_network_is_read_by_both_libraries(writes: Any, reads: Any) -> None:
    net = reads.load(saved(writes, net_of(writes)), weights_only=False)
    assert repr(net) == repr(net_of(reads))
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 2, 2)
    outcome = net(reads.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(outcome, net_of(torch)(torch.from_numpy(x)).detach().numpy(), rtol=1e-5, atol=1e-6)
    assert type(net[5].weight) is reads.nn.Parameter
    assert net[5].weight.requires_grad


UNSAFE = [
    os.getcwd,
    sys.exit,
    argparse.Namespace(lr=1),
    np.ones(2),
    np.float32(1),
    range(3),
    pathlib.PurePosixPath("a"),
    print,
    Config(1),
]
UNSAFE += [datetime.date(2026, 1, 1), collections.defaultdict(list), frozenset([1]), slice(1)]


@pytest.mark.parametrize("value", UNSAFE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("writes", LIBRARIES)
def test_by_default_what_is_no_data_is_refused_in_pytorchs_words(writes: Any, value: Any) -> None:
    messages, unsafe = [], []
    for library in LIBRARIES:
        file = saved(writes, {"w": writes.ones(1), "value": value})
        with pytest.raises(pickle.UnpicklingError) as caught:
            library.load(file)
        messages.append(str(caught.value))
        file.seek(0)
        unsafe.append(sorted(library.serialization.get_unsafe_globals_in_checkpoint(file)))
    assert messages[0] == messages[1]
    assert unsafe[0] == unsafe[1]


def test_what_a_program_trusts_is_read() -> None:
    for writes in LIBRARIES:
        for library in LIBRARIES:
            value = {"config": Config(writes.ones(2)), "net": writes.nn.Linear(2, 2)}
            trusted = [Config, library.nn.Linear, set]
            serialization = library.serialization
            before = serialization.get_safe_globals()
            with pytest.raises(pickle.UnpicklingError):
                library.load(saved(writes, value))
            with serialization.safe_globals(trusted):
                loaded = library.load(saved(writes, value))
                with pytest.raises(pickle.UnpicklingError, match="GLOBAL print was not an allowed global"):
                    library.load(saved(writes, [Config(print)]))
            assert loaded["config"].weight.tolist() == [1, 1]
            assert loaded["net"].weight.requires_grad
            assert len(serialization.get_safe_globals()) == len(before)
            serialization.add_safe_globals([(Config, f"{__name__}.Config")])
            assert library.load(saved(writes, Config(3))).weight == 3
            serialization.clear_safe_globals()
            with pytest.raises(pickle.UnpicklingError):
                library.load(saved(writes, Config(3)))


class Slots:
    __slots__ = ("inner", "size")

    def __init__(self) -> None:
        self.inner, self.size = [1, 2], 3


ARRAY = [np.ndarray, np.dtype, type(np.dtype("float64")), np.array(1).__reduce__()[0]]
TRUSTED = {
    "arguments": (lambda library: argparse.Namespace(lr=0.1, w=library.ones(2)), [argparse.Namespace]),
    "array": (lambda library: np.arange(3.0), ARRAY),
    "a number of NumPy": (lambda library: np.float64(2.5), [*ARRAY, np.float64(1).__reduce__()[0]]),
    "a dictionary of lists": (
        lambda library: collections.defaultdict(list),
        [collections.defaultdict, list],
    ),
    "a class kept as data": (lambda library: {"kind": Config}, [Config]),
    "slots": (lambda library: Slots(), [Slots]),
}


@pytest.mark.parametrize("case", TRUSTED)
@pytest.mark.parametrize("writes", LIBRARIES)
def test_objects_of_trusted_classes_are_read_as_pytorch_reads_them(case: str, writes: Any) -> None:
    make, trusted = TRUSTED[case]
    outcomes = []
    for library in LIBRARIES:
        with library.serialization.safe_globals(trusted):
            loaded = library.load(saved(writes, [make(writes)]))[0]
        outcomes.append(shown(loaded) if case != "slots" else (loaded.inner, loaded.size))
    assert outcomes[0] == outcomes[1]


class Marked(tensorglass.Tensor):
    pass


def test_a_trusted_subclass_of_tensors_is_read() -> None:
    marked = tensorglass.arange(3.0).as_subclass(Marked)
    marked.note = "mine"
    file = saved(tensorglass, {"w": marked})
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL .*Marked was not an allowed global"):
        tensorglass.load(file)
    with tensorglass.serialization.safe_globals([Marked]):
        loaded = tensorglass.load(file)["w"]
    assert type(loaded) is Marked
    assert loaded.tolist() == [0, 1, 2]
    assert loaded.note == "mine"


ATTRIBUTE = pickle.EMPTY_DICT + text("name") + number(1) + pickle.SETITEM
CONFIG = name(__name__, "Config")
MADE = CONFIG + sequence(number(1)) + pickle.REDUCE
HOSTILE = {
    "a blocked module": (name("posix", "getcwd") + sequence() + pickle.REDUCE, "whose module posix is blocked"),
    "another function": (CONFIG + name("builtins", "eval") + pickle.TUPLE2, "GLOBAL eval was not an allowed"),
    "a method of it": (name(__name__, "Config.__init__") + sequence() + pickle.REDUCE, "was not an allowed"),
    "a call of what is made": (MADE + sequence() + pickle.REDUCE, "calls what cannot be called"),
    "an attribute of the class": (CONFIG + ATTRIBUTE + pickle.BUILD, "sets the state of a type"),
    "an attribute of a tensor": (tensor(storage()) + ATTRIBUTE + pickle.BUILD, "sets the state of a Tensor"),
    "items": (MADE + text("a") + number(1) + pickle.SETITEM, "sets items of a Config"),
    "a storage as an argument": (CONFIG + storage() + pickle.TUPLE1 + pickle.REDUCE, "as though it were data"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_trust_in_a_class_is_trust_in_nothing_else(case: str) -> None:
    words, said = HOSTILE[case]
    with tensorglass.serialization.safe_globals([Config, os.getcwd]):
        assert tensorglass.load(io.BytesIO(zipped(program(MADE)))).weight == 1
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as caught:
            tensorglass.load(io.BytesIO(zipped(program(words))))
    assert said in str(caught.value)


def test_a_file_runs_only_where_it_may(tmp_path: pathlib.Path) -> None:
    class Harm:
        def __reduce__(self) -> Any:
            return pathlib.Path.touch, (tmp_path / "run",)

    for writes in LIBRARIES:
        with pytest.raises(pickle.UnpicklingError):
            tensorglass.load(saved(writes, [Harm()]))
        with tensorglass.serialization.safe_globals([Config]), pytest.raises(pickle.UnpicklingError):
            tensorglass.load(saved(writes, [Config(1), Harm()]))
        assert not (tmp_path / "run").exists()


def test_options_of_reading() -> None:
    for library in LIBRARIES:
        serialization = library.serialization
        with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
            serialization.set_default_load_endianness("big")
        serialization.set_default_load_endianness(serialization.LoadEndianness.LITTLE)
        assert serialization.get_default_load_endianness() is serialization.LoadEndianness.LITTLE
        serialization.set_default_load_endianness(None)
        with serialization.skip_data():
            skipped = saved(library, Config(library.ones(1000)))
            assert library.load(skipped, weights_only=False).weight.shape == (1000,)
        skipped.seek(0)
        assert library.load(skipped, weights_only=False).weight.tolist() == [0] * 1000
        with pytest.raises(RuntimeError, match="explicit pickle_module is specified"):
            library.load(saved(library, Config(1)), weights_only=True, pickle_module=pickle)
        assert type(library.load(saved(library, Config(1)), pickle_module=pickle)) is Config
        for place in ("cpu", {"cpu": "cpu"}, lambda storage, location: storage, library.device("cpu")):
            assert library.load(saved(library, Config(library.ones(2))), place, weights_only=False).weight.sum() == 2


def test_a_file_by_name_may_hold_objects_and_safetensors_may_not(tmp_path: pathlib.Path) -> None:
    for path in map(tmp_path.joinpath, ("model.pt", "model.bin", "model")):
        tensorglass.save(Config(tensorglass.ones(2)), path)
        assert torch.load(path, weights_only=False).weight.tolist() == [1, 1]
    with pytest.raises(TypeError, match="cannot be saved as data"):
        tensorglass.save(Config(1), tmp_path / "model.safetensors")
    before = (tmp_path / "model.pt").read_bytes()
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        tensorglass.save([lambda: 3], tmp_path / "model.pt")
    assert (tmp_path / "model.pt").read_bytes() == before


def test_plain_pickles_of_pytorchs_tensors_are_read() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    marked = torch.nn.Parameter(x.clone())
    marked.tag = "first"
    kept = [x, x.t(), x.bfloat16(), torch.ones(2, dtype=torch.complex64).conj(), torch.ones(2, dtype=torch.uint16),
            torch.nn.Parameter(x.clone()), marked, torch.ones(2, requires_grad=True)]  # fmt: skip
    read = run_as_torch(pickle.dumps(kept), "[(str(x.tolist()), str(x.dtype), x.requires_grad, vars(x)) for x in data]")
    assert read == repr([(str(x.tolist()), str(x.dtype), x.requires_grad, vars(x)) for x in kept])
    refused = "torch.storage._load_from_bytes(data)"
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run_as_torch(pickle.dumps(pickle.dumps(3)), refused)
    assert "Invalid magic number; corrupt file?" in caught.value.stderr


def run_as_torch(pickled: bytes, expression: str) -> str:
    """What a program prints that runs on tensorglass and reads a pickle from its input."""
    code = f"import pickle, sys, torch; data = pickle.load(sys.stdin.buffer); print({expression})"
    command = [sys.executable, "-m", "tensorglass", "-c", code]
    result = subprocess.run(command, input=pickled, capture_output=True, check=False)
    if result.returncode:
        raise subprocess.CalledProcessError(result.returncode, command, stderr=result.stderr.decode())
    return result.stdout.decode().rstrip()
