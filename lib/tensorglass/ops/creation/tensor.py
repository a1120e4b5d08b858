"""`tensor`: from Python's numbers and nested lists, arrays and tensors to a tensor with a storage of its own.

Two questions are answered on the way. The size: how long is the data, its first element, that one's first element,
and so on (everything else must agree). The dtype: what do the dtypes of all elements promote to.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Set
from typing import Any, Unpack

from tensorglass import geometry, memory
from tensorglass.backends import Array, numpy_values
from tensorglass.backends import get as get_backend
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.graph.tensor_fields import set_requires_grad
from tensorglass.ops.arg_parser.checks import type_name
from tensorglass.ops.creation.factory import (
    Options,
    Place,
    check_can_require_grad,
    factory,
    new,
    read_dtype,
    read_options,
)
from tensorglass.ops.creation.from_memory import of_storage, strides_of
from tensorglass.ops.declare.run_pointwise import converted
from tensorglass.ops.kernels.python_numbers import checked
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.tensor import Tensor, array_of, raw_array

_HOST: Any = get_backend(CPU)  # where Python's lists and numbers are

_MOST_DIMS = 128
#: types without a buffer or array interface: no need to check
_PLAIN_DATA = frozenset((list, tuple, builtins.int, builtins.float, builtins.bool, builtins.complex))


@factory()
def tensor(data: Any, **options: Unpack[Options]) -> Tensor:
    """A tensor with a copy of `data`: a number, a nested sequence of numbers, a NumPy array, a tensor.

    The dtype follows from the elements: ints give int64, floats the default dtype, an array or tensor its own.
    """
    _warn_of_tensor(data, "torch.tensor")
    return copied("tensor", data, options)


@factory(function=False, method=True)
def new_tensor(self: Tensor, data: Any, **options: Unpack[Options]) -> Tensor:
    """A tensor with a copy of `data`, of this tensor's dtype and device."""
    _warn_of_tensor(data, "tensor.new_tensor")
    if "pin_memory" in options:
        raise TypeError("new_tensor() got an unexpected keyword argument 'pin_memory'")
    own: Options = {"dtype": self._dtype, "device": self.device}
    given = {key: value for key, value in options.items() if value is not None or key == "requires_grad"}
    return copied("new_tensor", data, {**own, **given})  # type: ignore[typeddict-item]  # they are options


def _warn_of_tensor(data: Any, function: str) -> None:
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            f"sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor)."
        )


def copied(name: str, data: Any, options: Options) -> Tensor:
    """A new tensor with the elements of `data`, as the function `name` makes it."""
    if "layout" in options:
        raise TypeError(f"{name}() got an unexpected keyword argument 'layout'")
    for flag in options.keys() & {"requires_grad", "pin_memory"} if options else ():
        given = options[flag]  # type: ignore[literal-required]  # a key of options
        if not isinstance(given, builtins.bool):
            raise TypeError(f"{name}(): argument '{flag}' must be bool, not {type_name(given)}")
    requires_grad = options.get("requires_grad")
    place = read_options(name, {**options, "requires_grad": False} if requires_grad else options)
    dtype = read_dtype(name, options.get("dtype"))
    stride = None
    if isinstance(data, Tensor):
        array, own = array_of(data) if data.is_meta else data._host_array(), data._dtype
        stride = geometry.preserved_strides(data._size, data._stride)
        if options.get("device") is None:
            place = place._replace(device=data.device)
    elif isinstance(data, numpy_values.ndarray):
        array, own = data, array_dtype(data)
        stride = geometry.preserved_strides(data.shape, strides_of(data))
    elif type(data) not in _PLAIN_DATA and isinstance(data, UntypedStorage | TypedStorage):
        result = of_storage(data, dtype)
        if requires_grad:
            check_can_require_grad(result._dtype)
            set_requires_grad(result, True)
        return result if options.get("device") is None else result.to(place.device)
    elif type(data) not in _PLAIN_DATA and hasattr(data, "__dlpack__"):
        from tensorglass.ops.creation.dlpack import from_dlpack  # when it is needed: imports should be quick

        return copied(name, from_dlpack(data), options)
    else:
        array, own = nested_array(data, dtype)
        if dtype is None and not options and place.device is CPU:  # a new array, which nothing else holds
            size = array.shape
            return result_tensor(array, own, _HOST, CPU, size, geometry.CONTIGUOUS_STRIDES[size])
    place = Place(dtype or own, place.device, bool(requires_grad), place.is_pinned)
    if requires_grad:
        check_can_require_grad(place.dtype)
    return from_host(array, own, place, stride)


def from_host(array: Array, dtype: DType, place: Place, stride: tuple[int, ...] | None = None) -> Tensor:
    """A new tensor with a copy of an array whose elements are `dtype`, converted to what `place` asks for.

    `stride` is the layout of elements that came from an array; they are counted as copied. It is None for Python
    numbers.
    """
    result = new(array.shape, place, stride)
    if result.is_meta:
        return result
    if dtype is not place.dtype:
        array = converted(_HOST, array, place.dtype)
    if result._backend is _HOST:
        raw_array(result)[...] = array
    else:
        result._backend.from_host(array, place.device, out=raw_array(result))
    if stride is not None:
        memory.copied(result.nbytes)
    return result


# --- NumPy's arrays --------------------------------------------------------------------------------------------------


def array_dtype(array: Array) -> DType:
    """The dtype of a NumPy array or scalar; raises PyTorch's errors for arrays that no tensor can describe."""
    kind = array.dtype
    if not kind.isnative:
        raise explained(
            ValueError(
                "given numpy array has byte order different from the native byte order. Conversion between byte "
                "orders is currently not supported."
            ),
            "array.astype(array.dtype.newbyteorder('=')) turns the bytes around.",
        )
    try:
        dtype = _HOST.dtype_of(array)
    except KeyError:
        raise explained(
            TypeError(
                f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. The only supported "
                "types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
                "uint32, uint16, uint8, and bool."
            ),
            "Convert it: array.astype(float).",
        ) from None
    if array.ndim and min(array.strides) < 0:
        raise explained(
            ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array  with "
                "array.copy().) "
            ),
            f"The array's strides, in bytes, are {array.strides}.",
            notebook="1/05 Strides and offset",
        )
    return dtype


# --- nested sequences ------------------------------------------------------------------------------------------------


def nested_array(data: Any, dtype: DType | None) -> tuple[Array, DType]:
    """A host array of the elements of nested sequences, and its dtype: the one asked for, or what they promote to."""
    if isinstance(data, str | bytes):
        raise _invalid(data)
    size, elements, is_regular = _flattened(data, dtype)
    kinds = set(map(type, elements))
    if dtype is None and is_regular and kinds == {builtins.float}:  # most data
        dtype = dtypes.get_default_dtype()
        if dtype.itemsize > 2:
            return _HOST.run(_HOST.xp.array, elements, _HOST.array_dtype(dtype)).reshape(size), dtype
    if dtype is None:
        dtype = _common_dtype(elements if is_regular and elements else _leaves(data))
    if not is_regular:
        _refuse_ragged(data, size, 0, dtype)
    return _filled_array(elements, dtype).reshape(size), dtype


def _flattened(data: Any, dtype: DType | None) -> tuple[list[int], list[Any], bool]:
    """The size that first elements suggest, all elements in a row, and whether the rest of the data agrees."""
    size: list[int] = []
    level: list[Any] = [data]
    is_regular = True
    first = data
    while _is_sequence(first):
        length = len(first)
        size.append(length)
        if length == 0:
            return size, [], True  # PyTorch looks no further either
        if len(size) > _MOST_DIMS:
            raise ValueError(f"too many dimensions '{type_name(first)}'")
        first = _first_of(first)
        if dtype is None and isinstance(first, bytes):  # PyTorch takes their elements, but not a dtype from them
            raise _invalid(first)
        if isinstance(first, numpy_values.ndarray) and not isinstance(data, numpy_values.ndarray):
            _warn_of_arrays_in_list()
            if not first.ndim:  # sic: only the first element is asked for its length
                raise TypeError("len() of unsized object")
            if first.dtype.kind == "O":
                array_dtype(first)  # raises: no tensor has such elements
        if is_regular:
            is_regular = all(_is_sequence(sequence) and len(sequence) == length for sequence in level)
        if is_regular:
            level = [item for sequence in level for item in sequence]
    if is_regular and not _PLAIN.issuperset(map(type, level)) and any(map(_is_sequence, level)):
        is_regular = False
    return size, level, is_regular


_PLAIN = frozenset((builtins.int, builtins.float, builtins.bool, builtins.complex))


def _first_of(sequence: Any) -> Any:
    try:
        return sequence[0]
    except Exception:  # whatever a sequence of a user's own class raises
        raise ValueError(f"could not determine the shape of object type '{type_name(sequence)}'") from None


def _is_sequence(data: Any) -> bool:
    if type(data) is list or type(data) is tuple:
        return True
    if type(data) in _PLAIN or isinstance(data, Tensor | Mapping | Set):
        return False
    if isinstance(data, numpy_values.generic):
        return isinstance(data, str | bytes)
    if isinstance(data, numpy_values.ndarray):
        return data.ndim > 0
    return hasattr(type(data), "__getitem__") and hasattr(type(data), "__len__")


def _leaves(data: Any) -> Iterable[Any]:
    """The elements of a ragged structure, depth first. An empty sequence counts as a float."""
    if _is_sequence(data) and not isinstance(data, str | bytes):
        if len(data) == 0:
            yield data.dtype.type() if isinstance(data, numpy_values.ndarray) else 0.0
            return
        for item in data:
            if item is data:
                raise TypeError("new(): self-referential lists are incompatible")
            yield from _leaves(item)
    else:
        yield data


def _common_dtype(elements: Iterable[Any]) -> DType:
    """The dtype that the elements promote to; the default dtype where there are none."""
    common: DType | None = None
    for kind, example in {type(element): element for element in elements}.items():
        if kind is Tensor:
            for item in elements:
                if isinstance(item, Tensor):
                    common = item._dtype if common is None else dtypes.promote_types(common, item._dtype)
            continue
        dtype = _dtype_of(example)
        common = dtype if common is None else dtypes.promote_types(common, dtype)
    return common or dtypes.get_default_dtype()


def _dtype_of(element: Any) -> DType:
    if isinstance(element, numpy_values.generic | numpy_values.ndarray):
        return array_dtype(element)
    if isinstance(element, builtins.complex) and dtypes.get_default_dtype() is dtypes.bfloat16:
        raise RuntimeError("invalid default scalar type for complex")
    if isinstance(element, builtins.int | builtins.float | builtins.complex):
        return dtypes.of_number(element)
    if isinstance(element, str | bytes):
        raise _invalid(element)
    raise explained(
        RuntimeError(f"Could not infer dtype of {type_name(element)}"),
        "The elements of a tensor are numbers and bools.",
    )


def _invalid(data: Any) -> TypeError:
    return explained(
        TypeError(f"new(): invalid data type '{type_name(data)}'"), "The elements of a tensor are numbers and bools."
    )


def _filled_array(elements: list[Any], dtype: DType) -> Array:
    try:
        return _HOST.launch(_array_of_elements, elements, dtype)
    except Exception as error:
        if len(elements) > 1:  # the error names the first wrong element
            for element in elements:
                _filled_array([element], dtype)
        if isinstance(error, OverflowError) and "C long" in str(error):
            raise explained(
                ValueError("Overflow when unpacking long long"),
                "An integer lies outside of what int64 can hold, -2**63 … 2**63 - 1.",
            ) from None
        raise


def _array_of_elements(xp: Any, elements: list[Any], dtype: DType) -> Array:
    if dtype is dtypes.uint64:
        return _uint64_array(xp, elements)
    if not _PLAIN.issuperset(map(type, elements)):
        elements = [element if type(element) in _PLAIN else _plain(element, dtype) for element in elements]
    if dtype.category == dtypes.BOOL:
        return xp.array([builtins.bool(element) for element in elements], builtins.bool)
    if dtype.category == dtypes.INTEGER:
        return _integer_array(xp, elements, dtype)
    if not dtype.is_complex and builtins.complex in set(map(type, elements)):
        raise TypeError("must be real number, not complex")
    if dtype.itemsize == 2 or (dtype is dtypes.float32 and any(type(element) is builtins.int for element in elements)):
        # Python's ints of any length, and the narrow types, by way of float64.
        return xp.array([builtins.float(element) for element in elements], "float64").astype(_HOST.array_dtype(dtype))
    return xp.array(elements, _HOST.array_dtype(dtype))


def _integer_array(xp: Any, elements: list[Any], dtype: DType) -> Array:
    kinds = set(map(type, elements))
    if builtins.complex in kinds:
        raise TypeError("'complex' object cannot be interpreted as an integer")
    try:
        if builtins.float in kinds:
            elements = [builtins.int(checked(element, dtype).real) for element in elements]
        wide = xp.array(elements, "int64")
        if dtype is not dtypes.int64 and elements:
            checked(builtins.int(wide.min()), dtype)
            checked(builtins.int(wide.max()), dtype)
        return wide.astype(_HOST.array_dtype(dtype), copy=False)
    except RuntimeError as error:  # this function's message names the type without C's suffix
        first_line = f"value cannot be converted to type {dtype.name} without overflow"
        raise explained(RuntimeError(first_line), *getattr(error, "__notes__", ())) from None


def _uint64_array(xp: Any, elements: list[Any]) -> Array:
    """Elements beyond int64, as uint64: only Python ints, and none may wrap around."""
    if not all(isinstance(element, builtins.int) for element in elements):
        raise TypeError("an integer is required")
    for element in elements:
        if not 0 <= element < 2**64:
            what = "int too big to convert" if element > 0 else "can't convert negative int to unsigned"
            raise OverflowError(what)
    return xp.array(elements, "uint64")


def _plain(element: Any, dtype: DType) -> complex:
    """An element that is not a plain Python number, as one."""
    if isinstance(element, numpy_values.ndarray):  # 0-dim: all others are sequences
        element = element[()]
    if isinstance(element, Tensor) and dtype.category != dtypes.BOOL:
        if dtype.category == dtypes.INTEGER:
            return element.__index__()
        if element.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return element.item() if dtype.is_complex else builtins.float(element)
    if dtype.category <= dtypes.INTEGER:
        if isinstance(element, builtins.float):
            return builtins.float(element)
        if dtype.category == dtypes.BOOL and isinstance(element, numpy_values.bool_):
            return builtins.bool(element)
        if not hasattr(element, "__index__"):
            raise TypeError(f"'{type_name(element)}' object cannot be interpreted as an integer")
        return element.__index__()
    if dtype.is_complex and isinstance(element, builtins.complex | numpy_values.complexfloating):
        return builtins.complex(element)
    if not hasattr(element, "__float__") and not hasattr(element, "__index__"):
        raise TypeError(f"must be real number, not {type_name(element)}")
    return builtins.float(element.real if isinstance(element, numpy_values.complexfloating) else element)


def _refuse_ragged(data: Any, size: list[int], dim: int, dtype: DType) -> None:
    """Walk ragged data depth first, and raise at the first place that does not match `size`."""
    if dim == len(size):
        _filled_array([data], dtype)  # the error names the first wrong element
        return
    if not _is_sequence(data):
        raise explained(
            TypeError("not a sequence"), f"Dimension {dim} holds sequences of {size[dim]} elements, and once {data!r}."
        )
    if len(data) != size[dim]:
        raise explained(
            ValueError(f"expected sequence of length {size[dim]} at dim {dim} (got {len(data)})"),
            f"The rows of a tensor are equally long: the first one along dimension {dim} says {size[dim]}.",
        )
    for item in data:
        _refuse_ragged(item, size, dim + 1, dtype)


_warned_of_arrays = False


def _warn_of_arrays_in_list() -> None:
    global _warned_of_arrays
    if not _warned_of_arrays:
        _warned_of_arrays = True
        warn(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to "
            "a single numpy.ndarray with numpy.array() before converting to a tensor."
        )
