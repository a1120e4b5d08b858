"""One training step of LeNet: 64 images of 28×28, two convolutions, three linear layers, cross entropy, and SGD.

A convolution is computed from windows by strides and one product of matrices. The batch is innermost in memory, (C, H,
W, N), which makes windows cheap to copy. The pooling that follows is part of the product: the four neighbors from which
it takes the largest cover 6×6 cells together, so each 5×5 kernel is placed at four positions in a 6×6 kernel, and a
single product, with windows that move by two cells, gives all four. That takes 1.44 times the arithmetic, in a better
shape, and 0.36 times the bytes of windows. The four results are separate in memory, so taking the largest, and sending
its gradient back, needs no strides. The bias is one more cell of each kernel, where windows have a 1, so its gradient
comes with the kernel's. After relu, which leaves the largest or 0, the gradient goes to the results that equal what is
left.

`STEP` is that, the same code for tensorglass and PyTorch; `WITH_CONV2D` is the same network with PyTorch's own
operators, and `NUMPY` the arithmetic of `STEP` by hand, with preallocated buffers.

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
sizes = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120, 1), (84, 120), (84, 1), (10, 84), (10, 1))
parameters = [weights(*size) for size in sizes]
padded = torch.zeros(1, 32, 32, 64)
padded[:, 2:-2, 2:-2] = images.permute(1, 2, 3, 0)
wanted = torch.zeros(10, 64)
wanted[labels, torch.arange(64)] = -1 / 64

def places(kernels, channels):
    # One step to the next place is a step in the kernel as well.
    i, j, o, _ = kernels.stride()
    return kernels.as_strided((*kernels.shape[:3], channels, 5, 5), (i + 6, j + 1, o, 36, 6, 1))

class Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        seen = x.unfold(1, 6, 2).unfold(2, 6, 2).permute(0, 4, 5, 1, 2, 3)
        size = seen.shape[3:]
        columns = torch.empty(36 * len(x) + 1, size.numel())
        columns[:-1].view(seen.shape).copy_(seen)
        columns[-1] = 1
        kernels = torch.zeros(2, 2, len(weight), len(columns))
        places(kernels, len(x)).copy_(weight)
        kernels[..., -1] = bias
        four = (kernels.view(-1, len(columns)) @ columns).view(4, len(weight), -1)
        largest = four.amax(0).relu_()
        ctx.save_for_backward(columns, kernels, four == largest)
        return largest.view(-1, *size)

    @staticmethod
    def backward(ctx, grad):
        columns, kernels, is_largest = ctx.saved_tensors
        channels, height, width, count = len(columns) // 36, *grad.shape[1:]
        of_four = (is_largest * grad.view(len(grad), -1)).view(4 * len(grad), -1)
        of_kernels = (of_four @ columns.t()).view(kernels.shape)
        towards_weight, towards_bias = places(of_kernels, channels).sum((0, 1)), of_kernels[..., -1].sum((0, 1))
        towards_x = None
        if ctx.needs_input_grad[0]:
            # Cells in pairs of rows and of columns, where windows that move on by two move on by one.
            of_columns = kernels.view(len(of_four), -1)[:, :-1].t() @ of_four
            of_pairs = of_columns.view(channels, 3, 2, 3, 2, height, width, count)
            pairs = torch.zeros(channels, 2, 2, height + 2, width + 2, count)
            seen = pairs.unfold(3, 3, 1).unfold(4, 3, 1).permute(0, 6, 1, 7, 2, 3, 4, 5)
            for rows, of_rows in zip(seen.unbind(1), of_pairs.unbind(1)):
                for cells, of_cells in zip(rows.unbind(2), of_rows.unbind(2)):
                    cells.add_(of_cells)
            towards_x = pairs.permute(0, 3, 1, 4, 2, 5).reshape(channels, 2 * height + 4, 2 * width + 4, count)
        return towards_x, towards_weight, towards_bias

def step():
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = parameters
    x = Layer.apply(padded, w1, b1)
    x = Layer.apply(x, w2, b2).view(400, 64)
    x = torch.addmm(b3, w3, x).relu()
    x = torch.addmm(b4, w4, x).relu()
    x = torch.addmm(b5, w5, x)
    (x.log_softmax(0) * wanted).sum().backward()
    return descend()
"""
)

WITH_CONV2D = (
    _WEIGHTS
    + """
sizes = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120,), (84, 120), (84,), (10, 84), (10,))
parameters = [weights(*size) for size in sizes]
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

sizes = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120, 1), (84, 120), (84, 1), (10, 84), (10, 1))
w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = parameters = [weights(*size) for size in sizes]
padded = np.zeros((1, 32, 32, 64), np.float32)
padded[0, 2:-2, 2:-2] = ((np.arange(64 * 784) % 251) / 251 - 0.5).reshape(64, 28, 28).transpose(1, 2, 0)
labels = np.arange(64) % 10

def new(*size):
    return np.empty(size, np.float32)

def windows(pairs):
    channels, height, width, count = pairs.shape[0], *pairs.shape[3:]
    c, i, j, h, w, n = pairs.strides
    size = (channels, 3, 2, 3, 2, height - 2, width - 2, count)
    return np.lib.stride_tricks.as_strided(pairs, size, (c, h, i, w, j, h, w, n))

def places(kernels, channels):
    i, j, o, w = kernels.strides
    size, strides = (*kernels.shape[:3], channels, 5, 5), (i + 6 * w, j + w, o, 36 * w, 6 * w, w)
    return np.lib.stride_tricks.as_strided(kernels, size, strides)

def in_pairs(x):
    channels, height, width, count = x.shape
    return x.reshape(channels, height // 2, 2, width // 2, 2, count).transpose(0, 2, 4, 1, 3, 5)

def matmul(one, other, out):
    # In pieces that OpenBLAS multiplies without packing them, where that is quicker.
    for start in range(0, out.shape[1], 1024):
        np.matmul(one, other[:, start : start + 1024], out=out[:, start : start + 1024])

def summed(one, other, out):
    np.matmul(one[:, :1024], other[:1024], out=out)
    for start in range(1024, len(other), 1024):
        np.add(out, one[:, start : start + 1024] @ other[start : start + 1024], out=out)

pairs1, columns1, kernels1, four1 = new(1, 2, 2, 16, 16, 64), new(37, 12544), new(2, 2, 6, 37), new(4, 6, 12544)
flags1, x1 = np.empty((4, 6, 12544), bool), new(6, 12544)
pairs2, columns2, kernels2, four2 = new(6, 2, 2, 7, 7, 64), new(217, 1600), new(2, 2, 16, 217), new(4, 16, 1600)
flags2, x2 = np.empty((4, 16, 1600), bool), new(16, 1600)
of_x1, of_kernels1, turned2, of_columns2 = new(6, 14, 14, 64), new(24, 37), new(217, 64), new(216, 1600)
kernels1.fill(0)
kernels2.fill(0)
columns1[-1] = columns2[-1] = 1

def layer(x, weight, bias, pairs, columns, kernels, four, flags, out):
    np.copyto(pairs, in_pairs(x))
    seen = windows(pairs)
    np.copyto(columns[:-1].reshape(seen.shape), seen)
    np.copyto(places(kernels, len(x)), weight)
    kernels[..., -1] = bias
    product = np.matmul if len(weight) == 16 else matmul
    product(kernels.reshape(-1, len(columns)), columns, out=four.reshape(-1, columns.shape[1]))
    np.maximum.reduce(four, axis=0, out=out)
    np.maximum(out, 0, out=out)
    np.equal(four, out, out=flags)

def step():
    layer(padded, w1, b1, pairs1, columns1, kernels1, four1, flags1, x1)
    layer(x1.reshape(6, 14, 14, 64), w2, b2, pairs2, columns2, kernels2, four2, flags2, x2)
    x3 = x2.reshape(400, 64)
    x4 = np.maximum(w3 @ x3 + b3, 0)
    x5 = np.maximum(w4 @ x4 + b4, 0)
    powers = np.exp(w5 @ x5 + b5)
    grad = powers / powers.sum(0)
    grad[labels, np.arange(64)] -= 1
    grad /= 64
    gradients = [grad @ x5.T, grad.sum(1, keepdims=True)]
    for weight, below, above in ((w5, x5, x4), (w4, x4, x3)):
        grad = (weight.T @ grad) * (below > 0)
        gradients = [grad @ above.T, grad.sum(1, keepdims=True), *gradients]
    np.multiply(flags2, (w3.T @ grad).reshape(16, 1600), out=four2)
    of_four = four2.reshape(64, 1600)
    np.matmul(columns2, of_four.T, out=turned2)
    of_kernels2 = turned2.T.reshape(kernels2.shape)
    gradients = [places(of_kernels2, 6).sum((0, 1)), of_kernels2[..., -1].sum((0, 1)), *gradients]
    np.matmul(kernels2.reshape(64, 217)[:, :-1].T, of_four, out=of_columns2)
    pairs2.fill(0)
    cells, of_cells = windows(pairs2), of_columns2.reshape(6, 3, 2, 3, 2, 5, 5, 64)
    for i in range(3):
        for j in range(3):
            cells[:, i, :, j] += of_cells[:, i, :, j]
    np.copyto(in_pairs(of_x1), pairs2)
    np.multiply(flags1, of_x1.reshape(6, 12544), out=four1)
    summed(four1.reshape(24, 12544), columns1.T, of_kernels1)
    of_kernels = of_kernels1.reshape(kernels1.shape)
    gradients = [places(of_kernels, 1).sum((0, 1)), of_kernels[..., -1].sum((0, 1)), *gradients]
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
