"""Chapters of a textbook: convolution, batch norm, RNN, GRU, LSTM, attention, optimizers, all written out by hand."""

import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def corr2d(X, K):
    h, w = K.shape
    Y = torch.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y


X = torch.ones((6, 8))
X[:, 2:6] = 0
K = torch.tensor([[1.0, -1.0]])
Y = corr2d(X, K)
print(Y, corr2d(X.t(), K))
conv2d = nn.Conv2d(1, 1, kernel_size=(1, 2), bias=False)
X, Y = X.reshape((1, 1, 6, 8)), Y.reshape((1, 1, 6, 7))
for i in range(10):
    l = (conv2d(X) - Y) ** 2
    conv2d.zero_grad()
    l.sum().backward()
    conv2d.weight.data[:] -= 3e-2 * conv2d.weight.grad
    if (i + 1) % 2 == 0:
        print(f"epoch {i + 1}, loss {l.sum():.3f}")
print(conv2d.weight.data.reshape((1, 2)))


def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
    if not torch.is_grad_enabled():
        X_hat = (X - moving_mean) / torch.sqrt(moving_var + eps)
    else:
        assert len(X.shape) in (2, 4)
        if len(X.shape) == 2:
            mean = X.mean(dim=0)
            var = ((X - mean) ** 2).mean(dim=0)
        else:
            mean = X.mean(dim=(0, 2, 3), keepdim=True)
            var = ((X - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
        X_hat = (X - mean) / torch.sqrt(var + eps)
        moving_mean = momentum * moving_mean + (1.0 - momentum) * mean
        moving_var = momentum * moving_var + (1.0 - momentum) * var
    return gamma * X_hat + beta, moving_mean.data, moving_var.data


class BatchNorm(nn.Module):
    def __init__(self, num_features, num_dims):
        super().__init__()
        shape = (1, num_features) if num_dims == 2 else (1, num_features, 1, 1)
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        self.moving_mean = torch.zeros(shape)
        self.moving_var = torch.ones(shape)

    def forward(self, X):
        Y, self.moving_mean, self.moving_var = batch_norm(X, self.gamma, self.beta, self.moving_mean, self.moving_var, eps=1e-5, momentum=0.9)
        return Y


net = nn.Sequential(
    nn.Conv2d(1, 6, kernel_size=5, padding=2), BatchNorm(6, num_dims=4), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Conv2d(6, 8, kernel_size=5), BatchNorm(8, num_dims=4), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2), nn.Flatten(), nn.Linear(8 * 5 * 5, 10),
)
X = torch.rand(size=(4, 1, 28, 28))
for layer in net:
    X = layer(X)
    print(layer.__class__.__name__, "output shape: \t", X.shape)


def init_weights(m):
    if type(m) == nn.Linear or type(m) == nn.Conv2d:
        nn.init.xavier_uniform_(m.weight)


net.apply(init_weights)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
images, labels = torch.rand(8, 1, 28, 28), torch.arange(8)
for epoch in range(3):
    optimizer.zero_grad()
    l = nn.CrossEntropyLoss()(net(images), labels)
    l.backward()
    optimizer.step()
    print(l.item(), net[1].gamma.reshape((-1,))[:2])

# recurrent networks
vocab_size, num_hiddens, batch_size, num_steps = 7, 8, 3, 5


def get_params(kind):
    def normal(shape):
        return torch.randn(size=shape) * 0.01

    def three():
        return (normal((vocab_size, num_hiddens)), normal((num_hiddens, num_hiddens)), torch.zeros(num_hiddens))

    params = [p for _ in range({"rnn": 1, "gru": 3, "lstm": 4}[kind]) for p in three()]
    params += [normal((num_hiddens, vocab_size)), torch.zeros(vocab_size)]
    for param in params:
        param.requires_grad_(True)
    return params


def run(kind, inputs, state, params):
    *gates, W_hq, b_q = params
    H, *C = state
    outputs = []
    for X in inputs:
        pre = [X @ gates[i] + H @ gates[i + 1] + gates[i + 2] for i in range(0, len(gates), 3)]
        if kind == "rnn":
            H = torch.tanh(pre[0])
        elif kind == "gru":
            Z, R = torch.sigmoid(pre[0]), torch.sigmoid(pre[1])
            H_tilda = torch.tanh(X @ gates[6] + (R * H) @ gates[7] + gates[8])
            H = Z * H + (1 - Z) * H_tilda
        else:
            I, F_, O = (torch.sigmoid(each) for each in pre[:3])
            C = [F_ * C[0] + I * torch.tanh(pre[3])]
            H = O * torch.tanh(C[0])
        outputs.append(torch.mm(H, W_hq) + b_q)
    return torch.cat(outputs, dim=0), (H, *C)


def grad_clipping(params, theta):
    norm = torch.sqrt(sum(torch.sum(p.grad**2) for p in params))
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm


sequence = torch.arange(batch_size * (num_steps + 1)).reshape(batch_size, -1) * 3 % vocab_size
for kind in ("rnn", "gru", "lstm"):
    params = get_params(kind)
    for epoch in range(3):
        state = tuple(torch.zeros((batch_size, num_hiddens)) for _ in range(2 if kind == "lstm" else 1))
        inputs = F.one_hot(sequence[:, :-1].T, vocab_size).type(torch.float32)
        y_hat, state = run(kind, inputs, state, params)
        l = F.cross_entropy(y_hat, sequence[:, 1:].T.reshape(-1).long())
        l.backward()
        for s in state:
            s.detach_()
        grad_clipping(params, 1)
        with torch.no_grad():
            for p in params:
                p -= 0.5 * p.grad
                p.grad.zero_()
        print(kind, f"perplexity {math.exp(l.item()):.4f}")


# attention
def sequence_mask(X, valid_len, value=0):
    maxlen = X.size(1)
    mask = torch.arange((maxlen), dtype=torch.float32, device=X.device)[None, :] < valid_len[:, None]
    X[~mask] = value
    return X


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    valid_lens = torch.repeat_interleave(valid_lens, shape[1]) if valid_lens.dim() == 1 else valid_lens.reshape(-1)
    X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)


print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([2, 3])))
print(masked_softmax(torch.rand(2, 2, 4), torch.tensor([[1, 3], [2, 4]])))


class DotProductAttention(nn.Module):
    def __init__(self, dropout, **kwargs):
        super().__init__(**kwargs)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)


attention = DotProductAttention(dropout=0.5)
attention.eval()
print(attention(torch.normal(0, 1, (2, 1, 2)), torch.ones((2, 10, 2)), torch.arange(40, dtype=torch.float32).reshape(1, 10, 4).repeat(2, 1, 1), torch.tensor([2, 6])))
P = torch.zeros((1, 10, 8))
angles = torch.arange(10, dtype=torch.float32).reshape(-1, 1) / torch.pow(10000, torch.arange(0, 8, 2, dtype=torch.float32) / 8)
P[:, :, 0::2], P[:, :, 1::2] = torch.sin(angles), torch.cos(angles)
print(P[0, 3], torch.tril(torch.ones(3, 3)), torch.einsum("bij,bkj->bik", P, P)[0, 0, :3])


# boxes
def box_iou(boxes1, boxes2):
    area = lambda boxes: (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    upperlefts = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    lowerrights = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    inters = (lowerrights - upperlefts).clamp(min=0)
    inter_areas = inters[:, :, 0] * inters[:, :, 1]
    return inter_areas / (area(boxes1)[:, None] + area(boxes2) - inter_areas)


boxes = torch.tensor([[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91]])
scores = torch.tensor([0.9, 0.8, 0.7])
B, keep = torch.argsort(scores, dim=-1, descending=True), []
while B.numel() > 0:
    i = B[0]
    keep.append(i)
    if B.numel() == 1:
        break
    iou = box_iou(boxes[i, :].reshape(-1, 4), boxes[B[1:], :].reshape(-1, 4)).reshape(-1)
    B = B[torch.nonzero(iou <= 0.5).reshape(-1) + 1]
print(keep, box_iou(boxes, boxes))
trans = nn.ConvTranspose2d(1, 1, kernel_size=2, bias=False)
trans.weight.data = torch.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
print(trans(torch.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])))
