"""What people answer wrongly in notebook 11, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

CELL = "def cell(index, stride, offset): return "
STRIDE = "def contiguous_stride(size):\n"
INDEXED = "def indexed(size, stride, offset, dim, part):\n    chosen = range(size[dim])[part]\n"
INTEGER = "    if isinstance(part, int):\n        return size[:dim] + size[dim+1:], stride[:dim] + stride[dim+1:], {}\n"
SLICE = """    new_size = size[:dim] + (len(chosen),) + size[dim+1:]
    return new_size, stride[:dim] + ({},) + stride[dim+1:], {}
"""
RUNS = """
def runs(size, stride):
    found = []
    for length, step in zip(size, stride):
        {skip}
        if found and found[-1][1] == {test}:
            found[-1] = (found[-1][0] * length, {kept})
        else:
            found.append((length, step))
    return found
"""
SKIP = "if length == 1: continue"
EXPANDED = """
def expanded_stride(size, stride, new_size):
    front = len(new_size) - len(size)
    found = [{new}] * front
    for length, step, new in zip(size, stride, new_size[front:]):
        if length != new and length != 1:
            {refusal}
        found.append({old})
    return {kind}(found)
"""
REFUSED = "raise RuntimeError('no')"
KEPT = "step if length == new else 0"

test_wrong_answers = wrong_answers(
    [
        ("11-cell", CELL + "offset + sum(index)", "as one cell"),
        ("11-cell", CELL + "sum(i * s for i, s in zip(index, stride))", "leaves out the offset"),
        ("11-cell", CELL + "offset + index[0] * stride[0]", "it should be"),
        ("11-cell", "cell = 5", "it should be a function"),
        ("11-stride", STRIDE + "    return size", "These are the sizes"),
        (
            "11-stride",
            STRIDE + "    s, n = [], 1\n    for i in size: s.append(n); n *= max(i, 1)\n    return tuple(s)",
            "Fortran lays it out",
        ),
        (
            "11-stride",
            STRIDE + "    s, n = [], 1\n    for i in reversed(size): s.append(n); n *= max(i, 1)\n    return tuple(s)",
            "in reverse order",
        ),
        (
            "11-stride",
            STRIDE + "    s, n = [], 1\n    for i in reversed(size): s.append(n); n *= i\n    return tuple(s[::-1])",
            "counts as if it had size 1",
        ),
        ("11-stride", STRIDE + "    return list(size)", "a tuple"),
        ("11-index", INDEXED + INTEGER.format("offset") + SLICE.format("1", "offset"), "move to the first element"),
        (
            "11-index",
            INDEXED + INTEGER.format("offset + chosen") + SLICE.format("1", "offset"),
            "moves by elements",
        ),
        (
            "11-index",
            INDEXED + INTEGER.format("offset + chosen * stride[dim]") + SLICE.format("stride[dim]", "offset"),
            "move to the first element",
        ),
        (
            "11-index",
            INDEXED
            + INTEGER.format("offset + chosen * stride[dim]")
            + SLICE.format("stride[dim]", "offset + chosen.start * stride[dim]"),
            "two strides apart",
        ),
        (
            "11-index",
            INDEXED
            + INTEGER.format("chosen * stride[dim]")
            + SLICE.format("stride[dim] * chosen.step", "chosen.start * stride[dim]"),
            "forgets the offset",
        ),
        ("11-index", "def indexed(size, stride, offset, dim, part): return size, stride", "three things"),
        ("11-runs", RUNS.format(skip="pass", test="step * length", kept="step"), "Leave out dimensions of size 1"),
        ("11-runs", RUNS.format(skip=SKIP, test="-1", kept="step"), "two neighbors there still merge"),
        ("11-runs", RUNS.format(skip=SKIP, test="step * length", kept="found[-1][1]"), "the step of its last"),
        ("11-runs", RUNS.format(skip=SKIP, test="found[-1][1]", kept="step"), "leads to other cells"),
        ("11-runs", "def runs(size, stride): return [(2, 1)]", "multiply to the number of elements"),
        ("11-runs", "def runs(size, stride): return 24", "a list of pairs"),
        (
            "11-expand",
            EXPANDED.format(new=1, refusal=REFUSED, old=KEPT, kind="tuple"),
            "A stride of 0 stays",
        ),
        (
            "11-expand",
            EXPANDED.format(new=0, refusal=REFUSED, old="step", kind="tuple"),
            "A stride of 0 stays",
        ),
        ("11-expand", EXPANDED.format(new=0, refusal="pass", old=KEPT, kind="tuple"), "A size of 3 cannot become 4"),
        ("11-expand", EXPANDED.format(new=0, refusal=REFUSED, old=KEPT, kind="list"), "should be a tuple"),
        ("11-expand", "def expanded_stride(size, stride, new_size): return stride", "There is a stride for each"),
    ]
)

test_unusual_right_answers = right_answers(
    [
        (
            "11-cell",
            "def cell(index, stride, offset):\n    for i, s in zip(index, stride): offset += i * s\n    return offset",
        ),
        ("11-cell", "import operator\ncell = lambda i, s, o: sum(map(operator.mul, i, s), o)"),
        (
            "11-stride",
            "from math import prod\n"
            "contiguous_stride = lambda z: tuple(prod(max(n, 1) for n in z[d + 1:]) for d in range(len(z)))",
        ),
        ("11-stride", "contiguous_stride = lambda size: torch.empty(size).stride()"),
        (
            "11-index",
            "def indexed(size, stride, offset, dim, part):\n"
            "    if type(part) is int: part = range(size[dim])[part]\n"
            "    z, s = list(size), list(stride)\n"
            "    if type(part) is int:\n"
            "        n, k = z.pop(dim), s.pop(dim)\n"
            "        return tuple(z), tuple(s), offset + part * k\n"
            "    start, stop, step = part.indices(z[dim])\n"
            "    offset += start * s[dim]\n"
            "    z[dim], s[dim] = len(range(start, stop, step)), s[dim] * step\n"
            "    return tuple(z), tuple(s), offset",
        ),
        (
            "11-index",
            "def indexed(size, stride, offset, dim, part):\n"
            "    whole = torch.empty(1000).as_strided(size, stride, offset)\n"
            "    view = whole[(slice(None),) * dim + (part,)]\n"
            "    return tuple(view.shape), view.stride(), view.storage_offset()",
        ),
        (
            "11-runs",
            "def runs(size, stride):\n"
            "    dims, found = [d for d in zip(size, stride) if d[0] > 1], []\n"
            "    for n, s in reversed(dims):\n"
            "        if found and s == found[0][0] * found[0][1]: found[0] = (n * found[0][0], found[0][1])\n"
            "        else: found.insert(0, (n, s))\n"
            "    return found",
        ),
        (
            "11-runs",
            "def runs(size, stride):\n"
            "    found = []\n"
            "    for n, s in zip(size, stride):\n"
            "        if n > 1: found.append([n, s])\n"
            "        while len(found) > 1 and found[-2][1] == found[-1][0] * found[-1][1]:\n"
            "            n, s = found.pop(); found[-1] = [found[-1][0] * n, s]\n"
            "    return tuple(found)",
        ),
        (
            "11-expand",
            "def expanded_stride(size, stride, new_size):\n"
            "    return tuple(torch.empty(100).as_strided(size, stride).expand(new_size).stride())",
        ),
        (
            "11-expand",
            "def expanded_stride(size, stride, new_size):\n"
            "    front = (1,) * (len(new_size) - len(size))\n"
            "    size, stride = front + tuple(size), (0,) * len(front) + tuple(stride)\n"
            "    if any(a != b and a != 1 for a, b in zip(size, new_size)): raise RuntimeError\n"
            "    return tuple(s * (a == b) for s, a, b in zip(stride, size, new_size))",
        ),
    ]
)
