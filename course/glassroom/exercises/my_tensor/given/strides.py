from math import prod

# The answers stand here.


class Strided:
    """A tensor: a size, a stride and an offset, which find an element in a storage, a plain list of numbers."""

    def __init__(self, storage, size, stride, offset=0):
        self.storage = storage
        self.size, self.stride, self.offset = tuple(size), tuple(stride), offset

    def tolist(self, *index):
        if len(index) == len(self.size):
            return self.storage[cell(index, self.stride, self.offset)]
        return [self.tolist(*index, i) for i in range(self.size[len(index)])]

    def transpose(self, dim0, dim1):
        size, stride = list(self.size), list(self.stride)
        size[dim0], size[dim1] = size[dim1], size[dim0]
        stride[dim0], stride[dim1] = stride[dim1], stride[dim0]
        return Strided(self.storage, size, stride, self.offset)

    def __getitem__(self, parts):
        header, dim = (self.size, self.stride, self.offset), 0
        for part in parts if isinstance(parts, tuple) else (parts,):
            header = indexed(*header, dim, part)
            dim += isinstance(part, slice)  # an integer's dimension is gone
        return Strided(self.storage, *header)

    def view(self, *size):
        stride = view_stride(self.size, self.stride, size)
        if stride is None:
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
        return Strided(self.storage, size, stride, self.offset)

    def expand(self, *size):
        return Strided(self.storage, size, expanded_stride(self.size, self.stride, size), self.offset)

    def add_(self, other):
        other = other.expand(*self.size)
        for here, there in zip(cells(self), cells(other)):
            self.storage[here] += other.storage[there]
        return self


def arange(*size):
    return Strided(list(range(prod(size))), size, contiguous_stride(size))


def cells(tensor, *index):
    if len(index) == len(tensor.size):
        return [cell(index, tensor.stride, tensor.offset)]
    return [each for i in range(tensor.size[len(index)]) for each in cells(tensor, *index, i)]


def view_stride(size, stride, new_size):
    waiting = runs(size, stride) or [(1, 1)]
    length, step = waiting.pop()
    found, reached = [], 1
    for new in reversed(new_size):
        if reached == length and new > 1 and waiting:
            (length, step), reached = waiting.pop(), 1
        found.append(step * reached)
        reached *= new
        if length % reached:
            return None
    return tuple(reversed(found))
