"""First programs: gradients by hand, a curve fitted in several ways, a classifier with loader, test and checkpoint."""

import os
import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

# a parabola through noisy points: gradients written out, by autograd, by a module, by an optimizer
x = torch.linspace(-2, 2, 50)
y = 1.5 * x**2 - x + 0.5 + 0.1 * torch.randn(50)
a, b, c = torch.zeros(3)
for _ in range(30):
    error = a * x**2 + b * x + c - y
    a = a - 0.05 * (2 * error * x**2).mean()
    b = b - 0.05 * (2 * error * x).mean()
    c = c - 0.05 * (2 * error).mean()
print(a, b, c, error.square().mean())
weights = torch.zeros(3, requires_grad=True)
powers = torch.stack([x**2, x, torch.ones_like(x)], dim=1)
for _ in range(30):
    loss = (powers @ weights - y).square().mean()
    loss.backward()
    with torch.no_grad():
        weights -= 0.05 * weights.grad
        weights.grad.zero_()
print(weights, loss, loss.grad_fn.name(), loss.grad_fn.next_functions[0][0].name())


class Parabola(nn.Module):
    """Three numbers that are learned."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(()))
        self.b = nn.Parameter(torch.zeros(()))
        self.c = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.a * x**2 + self.b * x + self.c


for rule, rate in ((torch.optim.SGD, 0.05), (torch.optim.RMSprop, 0.05), (torch.optim.Adam, 0.1)):
    curve = Parabola()
    optimizer = rule(curve.parameters(), lr=rate)
    for _ in range(30):
        optimizer.zero_grad()
        loss = F.mse_loss(curve(x), y)
        loss.backward()
        optimizer.step()
    print(rule.__name__, loss.item(), [p.item() for p in curve.parameters()])
print(curve, list(curve.parameters()))


class Cube(torch.autograd.Function):
    """A function with a derivative of its own."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input**3

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return 3 * input**2 * grad_output


points = torch.randn(4, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Cube.apply, (points,)), Cube.apply(points))
print(torch.autograd.functional.hessian(lambda v: (v**3).sum() + v.prod(), torch.arange(1.0, 4.0)))

# pictures with one bright corner, told apart by a small convolutional network
device = "cuda" if torch.cuda.is_available() else "cpu"


def pictures(count):
    corner = torch.randint(0, 4, (count,))
    found = 0.4 * torch.rand(count, 1, 10, 10)
    for picture, place in zip(found, corner):
        top, left = divmod(int(place), 2)
        picture[0, 5 * top : 5 * top + 5, 5 * left : 5 * left + 5] += 0.5
    return TensorDataset(found, corner)


learned, held_back = pictures(64), pictures(24)
batches, test_batches = DataLoader(learned, batch_size=16, shuffle=True), DataLoader(held_back, batch_size=8)


class Corners(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(1, width, 3), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2))
        self.decide = nn.Sequential(
            nn.Flatten(), nn.Linear(16 * width, 20), nn.ReLU(), nn.Dropout(0.25), nn.Linear(20, 4)
        )

    def forward(self, x):
        return self.decide(self.look(x))


network = Corners().to(device)
print(network)
print({name: tuple(p.shape) for name, p in network.named_parameters()}, sum(p.numel() for p in network.parameters()))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    network.train()
    total = 0.0
    for images, corners in batches:
        images, corners = images.to(device), corners.to(device)
        loss = criterion(network(images), corners)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    network.eval()
    with torch.no_grad():
        right = sum((network(images).argmax(1) == corners).sum().item() for images, corners in test_batches)
    print(f"epoch {epoch}: loss {total / len(batches):.5f}, {right} of {len(held_back)}")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "corners.pth")
    torch.save(network.state_dict(), path)
    again = Corners()
    print(again.load_state_dict(torch.load(path, weights_only=True)))
again.eval()
print(again(held_back[:3][0]), held_back[:3][1])

# the trained body, frozen, under a new head; another learning rate for each part
for p in again.look.parameters():
    p.requires_grad = False
again.decide[4] = nn.Linear(20, 2)
optimizer = torch.optim.AdamW(
    [{"params": again.decide[1].parameters(), "lr": 1e-3}, {"params": again.decide[4].parameters()}], lr=1e-2
)
for images, corners in batches:
    loss = F.cross_entropy(again(images), corners // 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), [name for name, p in again.named_parameters() if p.requires_grad], optimizer)
try:
    again.load_state_dict(network.state_dict())
except RuntimeError as error:
    print(error)
