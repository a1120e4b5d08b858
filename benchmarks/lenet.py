"""One training step of LeNet: 64 images of 28×28, two convolutions, three linear layers, cross entropy, and SGD.

A convolution is windows by strides and one product of matrices, with the batch innermost in memory (C, H, W, N), where
windows are cheap to copy. `STEP` is that, the same code for tensorglass and PyTorch; `WITH_CONV2D` is the same network
with PyTorch's own operators, and `NUMPY` the same arithmetic by hand, with every buffer made once.

    python benchmarks/lenet.py      # peak resident memory of 20 steps, each contestant in a process of its own
"""

from __future__ import annotations

import subprocess
import sys

_WEIGHTS = """
def weights(*size):
    count = 1
    for length in size:
        count *= length
    return (((torch.arange(count) * 7919 % 1009).float() / 1009 - 0.5) * 0.2).reshape(size).requires_grad_()

sizes = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120,), (84, 120), (84,), (10, 84), (10,))
parameters = [weights(*size) for size in sizes]
images = (torch.arange(64 * 784) % 251).float().reshape(64, 1, 28, 28) / 251 - 0.5
labels = torch.arange(64) % 10
a = torch.zeros(())

def descend():
    gradient = parameters[0].grad
    with torch.no_grad():
        for parameter in parameters:
            parameter -= 1e-6 * parameter.grad
            parameter.grad = None
    return gradient
"""

STEP = (
    _WEIGHTS
    + """
padded = torch.zeros(1, 32, 32, 64)
padded[:, 2:-2, 2:-2] = images.permute(1, 2, 3, 0)
positions = torch.zeros(10, 64)
positions[labels, torch.arange(64)] = 1 / 64

def windows(x, k):
    channels, height, width, count = x.shape
    c, h, w, n = x.stride()
    return x.as_strided((channels, k, k, height - k + 1, width - k + 1, count), (c, h, w, h, w, n))

class Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        k = weight.shape[-1]
        seen = windows(x, k)
        columns = seen.reshape(-1, seen[0, 0, 0].numel())
        ctx.save_for_backward(columns, weight)
        ctx.size = x.shape
        result = (weight.view(len(weight), -1) @ columns).add_(bias.unsqueeze(1))
        return result.view(-1, *seen.shape[3:])

    @staticmethod
    def backward(ctx, grad):
        columns, weight = ctx.saved_tensors
        channels, k = weight.shape[1:3]
        flat = grad.view(len(weight), -1)
        towards_x = None
        if ctx.needs_input_grad[0]:
            towards_x = torch.zeros(ctx.size)
            of_columns = (weight.view(len(weight), -1).t() @ flat).view(channels, k, k, *grad.shape[1:])
            for rows, of_rows in zip(windows(towards_x, k).unbind(1), of_columns.unbind(1)):
                for cells, of_cells in zip(rows.unbind(1), of_rows.unbind(1)):
                    cells.add_(of_cells)
        return towards_x, (flat @ columns.t()).view(weight.shape), flat.sum(1)

class Pooling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        rows = torch.maximum(x[:, ::2], x[:, 1::2])
        result = torch.maximum(rows[:, :, ::2], rows[:, :, 1::2])
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad):
        x, result = ctx.saved_tensors
        channels, height, width, count = grad.shape
        spread = (channels, height, 1, width, 1, count)
        is_largest = x.view(channels, height, 2, width, 2, count) == result.view(spread)
        return (is_largest * grad.view(spread)).view(x.shape)

def step():
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = parameters
    x = Pooling.apply(Convolution.apply(padded, w1, b1)).relu()
    x = Pooling.apply(Convolution.apply(x, w2, b2)).relu().view(400, 64)
    x = torch.addmm(b3.unsqueeze(1), w3, x).relu()
    x = torch.addmm(b4.unsqueeze(1), w4, x).relu()
    x = torch.addmm(b5.unsqueeze(1), w5, x)
    (-(x.log_softmax(0) * positions).sum()).backward()
    return descend()
"""
)

WITH_CONV2D = (
    _WEIGHTS
    + """
F = torch.nn.functional

def step():
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = parameters
    x = F.max_pool2d(F.conv2d(images, w1, b1, padding=2), 2).relu()
    x = F.max_pool2d(F.conv2d(x, w2, b2), 2).relu().flatten(1)
    x = F.linear(F.linear(F.linear(x, w3, b3).relu(), w4, b4).relu(), w5, b5)
    F.cross_entropy(x, labels).backward()
    return descend()
"""
)

NUMPY = """
def weights(*size):
    count = int(np.prod(size))
    return (((np.arange(count) * 7919 % 1009) / 1009 - 0.5) * 0.2).reshape(size).astype(np.float32)

w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = parameters = [
    weights(*size)
    for size in ((6, 25), (6,), (16, 150), (16,), (120, 400), (120,), (84, 120), (84,), (10, 84), (10,))
]
padded = np.zeros((1, 32, 32, 64), np.float32)
padded[0, 2:-2, 2:-2] = ((np.arange(64 * 784) % 251) / 251 - 0.5).reshape(64, 28, 28).transpose(1, 2, 0)
labels = np.arange(64) % 10

def windows(x):
    channels, height, width, count = x.shape
    c, h, w, n = x.strides
    return np.lib.stride_tricks.as_strided(x, (channels, 5, 5, height - 4, width - 4, count), (c, h, w, h, w, n))

def new(*size):
    return np.empty(size, np.float32)

columns1, out1 = new(1, 5, 5, 28, 28, 64), new(6, 28 * 28 * 64)
rows1, pool1, x1 = new(6, 14, 28, 64), *new(2, 6, 14, 14, 64)
columns2, out2 = new(6, 5, 5, 10, 10, 64), new(16, 10 * 10 * 64)
rows2, pool2, x2 = new(16, 5, 10, 64), *new(2, 16, 5, 5, 64)
grad1, grad2 = new(6, 28, 28, 64), new(16, 10, 10, 64)
of_columns, towards_x = new(6, 5, 5, 10, 10, 64), new(6, 14, 14, 64)

def convolve(x, weight, bias, columns, out):
    np.copyto(columns, windows(x))
    np.matmul(weight, columns.reshape(weight.shape[1], -1), out=out)
    np.add(out, bias[:, None], out=out)

def pool(x, rows, result):
    np.maximum(x[:, ::2], x[:, 1::2], out=rows)
    np.maximum(rows[:, :, ::2], rows[:, :, 1::2], out=result)

def pool_back(x, result, grad, out):
    for i in (0, 1):
        for j in (0, 1):
            np.multiply(grad, x[:, i::2, j::2] == result, out=out[:, i::2, j::2])

def step():
    convolve(padded, w1, b1, columns1, out1)
    pool(out1.reshape(6, 28, 28, 64), rows1, pool1)
    np.maximum(pool1, 0, out=x1)
    convolve(x1, w2, b2, columns2, out2)
    pool(out2.reshape(16, 10, 10, 64), rows2, pool2)
    np.maximum(pool2, 0, out=x2)
    x3 = x2.reshape(400, 64)
    x4 = np.maximum(w3 @ x3 + b3[:, None], 0)
    x5 = np.maximum(w4 @ x4 + b4[:, None], 0)
    powers = np.exp(w5 @ x5 + b5[:, None])
    grad = powers / powers.sum(0)
    grad[labels, np.arange(64)] -= 1
    grad /= 64
    gradients = [grad @ x5.T, grad.sum(1)]
    for weight, below, above in ((w5, x5, x4), (w4, x4, x3)):
        grad = (weight.T @ grad) * (below > 0)
        gradients = [grad @ above.T, grad.sum(1), *gradients]
    grad = ((w3.T @ grad) * (x3 > 0)).reshape(16, 5, 5, 64)
    pool_back(out2.reshape(16, 10, 10, 64), pool2, grad, grad2)
    flat = grad2.reshape(16, -1)
    gradients = [flat @ columns2.reshape(150, -1).T, flat.sum(1), *gradients]
    np.matmul(w2.T, flat, out=of_columns.reshape(150, -1))
    towards_x.fill(0)
    for i in range(5):
        for j in range(5):
            towards_x[:, i : i + 10, j : j + 10] += of_columns[:, i, j]
    pool_back(out1.reshape(6, 28, 28, 64), pool1, towards_x * (x1 > 0), grad1)
    flat = grad1.reshape(6, -1)
    gradients = [flat @ columns1.reshape(25, -1).T, flat.sum(1), *gradients]
    for parameter, gradient in zip(parameters, gradients):
        parameter -= 1e-6 * gradient
    return gradients[0]
"""

_PEAK = """
import resource
for _ in range(20):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak(imports: str, code: str) -> int:
    """The peak resident memory of a process that takes 20 steps, in MiB (on Linux)."""
    run = subprocess.run([sys.executable, "-c", imports + code + _PEAK], check=True, capture_output=True, text=True)
    return int(run.stdout)


if __name__ == "__main__":
    one_thread = "import torch; torch.set_num_threads(1)\n"
    print("tensorglass           ", peak("import tensorglass as torch\n", STEP), "MiB")
    print("PyTorch, the same code", peak(one_thread, STEP), "MiB")
    print("PyTorch, conv2d       ", peak(one_thread, WITH_CONV2D), "MiB")
    print("NumPy by hand         ", peak("import numpy as np\n", NUMPY), "MiB")
