import math
import operator
from types import SimpleNamespace

# Strided tensors compute. Each result is a new list; whatever can be a view is one.


def new(numbers, size):
    return Strided(list(numbers), size, contiguous_stride(size))


def tensor(data):
    size, numbers = [], [data]
    while isinstance(numbers[0], list):
        size.append(len(numbers[0]))
        numbers = [each for part in numbers for each in part]
    return new(numbers, size)


def zeros(*size):
    size = size[0] if size and isinstance(size[0], tuple) else size
    return new([0.0] * prod(size), size)


def zeros_like(x):
    return zeros(*x.size)


def numbers(x):
    return [x.storage[cell] for cell in cells(x)]


def elementwise(function, *operands):
    """Call a function of numbers for the elements of tensors, broadcast to one size."""
    operands = [operand if isinstance(operand, Strided) else tensor(operand) for operand in operands]
    longest = max(len(operand.size) for operand in operands)
    sizes = [(1,) * (longest - len(operand.size)) + operand.size for operand in operands]
    size = tuple(max(lengths) for lengths in zip(*sizes))
    return new(map(function, *(numbers(operand.expand(*size)) for operand in operands)), size)


def product(a, b):
    """Multiply two matrices. The columns of b are the rows of its transpose: a view."""
    rows, columns = a.tolist(), b.t().tolist()
    dots = (sum(map(operator.mul, row, column)) for row in rows for column in columns)
    return new(dots, (a.size[0], b.size[1]))


def summed(x, dim=None, keepdim=False):
    if dim is None:
        return tensor(sum(numbers(x)))
    dims = [dim] if isinstance(dim, int) else dim
    for each in sorted((range(len(x.size))[each] for each in dims), reverse=True):
        x = summed_along(x, each, keepdim)
    return x


def summed_along(x, dim, keepdim):
    before, after = x.size[:dim], x.size[dim + 1 :]
    every = (slice(None),) * dim
    result = zeros(*before, *after)
    for i in range(x.size[dim]):
        result.add_(x[(*every, i)])
    return result.view(*before, 1, *after) if keepdim else result


def picked(x, rows):
    return new((number for row in rows.tolist() for number in numbers(x[row])), (*rows.size, *x.size[1:]))


def index_add_(x, dim, index, source):
    every = (slice(None),) * dim
    for i, row in enumerate(index.tolist()):
        x[(*every, row)].add_(source[(*every, i)])
    return x


def copy_to(x, parts, value):
    there = x[parts]
    value = (value if isinstance(value, Strided) else tensor(value)).expand(*there.size)
    for here, number in zip(cells(there), numbers(value)):
        x.storage[here] = number


basic = Strided.__getitem__
Strided.__getitem__ = lambda x, parts: picked(x, parts) if isinstance(parts, Strided) else basic(x, parts)
Strided.__setitem__ = copy_to
Strided.__len__ = lambda x: x.size[0]
Strided.__repr__ = lambda x: f"Strided({x.tolist()})"
Strided.__add__ = Strided.__radd__ = lambda a, b: elementwise(operator.add, a, b)
Strided.__sub__ = lambda a, b: elementwise(operator.sub, a, b)
Strided.__rsub__ = lambda a, b: elementwise(operator.sub, b, a)
Strided.__mul__ = Strided.__rmul__ = Strided.mul = lambda a, b: elementwise(operator.mul, a, b)
Strided.__neg__ = lambda a: elementwise(operator.neg, a)
Strided.__iadd__ = Strided.add_
Strided.__matmul__ = Strided.matmul = Strided.mm = product
Strided.t = lambda x: x.transpose(0, 1)
Strided.T = Strided.mT = property(lambda x: x.transpose(-2, -1))
Strided.shape = property(lambda x: x.size)
Strided.ndim = property(lambda x: len(x.size))
Strided.dim = lambda x: len(x.size)
Strided.tanh = lambda x: elementwise(math.tanh, x)
Strided.item = lambda x: x.view().tolist()
Strided.sum, Strided.index_add_ = summed, index_add_

# What the rules call by PyTorch's names are functions of strided tensors here.
torch = SimpleNamespace(
    tensor=tensor,
    zeros=zeros,
    zeros_like=zeros_like,
    tanh=Strided.tanh,
    matmul=product,
    mm=product,
    mul=Strided.mul,
    sum=summed,
)

# The answers stand here.


# The engine.


class Node:
    """A value that remembers the nodes it was computed from, and the rule that sends a gradient back to them."""

    def __init__(self, value, inputs=(), rule=None):
        self.value, self.inputs, self.rule, self.grad = value, inputs, rule, None


def tanh(a):
    value = torch.tanh(a.value)
    return Node(value, (a,), lambda grad: (grad * (1 - value * value),))


def add(a, b):
    return Node(a.value + b.value, (a, b), lambda grad: (fitted(grad, a.value.shape), fitted(grad, b.value.shape)))


def multiply(a, b):
    def rule(grad):
        parts = multiply_rule(grad, a.value, b.value)
        return [fitted(part, each.value.shape) for part, each in zip(parts, (a, b))]

    return Node(a.value * b.value, (a, b), rule)


def matmul(a, b):
    return Node(a.value @ b.value, (a, b), lambda grad: matmul_rule(grad, a.value, b.value))


def pick(a, rows):
    return Node(a.value[rows], (a,), lambda grad: (rows_rule(grad, a.value, rows),))


def total(a):
    return Node(a.value.sum(), (a,), lambda grad: (grad.expand(*a.value.shape),))


def waiting(root):
    counts, stack = {root: 0}, [root]
    while stack:
        for source in stack.pop().inputs:
            if source not in counts:
                counts[source] = 0
                stack.append(source)
            counts[source] += 1
    return counts


def backward(root, gradient):
    missing, arrived, ready = waiting(root), {root: gradient}, [root]
    while ready:
        node = ready.pop()
        for source, part in turn(node, arrived.pop(node)):
            arrived[source] = arrived[source] + part if source in arrived else part
            missing[source] -= 1
            if missing[source] == 0:
                ready.append(source)
