"""A network trained here and in PyTorch from the same parameters on the same batches: losses and state dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
from parity.nn.samples import are_close, plain

import tensorglass

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")


def lenet(library: Any) -> Any:
    """LeCun and others (1998), smaller. A norm cancels a bias before it, so the first layer has none."""
    nn = library.nn
    library.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 4, 5, padding=2, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 5),
    )  # fmt: skip


def trained(library: Any, steps: int = 5) -> tuple[list[float], Any, Any]:
    """The losses of some steps of Adam, with the network and the optimizer."""
    random = numpy.random.default_rng(0)
    images = library.from_numpy(random.normal(size=(40, 1, 12, 12)).astype("float32"))
    classes = library.from_numpy(random.integers(0, 5, 40))
    net = lenet(library)
    optimizer = library.optim.Adam(net.parameters(), lr=0.01)
    library.manual_seed(7)
    data = library.utils.data
    losses: list[float] = []
    loader = data.DataLoader(data.TensorDataset(images, classes), batch_size=8, shuffle=True)
    for _, (x, y) in zip(range(steps), loader, strict=True):
        optimizer.zero_grad()
        loss = library.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, net, optimizer


def test_a_network_learns_as_in_pytorch() -> None:
    expected, theirs, _ = trained(torch)
    losses, mine, _ = trained(tensorglass)
    assert losses == pytest.approx(expected, abs=1e-4)
    assert list(mine.state_dict()) == list(theirs.state_dict())
    for key, value in mine.state_dict().items():
        assert are_close(plain(value), plain(theirs.state_dict()[key]), 1e-3), key


@pytest.mark.parametrize(("writer", "reader"), [(tensorglass, torch), (torch, tensorglass)], ids=["to", "from"])
def test_what_one_library_saves_goes_on_in_the_other(writer: Any, reader: Any, tmp_path: Path) -> None:
    _, net, optimizer = trained(writer)
    path = tmp_path / "checkpoint.pt"
    writer.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
    other = lenet(reader)
    other_optimizer = reader.optim.Adam(other.parameters())
    checkpoint = reader.load(path, weights_only=True)
    assert str(other.load_state_dict(checkpoint["net"])) == "<All keys matched successfully>"
    other_optimizer.load_state_dict(checkpoint["optimizer"])
    image = numpy.linspace(-1, 1, 288, dtype="float32").reshape(2, 1, 12, 12)
    results = []
    for library, module, steps in ((writer, net, optimizer), (reader, other, other_optimizer)):
        for _ in range(2):
            steps.zero_grad()
            loss = module(library.from_numpy(image)).square().mean()
            loss.backward()
            steps.step()
        results.append([loss.item(), *(plain(item) for item in module.state_dict().values())])
    for one, two in zip(*results, strict=True):
        assert are_close(one, two, 1e-4)
