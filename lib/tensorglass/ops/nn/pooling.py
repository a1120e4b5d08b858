"""What all kinds of pooling share: the size and the number of windows, and checks of arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tensorglass.core.errors import explained
from tensorglass.ops.kernels.windows import Lengths, Windows
from tensorglass.ops.nn.arguments import Ints, for_each
from tensorglass.tensor.tensor import Tensor

_WORDS = {2: "two ints", 3: "three ints"}
_SIGNAL_WORDS = {
    "stride": "None, an int, list of ints, or tuple of ints", "padding": "an int, list of ints, or tuple of ints"
}  # fmt: skip
_AXES = {1: ("W",), 2: ("H", "W"), 3: ("T", "H", "W")}


def read(name: str, argument: str, value: Ints, rank: int, optional: bool = False) -> Lengths:
    """The number for each dimension, or PyTorch's RuntimeError."""
    lengths = for_each(value, rank)
    if len(lengths) != rank:
        if rank == 1:
            words = _SIGNAL_WORDS.get(argument, "an int, list of ints or tuple of ints")
            raise RuntimeError(f"{name}() {argument} must be {words} of size 1 but got size {len(lengths)}")
        if argument == "dilation":  # sic: in another order
            raise RuntimeError(f"{name}: dilation must be either a single int, or a tuple of {_WORDS[rank]}")
        either = "" if name == "avg_pool3d" else "either "
        omitted = "omitted, " if optional else ""
        raise RuntimeError(f"{name}: {argument} must {either}be {omitted}a single int, or a tuple of {_WORDS[rank]}")
    return lengths


def windows(name: str, rank: int, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints = 1) -> Windows:
    """The windows of a call. Without a stride they lie side by side."""
    size = read(name, "kernel_size", kernel_size, rank)
    given = kernel_size if stride is None or stride == () or stride == [] else stride
    return Windows(
        size,
        read(name, "stride", given, rank, True),
        read(name, "padding", padding, rank),
        read(name, "dilation", dilation, rank),
    )


def no_signals(name: str, input: Tensor) -> RuntimeError:
    """PyTorch's error for an input of pooling that is neither (N, C, L) nor (C, L)."""
    return RuntimeError(
        f"Expected 2 to 3 dimensions, but got {len(input._size)}-dimensional tensor for argument #1 'self' (while "
        f"checking arguments for {name})"
    )


def counts(lengths: Sequence[int], windows: Windows, ceil_mode: bool) -> Lengths:
    """The number of windows in each dimension. With `ceil_mode` the last may end outside, if it begins inside."""
    lengths_out = []
    for length, size, stride, padding, dilation in zip(lengths, *windows, strict=True):
        rest = length + 2 * padding - dilation * (size - 1) - 1
        count = (rest + (stride - 1 if ceil_mode else 0)) // stride + 1
        if ceil_mode and (count - 1) * stride >= length + padding:
            count -= 1
        lengths_out.append(count)
    return tuple(lengths_out)


def check(input: Tensor, windows: Windows, ceil_mode: bool, *, dilated: bool = True) -> Lengths:
    """Check the arguments, and return the number of windows in each dimension. Raises PyTorch's RuntimeError."""
    rank = len(windows.size)
    axes, size = _AXES[rank], list(input._size)
    _check_padding(windows)
    if min(windows.size) < 1:
        raise RuntimeError(f"kernel size should be greater than zero, but got {_named('k', axes, windows.size)}")
    if min(windows.stride) < 1:
        raise RuntimeError(f"stride should be greater than zero, but got {_named('d', axes, windows.stride)}")
    if dilated and min(windows.dilation) < 1:
        result = _named("dilation", axes, windows.dilation, ", " if rank == 2 else " ")
        raise RuntimeError(f"dilation should be greater than zero, but got {result}")
    kept = size[1:] if len(size) == rank + 2 else size
    if rank == 3 and len(size) not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if rank == 2 and dilated and len(size) not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if len(size) not in (rank + 1, rank + 2) or (0 in kept and rank == 2):
        batch = f"Expected {rank + 1}D or {rank + 2}D (batch mode) tensor with optional 0 dim batch size for input"
        raise explained(RuntimeError(f"{batch}, but got:{size}"), "Its size is (batch, channels, …), or without batch.")
    if 0 in kept:
        function = "max_pool3d_with_indices_out_cpu_template" if dilated else "avg_pool3d"
        raise RuntimeError(  # sic: PyTorch calls the length the dimension
            f"{function}(): Expected input's non-batch dimensions to have positive "
            f"length, but input has a shape of {size} and non-batch dimension 0 has length zero!"
        )
    if rank == 3 and not dilated and any(length < least for length, least in zip(size[-3:], windows.size, strict=True)):
        raise RuntimeError(
            f"input image ({_named('', axes, size[-3:])}) smaller than kernel size ({_named('k', axes, windows.size)})"
        )
    found_counts = counts(size[-rank:], windows, ceil_mode)
    if min(found_counts) < 1:
        planes = size[-rank - 1]
        raise explained(
            RuntimeError(
                f"Given input size: ({_by(planes, size[-rank:])}). Calculated output size: "
                f"({_by(planes, found_counts)}). Output size is too small"
            ),
            "The window is larger than what it moves over.",
        )
    return found_counts


def _check_padding(windows: Windows) -> None:
    if 0 in windows.stride:
        raise RuntimeError("stride should not be zero")
    for size, padding, dilation in zip(windows.size, windows.padding, windows.dilation, strict=True):
        if padding < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
        if padding > (dilation * (size - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={padding}, kernel_size={size} and "
                f"dilation={dilation}"
            )


def check_1d(input: Tensor, windows: Windows, ceil_mode: bool) -> None:
    """The same for `max_pool1d`, which has its own error messages."""
    name, size = "max_pool1d", list(input._size)
    if len(size) not in (2, 3) or 0 in size[-2:]:
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{size}"
        )
    (kernel,), (stride,), _, (dilation,) = windows
    for argument, value in (("kernel_size", kernel), ("stride", stride)):
        if value < 1:
            raise RuntimeError(f"{name}() {argument} must be greater than zero, but got {value}")
    if dilation < 1:
        raise RuntimeError(f"{name}() dilation must be greater than zero, but got {dilation}")
    _check_padding(windows)
    (count,) = counts(size[-1:], windows, ceil_mode)
    if count < 1:
        raise RuntimeError(f"{name}() Invalid computed output size: {count}")


def one_int(name: str, output_size: Ints) -> int:
    """The one number that pooling in one dimension takes."""
    lengths = for_each(output_size, 1)
    if len(lengths) != 1:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(lengths)})")
    return lengths[0]


def _named(what: str, axes: Sequence[str], values: Sequence[int], between: str = " ") -> str:
    return between.join(f"{what}{axis}: {value}" for axis, value in zip(axes, values, strict=True))


def _by(planes: int, lengths: Sequence[int]) -> str:
    return "x".join(str(length) for length in (planes, *lengths))
