"""Autocast: where it is on, operators choose the dtype that they run in by PyTorch's lists for the CPU.

`torch.amp` switches it on and off. An operator on a list checks `state` when it is called, casts its arguments if
autocast is on in its thread, and then runs with autocast off, so that nothing is cast inside it. Operators on no list
do not check.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

from tensorglass.core.contexts import setting
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.dtypes import float32, float64
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import overloaded_arguments, tensor_likes

F = TypeVar("F", bound=Callable[..., Any])
Choose = Callable[[list[Tensor], DType], DType | None]


class _State(threading.local):
    def __init__(self) -> None:
        self.dtypes: dict[str, DType] = {}  #: by type of device, where autocast is on
        self.is_caching = True
        self.cache: dict[int, tuple[Tensor, Tensor]] = {}  #: parameters and their casts, by identity


state = _State()


class _Watched:
    was_on = False  #: whether autocast has ever been on, in any thread: quicker to read than a thread's own state


watched = _Watched()


def switch(dtypes: dict[str, DType]) -> None:
    """Turn autocast on in this thread for these types of device, and off for all others."""
    watched.was_on = watched.was_on or bool(dtypes)
    state.dtypes = dtypes


# --- the lists: those of `nn.functional` stand beside its functions, as `in_float32` and the like ---------------------

#: Run in the lower-precision dtype: products. Some are here because PyTorch computes them with others on the list.
LOWER_PRECISION = """
    __matmul__ __rmatmul__ addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d einsum inner linalg_matrix_power linalg_multi_dot linalg_vecdot matmul matrix_power mm
    tensordot
"""

#: Run in float32: operators that need its range and precision.
FLOAT32 = """
    cdist cholesky cholesky_inverse cholesky_solve fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn
    fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn geqrf grid_sampler_2d grid_sampler_3d
    inverse linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh
    linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_qr linalg_solve
    linalg_svd linalg_svdvals max_pool3d nanquantile pinverse polar prod qr quantile stft svd trace view_as_complex
"""

#: Promote to the widest dtype: operators that join tensors, in float32 if one of them is float32.
WIDEST = "cat column_stack dstack hstack index_copy stack vstack"


def _makes_one_number(input: Tensor, other: Tensor, dims: Any = 2) -> bool:
    """Whether a contraction leaves one element: then PyTorch multiplies and sums, without a matrix product."""
    if isinstance(dims, int):
        ours, theirs = range(-dims, 0), range(dims)
    else:
        ours, theirs = dims.tolist() if isinstance(dims, Tensor) else dims
    return all(
        tensor.numel() == math.prod([tensor.size(dim) for dim in contracted])
        for tensor, contracted in ((input, ours), (other, theirs))
    )


def _contracts_nothing(equation: Any, *operands: Any) -> bool:
    """Whether an einsum only multiplies elements and sums nothing."""
    if not isinstance(equation, str):
        return len(operands) < 3
    terms, _, output = equation.partition("->")
    parts = terms.split(",")
    return not any(sum(letter in part for part in parts) > 1 for letter in {*terms} - {*output} if letter.isalpha())


#: By operator: which calls of an operator on a list are not cast.
_EXCEPT: dict[str, Callable[..., bool]] = {
    "einsum": _contracts_nothing,
    "inner": lambda input, other: not (input.dim() and other.dim()) or input.dim() == other.dim() == 1,
    "linalg_matrix_power": lambda input, n: n < 2,
    "matrix_power": lambda input, n: n < 2,
    "pad": lambda input, pad, mode="constant", value=None: (
        mode not in ("reflect", "replicate") or (mode == "reflect" and len(pad) > 4)
    ),
    "tensordot": _makes_one_number,
}


def _lower(_: list[Tensor], lower: DType) -> DType | None:
    return lower


def _float32(_: list[Tensor], __: DType) -> DType | None:
    return float32


def _widest(tensors: list[Tensor], lower: DType) -> DType | None:
    kind = lower
    for tensor in tensors:
        if tensor.dtype is float64:
            continue
        if float32 in (kind, tensor.dtype):
            kind = float32
        elif tensor.dtype is not lower:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return kind


def _none(_: list[Tensor], __: DType) -> DType | None:
    return None


_CHOICES: dict[str, Choose] = {
    name: choose
    for names, choose in ((LOWER_PRECISION, _lower), (FLOAT32, _float32), (WIDEST, _widest))
    for name in names.split()
}


# --- a call ----------------------------------------------------------------------------------------------------------


def by_list(name: str, form: F) -> F:
    """A form of the operator `name` that casts its arguments if the operator is on a list and it does not cast yet."""
    choose = None if hasattr(form, "casts") else _CHOICES.get(name)
    return form if choose is None else _casting(name, form, choose)


def in_lower_precision(function: F) -> F:
    """`function`, one operator in PyTorch, whose arguments autocast casts to the lower-precision dtype."""
    return _casting(function.__name__, function, _lower)


def in_float32(function: F) -> F:
    """`function`, one operator in PyTorch, whose arguments autocast casts to float32."""
    return _casting(function.__name__, function, _float32)


def as_it_is(function: F) -> F:
    """`function`, one operator in PyTorch that is on no list: the operators that it calls here cast nothing."""
    return _casting(function.__name__, function, _none)


def _casting(name: str, form: F, choose: Choose) -> F:
    is_left = _EXCEPT.get(name)

    @wraps(form)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if not watched.was_on or not state.dtypes:
            return form(*arguments, **keywords)
        return _run_cast(form, choose, is_left, arguments, keywords)

    vars(call)["casts"] = True  # the wrapper does so too, since it has the same attributes
    vars(form)["public"] = call  # what programs know the operator as
    return cast(F, call)


def _run_cast(
    form: Callable[..., Any],
    choose: Choose,
    is_left: Callable[..., bool] | None,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """Run a call while autocast is on. A call with ``out`` is not cast."""
    if overloaded_arguments(tensor_likes(arguments, keywords)):  # handlers of subclasses come first, and call it again
        return form(*arguments, **keywords)
    dtypes = state.dtypes
    if keywords.get("out") is not None or (is_left is not None and is_left(*arguments, **keywords)):
        return form(*arguments, **keywords)
    for device_type, lower in dtypes.items():
        tensors = list(_tensors((*arguments, *keywords.values()), device_type))
        dtype = choose(tensors, lower) if tensors else None
        if dtype is not None:
            arguments = tuple([_cast(argument, device_type, dtype) for argument in arguments])
            keywords = {name: _cast(keyword, device_type, dtype) for name, keyword in keywords.items()}
    with setting(state, dtypes={}):
        return form(*arguments, **keywords)


def _tensors(arguments: Iterable[Any], device_type: str) -> Iterator[Tensor]:
    """The floating-point tensors on a type of device, also in lists and tuples."""
    for argument in arguments:
        if isinstance(argument, Tensor):
            if argument.is_floating_point() and argument.device.type == device_type:
                yield argument
        elif type(argument) in (list, tuple):
            yield from _tensors(argument, device_type)


def _cast(value: Any, device_type: str, dtype: DType) -> Any:
    """An argument whose tensors on the device are cast, except float64 ones."""
    if type(value) in (list, tuple):
        return type(value)(_cast(item, device_type, dtype) for item in value)
    if not isinstance(value, Tensor) or value.dtype in (dtype, float64):
        return value
    if not value.is_floating_point() or value.device.type != device_type:
        return value
    is_parameter = value.dtype is float32 and value.requires_grad and value.is_leaf and not value._is_view()
    if not (is_parameter and state.is_caching and dtype is state.dtypes[device_type]):
        return value.to(dtype)
    if id(value) not in state.cache:
        state.cache[id(value)] = value, value.to(dtype)  # keeps the parameter alive too, so that its id is not reused
    return state.cache[id(value)][1]
