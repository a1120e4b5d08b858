"""Index expressions made up at random, read and written with PyTorch and with tensorglass: everything must agree.

Compared are elements, dtype, size, stride, offset, whether the storage is shared, the version, or the error's class and
first line. Tensors come in every layout: permuted, sliced, expanded, with sizes 0 and 1.
"""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy
import pytest

import tensorglass

torch = pytest.importorskip("torch", reason="PyTorch, the oracle, is not installed: pip install '.[parity]'")

CELLS = 800
DTYPES = ("float32", "float32", "int64", "float64", "bool", "uint8", "complex64")


class Writer:
    """Writes index expressions for tensors of one random size and layout."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.size = [
            self.random.choice((0, 1, 1, 2, 2, 3, 3, 4)) for _ in range(self.random.choice((0, 1, 2, 3, 3, 4)))
        ]
        self.may_miss = self.random.random() < 0.2  # one position, at most, that is not there

    def storage(self) -> str:
        dtype = self.random.choice(DTYPES)
        return f"(torch.arange({CELLS}) % 97).to(torch.{dtype})"

    def header(self) -> str:
        random, size = self.random, self.size
        order = list(range(len(size)))
        if random.random() < 0.5:
            random.shuffle(order)
        stride, step, gap = [0] * len(size), 1, random.choice((1, 1, 2))
        for dim in order:
            stride[dim] = step
            if random.random() < 0.5:
                step, gap = step * gap, 1
            step *= max(size[dim], 1)
        if random.random() < 0.15:
            stride = [random.choice((0, step)) for step in stride]
        return f"{size}, {stride}, {random.choice((0, 0, 3))}"

    def index(self) -> str:
        """One index: a tuple of items, or a single item."""
        random = self.random
        items: list[str] = []
        dim = 0
        while dim < len(self.size) and random.random() < 0.85:
            if random.random() < 0.12:
                items.append(random.choice(("None", "True", "None", "False", "torch.tensor(True)")))
                continue
            item, dims = self.item(dim)
            items.append(item)
            dim += dims
        if random.random() < 0.25:
            items.insert(random.randint(0, len(items)), "...")
        if random.random() < 0.04:
            items += ["0"] * 3
        if len(items) == 1 and random.random() < 0.8:
            return items[0]
        return f"({' '.join(f'{item},' for item in items)})" if items else random.choice(("()", "...", "None", "[]"))

    def item(self, dim: int) -> tuple[str, int]:
        """One item for dimension `dim`, and how many dimensions it is about."""
        random = self.random
        kind = random.choice(("int", "slice", "slice", "tensor", "tensor", "list", "mask", "array", "odd"))
        length = self.size[dim]
        if kind == "int":
            return random.choice(("{}", "{}", "torch.tensor({})", "np.int64({})")).format(self.position(length)), 1
        if kind == "slice":
            begin, end = (random.choice(("", "0", "1", "2", "-1", "-2", "7", "-9")) for _ in range(2))
            return f"slice({begin or None}, {end or None}, {random.choice((None, None, 1, 2, 3))})", 1
        if kind == "tensor":
            return self.tensor(length), 1
        if kind == "mask":
            dims = random.randint(1, len(self.size) - dim)
            return self.mask(self.size[dim : dim + dims]), dims
        if kind == "odd":
            odd = (
                "1.5",
                "'a'",
                "{}",
                "torch.tensor([0.5])",
                "slice(None, None, -1)",
                "np.array([0.0])",
                "range(1)",
                "torch.tensor([0], dtype=torch.int16)",
                "slice(None)",
                "np.array(0)",
                "(0,)",
                "[[0], [0]]",
            )
            return random.choice(odd), 1
        values = [self.position(length) for _ in range(random.choice((0, 1, 2, 2, 3)))]
        return (str(values) if kind == "list" else f"np.array({values}, dtype=np.int64)"), 1

    def position(self, length: int) -> int:
        if length == 0 or (self.may_miss and self.random.random() < 0.3):
            self.may_miss = False
            return self.random.choice((length, length + 3, -length - 1))
        return self.random.randint(-length, length - 1)

    def tensor(self, length: int) -> str:
        random = self.random
        size = random.choice(((), (1,), (2,), (2,), (3,), (2, 2), (2, 1), (1, 2), (3, 2), (0,), (2, 1, 2)))
        count = 1
        for each in size:
            count *= each
        values = [self.position(length) for _ in range(count)]
        text = f"torch.tensor({values}, dtype=torch.{random.choice(('int64', 'int64', 'int32'))}).reshape({size})"
        if len(size) > 1 and random.random() < 0.5:
            text += ".transpose(0, 1)"
        elif size and random.random() < 0.15:
            text += ".expand(2, " + ", ".join(["-1"] * len(size)) + ")"

    def mask(self, size: list[int]) -> str:
        random = self.random
        if random.random() < 0.1:
            size = [*size[:-1], size[-1] + 1]
        count = 1
        for length in size:
            count *= length
        values = [random.random() < 0.5 for _ in range(count)]
        dtype = "uint8" if random.random() < 0.1 else "bool"
        text = f"torch.tensor({values}, dtype=torch.{dtype}).reshape({size})"
        return text if len(size) > 1 or random.random() < 0.8 else str(values)

    def value(self, size: list[int], dtype: Any) -> str:
        """Something to be written where `size` elements are."""
        random = self.random
        if random.random() < 0.4:
            return random.choice(("5", "-1", "2.5", "True", "1j", "300", "1e300", "2**70", "'a'", "None", "[1, 2]"))
        own = list(size)
        if random.random() < 0.3:
            own = [random.choice((1, length)) for length in own]
        if random.random() < 0.3:
            own = own[random.randint(0, len(own)) :]
        if random.random() < 0.3:
            own = [1] * random.randint(1, 2) + own
        if random.random() < 0.1:
            own = [*own, 5]
        name = str(dtype).removeprefix("torch.") if random.random() < 0.8 else random.choice(DTYPES)
        count = 1
        for length in own:
            count *= length
        return f"((torch.arange({count}) + 100) % 120).to(torch.{name}).reshape({own})"


def _header(tensor: Any) -> list[Any]:
    return [str(tensor.dtype), tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor._is_view()]


def _outcome(library: Any, storage: str, header: str, index: str, value: str | None) -> list[Any]:
    """The result of reading with an index, or of writing `value`, in one library."""
    names = {"torch": library, "np": numpy}
    base = eval(storage, names)
    names["x"] = eval(f"base.as_strided({header})", {"base": base})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if value is None:
                names["r"] = eval(f"x[{index}]", names)
                seen = [_header(names["r"]), names["r"].tolist(), names["r"].data_ptr() == base.data_ptr()]
                shares = names["r"].untyped_storage().data_ptr() == base.untyped_storage().data_ptr()
                seen.append(shares)
            else:
                exec(f"x[{index}] = {value}", names)
                seen = ["written"]
        except Exception as error:  # PyTorch may have written a part by then; that we have not is asserted below
            seen = [type(error).__name__, str(error).split("\n")[0]]
            written = library is tensorglass and str(base.tolist()) != str(eval(storage, names).tolist())
            return [seen, written, base._version]
    told = {str(warning.message).split(" (Triggered")[0] for warning in caught}
    return [seen, base.tolist(), base._version, told]


def _assert_same(storage: str, header: str, index: str, value: str | None) -> None:
    mine = _outcome(tensorglass, storage, header, index, value)
    theirs = _outcome(torch, storage, header, index, value)
    if mine != theirs:
        kept = [pair for pair in zip(mine, theirs, strict=False) if pair[0] != pair[1]]
        action = f"x[{index}]" if value is None else f"x[{index}] = {value}"
        pytest.fail(f"x = {storage}.as_strided({header})\n{action}\nours, then PyTorch's:\n{kept}")


@pytest.fixture(autouse=True)
def every_warning():
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


@pytest.mark.sweep
@pytest.mark.parametrize("chunk", range(8))
def test_reading_agrees_with_pytorch(chunk):
    for seed in range(chunk * 500, (chunk + 1) * 500):
        writer = Writer(seed)
        _assert_same(writer.storage(), writer.header(), writer.index(), None)


@pytest.mark.sweep
@pytest.mark.parametrize("chunk", range(8))
def test_writing_agrees_with_pytorch(chunk):
    for seed in range(chunk * 500, (chunk + 1) * 500):
        writer = Writer(seed)
        storage, header, index = writer.storage(), writer.header(), writer.index()
        names = {"torch": torch, "np": numpy}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            base = eval(storage, names)
            try:
                chosen = eval(f"x[{index}]", {**names, "x": eval(f"base.as_strided({header})", {"base": base})})
                size = list(chosen.shape)
            except Exception:
                size = writer.size
        _assert_same(storage, header, index, writer.value(size, base.dtype))


def _gradients(library: Any, header: str, index: str, value: str | None) -> list[Any]:
    """The gradients of reading with an index, or of writing `value`, in one library."""
    names = {"torch": library, "np": numpy}
    base = (library.arange(CELLS) % 97).float()
    leaf = eval(f"base.as_strided({header})", {"base": base}).requires_grad_()
    names["x"] = leaf if value is None else leaf * 1
    leaves = [leaf]
    try:
        if value is None:
            result = eval(f"x[{index}]", names)
        else:
            names["v"] = eval(value, names)
            if isinstance(names["v"], library.Tensor):
                leaves.append(names["v"].float().requires_grad_())
                names["v"] = leaves[1] * 1
            exec(f"x[{index}] = v", names)
            result = names["x"]
        seen = [_header(result), _nodes(result.grad_fn)]
        (result * result).sum().backward()
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]
    return seen + [[*_header(leaf.grad), leaf.grad.tolist()] for leaf in leaves if leaf.grad is not None]


def _nodes(node: Any) -> list[str]:
    return (
        []
        if node is None
        else [node.name(), *[name for next_node, _ in node.next_functions for name in _nodes(next_node)]]
    )


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", range(8))
def test_gradients_flow_through_what_is_read_and_written_as_in_pytorch(chunk):
    for seed in range(chunk * 250, (chunk + 1) * 250):
        writer = Writer(seed)
        writer.size = [length or 2 for length in writer.size]  # how gradients of nothing lie is left to each library
        header, index, value = writer.header(), writer.index(), None
        if seed % 2:
            value = writer.value(writer.size[-1:], "torch.float32")
        mine, theirs = (_gradients(library, header, index, value) for library in (tensorglass, torch))
        assert mine == theirs, f"x = {header}, x[{index}], value {value}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "index",
    ["..., np.array(True)", "np.array(False), ...", "np.array(1, dtype=np.uint8)", "..., np.array(True), :"],
)
@pytest.mark.parametrize("value", [None, "torch.tensor(5.0)"])
def test_single_numbers_of_numpy_are_counted_as_in_pytorch(index, value):
    header = "(2, 4), (4, 1), 0"
    assert _gradients(tensorglass, header, index, value) == _gradients(torch, header, index, value)
    storage = f"torch.arange({CELLS}.)"
    _assert_same(storage, header, index, value)


@pytest.mark.filterwarnings("ignore")
def test_gradients_pass_by_what_was_written_to_masks_of_bytes():
    index = "torch.tensor([1, 0], dtype=torch.uint8)"
    for value in ("torch.arange(3)", "torch.arange(3).reshape(1, 3)"):
        mine, theirs = (_gradients(library, "(2, 3), (3, 1), 0", index, value) for library in (tensorglass, torch))
        assert mine == theirs
