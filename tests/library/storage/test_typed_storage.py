"""Typed storages: typed views of bytes, conversions to new storages, and the deprecation warning."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tensorglass as torch


def test_a_typed_storage_writes_through_to_the_tensor() -> None:
    tensor = torch.arange(4.0)
    storage = tensor.storage()
    storage[1] = 9
    assert tensor.tolist() == [0, 9, 2, 3]
    assert storage.data_ptr() == tensor.data_ptr()


def test_a_conversion_is_a_new_storage_and_leaves_the_old_one() -> None:
    storage = torch.FloatStorage([1.5, 0.0])
    whole = storage.long()
    assert whole.tolist() == [1, 0]
    assert whole.data_ptr() != storage.data_ptr()
    assert storage.tolist() == [1.5, 0.0]


def test_the_old_classes_ask_for_the_dtype() -> None:
    storage = torch.arange(2).storage()
    assert isinstance(storage, torch.LongStorage)
    assert not isinstance(storage, torch.FloatStorage)
    assert storage.type() == "torch.LongStorage"


def test_type_converts() -> None:
    assert torch.FloatStorage([2.7]).type("torch.LongStorage").tolist() == [2]


def test_a_refused_element_changes_nothing() -> None:
    storage = torch.ByteStorage([1, 2])
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        storage.fill_(300)
    assert storage.tolist() == [1, 2]


def test_the_warning_comes_once_and_names_the_callers_line() -> None:
    program = "import tensorglass as torch\nx = torch.ones(2)\nx.storage()\nx.storage()\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("TypedStorage is deprecated") == 1
    assert "<string>:3: UserWarning" in done.stderr
