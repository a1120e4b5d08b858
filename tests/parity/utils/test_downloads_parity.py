"""Weights from an address, as programs load them: downloaded once, into PyTorch's folder. No network is used."""

from __future__ import annotations

import hashlib
import pathlib
import pickle
from typing import Any

import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")

LIBRARIES = (tensorglass, torch)


@pytest.fixture
def weights(tmp_path: pathlib.Path) -> pathlib.Path:
    """A file of weights, with the beginning of its hash in its name."""
    torch.save({"w": torch.arange(3.0)}, tmp_path / "w.pth")
    data = (tmp_path / "w.pth").read_bytes()
    path = tmp_path / f"net-{hashlib.sha256(data).hexdigest()[:8]}.pth"
    path.write_bytes(data)
    return path


def listed(folder: pathlib.Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("variable", ["TORCH_HOME", "XDG_CACHE_HOME"])
def test_weights_are_downloaded_once_into_pytorchs_folder(
    weights: pathlib.Path, variable: str, tmp_path: pathlib.Path, monkeypatch: Any, capfd: Any
) -> None:
    outcomes = []
    for number, library in enumerate(LIBRARIES):
        home = tmp_path / str(number)
        monkeypatch.delenv("TORCH_HOME", raising=False)
        monkeypatch.setenv(variable, str(home))
        load_url = __import__(f"{library.__name__}.utils.model_zoo", fromlist=["load_url"]).load_url
        results = [load_url(weights.as_uri(), check_hash=True)["w"].tolist() for _ in range(2)]
        results.append(
            load_url(weights.as_uri(), progress=False, file_name="other.pth", map_location="cpu")["w"].tolist()
        )
        printed = capfd.readouterr().out.replace(str(home), "HOME")
        outcomes.append((results, printed, listed(home), library.hub.get_dir().replace(str(home), "HOME")))
    assert outcomes[0] == outcomes[1]


def test_a_file_with_another_hash_is_refused_and_not_kept(weights: pathlib.Path, tmp_path: pathlib.Path) -> None:
    address, target = weights.as_uri(), tmp_path / "target" / "w.pth"
    target.parent.mkdir()
    messages = []
    for library in LIBRARIES:
        with pytest.raises(RuntimeError, match="invalid hash value") as caught:
            library.hub.download_url_to_file(address, str(target), "0123abcd", progress=False)
        messages.append(str(caught.value))
        assert listed(target.parent) == []
        with pytest.raises(OSError, match="No such file"):
            library.hub.download_url_to_file(f"{address}.gone", str(target), progress=False)
        assert listed(target.parent) == []
        library.hub.download_url_to_file(address, str(target), progress=False)
        assert target.read_bytes() == weights.read_bytes()
        target.unlink()
    assert messages[0] == messages[1]


def test_the_folder_can_be_chosen_and_what_is_downloaded_is_data(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(tensorglass.hub, "_folder", None)
    tensorglass.hub.set_dir(tmp_path / "mine")
    assert tensorglass.hub.get_dir() == str(tmp_path / "mine")
    torch.save(pathlib.PurePosixPath("a"), tmp_path / "object.pth")
    address = (tmp_path / "object.pth").as_uri()
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global"):
        tensorglass.hub.load_state_dict_from_url(address, progress=False)
    loaded = tensorglass.hub.load_state_dict_from_url(address, progress=False, weights_only=False)
    assert loaded == pathlib.PurePosixPath("a")
    with pytest.raises(NotImplementedError, match=r"torch\.hub\.load is a name here, and no more") as caught:
        tensorglass.hub.load("owner/repository", "network")
    assert "out of scope" in caught.value.__notes__[0]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_older_choice_of_attention_computes_the_same() -> None:
    outcomes = []
    for library in LIBRARIES:
        x = library.linspace(-1, 1, 24).view(1, 1, 6, 4)
        with library.backends.cuda.sdp_kernel(enable_flash=False, enable_mem_efficient=False):
            outcomes.append(library.nn.functional.scaled_dot_product_attention(x, x, x).numpy())
        with pytest.warns(FutureWarning, match="sdp_kernel.* is deprecated"):
            library.backends.cuda.sdp_kernel()
        assert library.cuda._initialized is False
    assert abs(outcomes[0] - outcomes[1]).max() < 1e-6
