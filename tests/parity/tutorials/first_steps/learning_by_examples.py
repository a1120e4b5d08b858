"""A sine by a polynomial of third order: by NumPy, tensors, autograd, `nn`, `optim`, a module, and shared weights."""

import math
import random

import numpy as np
import torch

# NumPy
rng = np.random.RandomState(0)
x = np.linspace(-math.pi, math.pi, 200)
y = np.sin(x)
a, b, c, d = rng.randn(4)
for t in range(100):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = np.square(y_pred - y).sum()
    grad = 2.0 * (y_pred - y)
    a -= 1e-6 * grad.sum()
    b -= 1e-6 * (grad * x).sum()
    c -= 1e-6 * (grad * x**2).sum()
    d -= 1e-6 * (grad * x**3).sum()
print(t, loss)

# tensors
torch.manual_seed(0)
dtype, device = torch.float, torch.device("cpu")
torch.set_default_device("cpu")
x = torch.linspace(-math.pi, math.pi, 200, device=device, dtype=dtype)
y = torch.sin(x)
a = torch.randn((), device=device, dtype=dtype, requires_grad=True)
b = torch.randn((), device=device, dtype=dtype, requires_grad=True)
c = torch.randn((), device=device, dtype=dtype, requires_grad=True)
d = torch.randn((), device=device, dtype=dtype, requires_grad=True)
for t in range(100):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    if t % 25 == 0:
        print(t, loss.item())
    loss.backward()
    with torch.no_grad():
        a -= 1e-6 * a.grad
        b -= 1e-6 * b.grad
        c -= 1e-6 * c.grad
        d -= 1e-6 * d.grad
        a.grad = None
        b.grad = None
        c.grad = None
        d.grad = None
print(f"Result: y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")

# nn and optim
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
loss_fn = torch.nn.MSELoss(reduction="sum")
for t in range(60):
    loss = loss_fn(model(xx), y)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for param in model.parameters():
            param -= 1e-6 * param.grad
print(loss.item())
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for t in range(100):
    loss = loss_fn(model(xx), y)
    if t % 25 == 24:
        print(t, loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
linear_layer = model[0]
print(f"Result: y = {linear_layer.bias.item()} + {linear_layer.weight[:, 0].item()} x + {linear_layer.weight[:, 1].item()} x^2")


class DynamicNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.randn(()))
        self.b = torch.nn.Parameter(torch.randn(()))
        self.c = torch.nn.Parameter(torch.randn(()))
        self.d = torch.nn.Parameter(torch.randn(()))
        self.e = torch.nn.Parameter(torch.randn(()))

    def forward(self, x):
        y = self.a + self.b * x + self.c * x**2 + self.d * x**3
        for exp in range(4, random.randint(4, 6)):
            y = y + self.e * x**exp
        return y

    def string(self):
        return f"y = {self.a.item()} + {self.b.item()} x + {self.c.item()} x^2 + {self.d.item()} x^3 + {self.e.item()} x^4 ? + {self.e.item()} x^5 ?"


random.seed(0)
model = DynamicNet()
criterion = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(model.parameters(), lr=1e-8, momentum=0.9)
for t in range(100):
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if t % 25 == 0:
        print(t, loss.item())
print(f"Result: {model.string()}")
print(model)
print(list(model.parameters()))
