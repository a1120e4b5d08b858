"""Properties of tensors, read through public methods only.

Checks and predictions look at tensors of several libraries (tensorglass, PyTorch, and NumPy's arrays where that makes
sense) without importing any of them. Two tensors share memory when the byte ranges of their *storages* overlap. `id()`
of a Python wrapper says nothing about it.
"""

from __future__ import annotations

import linecache
import math
import re
import traceback
from numbers import Number
from types import FunctionType
from typing import Any

from glassroom.translations.notes import notebook_of
from glassroom.translations.templates import word

PLAIN = (bool, int, float, complex, str)
"""Types whose repr is short, deterministic and safe to print."""

BINARY_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "complex64": 24}
"""Dtypes with fewer digits than a Python number has, and how many."""

SECOND_NAMES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
"""PyTorch's other names of dtypes."""

LONGEST_TEXT = 72
LONGEST_PARAGRAPH = 160  # of what an error says and means
MOST_VALUES = 64
MOST_DIGITS = 17  # a Python number has no more
MOST_READ = 1_000_000  # values of an answer; none of the course is as large
MOST_LINES = 12  # of an error, on a card
MOST_TAKEN = 50_000_000  # elements of an argument of a check; larger than any matrix of the course


def is_tensor(x: object) -> bool:
    """Whether `x` is a header over a storage, as `torch.Tensor` is."""
    return _has(x, "untyped_storage", "storage_offset", "stride")


def is_array(x: object) -> bool:
    """Whether `x` is an array of NumPy's kind: it says where its memory is, and is not a tensor."""
    return _has(x, "__array_interface__") and not is_tensor(x)


def _has(x: object, *names: str) -> bool:
    """Whether the object is not a class and has all these attributes; never raises."""
    try:
        return not isinstance(x, type) and all(hasattr(x, name) for name in names)
    except Exception:
        return False


def shape(x: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in x.shape)


def stride(x: Any) -> tuple[int, ...]:
    """Strides in elements, for arrays too."""
    if is_array(x):
        return tuple(int(n) // x.itemsize for n in x.strides)
    return tuple(int(n) for n in x.stride())


def offset(x: Any) -> int:
    return int(x.storage_offset())


def dtype_name(x: Any) -> str:
    """`"float32"`, from a tensor, an array, a dtype, a NumPy type or a string such as `"torch.float32"`."""
    dtype = getattr(x, "dtype", x)
    name = dtype.__name__ if isinstance(dtype, type) else str(dtype)
    return name.removeprefix("torch.").removeprefix("tensorglass.")


def device(x: Any) -> str:
    """The type of the device where a tensor is: "cpu", "cuda", "sim"."""
    return str(x.device.type)


def is_contiguous(x: Any) -> bool:
    return bool(x.flags.c_contiguous if is_array(x) else x.is_contiguous())


def version(x: Any) -> int:
    """How often the tensor's storage was written to; 0 for inference tensors, which do not count."""
    return 0 if x.is_inference() else int(x._version)


def nbytes(x: Any) -> int:
    """Bytes of a tensor, an array or a storage (whose `nbytes` is a method)."""
    return int(x.nbytes() if callable(x.nbytes) else x.nbytes)


def values(x: Any) -> Any:
    """The values as plain (nested) Python numbers. ValueError for more than any exercise asks for."""
    if not (is_tensor(x) or is_array(x)):
        return x
    if math.prod(shape(x)) > MOST_READ:
        raise ValueError(f"{math.prod(shape(x)):,} values are too many to look at")
    return x.tolist()


def elements(x: Any) -> int:
    """How many elements a tensor or an array has, or the largest of those in lists and tuples; 0 for all else.

    A tensor on meta has none: it is a header, and going through it costs nothing.
    """
    if type(x) in (list, tuple):
        return max(map(elements, x), default=0)
    if not (is_tensor(x) or is_array(x)):
        return 0
    try:
        return 0 if device(x) == "meta" else math.prod(shape(x))
    except Exception:  # not a tensor after all; the exercise's own expectations say so
        return 0


def memory_range(x: Any) -> tuple[int, int]:
    """The first byte, and the one after the last, of the memory under a tensor or an array."""
    if is_array(x):
        while is_array(x.base):
            x = x.base
        if is_tensor(x.base):
            return memory_range(x.base)
        start = x.__array_interface__["data"][0]
        return start, start + x.nbytes
    storage = x.untyped_storage()
    start = storage.data_ptr()
    return start, start + storage.nbytes()


def share_memory(a: Any, b: Any) -> bool:
    """Whether `a` and `b` look at the same memory.

    Storages without bytes have no address to compare, so their storage objects are compared.
    """
    if is_tensor(a) and is_tensor(b) and a.untyped_storage() is b.untyped_storage():
        return True
    (first_a, last_a), (first_b, last_b) = memory_range(a), memory_range(b)
    return max(first_a, first_b) < min(last_a, last_b)


def same_value(given: Any, expected: Any, near_zero: float = 1e-8) -> bool:
    """Whether two values say the same: tuples are like lists, floats may differ in their last places.

    Floats that are `near_zero` apart are the same, however small they are.
    """
    if isinstance(expected, (tuple, list)):
        return (
            isinstance(given, (tuple, list))
            and len(given) == len(expected)
            and all(same_value(g, e, near_zero) for g, e in zip(given, expected, strict=True))
        )
    if isinstance(expected, bool) or isinstance(given, bool):
        return isinstance(given, bool) and isinstance(expected, bool) and given == expected
    if isinstance(expected, float) and isinstance(given, Number) and not isinstance(given, complex):
        number: Any = given
        both_nan = math.isnan(expected) and math.isnan(number)
        return both_nan or math.isclose(number, expected, rel_tol=1e-5, abs_tol=near_zero)
    if isinstance(expected, Number):
        return isinstance(given, Number) and bool(given == expected)
    return type(given) is type(expected) and bool(given == expected)


def largest(values: Any) -> float:
    """The largest magnitude of the finite floats in (nested) lists; 0 if there is none."""
    if isinstance(values, (tuple, list)):
        return max(map(largest, values), default=0.0)
    return abs(values) if isinstance(values, float) and math.isfinite(values) else 0.0


def is_plain(x: object, depth: int = 3) -> bool:
    """Whether `x` is made of plain numbers and strings, in few levels: then its repr can be printed."""
    if type(x) in PLAIN or x is None or x is ...:
        return True
    if isinstance(x, (tuple, list)) and depth:
        return len(x) <= MOST_VALUES and all(is_plain(item, depth - 1) for item in x)
    return False


def text(x: object) -> str:
    """A short text for any object: plain values as Python writes them, everything else by its kind."""
    if isinstance(x, tuple) and is_plain(x):
        return shortened(repr(tuple(x)))
    if is_plain(x):
        return shortened(repr(x))
    if is_tensor(x):
        return f"a tensor of shape {shape(x)}"
    if is_array(x):
        return f"an array of shape {shape(x)}"
    if isinstance(x, type):
        return f"the class {x.__name__}"
    if isinstance(x, (list, tuple)):
        return f"a {word('list') if isinstance(x, list) else word('tuple')} of {len(x)}"
    if isinstance(x, FunctionType):
        return word("a function")
    return f"an object of type {type(x).__name__}"


def rounded(x: Any) -> Any:
    """Plain numbers with the digits that people read: what float32 makes of 0.7 is 0.7 again."""
    if isinstance(x, tuple):
        return tuple(rounded(item) for item in x)
    if isinstance(x, list):
        return [rounded(item) for item in x]
    return float(f"{x:.6g}") if isinstance(x, float) and not x.is_integer() else x


def both_told(own: Any, wanted: Any) -> tuple[str, str]:
    """Texts of an answer and of the right one: floats have the digits that people read, or all of theirs where both
    would read the same."""
    told = text(rounded(own)), text(rounded(wanted))
    return told if told[0] != told[1] else (text(own), text(wanted))


def told_apart(own: Any, wanted: Any, digits: int) -> tuple[str, str]:
    """Two floats, or two lists of them, as Python writes them with this many digits, or with as many more as it takes
    until the texts differ."""
    told = [(_in_digits(own, number), _in_digits(wanted, number)) for number in range(digits, MOST_DIGITS + 1)]
    return next((pair for pair in told if pair[0] != pair[1]), told[-1])


def _in_digits(x: Any, digits: int) -> str:
    if isinstance(x, (list, tuple)):
        return f"[{', '.join(_in_digits(item, digits) for item in x)}]"
    return repr(float(f"{x:.{digits}g}"))


def in_its_digits(x: Any, dtype: str) -> Any:
    """Plain numbers with the digits that set them apart in their dtype: a float32 is 0.1, not 0.10000000149011612."""
    if isinstance(x, (list, tuple)):
        return [in_its_digits(item, dtype) for item in x]
    if isinstance(x, complex):
        return complex(in_its_digits(x.real, dtype), in_its_digits(x.imag, dtype))
    if dtype not in BINARY_DIGITS or not isinstance(x, float) or not math.isfinite(x) or x.is_integer():
        return x
    fraction, exponent = math.frexp(x)
    apart = math.ldexp(0.25 if abs(fraction) == 0.5 else 0.5, exponent - BINARY_DIGITS[dtype])
    candidates = (float(f"{x:.{digits}g}") for digits in range(1, 10))
    return next((shorter for shorter in candidates if abs(shorter - x) < apart), x)


def is_shown_whole(x: object) -> bool:
    """Whether `text` shows the whole of a plain value."""
    return is_plain(x) and len(repr(x)) <= LONGEST_TEXT


def shortened(line: str) -> str:
    line = without_addresses(line)
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1] + "…"


def without_addresses(line: str) -> str:
    """The line without what differs from run to run: addresses in memory, and paths of files.

    `10x3` is a size. What PyTorch says of a custom operator names the file of its module.
    """
    return re.sub(r"\b0x[0-9a-fA-F]{6,}", "0x…", re.sub(r" \(with implementation in <module [^>]*>\)", "", line))


def first_line(error: BaseException) -> str:
    """`"ValueError: the first line of its message"`, without addresses, whatever `str(error)` does."""
    name = type(error).__name__
    try:
        lines = str(error).splitlines()
    except Exception:
        return name
    message = without_addresses(lines[0]) if lines else ""
    return f"{name}: {message}" if message else name


def whole_message(error: BaseException) -> str:
    """`"ValueError: its message"` with all lines of it, as far as a page has room for them, and without addresses."""
    try:
        lines = str(error).rstrip().splitlines()
    except Exception:
        lines = []
    if len(lines) < 2:
        return first_line(error)
    shown = [line.expandtabs(4).rstrip() for line in lines[:MOST_LINES]] + ["…"] * (len(lines) > MOST_LINES)
    return without_addresses("\n".join([f"{type(error).__name__}: {shown[0]}", *shown[1:]]))


def first_sentence(error: BaseException) -> str:
    """The first line of an error as a sentence among others: with one mark at its end."""
    line = re.sub(r"(, but expected one of:|,)$", "", first_line(error).rstrip())
    return line if line.endswith((".", "!", "?", ".)")) else f"{line}."


CALLED_WITH = (
    re.compile(
        r"^TypeError: (?!\w+\.(?!forward)\w+\(\))[\w.<>]+\(\) "  # of a function or a forward, not of another method
        r"(takes \d+ positional arguments? but \d+ w|missing \d+ required)"
    ),
    "The check calls it with the arguments that the task names.",
)
"""What it means where the learner's function was not entered."""

PYTHON_MEANS = (
    (
        re.compile("NoneType"),
        "Something is None there: a `grad` before any backward, or what a function without `return` gives.",
    ),
    (re.compile("^KeyError"), "The dictionary has no such key: is it still empty at the first call?"),
    (
        re.compile(r"'tuple' object has no attribute|unsupported operand type.*'tuple'"),
        "It is a tuple, as torch.autograd.grad returns it: take the tensor out of it, (slope,) = …",
    ),
    (
        re.compile("return_types.* object has no attribute|unsupported operand type.*return_types"),
        "Along a dimension, max and min give values and indices: take .values, or use amax and amin.",
    ),
    (
        re.compile(r"^TypeError: (max|min)\(\) received an invalid combination of arguments - got \(.*tuple"),
        "max and min go along one dimension, and give the places as well. amax and amin take several dimensions.",
    ),
    (
        re.compile(r"^TypeError: \w+\(\): argument 'keepdim' \(position \d+\) must be bool, not int"),
        "Several dimensions go in one tuple: amax((3, 5)).",
    ),
    (
        re.compile("Mismatch in shape: grad_output"),
        "What a backward begins with has a weight for each number of the tensor that it begins at, in its shape.",
    ),
    (re.compile("must be tuple of Tensors, not Tensor"), "It takes several tensors: a list of them."),
    (
        re.compile("'type' object does not support the context manager"),
        "Parentheses are missing: with torch.no_grad():",
    ),
    (
        re.compile("'(method|builtin_function_or_method)' object|'(method|builtin_function_or_method)'( and|$)"),
        "Parentheses are missing behind the name of a method.",
    ),
    (
        re.compile("'Tensor' object is not callable"),
        "A tensor stands where a function should: hand over the function itself, part, and not its result, part(x).",
    ),
    (re.compile("is not callable"), "Parentheses stand behind something that is not a function."),
    (
        re.compile("expected Variable, but hook returned"),
        "A hook returns a tensor of the gradient's shape, which goes on in its place, or None.",
    ),
    (
        re.compile("Backward' object has no attribute"),
        "ctx has what forward, or setup_context, put there: ctx.factor = factor.",
    ),
    (
        re.compile(
            r"must be (tuple of ints|int)\b.*(not|got|of type) float|'float' object cannot be interpreted|"
            "slice indices must be integers"
        ),
        "/ makes a float, of whole numbers too; // makes an int.",
    ),
    (
        re.compile(r"expected Tensor as element \d+ in argument 0, but got tuple"),
        "Tuples cannot be stacked. torch.autograd.grad returns one, with a gradient for each input: take [0]. "
        "torch.func.jvp returns results and tangents: take [1].",
    ),
    (re.compile("set a forward gradient that has a different size"), "A direction has a number for each input."),
    (
        re.compile(r"Expected (primals|tangents) to be a tuple"),
        "torch.func.jvp takes two tuples, the arguments of f and their directions: (x,) and (u,).",
    ),
    (re.compile("save_for_backward can only save"), "It takes tensors; a number is kept as an attribute of ctx."),
)
"""What errors without notes mean, by a part of their message."""


def explained_sentence(error: BaseException) -> str:
    """The first line of an error as a sentence, and what it means: the library's first note, if it has any.

    If this is much, the message, what it means, and the learner's line are lines of their own.
    """
    line = _line_of_a_learner(error)
    notes = [note for note in map(str, getattr(error, "__notes__", [])) if notebook_of(note) is None][:1]
    table = PYTHON_MEANS if line else (CALLED_WITH, *PYTHON_MEANS)
    means = notes or [meaning for pattern, meaning in table if pattern.search(first_line(error))][:1]
    said = [first_sentence(error), *means, *([f"The line is `{line}`."] if line else [])]
    return " ".join(said) if sum(map(len, said)) <= LONGEST_PARAGRAPH else "\n".join(said)


def _line_of_a_learner(error: BaseException) -> str:
    """The last line of a notebook's cell that ran before the error; "" where its source is not known."""
    at = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__") == "__main__"
    ]
    return without_addresses(linecache.getline(*at[-1]).strip())[:LONGEST_PARAGRAPH] if at else ""


def of_a_backward(error: BaseException) -> str:
    """What an error of autograd's shows of a `backward` that somebody wrote; "" if it is another error."""
    if match := re.search(r"incorrect number of gradients \(expected (\d+), got (\d+)\)", str(error)):
        needed, returned = match.groups()
        return (
            f"the backward returned {returned} where {needed} gradients are needed: one for each argument of forward, "
            "and None where there is none. Does it end with `return`? (A list counts as one thing; a tuple does not.)"
        )
    if shapes := re.search(r"gradient at index (\d+) - got (\[.*?\]) but expected .*?(\[.*?\])", str(error)):
        number, shape, wanted = shapes.groups()
        return (
            f"the backward returns a gradient of shape {shape} for argument {number} of forward, counted from 0, which "
            f"has shape {wanted}. Gradients are returned in the order of the arguments."
        )
    if "must implement either the backward" in str(error):
        return "the class has no `backward`, so no gradient comes through it."
    if place := re.search(r"gradient different than None at position (\d+)", str(error)):
        return (
            f"the backward returns a gradient for argument {place[1]} of forward, counted from 1, which is no tensor: "
            "None stands in its place."
        )
    if "expected Variable or None" in str(error):
        return (
            "the backward returns something that is neither a tensor nor None. What goes on to a tensor is a tensor, "
            "made of the gradient that arrives."
        )
    if "appears to not have been used in the graph" in str(error):
        return "no gradient arrives: something was cut off, or the backward returned None. Does it end with `return`?"
    return ""


def copies_of(*tensors: Any) -> list[Any]:
    """Tensors of their own with these values, without history: a notebook may have given the names to others since."""
    return [tensor.detach().clone() for tensor in tensors]


def leaf_of(tensor: Any) -> Any:
    """A leaf of its own with these values, which requires grad."""
    return tensor.detach().clone().requires_grad_()


def names_at(node: Any) -> set[str]:
    """A node's name; for a node that represents nodes of another process, their names."""
    there: set[str] | None = getattr(node, "stands_for", None)
    return {node.name()} if there is None else there
