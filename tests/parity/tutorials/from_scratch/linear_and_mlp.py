"""Chapters of a textbook: linear and softmax regression, perceptrons, dropout and decay by hand and by `nn`."""

import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import data

torch.manual_seed(0)
random.seed(0)
x = torch.arange(12, dtype=torch.float32)
X = x.reshape(3, 4)
Y = torch.tensor([[2.0, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
print(torch.cat((X, Y), dim=0), X == Y, X.sum())
before = id(Y)
Z = torch.zeros_like(Y)
Z[:] = X + Y
X += Y
print(id(Z) != before, X[-1], X[1:3], X.numpy(), type(X.numpy()))
A = torch.arange(20, dtype=torch.float32).reshape(5, 4)
print(A.T, A.sum(axis=1, keepdims=True), A / A.sum(axis=1, keepdim=True), A.cumsum(axis=0), torch.mv(A, x[:4]), torch.norm(x[:2]), torch.abs(x).sum())


def synthetic_data(w, b, num_examples):
    X = torch.normal(0, 1, (num_examples, len(w)))
    y = torch.matmul(X, w) + b
    y += torch.normal(0, 0.01, y.shape)
    return X, y.reshape((-1, 1))


true_w, true_b = torch.tensor([2, -3.4]), 4.2
features, labels = synthetic_data(true_w, true_b, 100)


def data_iter(batch_size, features, labels):
    num_examples = len(features)
    indices = list(range(num_examples))
    random.shuffle(indices)
    for i in range(0, num_examples, batch_size):
        batch_indices = torch.tensor(indices[i : min(i + batch_size, num_examples)])
        yield features[batch_indices], labels[batch_indices]


def linreg(X, w, b):
    return torch.matmul(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(3):
    for X, y in data_iter(10, features, labels):
        l = squared_loss(linreg(X, w, b), y)
        l.sum().backward()
        sgd([w, b], 0.03, 10)
    with torch.no_grad():
        print(f"epoch {epoch + 1}, loss {float(squared_loss(linreg(features, w, b), labels).mean()):f}")
print(f"error in estimating w: {true_w - w.reshape(true_w.shape)}")
print(f"error in estimating b: {true_b - b}")

net = nn.Sequential(nn.Linear(2, 1))
net[0].weight.data.normal_(0, 0.01)
net[0].bias.data.fill_(0)
loader = data.DataLoader(data.TensorDataset(features, labels), 10, shuffle=True)
trainer = torch.optim.SGD(net.parameters(), lr=0.03)
for epoch in range(3):
    for X, y in loader:
        l = nn.MSELoss()(net(X), y)
        trainer.zero_grad()
        l.backward()
        trainer.step()
    print(f"epoch {epoch + 1}, loss {nn.MSELoss()(net(features), labels):f}")
print(net[0].weight.data, net[0].bias.data)


def softmax(X):
    X_exp = torch.exp(X)
    partition = X_exp.sum(1, keepdim=True)
    return X_exp / partition


def cross_entropy(y_hat, y):
    return -torch.log(y_hat[range(len(y_hat)), y])


def accuracy(y_hat, y):
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    cmp = y_hat.type(y.dtype) == y
    return float(cmp.type(y.dtype).sum())


def dropout_layer(X, dropout):
    assert 0 <= dropout <= 1
    if dropout == 1:
        return torch.zeros_like(X)
    mask = (torch.rand(X.shape) > dropout).float()
    return mask * X / (1.0 - dropout)


def relu(X):
    a = torch.zeros_like(X)
    return torch.max(X, a)


images = torch.randn(60, 1, 6, 6)
classes = torch.randint(0, 4, (60,))
W1 = nn.Parameter(torch.randn(36, 16, requires_grad=True) * 0.1)
b1 = nn.Parameter(torch.zeros(16, requires_grad=True))
W2 = nn.Parameter(torch.randn(16, 4, requires_grad=True) * 0.1)
b2 = nn.Parameter(torch.zeros(4, requires_grad=True))
updater = torch.optim.SGD([W1, b1, W2, b2], lr=0.1)
for epoch in range(3):
    H = dropout_layer(relu(images.reshape((-1, 36)) @ W1 + b1), 0.2)
    y_hat = softmax(H @ W2 + b2)
    l = cross_entropy(y_hat, classes)
    updater.zero_grad()
    l.mean().backward()
    updater.step()
    print(l.mean().item(), accuracy(y_hat, classes) / 60)


def init_weights(m):
    if type(m) == nn.Linear:
        nn.init.normal_(m.weight, std=0.01)


net = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4))
net.apply(init_weights)
trainer = torch.optim.SGD([{"params": net[1].weight, "weight_decay": 0.1}, {"params": net[1].bias}, {"params": net[4].parameters()}], lr=0.1)
loss = nn.CrossEntropyLoss(reduction="none")
for epoch in range(3):
    l = loss(net(images), classes)
    trainer.zero_grad()
    l.mean().backward()
    trainer.step()
    print(l.sum().item(), net[1].weight.norm().item())


class FixedHiddenMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.rand_weight = torch.rand((20, 20), requires_grad=False)
        self.linear = nn.Linear(20, 20)

    def forward(self, X):
        X = self.linear(X)
        X = F.relu(torch.mm(X, self.rand_weight) + 1)
        X = self.linear(X)
        while X.abs().sum() > 1:
            X /= 2
        return X.sum()


print(FixedHiddenMLP()(torch.rand(2, 20)))


class MySequential(nn.Module):
    def __init__(self, *args):
        super().__init__()
        for idx, module in enumerate(args):
            self._modules[str(idx)] = module

    def forward(self, X):
        for block in self._modules.values():
            X = block(X)
        return X


chimera = MySequential(nn.Linear(20, 4), nn.ReLU(), nn.Linear(4, 3))
print(chimera, chimera(torch.ones(1, 20)), chimera.state_dict()["2.bias"], [(n, p.shape) for n, p in chimera.named_parameters()])
