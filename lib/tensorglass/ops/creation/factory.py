"""What all factory functions share: reading a size, a dtype and a device, and allocating.

All arguments are checked before a single byte is allocated. The functions of `fill`, `ranges` and `tensor`, and the
random ones, are declared with `factory` and only define the elements.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict, TypeVar

from tensorglass import backends, geometry
from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core import memory_format as formats
from tensorglass.core.devices import CPU, as_device
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained
from tensorglass.core.out_of_scope import about
from tensorglass.graph.recorder import is_recorded, no_out_with_gradients
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.copies.copy import format_strides
from tensorglass.ops.declare.registry import operator
from tensorglass.ops.declare.run_pointwise import refuse_overlapping_write
from tensorglass.ops.kernels.python_numbers import NUMBERS
from tensorglass.storage.storage import UntypedStorage
from tensorglass.tensor.construct import empty_on, make, result_tensor
from tensorglass.tensor.set_header import resize
from tensorglass.tensor.tensor import Tensor, raw_array

F = TypeVar("F", bound=Callable[..., Any])

# --- options ---------------------------------------------------------------------------------------------------------


class Options(TypedDict, total=False):
    """The keywords that all factory functions take."""

    dtype: DType | None  #: the elements' type; None: the function's own rule, often the default dtype
    layout: formats.layout | None  #: `torch.strided`: no tensor has another
    device: Device | str | int | None  #: where the bytes are to live; None: the default device
    requires_grad: bool  #: whether autograd records what is done with the tensor
    pin_memory: bool  #: whether the bytes are to live in page-locked memory, for an accelerator's sake


class Place(NamedTuple):
    """Options, read and checked."""

    dtype: DType
    device: Device
    requires_grad: bool
    is_pinned: bool = False


def factory(
    *,
    function: bool = True,
    method: bool = False,
    differs: str | None = None,
    signatures: Sequence[str] = (),
    namespace: str = "",
) -> Callable[[F], F]:
    """Declare a factory function, with the options spelled out in its signature, where help() shows them.

    `signatures` are its ways of being called where there are several, without the options.
    """

    def enter(body: F) -> F:
        signature = inspect.signature(body)
        given = list(signature.parameters.values())
        if given and given[-1].kind is inspect.Parameter.VAR_KEYWORD:
            options = [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                for name, default in _DEFAULTS.items()
            ]
            body.__signature__ = signature.replace(  # type: ignore[attr-defined]  # typeshed omits that functions may carry one
                parameters=given[:-1] + options
            )
        takes_out = "out" in signature.parameters
        takes_lengths = any(
            parameter.kind is parameter.VAR_POSITIONAL for parameter in given
        )  # such a function reads its own calls
        return operator(
            "creation",
            function=function,
            method=method,
            out=takes_out,
            differs=differs,
            namespace=namespace,
            signatures=None if takes_lengths else [f"({signature}, *, {_OPTIONS})" for signature in signatures],
        )(body)

    return enter


_OPTIONS = (
    "Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)

_DEFAULTS: dict[str, Any] = {
    "dtype": None,
    "layout": formats.strided,
    "device": None,
    "requires_grad": False,
    "pin_memory": False,
}


def read_options(name: str, options: Options, dtype: DType | None = None, device: Device | None = None) -> Place:
    """Check the options given to the function `name`; `dtype` and `device` are its defaults."""
    if not options:  # most calls
        return Place(dtype or dtypes.get_default_dtype(), device or as_device(None), False)
    for keyword, value in options.items():
        if keyword not in _DEFAULTS:
            raise TypeError(f"{name}() got an unexpected keyword argument '{keyword}'")
        _check_option(name, keyword, value)
    chosen = read_dtype(name, options.get("dtype")) or dtype or dtypes.get_default_dtype()
    place = options.get("device")
    requires_grad = bool(options.get("requires_grad"))
    if requires_grad:
        check_can_require_grad(chosen)
    where = as_device(place) if place is not None or device is None else device
    is_pinned = bool(options.get("pin_memory"))
    if is_pinned:
        check_can_be_pinned(where)
    return Place(chosen, where, requires_grad, is_pinned)


def check_can_be_pinned(device: Device) -> None:
    """Raise unless memory of the device can be page-locked."""
    if backends.accelerator() is None:
        raise explained(
            RuntimeError(
                "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available "
                "on this system."
            ),
            "Pinned memory speeds up copies to an accelerator; without one there is nothing to gain: leave it out.",
        )
    if device != CPU:
        raise RuntimeError("Only dense CPU tensors can be pinned")


def _check_option(name: str, keyword: str, value: Any) -> None:
    if keyword == "device":
        is_device = isinstance(value, Device | str | builtins.int | None) and not isinstance(value, builtins.bool)
        allowed, expected = is_device, "torch.device"
    elif keyword == "layout":
        allowed, expected = isinstance(value, formats.layout | None), "torch.layout"
        if allowed and value is not None and value is not formats.strided:
            raise explained(NotImplementedError(f"{name}() makes no tensor of layout {value}"), about("sparse") or "")
    elif keyword in ("requires_grad", "pin_memory"):
        allowed, expected = isinstance(value, builtins.bool | None), "bool"
    else:
        return
    if not allowed:
        raise TypeError(f"{name}(): argument '{keyword}' must be {expected}, not {type_name(value)}")


def read_dtype(name: str, given: Any) -> DType | None:
    """A ``dtype=`` argument: a dtype, or Python's float, int, bool or complex; None stays None."""
    return None if given is None else dtypes.as_dtype(given, f"{name}(): argument 'dtype'")


def check_can_require_grad(dtype: DType) -> None:
    """Raise unless tensors of this dtype can require gradients."""
    if dtype.category < dtypes.FLOATING:
        raise explained(
            RuntimeError("Only Tensors of floating point and complex dtype can require gradients"),
            f"This one would be {dtype!r}: an integer has no small change whose effect a gradient could tell. "
            "Write the numbers with a decimal point, or give dtype=torch.float32.",
        )


# --- sizes -----------------------------------------------------------------------------------------------------------


def read_size(name: str, given: Sequence[Any], size: Any = None) -> tuple[int, ...]:
    """The size in a call ``name(2, 3)``, ``name((2, 3))`` or ``name(size=(2, 3))``."""
    if size is not None:
        if given:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        return size_tuple(name, size)
    if len(given) == 1:
        only = given[0]
        return (only,) if type(only) is int and -(2**63) <= only < 2**63 else size_tuple(name, only)
    if not given:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if isinstance(given[0], tuple | list):
        raise TypeError(f"{name}() takes 1 positional argument but {len(given)} were given")
    return _lengths(name, "size", given)


def size_tuple(
    name: str, given: Any, argument: str = "size", position: int = 1, *, single: bool = True
) -> tuple[int, ...]:
    """A size given as a sequence of ints or, if `single`, as one int."""
    place = f"argument '{argument}' (position {position})"
    if isinstance(given, tuple | list):
        if given and type(given[0]) is not int and not _is_whole(given[0]):
            raise TypeError(
                f"{name}(): {place} must be tuple of ints, but found element of type {type_name(given[0])} at pos 0"
            )
        return _lengths(name, argument, given)
    if single and not isinstance(given, builtins.bool) and hasattr(given, "__index__"):
        try:
            return _lengths(name, argument, (given.__index__(),))
        except TypeError:  # an array or a tensor, of many numbers or of fractions
            if isinstance(given, int):
                raise
    raise TypeError(f"{name}(): {place} must be tuple of ints, not {type_name(given)}")


def _is_whole(value: Any) -> bool:
    """Whether a value that is not an int counts as one: NumPy integers, tensors and arrays of one integer."""
    if isinstance(value, builtins.bool):
        return False
    try:
        return value.__index__() is not None
    except (AttributeError, TypeError):
        return False


def _lengths(name: str, argument: str, given: Sequence[Any]) -> tuple[int, ...]:
    lengths = []
    for position, length in enumerate(given, start=1):
        if type(length) is not int:  # bool, a 0-dim tensor, a NumPy integer
            try:
                length = length.__index__()
            except (AttributeError, TypeError):
                raise TypeError(
                    f"{name}(): argument '{argument}' failed to unpack the object at pos {position} with error "
                    f'"type must be tuple of ints,but got {type_name(length)}"'
                ) from None
        if not -(2**63) <= length < 2**63:
            raise TypeError(
                f"{name}(): argument '{argument}' failed to unpack the object at pos {position} with error "
                '"Overflow when unpacking long long'
            )
        lengths.append(length)
    return tuple(lengths)


def strides_in(memory_format: Any, size: tuple[int, ...], like: Tensor | None = None) -> tuple[int, ...]:
    """The strides of a new tensor in `memory_format`; `like` is the one whose order `preserve_format` keeps."""
    if memory_format is None:
        memory_format = formats.contiguous_format if like is None else formats.preserve_format
    if memory_format is formats.preserve_format and like is None:
        raise RuntimeError("unsupported memory format Preserve")
    return format_strides(size, () if like is None else like._stride, memory_format)


# --- bytes -----------------------------------------------------------------------------------------------------------


def new(size: tuple[int, ...], place: Place, stride: tuple[int, ...] | None = None, *, zeroed: bool = False) -> Tensor:
    """A tensor with a storage of its own, not initialized unless `zeroed`."""
    dtype, device, requires_grad, is_pinned = place
    if stride is None:
        geometry.contiguous_nbytes(size, dtype.itemsize)  # refuses negative and overflowing sizes
        stride = packed = geometry.CONTIGUOUS_STRIDES[size]
    else:
        geometry.storage_nbytes(size, stride, 0, dtype.itemsize)
        stride, packed = geometry.checked_strides(size, stride), geometry.contiguous_strides(size)
    backend = backends.get(device)
    backend.array_dtype(dtype)  # raises where the backend lacks this dtype
    if not is_pinned and stride == packed:
        array = backend.empty(dtype, size, zeroed=zeroed)
        result = result_tensor(array, dtype, backend, device, size, stride)
    elif is_pinned:
        nbytes = geometry.storage_nbytes(size, stride, 0, dtype.itemsize)
        result = make(UntypedStorage.pinned(nbytes), size, stride, 0, dtype)
        if zeroed:
            result._storage.fill_(0)
    else:
        result = empty_on(device, size, stride, dtype, zeroed=zeroed)
    if requires_grad:
        set_requires_grad(result, True)
    return result


def of_kernel(
    size: tuple[int, ...], place: Place, kernel: Callable[..., Any], *arguments: Any, out: Tensor | None = None
) -> Tensor:
    """The tensor whose elements ``kernel(xp, *arguments)`` returns, written into `out` if that is given."""
    dtype, device, requires_grad, is_pinned = place
    backend = backends.get(device)
    if out is not None:
        raw_array(resized(out, size))[...] = backend.launch(kernel, *arguments)
        return out
    geometry.contiguous_nbytes(size, dtype.itemsize)
    if is_pinned:
        result = new(size, place)
        raw_array(result)[...] = backend.launch(kernel, *arguments)
        return result
    array = backend.launch(_fresh, kernel, arguments, backend.array_dtype(dtype)).reshape(size)
    result = result_tensor(array, dtype, backend, device, size, geometry.CONTIGUOUS_STRIDES[size])
    if requires_grad:
        set_requires_grad(result, True)
    return result


def _fresh(xp: Any, kernel: Callable[..., Any], arguments: tuple[Any, ...], array_dtype: Any) -> Array:
    return xp.ascontiguousarray(kernel(xp, *arguments), array_dtype)


def resized(out: Tensor, size: tuple[int, ...]) -> Tensor:
    """The tensor given as ``out=``, of the result's size and about to be written."""
    if out._size != size:
        geometry.checked_numel(size)
        geometry.contiguous_nbytes(size, out._dtype.itemsize)
        resize(out, size, geometry.contiguous_strides(size))
    refuse_overlapping_write(out)
    out._written()
    return out


def finished(result: Tensor, out: Tensor | None, writes: int = 2) -> Tensor:
    """Reset the version of a new tensor that was just filled; count one write for `out`, instead of `writes`."""
    if out is None:
        result._storage.version = 0
    elif out._counter is None:
        out._storage.version -= writes - 1
    else:
        out._counter.count -= writes - 1
    return result


def read_out_options(name: str, options: Options, out: Tensor | None, dtype: DType | None = None) -> Place:
    """As `read_options`; with `out`, which already has a dtype and a place, the options must agree with it."""
    if out is None:
        return read_options(name, options, dtype)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    wanted = read_dtype(name, options.get("dtype"))
    if wanted is not None and wanted is not out._dtype:
        raise explained(
            RuntimeError(
                f"dtype {wanted.scalar_type} does not match dtype of out parameter ({out._dtype.scalar_type})"
            ),
            "A tensor given as out= brings its own dtype: leave dtype= away.",
        )
    if is_recorded((out,)) and name not in ("empty", "randn"):  # those are known by other names
        raise no_out_with_gradients(f"aten::{name}")
    return read_options(name, {**options, "dtype": out._dtype}, device=out.device)


# --- numbers ---------------------------------------------------------------------------------------------------------


def read_number(name: str, argument: str, position: int, given: Any) -> complex:
    """A number given as such or as a 0-dim tensor; raises PyTorch's TypeError for anything else."""
    if isinstance(given, builtins.int | builtins.float | builtins.complex):
        if isinstance(given, builtins.int) and not -(2**63) <= given < 2**64:
            raise OverflowError("int too big to convert")
        return given
    if isinstance(given, Tensor) and not given._size:
        return given.item()
    if isinstance(given, NUMBERS):  # NumPy's
        return read_number(name, argument, position, dtypes.python_number(given))
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {type_name(given)}")
