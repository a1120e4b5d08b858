"""A default device other than the CPU does not change where files are read to."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensorglass as torch


@pytest.mark.parametrize("name", ["a.pt", "a.safetensors"])
def test_a_file_is_read_to_the_devices_it_was_saved_from(name: str, tmp_path: Path) -> None:
    data = {"here": torch.arange(6.0).view(2, 3).t(), "there": torch.ones(2, device="sim"), "c": torch.ones(2) * 1j}
    torch.save(data, tmp_path / name)
    with torch.device("sim"):
        found = torch.load(tmp_path / name)
    assert {key: value.device for key, value in found.items()} == {key: value.device for key, value in data.items()}
    assert all(torch.equal(found[key], data[key]) for key in data)


@pytest.mark.parametrize("name", ["a.pt", "a.safetensors"])
def test_parameters_are_parameters_again(name: str, tmp_path: Path) -> None:
    learned = torch.nn.Parameter(torch.arange(3.0))
    learned.note = "mine"
    frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    torch.save({"learned": learned, "again": [learned], "frozen": frozen, "tensor": torch.ones(1)}, tmp_path / name)
    found = torch.load(tmp_path / name)
    assert [type(found[key]) for key in ("learned", "frozen", "tensor")] == [torch.nn.Parameter] * 2 + [torch.Tensor]
    assert found["again"][0] is found["learned"]
    assert found["learned"].note == "mine"
    assert (found["learned"].requires_grad, found["frozen"].requires_grad) == (True, False)
