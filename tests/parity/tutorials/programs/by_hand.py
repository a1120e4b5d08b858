"""What textbooks write out before they use `nn`: convolution, norms, recurrent cells, attention, optimizers, boxes."""

import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def correlate(x, kernel):
    rows, columns = kernel.shape
    out = torch.zeros(x.shape[0] - rows + 1, x.shape[1] - columns + 1)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = (x[i : i + rows, j : j + columns] * kernel).sum()
    return out


picture = torch.ones(5, 7)
picture[:, 2:5] = 0
edges = correlate(picture, torch.tensor([[1.0, -1.0]]))
print(edges, torch.equal(edges, F.conv2d(picture[None, None], torch.tensor([[[[1.0, -1.0]]]]))[0, 0]))
layer = nn.Conv2d(1, 1, (1, 2), bias=False)
for step in range(8):
    loss = (layer(picture[None, None])[0, 0] - edges).square().sum()
    layer.zero_grad()
    loss.backward()
    layer.weight.data[:] -= 0.03 * layer.weight.grad
print(loss, layer.weight.data.reshape(-1))


class HandNorm(nn.Module):
    """Batch norm: the batch's mean and variance in training, running ones in use."""

    def __init__(self, channels):
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))

    def forward(self, x):
        if self.training:
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
            with torch.no_grad():
                self.mean += 0.1 * (mean - self.mean)
                self.var.mul_(0.9).add_(x.var((0, 2, 3)), alpha=0.1)
        else:
            mean, var = self.mean, self.var
        normed = (x - mean[:, None, None]) / (var[:, None, None] + 1e-5).sqrt()
        return normed * self.gain[:, None, None] + self.shift[:, None, None]


x = torch.randn(3, 2, 4, 4)
hand, ready = HandNorm(2), nn.BatchNorm2d(2)
print(
    torch.allclose(hand(x), ready(x), atol=1e-5), torch.allclose(hand.var, ready.running_var), hand.eval()(x)[0, 0, 0]
)


def drop(x, p):
    return torch.zeros_like(x) if p == 1 else (torch.rand(x.shape) > p).float() * x / (1 - p)


w1, b1 = (0.1 * torch.randn(8, 6)).requires_grad_(), torch.zeros(6, requires_grad=True)
w2, b2 = (0.1 * torch.randn(6, 3)).requires_grad_(), torch.zeros(3, requires_grad=True)
inputs, classes = torch.randn(12, 8), torch.randint(0, 3, (12,))
for epoch in range(4):
    hidden = drop(torch.max(inputs @ w1 + b1, torch.zeros(())), 0.2)
    scores = hidden @ w2 + b2
    exponentials = torch.exp(scores - scores.amax(1, keepdim=True))
    chances = exponentials / exponentials.sum(1, keepdim=True)
    loss = -torch.log(chances[range(12), classes]).mean() + 1e-2 * sum((w**2).sum() / 2 for w in (w1, w2))
    loss.backward()
    with torch.no_grad():
        for p in (w1, b1, w2, b2):
            p -= 0.5 * p.grad
            p.grad.zero_()
    print("perceptron", loss.item(), (chances.argmax(axis=1).type(classes.dtype) == classes).float().mean().item())

# recurrent cells from products and sums
width, letters = 5, 7
sequence = torch.arange(24).reshape(4, 6) * 5 % letters


def parameters(gates):
    made = [0.3 * torch.randn(letters + width, width) for _ in range(gates)] + [torch.zeros(gates, width)]
    return [p.requires_grad_() for p in (*made, 0.3 * torch.randn(width, letters))]


for kind, gates in (("plain", 1), ("gru", 3), ("lstm", 4)):
    *weights, biases, say = net = parameters(gates)
    for epoch in range(3):
        hidden = cell = torch.zeros(4, width)
        outputs = []
        for letter in F.one_hot(sequence[:, :-1].T, letters).float():
            both = torch.hstack((letter, hidden))
            sums = [both @ weight + bias for weight, bias in zip(weights, biases)]
            if kind == "plain":
                hidden = torch.tanh(sums[0])
            elif kind == "gru":
                update, reset = sums[0].sigmoid(), sums[1].sigmoid()
                proposed = torch.tanh(torch.hstack((letter, reset * hidden)) @ weights[2] + biases[2])
                hidden = update * hidden + (1 - update) * proposed
            else:
                cell = sums[0].sigmoid() * cell + sums[1].sigmoid() * sums[3].tanh()
                hidden = sums[2].sigmoid() * cell.tanh()
            outputs.append(hidden @ say)
        loss = F.cross_entropy(torch.stack(outputs, 1).flatten(0, 1), sequence[:, 1:].flatten())
        gradients = torch.autograd.grad(loss, net)
        length = math.sqrt(sum(g.square().sum().item() for g in gradients))
        with torch.no_grad():
            for p, g in zip(net, gradients):
                p.sub_(g * min(1.0, 1.0 / length))
        print(kind, math.exp(loss.item()), length)


def attention(q, k, v, lengths):
    scores = torch.einsum("bqd,bkd->bqk", q, k) / q.shape[-1] ** 0.5
    is_there = torch.arange(k.shape[1])[None, :] < lengths[:, None]
    weights = scores.masked_fill(~is_there[:, None], -1e6).softmax(-1)
    return torch.bmm(weights, v), weights


q, k, v = torch.randn(2, 1, 4), torch.randn(2, 5, 4), torch.arange(30.0).reshape(1, 5, 6).repeat(2, 1, 1)
print(*attention(q, k, v, torch.tensor([2, 4])))
angles = torch.arange(6.0)[:, None] / 10000 ** (torch.arange(0, 8, 2) / 8)
places = torch.zeros(6, 8)
places[:, 0::2], places[:, 1::2] = angles.sin(), angles.cos()
print(places[3], torch.tril(torch.ones(3, 3, dtype=torch.bool)))


class Heavy(torch.optim.Optimizer):
    """Momentum, as an optimizer of your own."""

    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                velocity = self.state[p].setdefault("velocity", torch.zeros_like(p))
                velocity.mul_(group["momentum"]).add_(p.grad)
                p.add_(velocity, alpha=-group["lr"])


class Warm(torch.optim.lr_scheduler.LRScheduler):
    """A rate that rises, as a schedule of your own."""

    def get_lr(self):
        return [base * min(1.0, (self.last_epoch + 1) / 3) for base in self.base_lrs]


line = nn.Linear(8, 3)
optimizer = Heavy(line.parameters())
warm = Warm(optimizer)
for step in range(5):
    loss = F.cross_entropy(line(inputs), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    warm.step()
    print("heavy", loss.item(), warm.get_last_lr())
print(optimizer, sorted(optimizer.state_dict()["state"][0]))

boxes = torch.tensor([[0.1, 0.1, 0.5, 0.9], [0.1, 0.2, 0.6, 1.0], [0.2, 0.3, 0.6, 0.9], [0.6, 0.0, 0.9, 0.3]])
low, high = torch.max(boxes[:, None, :2], boxes[:, :2]), torch.min(boxes[:, None, 2:], boxes[:, 2:])
common = (high - low).clamp(min=0).prod(-1)
areas = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
overlap = common / (areas[:, None] + areas - common)
waiting, kept = torch.tensor([0.9, 0.8, 0.7, 0.6]).argsort(descending=True), []
while waiting.numel():
    kept.append(waiting[0].item())
    waiting = waiting[1:][overlap[waiting[0], waiting[1:]] <= 0.4]
print(overlap, kept)
