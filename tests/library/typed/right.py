"""A program as users write it, with annotations; type checkers find nothing wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import glassroom
import tensorglass as torch
from tensorglass import Tensor, nn
from tensorglass.array_api import asarray
from tensorglass.nn import functional as F
from tensorglass.utils.data import DataLoader, TensorDataset


class Line:
    """A straight line, fitted by gradient descent."""

    def __init__(self) -> None:
        self.slope = torch.zeros(1, requires_grad=True)
        self.shift = torch.zeros(1, dtype=torch.float32, device="cpu", requires_grad=True)

    def __call__(self, x: Tensor) -> Tensor:
        return self.slope * x + self.shift

    def step(self, rate: float) -> None:
        with torch.no_grad():
            for tensor in (self.slope, self.shift):
                if tensor.grad is not None:
                    tensor.sub_(tensor.grad, alpha=rate)
                    tensor.grad = None


class Net(nn.Module):
    """A network of two layers, imported from modules that re-export them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(1, 4)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: Tensor) -> Tensor:
        hidden: Tensor = F.relu(self.first(x)) * self.scale
        return hidden


def train() -> None:
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    batches = DataLoader(TensorDataset(asarray([[1.0], [2.0]]), torch.tensor([0, 1])), batch_size=2)
    pairs: Iterator[tuple[Tensor, Tensor]] = iter(batches)
    for x, y in pairs:
        F.cross_entropy(net(x), y).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()


def loss_of(line: Line, x: Tensor, y: Tensor) -> Tensor:
    return (line(x) - y).square().mean()


def main() -> None:
    torch.manual_seed(0)
    train()
    x = torch.rand(torch.Size([20]), generator=torch.Generator())
    y = 2 * x + 1 - 0.1 * torch.randn(20).clamp(min=-1, max=1)
    line = Line()
    for _ in range(10):
        loss = loss_of(line, x, y)
        loss.backward()
        line.step(0.1)
    table = torch.arange(12).reshape(3, 4).to(torch.float64)
    largest, places = table.max(1)
    best: Tensor = table.max()
    rows: tuple[Tensor, ...] = table.split(2)
    sorted_ = torch.sort(table, dim=0, descending=True)
    print(sorted_.values[0], largest.tolist(), places.sum(dim=0, keepdim=True).item(), best, rows)
    picked = torch.where(table > 3, table, 0.0)[1:, ::2].t().contiguous()
    joined = torch.cat([picked, -picked], dim=1).view(-1).unsqueeze(0)
    length: int = joined.numel() + joined.dim() + joined.shape[0]
    array: np.ndarray = np.asarray(joined.numpy())
    factors = torch.linalg.svd(table)
    print(length, array.shape, factors.S, torch.fft.fft(joined).abs(), torch.special.expit(joined))
    for row in table:
        print(row @ row, row.to("cpu", torch.float32).dtype == torch.float32, row.T)

    def program() -> None:
        copied = table.clone()
        copied += 1

    picture = glassroom.show(table, turned=table.t())
    text: str = picture.text + glassroom.watch(program, names="copied", steps=10).svg
    print(text, glassroom.graph(loss_of(line, x, y)).as_dict()["inspector"])
    text += glassroom.graph(loss_of(line, x, y)).data.steps[0].name
    glassroom.aliases(table, whole_process=False).save("aliases.html", theme="dark")
    with glassroom.memory_timeline() as timeline:
        table.exp()
    print(timeline.text, len(timeline.data.lives))


if __name__ == "__main__":
    main()
