"""A shortcut for operators of all families: the kernels that a call launched are launched again by the next such call.

The Python of the operators below looks at headers and options alone. From them follow which kernels run, on which
arrays and numbers, and the headers of the results. So the second call with certain headers and options is captured, as
a CUDA graph is, and each later one replays the kernels on arrays of its own. Only small tensors on the CPU take part,
and only calls that are not recorded.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType, NoneType
from typing import Any, NamedTuple

from tensorglass import memory
from tensorglass.backends import Array
from tensorglass.backends.host_memory import LEAST
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import FLOATING
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.declare import autocast
from tensorglass.tensor.construct import result_tensor
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN

Form = Callable[..., Any]
Key = tuple[Any, ...]

#: By the most tensors that a call may have, the names of operators. What these check and choose must not depend on
#: elements, so a tensor that is an option, such as a dimension or the positions in `sorter`, must be one too many.
CAPTURED = {
    1: """
        sum mean nansum nanmean logsumexp var std var_mean std_mean aminmax norm linalg_matrix_norm linalg_vector_norm
        trace count_nonzero cumsum cumprod cummax cummin logcumsumexp median nanmedian mode kthvalue topk sort argsort
        msort flip fliplr flipud roll rot90 repeat tile tril triu diag diag_embed diagflat
        linalg_eigh linalg_eigvals linalg_eigvalsh linalg_matrix_exp linalg_matrix_power linalg_qr linalg_svd
        linalg_svdvals fft_fft fft_fft2 fft_fftn fft_fftshift fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ifftshift
        fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn
    """,
    2: """
        __matmul__ matmul mm cross linalg_cross linalg_solve_triangular cholesky_solve bucketize searchsorted isin cdist
        polar complex
    """,
    3: "addr addmv addbmm baddbmm",
    sys.maxsize: "dstack column_stack",
}

_MANY = 256  # captured calls of one operator
_OPTIONS = {int, float, bool, str, NoneType, DType}
#: In place of a plan: for a call that was met once, the second is captured; and for one that is left to the plain way.
_MET: Any = object()
_LEFT: Any = object()


class _View(NamedTuple):
    """An array on the memory of another: of a slot."""

    slot: int
    size: tuple[int, ...]
    array_dtype: Any
    offset: int
    strides: tuple[int, ...]


class _Several(NamedTuple):
    """A tuple or a list, some of whose items are arrays."""

    kind: Callable[[list[Any]], Any]
    items: list[Any]
    holes: list[tuple[int, Source]]  #: which of the items are arrays, and which ones


#: Where an array is found: the number of a slot, or a view of one.
Source = int | _View | _Several


class _Step(NamedTuple):
    """A kernel or a function of the array module that is run, or new memory."""

    run: Callable[..., Any]
    arguments: list[Any]
    holes: list[tuple[int, Source]]  #: which of the arguments are arrays, and which ones
    returns_several: bool


class _Result(NamedTuple):
    source: Source
    dtype: DType
    size: tuple[int, ...]
    stride: tuple[int, ...]
    is_contiguous: bool


class _Plan(NamedTuple):
    """A captured call. Its slots are the tensors' arrays, then what the steps return, one after the other."""

    steps: list[_Step]
    results: list[_Result]
    together: Callable[..., Any] | None  #: makes the call's result of several
    copied: int | None  #: the bytes of the one copy that the call counts,
    copies_first: bool  #: before its results are counted, or after


def of_tensors(most: int) -> Callable[[Form], Form]:
    """A decorator that puts the shortcut before a form, for calls with at `most` so many tensors."""
    return partial(_of_form, most)


def _of_form(most: int, form: Form) -> Form:
    known: dict[Key, _Plan] = {}

    @wraps(form)
    def replayed_first(*arguments: Any, **keywords: Any) -> Any:
        read = _read(arguments, keywords)
        if read is None or (autocast.watched.was_on and autocast.state.dtypes):
            return form(*arguments, **keywords)
        key, arrays = read
        if len(arrays) > most:
            return form(*arguments, **keywords)
        plan = known.get(key)
        if plan is None:
            if len(known) >= _MANY:
                known.clear()
            known[key] = _MET
        elif plan is _MET:
            known[key] = _LEFT  # also while the call runs, which may call the operator itself
            made, known[key] = _captured(form, arguments, keywords, arrays)
            return made
        elif plan is not _LEFT:
            try:
                return _replayed(plan, arrays)
            except Exception:  # the plain way raises it again, worded as PyTorch does
                pass
        return form(*arguments, **keywords)

    return replayed_first


def _read(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Key, list[Array]] | None:
    """What a plan depends on, and the tensors' arrays; None for an unusual call."""
    key: list[Any] = []
    arrays: list[Array] = []
    for each in arguments:
        kind = type(each)
        if kind in PLAIN:
            if not _enter(each, key, arrays):
                return None
        elif kind in _OPTIONS:
            key += (kind, each or str(each))  # 0.0 and -0.0 are equal
        elif kind is tuple or kind is list:
            key += (kind, len(each))
            for item in each:
                if type(item) is int:
                    key.append(item)
                elif type(item) not in PLAIN or not _enter(item, key, arrays):
                    return None
        else:
            return None
    for name, each in keywords.items():
        kind = type(each)
        if kind in _OPTIONS:
            key += (name, kind, each or str(each))
        elif name == "out" or kind not in PLAIN:
            return None
        else:
            key.append(name)
            if not _enter(each, key, arrays):
                return None
    return (tuple(key), arrays) if arrays else None


def _enter(tensor: Tensor, key: list[Any], arrays: list[Array]) -> bool:
    """Add a tensor's header to the key, and its array; False if it is large, recorded, not on the CPU, or an option."""
    array, storage, meta, size = tensor._array, tensor._storage, tensor._meta, tensor._size
    if array is None:
        array = raw_array(tensor)
    if (meta is not None and state.grad) or storage.device is not CPU or storage._nbytes >= LEAST or tensor._conj:
        return False
    if not size and arrays:
        return False
    key += (tensor._dtype, size, tensor._stride)
    arrays.append(array)
    return True


# --- replaying -------------------------------------------------------------------------------------------------------


def _replayed(plan: _Plan, arrays: list[Array]) -> Any:
    """The results of a captured call for these arrays, which are completed to the slots."""
    HOST.attempt(_run_steps, plan.steps, arrays)
    if plan.copied is not None and plan.copies_first:
        memory.copied(plan.copied)
    results = [
        result_tensor(_found(source, arrays), dtype, HOST, CPU, size, stride, is_contiguous)
        for source, dtype, size, stride, is_contiguous in plan.results
    ]
    if plan.copied is not None and not plan.copies_first:
        memory.copied(plan.copied)
    return results[0] if plan.together is None else plan.together(*results)


def _run_steps(steps: list[_Step], slots: list[Array]) -> None:
    for run, arguments, holes, returns_several in steps:
        made = run(*_filled(arguments, holes, slots))
        if returns_several:
            slots += made
        else:
            slots.append(made)


def _filled(items: list[Any], holes: list[tuple[int, Source]], slots: list[Array]) -> list[Any]:
    """The items, with arrays where they are missing."""
    given = items.copy()
    for place, source in holes:
        given[place] = slots[source] if type(source) is int else _found(source, slots)
    return given


def _found(source: Source, slots: list[Array]) -> Any:
    if isinstance(source, int):
        return slots[source]
    if isinstance(source, _Several):
        return source.kind(_filled(source.items, source.holes, slots))
    return HOST.xp.ndarray(source.size, source.array_dtype, slots[source.slot], source.offset, source.strides)


# --- capturing -------------------------------------------------------------------------------------------------------


class _Launch(NamedTuple):
    run: Callable[..., Any]
    arguments: list[Any]
    made: Any


class _Capture:
    """What this thread runs on the CPU between `begin` and `end`, the memory that it asks for, and what it copies."""

    _lock = threading.Lock()  # of one block at a time, since some of what is replaced serves all threads

    def __init__(self) -> None:
        self.launches: list[_Launch] = []
        self.copies: list[int] = []  #: the bytes of each
        self.copies_first = False  #: whether a storage was born after a copy
        self.has_warned = False
        self.is_on = False
        self._before: tuple[Form, ...] = ()

    def begin(self) -> None:
        self.is_on = self._lock.acquire(blocking=False)
        if self.is_on:
            self._thread = threading.get_ident()
            self._before = run, attempt, empty, warn = HOST.run, HOST.attempt, HOST.empty, warnings.warn
            self._replace(
                partial(self._noting, run),
                partial(self._noting, attempt),
                partial(self._noting_empty, empty),
                partial(self._noting_warning, warn),
            )
            memory.figures.observers += (self,)

    def end(self) -> None:
        """Put everything back, even if an interrupt has cut `begin` short."""
        if self._before:
            self._replace(*self._before)
        if self.is_on:
            memory.figures.observers = tuple([each for each in memory.figures.observers if each is not self])
            self._lock.release()

    def born(self, storage: Any, nbytes: int) -> None:
        if threading.get_ident() == self._thread:
            self.copies_first = bool(self.copies)

    def resized(self, storage: Any, nbytes: int) -> None:
        """Nothing is captured of a call that does this, since its result is no new array."""

    def copied(self, nbytes: int) -> None:
        if threading.get_ident() == self._thread:
            self.copies.append(nbytes)

    def _replace(self, run: Form, attempt: Form, empty: Form, warn: Form) -> None:
        vars(HOST._thread).update(run=run)
        vars(HOST).update(attempt=attempt, empty=empty)
        vars(warnings).update(warn=warn)

    def _noting(self, run: Form, function: Form, *arguments: Any, **parameters: Any) -> Any:
        made = run(function, *arguments, **parameters)
        if threading.get_ident() == self._thread:
            owner, given = getattr(function, "__self__", None), [*arguments]
            if type(owner) is HOST.xp.ndarray:  # a method of an array
                function, given = getattr(HOST.xp.ndarray, function.__name__), [owner, *arguments]
            self.launches.append(_Launch(partial(function, **parameters) if parameters else function, given, made))
        return made

    def _noting_empty(self, empty: Form, *arguments: Any, **options: Any) -> Array:
        made: Array = empty(*arguments, **options)
        if threading.get_ident() == self._thread:
            self.launches.append(_Launch(partial(empty, **options), [*arguments], made))
        return made

    def _noting_warning(self, warn: Form, *arguments: Any, **options: Any) -> None:
        if threading.get_ident() == self._thread:  # the call is made again without a capture, and then warns
            self.has_warned = True
        else:
            warn(*arguments, **options)


def _captured(form: Form, arguments: Any, keywords: Any, arrays: list[Array]) -> tuple[Any, _Plan]:
    """The result of the plain way, and the plan for calls like it: `_LEFT` if they cannot be replayed."""
    capture = _Capture()
    try:
        capture.begin()
        made = form(*arguments, **keywords)
    finally:
        capture.end()
    if capture.has_warned:
        return form(*arguments, **keywords), _LEFT
    results = list(made) if isinstance(made, tuple) else [made]
    if not capture.is_on or len(capture.copies) > 1 or _share_memory(arrays) or _is_by_default(results, arrays):
        return made, _LEFT
    together = None if not isinstance(made, tuple) else _listed if type(made) is tuple else type(made)
    try:
        steps, slots = _steps(capture.launches, arrays)
        found = [_result(each, slots, len(arrays)) for each in results]
        HOST.run(_run_steps, steps, slots := arrays.copy())
        again = [_found(each.source, slots) for each in found]
    except (_Unknown, TypeError, ValueError, BufferError):
        return made, _LEFT
    if any(raw_array(one).tobytes() != other.tobytes() for one, other in zip(results, again, strict=True)):
        return made, _LEFT
    copied = capture.copies[0] if capture.copies else None
    return made, _Plan(steps, found, together, copied, capture.copies_first)


class _Unknown(Exception):
    """An array whose origin was not seen."""


def _is_by_default(results: list[Any], arrays: list[Array]) -> bool:
    """Whether results may have the default dtype: fractions made of whole numbers."""
    return any(each._dtype.category >= FLOATING for each in results if type(each) is Tensor) and all(
        each.dtype.kind in "biu" for each in arrays
    )


def _share_memory(arrays: list[Array]) -> bool:
    """Whether a view of one of the arrays may be taken for a view of another."""
    return any(
        HOST.xp.may_share_memory(one, other) for place, one in enumerate(arrays) for other in arrays[place + 1 :]
    )


def _listed(*results: Tensor) -> tuple[Tensor, ...]:
    return results


def _steps(launches: list[_Launch], arrays: list[Array]) -> tuple[list[_Step], list[Any]]:
    """What is done, and the slots after it."""
    slots, steps = arrays.copy(), []
    for run, arguments, made in launches:
        if _has_arrays(run):
            raise _Unknown
        returns_several = isinstance(made, tuple)
        steps.append(_Step(run, *_with_holes(arguments, slots), returns_several))
        slots += made if returns_several else [made]
    return steps, slots


def _result(result: Any, slots: list[Any], count: int) -> _Result:
    if type(result) is not Tensor or result._base is not None or result._offset or result._conj:
        raise _Unknown
    array = raw_array(result)
    source = _source(array, slots)
    slot = source if type(source) is int else source.slot if type(source) is _View else -1
    if slot < count or slots[slot].nbytes != result._storage._nbytes:
        raise _Unknown
    return _Result(source, result._dtype, result._size, result._stride, bool(result._contiguous))


def _with_holes(items: Any, slots: list[Any]) -> tuple[list[Any], list[tuple[int, Source]]]:
    """Arguments or items without their arrays, and where to find these."""
    holes = [(place, _source(each, slots)) for place, each in enumerate(items) if _has_arrays(each)]
    missing = {place for place, _ in holes}
    return [None if place in missing else each for place, each in enumerate(items)], holes


def _source(value: Any, slots: list[Any]) -> Source:
    """Where to find the arrays in an argument."""
    if type(value) in (tuple, list):
        return _Several(type(value), *_with_holes(value, slots))
    if type(value) is not HOST.xp.ndarray:
        raise _Unknown
    for slot, array in enumerate(slots):
        if array is value:
            return slot
    for slot, array in enumerate(slots):
        if type(array) is HOST.xp.ndarray and array.flags.c_contiguous and value.size:
            offset = value.ctypes.data - array.ctypes.data
            if 0 <= offset < array.nbytes:
                if (value.shape, value.strides, value.dtype) == (array.shape, array.strides, array.dtype):
                    return slot
                HOST.xp.ndarray(value.shape, value.dtype, array, offset, value.strides)  # raises if it cannot be made
                return _View(slot, value.shape, value.dtype, offset, value.strides)
    raise _Unknown


def _has_arrays(value: Any) -> bool:
    """Whether an argument or a kernel is made of arrays, or of numbers that were read from them."""
    if isinstance(value, (HOST.xp.ndarray, HOST.xp.generic, Tensor)):
        return True
    if isinstance(value, (tuple, list)):
        return any(map(_has_arrays, value))
    if isinstance(value, dict):
        return any(map(_has_arrays, value.values()))
    if isinstance(value, partial):
        return _has_arrays([value.func, *value.args, *value.keywords.values()])
    if isinstance(value, FunctionType):
        return any(_has_arrays(cell.cell_contents) for cell in value.__closure__ or ())
    return False
