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
        data_again = torch.load(tmp_path / name)
    assert {key: value.device for key, value in data_again.items()} == {
        key: value.device for key, value in data.items()
    }
    assert all(torch.equal(data_again[key], data[key]) for key in data)


@pytest.mark.parametrize("name", ["a.pt", "a.safetensors"])
def test_parameters_are_parameters_again(name: str, tmp_path: Path) -> None:
    learned = torch.nn.Parameter(torch.arange(3.0))
    learned.note = "mine"
    frozen = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    torch.save({"learned": learned, "again": [learned], "frozen": frozen, "tensor": torch.ones(1)}, tmp_path / name)
    data_again = torch.load(tmp_path / name)
    assert [type(data_again[key]) for key in ("learned", "frozen", "tensor")] == [torch.nn.Parameter] * 2 + [
        torch.Tensor
    ]
    assert data_again["again"][0] is data_again["learned"]
    assert data_again["learned"].note == "mine"
    assert (data_again["learned"].requires_grad, data_again["frozen"].requires_grad) == (True, False)
