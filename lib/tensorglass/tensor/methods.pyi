"""Tensor's operators and attributes.

Made from the operator table by `python docs/make_stubs.py`.
"""

from builtins import bool as _bool, complex as _complex, float as _float, int as _int, type as _type
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, overload

from numpy import ndarray

from tensorglass.autograd.function import Function
from tensorglass.core.devices import device as _device
from tensorglass.core.dtypes import dtype as _dtype
from tensorglass.core.memory_format import layout as _layout, memory_format as _memory_format
from tensorglass.core.size import Size as _Size
from tensorglass.graph.node import Node
from tensorglass.storage.storage import UntypedStorage as _UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage as _TypedStorage
from tensorglass.tensor.generator import Generator as _Generator
from tensorglass.tensor.hooks import RemovableHandle

from tensorglass.memory import StorageHolder
from tensorglass.tensor.tensor import Tensor

class _return_aminmax(NamedTuple):
    min: Tensor
    max: Tensor

class _return_cummax(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_cummin(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_frexp(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class _return_geqrf(NamedTuple):
    a: Tensor
    tau: Tensor

class _return_histogram(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class _return_kthvalue(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_linalg_cholesky_ex(NamedTuple):
    L: Tensor
    info: Tensor

class _return_linalg_eig(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _return_linalg_eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _return_linalg_inv_ex(NamedTuple):
    inverse: Tensor
    info: Tensor

class _return_linalg_lstsq(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class _return_linalg_lu(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class _return_linalg_lu_factor(NamedTuple):
    LU: Tensor
    pivots: Tensor

class _return_linalg_lu_factor_ex(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class _return_linalg_qr(NamedTuple):
    Q: Tensor
    R: Tensor

class _return_linalg_slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class _return_linalg_solve_ex(NamedTuple):
    result: Tensor
    info: Tensor

class _return_linalg_svd(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

class _return_lu_unpack(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class _return_max(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_median(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_min(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_mode(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_nanmedian(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_qr(NamedTuple):
    Q: Tensor
    R: Tensor

class _return_slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class _return_sort(NamedTuple):
    values: Tensor
    indices: Tensor

class _return_svd(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class _return_topk(NamedTuple):
    values: Tensor
    indices: Tensor

class Methods(StorageHolder):
    """What Tensor has beside its header."""

    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix."""

    @property
    def T(self) -> Tensor:
        """The dimensions in reverse order; for a matrix its transpose."""

    def __abs__(self) -> Tensor:
        """The absolute value; of a complex number its length, a real number."""

    def __add__(self, other: Any) -> Tensor:
        """``input + alpha * other``."""

    def __and__(self, other: Any) -> Tensor:
        """``input & other``."""

    def __array__(self, dtype: _dtype | None = None, copy: _bool | None = None) -> ndarray[Any, Any]:
        """What ``numpy.asarray(tensor)`` asks for: the tensor's own memory, unless another dtype is wanted."""

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """The functions of the array API standard for tensors: `tensorglass.array_api`. ValueError for other
        versions."""

    def __array_wrap__(self, array: ndarray[Any, Any], context: Any = None, return_scalar: _bool = False) -> Tensor:
        """What NumPy's functions make of their result, given a tensor: a tensor again (bools as uint8, as in
        PyTorch)."""

    def __contains__(self, element: Any) -> _bool:
        """`element in input`: whether any element equals the number, or any matches the tensor's under broadcasting."""

    def __copy__(self) -> Tensor:
        """`copy.copy`: another header on the same storage."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Where on a GPU the elements lie, for CuPy and others: ``cupy.asarray(tensor)`` shares the memory."""

    def __deepcopy__(self, memo: dict[_int, Any]) -> Tensor:
        """`copy.deepcopy`: the same header on a copy of the whole storage, however small the part that it uses."""

    def __delitem__(self, index: Any) -> None:
        """Refused: a tensor's elements cannot be taken out of it."""

    def __dir__(self) -> list[str]:
        """The attributes of a tensor, without the missing ones."""

    def __div__(self, other: Any) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def __dlpack__(
        self, *, stream: _int | None = -1, max_version: tuple[_int, _int] | None = None, dl_device: tuple[_int,
        _int] | None = None, copy: _bool | None = None,
    ) -> Any:
        """A capsule by which another library shares this tensor's memory; its `from_dlpack` calls this."""

    def __dlpack_device__(self) -> tuple[_int, _int]:
        """The device that the memory is on, in DLPack's numbers: (1, 0) is the CPU."""

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        """``tensor == array``, element by element, as of two tensors. (``tensor != array`` is Python's: True.)"""

    def __floordiv__(self, other: Any) -> Tensor:
        """``input // other``: the quotient rounded down."""

    def __ge__(self, other: Any) -> Tensor:
        """``input >= other``."""

    def __getitem__(self, index: Any) -> Tensor:
        """`input[index]`: a view for ints, slices, None and Ellipsis; a copy once a tensor, list or mask is among
        them."""

    def __gt__(self, other: Any) -> Tensor:
        """``input > other``."""

    def __iadd__(self, other: Any) -> Tensor:
        """``input + alpha * other``."""

    def __iand__(self, other: Any) -> Tensor:
        """``input & other``."""

    def __idiv__(self, other: Any) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def __ifloordiv__(self, other: Any) -> Tensor:
        """``input // other``: the quotient rounded down."""

    def __ilshift__(self, other: Any) -> Tensor:
        """``input << other``."""

    def __imod__(self, other: Any) -> Tensor:
        """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""

    def __imul__(self, other: Any) -> Tensor:
        """``input * other``."""

    def __invert__(self) -> Tensor:
        """``~input``: `bitwise_not`, for integers and bools only."""

    def __ior__(self, other: Any) -> Tensor:
        """``input | other``."""

    def __ipow__(self, other: Any) -> Tensor:
        """``input ** exponent``."""

    def __irshift__(self, other: Any) -> Tensor:
        """``input >> other``."""

    def __isub__(self, other: Any) -> Tensor:
        """``input - alpha * other``."""

    def __iter__(self) -> Iterator[Tensor]:
        """The views that `unbind` makes, one after the other."""

    def __itruediv__(self, other: Any) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def __ixor__(self, other: Any) -> Tensor:
        """``input ^ other``."""

    def __le__(self, other: Any) -> Tensor:
        """``input <= other``."""

    def __lshift__(self, other: Any) -> Tensor:
        """``input << other``."""

    def __lt__(self, other: Any) -> Tensor:
        """``input < other``."""

    def __matmul__(self, other: Any) -> Tensor:
        """``input @ other``."""

    def __mod__(self, other: Any) -> Tensor:
        """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""

    def __mul__(self, other: Any) -> Tensor:
        """``input * other``."""

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        """``input != other``."""

    def __neg__(self) -> Tensor:
        """``-input``."""

    def __new__(self, *arguments: Any, **keywords: Any) -> Tensor:
        ...

    def __or__(self, other: Any) -> Tensor:
        """``input | other``."""

    def __pos__(self) -> Tensor:
        """The tensor itself: Python's ``+x``."""

    def __pow__(self, other: Any) -> Tensor:
        """``input ** exponent``."""

    def __radd__(self, other: Any) -> Tensor:
        """``input + alpha * other``."""

    def __rand__(self, other: Any) -> Tensor:
        """``input & other``."""

    def __rdiv__(self, other: Any) -> Tensor:
        """``other / input``: PyTorch rounds the reciprocal first, and so do we."""

    def __reduce_ex__(self, protocol: _int) -> tuple[Any, ...]:  # type: ignore[override]
        """`pickle`: the header, its whole storage and the user's attributes; tensors pickled together share a
        storage again. A function and its arguments, as in PyTorch, where a class makes something of them, or there
        is no more."""

    def __reversed__(self) -> Tensor:
        """The result of ``reversed(tensor)``: a copy with dimension 0 in reverse order."""

    def __rfloordiv__(self, other: Any) -> Tensor:
        """``input // other``: the quotient rounded down."""

    def __rlshift__(self, other: Any) -> Tensor:
        """``input << other``."""

    def __rmatmul__(self, other: Any) -> Tensor:
        """``other @ input``, where `other` does not know how."""

    def __rmod__(self, other: Any) -> Tensor:
        """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""

    def __rmul__(self, other: Any) -> Tensor:
        """``input * other``."""

    def __ror__(self, other: Any) -> Tensor:
        """``input | other``."""

    def __rpow__(self, other: Any) -> Tensor:
        """``input ** exponent``."""

    def __rrshift__(self, other: Any) -> Tensor:
        """``input >> other``."""

    def __rshift__(self, other: Any) -> Tensor:
        """``input >> other``."""

    def __rsub__(self, other: Any) -> Tensor:
        """``other - input``."""

    def __rtruediv__(self, other: Any) -> Tensor:
        """``other / input``: PyTorch rounds the reciprocal first, and so do we."""

    def __rxor__(self, other: Any) -> Tensor:
        """``input ^ other``."""

    def __setitem__(self, index: Any, value: Any) -> None:
        """`input[index] = value`: a number, or a tensor that broadcasts to ``input[index]``."""

    def __setstate__(self, state: Any) -> None:
        """The state of old pickles: requires_grad, nothing and hooks; or the arguments of `set_`."""

    def __sub__(self, other: Any) -> Tensor:
        """``input - alpha * other``."""

    def __truediv__(self, other: Any) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def __xor__(self, other: Any) -> Tensor:
        """``input ^ other``."""

    @property
    def _backward_hooks(self) -> Any | None:
        """The hooks of this tensor, None if it has none."""

    @property
    def _grad(self) -> Tensor | None:
        """The gradient that backward collected here; None before."""
    @_grad.setter
    def _grad(self, value: Tensor | None) -> None: ...

    @property
    def _history(self) -> Node | None:
        """The `grad_fn`, regenerated for a view whose base was written to."""

    @property
    def _version(self) -> _int:
        """How many in-place writes this tensor, and all that share its counter, have seen."""

    def abs(self) -> Tensor:
        """The absolute value; of a complex number its length, a real number."""

    def abs_(self) -> Tensor:
        """The absolute value; of a complex number its length, a real number."""

    def absolute(self) -> Tensor:
        """The absolute value; of a complex number its length, a real number."""

    def absolute_(self) -> Tensor:
        """The absolute value; of a complex number its length, a real number."""

    def acos(self) -> Tensor:
        """The angle whose cosine is each element."""

    def acos_(self) -> Tensor:
        """The angle whose cosine is each element."""

    def acosh(self) -> Tensor:
        """The inverse of `cosh`."""

    def acosh_(self) -> Tensor:
        """The inverse of `cosh`."""

    def add(self, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
        """``input + alpha * other``."""

    def add_(self, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
        """``input + alpha * other``."""

    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2).sum(0)``. With a `beta` of 0 `input` is not read."""

    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """`addbmm`, written to `input`."""

    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: _complex = 1) -> Tensor:
        """``input + value * tensor1 / tensor2``."""

    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: _complex = 1) -> Tensor:
        """``input + value * tensor1 / tensor2``."""

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: _complex = 1) -> Tensor:
        """``input + value * tensor1 * tensor2``."""

    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: _complex = 1) -> Tensor:
        """``input + value * tensor1 * tensor2``."""

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``. With a `beta` of 0 `input` is not read."""

    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """`addmm`, written to `input`."""

    def addmv(self, mat: Tensor, vec: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """``beta * input + alpha * (mat @ vec)``. With a `beta` of 0 `input` is not read."""

    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """`addmv`, written to `input`."""

    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """``beta * input + alpha * outer(vec1, vec2)``, in the dtype that the three have in common."""

    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """`addr`, written to `input`."""

    def adjoint(self) -> Tensor:
        """The last two dimensions swapped and the elements conjugated."""

    def all(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
    ) -> Tensor:
        """Whether every element is nonzero, over dimensions `dim` or over all."""

    def allclose(self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether all elements are close, as `isclose` has it. Both tensors must have the same dtype."""

    def amax(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
    ) -> Tensor:
        """The largest element over dimensions `dim`, or over all; NaN if there is one."""

    def amin(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
    ) -> Tensor:
        """The smallest element over dimensions `dim`, or over all; NaN if there is one."""

    def aminmax(self, *, dim: _int | None = None, keepdim: _bool = False) -> _return_aminmax:
        """The smallest and the largest element, along `dim` or of all."""

    def angle(self) -> Tensor:
        """The angle of each complex number in the plane, in radians; for real numbers 0, or pi where they are
        negative."""

    def any(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
    ) -> Tensor:
        """Whether some element is nonzero, over dimensions `dim` or over all."""

    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Every element replaced by what `callable` makes of it, as a Python number."""

    def arccos(self) -> Tensor:
        """The angle whose cosine is each element."""

    def arccos_(self) -> Tensor:
        """The angle whose cosine is each element."""

    def arccosh(self) -> Tensor:
        """The inverse of `cosh`."""

    def arccosh_(self) -> Tensor:
        """The inverse of `cosh`."""

    def arcsin(self) -> Tensor:
        """The angle whose sine is each element."""

    def arcsin_(self) -> Tensor:
        """The angle whose sine is each element."""

    def arcsinh(self) -> Tensor:
        """The inverse of `sinh`."""

    def arcsinh_(self) -> Tensor:
        """The inverse of `sinh`."""

    def arctan(self) -> Tensor:
        """The angle whose tangent is each element."""

    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (`other`, `input`)."""

    def arctan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (`other`, `input`)."""

    def arctan_(self) -> Tensor:
        """The angle whose tangent is each element."""

    def arctanh(self) -> Tensor:
        """The inverse of `tanh`."""

    def arctanh_(self) -> Tensor:
        """The inverse of `tanh`."""

    def argmax(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
        """The position of the largest element along `dim`, or among all elements in order; the first of equals."""

    def argmin(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
        """The position of the smallest element along `dim`, or among all elements in order; the first of equals."""

    def argsort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = None) -> Tensor:
        """The positions of the elements in order along `dim`. Equals keep their order, `stable` or not."""

    def argwhere(self) -> Tensor:
        """The positions of the elements that are not 0, one row each."""

    def as_strided(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """A view with the given header on `input`'s storage, if it stays within the storage."""

    def as_strided_(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """`as_strided` in place: gives this tensor the header that the view would have."""

    def as_subclass(self, cls: Any) -> Tensor:
        """A view of the whole tensor of a subclass of Tensor, as results of operators on it will be."""

    def asin(self) -> Tensor:
        """The angle whose sine is each element."""

    def asin_(self) -> Tensor:
        """The angle whose sine is each element."""

    def asinh(self) -> Tensor:
        """The inverse of `sinh`."""

    def asinh_(self) -> Tensor:
        """The inverse of `sinh`."""

    def atan(self) -> Tensor:
        """The angle whose tangent is each element."""

    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (`other`, `input`)."""

    def atan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (`other`, `input`)."""

    def atan_(self) -> Tensor:
        """The angle whose tangent is each element."""

    def atanh(self) -> Tensor:
        """The inverse of `tanh`."""

    def atanh_(self) -> Tensor:
        """The inverse of `tanh`."""

    def backward(
        self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False,
        inputs: Any = None,
    ) -> None:
        """`autograd.backward` of this tensor: adds the gradients of its leaves to their `grad`."""

    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)``, pair by pair. With a `beta` of 0 `input` is not read."""

    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
        """`baddbmm`, written to `input`."""

    def bernoulli(self, p: _float | None = None, *, generator: _Generator | None = None) -> Tensor:
        """Ones, each by the chance in its place in `input` (or by chance `p`, if that is given), and zeros."""

    def bernoulli_(self, p: Any = 0.5, *, generator: _Generator | None = None) -> Tensor:
        """Fill with ones, each by chance `p` (a number, or a tensor with one chance for each element), and zeros."""

    def bfloat16(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.bfloat16; itself if it has that dtype."""

    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each of 0, 1, 2, … occurs in a vector, or the sum of its `weights`; at least `minlength` of
        them."""

    def bitwise_and(self, other: Tensor | _complex) -> Tensor:
        """``input & other``."""

    def bitwise_and_(self, other: Tensor | _complex) -> Tensor:
        """``input & other``."""

    def bitwise_left_shift(self, other: Tensor | _complex) -> Tensor:
        """``input << other``."""

    def bitwise_left_shift_(self, other: Tensor | _complex) -> Tensor:
        """``input << other``."""

    def bitwise_not(self) -> Tensor:
        """``~input``: every bit flipped; for bool, the negation."""

    def bitwise_not_(self) -> Tensor:
        """``~input``: every bit flipped; for bool, the negation."""

    def bitwise_or(self, other: Tensor | _complex) -> Tensor:
        """``input | other``."""

    def bitwise_or_(self, other: Tensor | _complex) -> Tensor:
        """``input | other``."""

    def bitwise_right_shift(self, other: Tensor | _complex) -> Tensor:
        """``input >> other``."""

    def bitwise_right_shift_(self, other: Tensor | _complex) -> Tensor:
        """``input >> other``."""

    def bitwise_xor(self, other: Tensor | _complex) -> Tensor:
        """``input ^ other``."""

    def bitwise_xor_(self, other: Tensor | _complex) -> Tensor:
        """``input ^ other``."""

    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices, pair by pair."""

    def bool(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.bool; itself if it has that dtype."""

    def broadcast_to(self, *size: _int | Sequence[_int]) -> Tensor:
        """`input.expand(size)`."""

    def byte(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.uint8; itself if it has that dtype."""

    def cauchy_(self, median: _float = 0, sigma: _float = 1, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers drawn from the Cauchy distribution of this median and width."""

    def cdouble(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.complex128; itself if it has that dtype."""

    def ceil(self) -> Tensor:
        """The smallest integer not below each element."""

    def ceil_(self) -> Tensor:
        """The smallest integer not below each element."""

    def cfloat(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.complex64; itself if it has that dtype."""

    def char(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.int8; itself if it has that dtype."""

    def cholesky(self, upper: _bool = False) -> Tensor:
        """The lower triangular factor, or the upper one, as `linalg.cholesky` gives it."""

    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of the matrix whose Cholesky factor `input` is, the upper one if `upper`."""

    def cholesky_solve(self, input2: Tensor, upper: _bool = False) -> Tensor:
        """The `X` for which ``A @ X == input``, of the `A` whose Cholesky factor `input2` is, the upper one if
        `upper`."""

    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` views of equal size along `dim`, the last perhaps smaller."""

    def clamp(self, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None) -> Tensor:
        """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

    def clamp_(self, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None) -> Tensor:
        """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

    def clamp_max(self, max: Tensor | _complex) -> Tensor:
        """Each element, or `max` if it is more."""

    def clamp_max_(self, max: Tensor | _complex) -> Tensor:
        """Each element, or `max` if it is more."""

    def clamp_min(self, min: Tensor | _complex) -> Tensor:
        """Each element, or `min` if it is less."""

    def clamp_min_(self, min: Tensor | _complex) -> Tensor:
        """Each element, or `min` if it is less."""

    def clip(self, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None) -> Tensor:
        """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

    def clip_(self, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None) -> Tensor:
        """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

    def clone(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """A copy with a storage of its own. Its strides follow `input`'s where that is dense."""

    def conj(self) -> Tensor:
        """The conjugates: a view whose elements are conjugated when they are read. A real tensor itself."""

    def conj_physical(self) -> Tensor:
        """The conjugates, computed into new memory, unlike `conj`, which is a view; for real numbers `input`."""

    def conj_physical_(self) -> Tensor:
        """`conj_physical`, written to `input`."""

    def contiguous(self, *, memory_format: _memory_format = ...) -> Tensor:
        """`input` itself if it lies in `memory_format` already, else a copy that does."""

    def copy_(self, other: Tensor | _complex, non_blocking: _bool = False) -> Tensor:
        """Overwrite the elements with those of `other`, broadcast and converted; fractions are truncated."""

    def copysign(self, other: Tensor | _complex) -> Tensor:
        """The magnitude of `input` with the sign of `other`."""

    def copysign_(self, other: Tensor | _complex) -> Tensor:
        """The magnitude of `input` with the sign of `other`."""

    def corrcoef(self) -> Tensor:
        """The correlations of the rows: their covariances, divided by both deviations."""

    def cos(self) -> Tensor:
        """The cosine of an angle in radians."""

    def cos_(self) -> Tensor:
        """The cosine of an angle in radians."""

    def cosh(self) -> Tensor:
        """The hyperbolic cosine."""

    def cosh_(self) -> Tensor:
        """The hyperbolic cosine."""

    def count_nonzero(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """How many elements are nonzero, over dimensions `dim` or over all."""

    def cov(self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariances of the rows, each of which holds one variable's observations."""

    def cpu(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` itself if it is on the CPU, else a copy there."""

    def cross(self, other: Tensor, dim: _int | None = None) -> Tensor:
        """The cross products of the vectors along `dim`, or along the first dimension of three elements."""

    def cuda(
        self, device: _device | _int | str | None = None, non_blocking: _bool = False, *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        """A copy on a CUDA device, or `input` itself if it is there."""

    def cummax(self, dim: _int) -> _return_cummax:
        """The largest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the largest."""

    def cummin(self, dim: _int) -> _return_cummin:
        """The smallest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the
        smallest."""

    def cumprod(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """The products of the elements up to each, along `dim`. Integers are multiplied as int64."""

    def cumprod_(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """`cumprod`, written to `input`."""

    def cumsum(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """The sums of the elements up to each, along `dim`. Integers are added as int64."""

    def cumsum_(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """`cumsum`, written to `input`."""

    @property
    def data(self) -> Tensor:
        """A detached tensor on the same elements, whose in-place writes autograd does not see."""
    @data.setter
    def data(self, value: Tensor) -> None: ...

    def deg2rad(self) -> Tensor:
        """An angle in degrees as one in radians."""

    def deg2rad_(self) -> Tensor:
        """An angle in degrees as one in radians."""

    def det(self) -> Tensor:
        """The determinant of a matrix, or of each in a batch."""

    def detach(self) -> Tensor:
        """The same elements without a history: shares storage and version counter, and is not a view for autograd."""

    def detach_(self) -> Tensor:
        """Cut the tensor off from the graph: it becomes a leaf that requires no gradient."""

    def diag(self, diagonal: _int = 0) -> Tensor:
        """The matrix that has a vector on its diagonal, or a copy of a matrix's diagonal."""

    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """The last dimension laid on the diagonal of two new dimensions, `dim1` and `dim2`; zero elsewhere."""

    def diagflat(self, offset: _int = 0) -> Tensor:
        """The matrix that has all elements of `input`, in order, on its diagonal."""

    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """The diagonal of dimensions `dim1` and `dim2` as a new last dimension: its stride is the sum of theirs."""

    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """A copy with `src` where ``diagonal(offset, dim1, dim2)`` looks."""

    def diff(self, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The differences of neighbours along `dim`, taken `n` times; `prepend` and `append` are joined to it
        before."""

    def digamma(self) -> Tensor:
        """The derivative of `lgamma`."""

    def digamma_(self) -> Tensor:
        """The derivative of `lgamma`."""

    def dim_order(self) -> tuple[_int, ...]:
        """The dimensions from the outermost in memory to the innermost: ``(0, 2, 3, 1)`` says channels last."""

    def dist(self, other: Tensor, p: _float = 2) -> Tensor:
        """The norm of order `p` of the difference."""

    def div(self, other: Tensor | _complex, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def div_(self, other: Tensor | _complex, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def divide(self, other: Tensor | _complex, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def divide_(self, other: Tensor | _complex, *, rounding_mode: str | None = None) -> Tensor:
        """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of the products of two vectors' elements."""

    def double(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.float64; itself if it has that dtype."""

    def dsplit(self, indices_or_sections: Any, /) -> tuple[Tensor, ...]:
        """`tensor_split` along dimension 2; sections must be equal."""

    def eq(self, other: Tensor | _complex) -> Tensor:
        """``input == other``."""

    def eq_(self, other: Tensor | _complex) -> Tensor:
        """``input == other``."""

    def equal(self, other: Tensor) -> _bool:
        """Whether both tensors have the same size and the same elements."""

    def erf(self) -> Tensor:
        """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""

    def erf_(self) -> Tensor:
        """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""

    def erfc(self) -> Tensor:
        """``1 - erf(input)``, exact where that is small."""

    def erfc_(self) -> Tensor:
        """``1 - erf(input)``, exact where that is small."""

    def erfinv(self) -> Tensor:
        """The number whose error function is `input`; infinite for -1 and 1, NaN beyond."""

    def erfinv_(self) -> Tensor:
        """The number whose error function is `input`; infinite for -1 and 1, NaN beyond."""

    def exp(self) -> Tensor:
        """e to the power of each element."""

    def exp2(self) -> Tensor:
        """2 to the power of each element."""

    def exp2_(self) -> Tensor:
        """2 to the power of each element."""

    def exp_(self) -> Tensor:
        """e to the power of each element."""

    def expand(self, *size: _int | Sequence[_int], implicit: _bool = False) -> Tensor:
        """Dimensions of size 1 stretched by stride 0, so that all positions are one cell; -1 keeps a length."""

    def expand_as(self, other: Tensor) -> Tensor:
        """`input.expand(other.size())`."""

    def expm1(self) -> Tensor:
        """``exp(input) - 1``, accurate for small elements."""

    def expm1_(self) -> Tensor:
        """``exp(input) - 1``, accurate for small elements."""

    def exponential_(self, lambd: _float = 1, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers drawn from the exponential distribution of rate `lambd`, whose mean is 1 / lambd."""

    def fill_(self, value: Any) -> Tensor:
        """Set every element to `value`, a number or a 0-dim tensor."""

    def fill_diagonal_(self, fill_value: Any, wrap: _bool = False) -> Tensor:
        """Set the elements whose positions are equal in all dimensions; `wrap` starts again below in a tall matrix."""

    def fix(self) -> Tensor:
        """The integer part of each element."""

    def fix_(self) -> Tensor:
        """The integer part of each element."""

    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Dimensions `start_dim` to `end_dim` as one. `input` itself if that is a single dimension; else as
        `reshape`."""

    def flip(self, *dims: _int | Sequence[_int]) -> Tensor:
        """The elements in reverse order along `dims`. A copy: PyTorch's strides are never negative."""

    def fliplr(self) -> Tensor:
        """The columns in reverse order."""

    def flipud(self) -> Tensor:
        """The rows in reverse order."""

    def float(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.float32; itself if it has that dtype."""

    def float_power(self, exponent: Tensor | _complex) -> Tensor:
        """``input ** exponent`` in double precision, whatever the operands are."""

    def float_power_(self, exponent: Tensor | _complex) -> Tensor:
        """``input ** exponent`` in double precision, whatever the operands are."""

    def floor(self) -> Tensor:
        """The largest integer not above each element."""

    def floor_(self) -> Tensor:
        """The largest integer not above each element."""

    def floor_divide(self, other: Tensor | _complex) -> Tensor:
        """``input // other``: the quotient rounded down."""

    def floor_divide_(self, other: Tensor | _complex) -> Tensor:
        """``input // other``: the quotient rounded down."""

    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two elements; if one is NaN, the other."""

    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two elements; if one is NaN, the other."""

    def fmod(self, other: Tensor | _complex) -> Tensor:
        """The remainder of a division rounded towards zero: it has the sign of `input`, like C's ``fmod``."""

    def fmod_(self, other: Tensor | _complex) -> Tensor:
        """The remainder of a division rounded towards zero: it has the sign of `input`, like C's ``fmod``."""

    def frac(self) -> Tensor:
        """The fractional part of each element: what `trunc` drops."""

    def frac_(self) -> Tensor:
        """The fractional part of each element: what `trunc` drops."""

    def frexp(self) -> _return_frexp:
        """Each element as ``mantissa * 2**exponent``: a mantissa from 0.5 up to 1, or 0, and an int32 exponent."""

    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """For each element of `index`, the element of `input` at the same place, except that its position along
        `dim` is the index."""

    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor of two integers."""

    def gcd_(self, other: Tensor) -> Tensor:
        """The greatest common divisor of two integers."""

    def ge(self, other: Tensor | _complex) -> Tensor:
        """``input >= other``."""

    def ge_(self, other: Tensor | _complex) -> Tensor:
        """``input >= other``."""

    def geometric_(self, p: _float, *, generator: _Generator | None = None) -> Tensor:
        """Fill with the number of tries, each of chance `p`, up to the first that succeeds."""

    def geqrf(self) -> _return_geqrf:
        """QR's factors as LAPACK has them: `R`, below it the vectors of the reflections in `Q`, and their factors."""

    def ger(self, vec2: Tensor) -> Tensor:
        """The products of each element of one vector with each of another: a matrix."""

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward collected here; None before."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...

    @property
    def grad_fn(self) -> Node | None:
        """The node that made this tensor; None for a leaf."""

    def greater(self, other: Tensor | _complex) -> Tensor:
        """``input > other``."""

    def greater_(self, other: Tensor | _complex) -> Tensor:
        """``input > other``."""

    def greater_equal(self, other: Tensor | _complex) -> Tensor:
        """``input >= other``."""

    def greater_equal_(self, other: Tensor | _complex) -> Tensor:
        """``input >= other``."""

    def gt(self, other: Tensor | _complex) -> Tensor:
        """``input > other``."""

    def gt_(self, other: Tensor | _complex) -> Tensor:
        """``input > other``."""

    def half(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.float16; itself if it has that dtype."""

    def hardshrink(self, lambd: _complex = 0.5) -> Tensor:
        """Each element, but 0 where it lies between ``-lambd`` and `lambd`."""

    def heaviside(self, values: Tensor) -> Tensor:
        """0 for negative elements, 1 for positive ones, and the elements of `values` where `input` is 0."""

    def heaviside_(self, values: Tensor) -> Tensor:
        """0 for negative elements, 1 for positive ones, and the elements of `values` where `input` is 0."""

    def histc(self, bins: _int = 100, min: _float = 0, max: _float = 0) -> Tensor:
        """How many elements fall into each of `bins` equal bins between `min` and `max`, or from the least to the
        largest."""

    def histogram(
        self, bins: Any = 100, *, range: Sequence[_float] | None = None, weight: Tensor | None = None,
        density: _bool = False,
    ) -> _return_histogram:
        """How many elements fall into each bin, and the bins' edges: a number of equal bins, or a tensor of edges."""

    def hsplit(self, indices_or_sections: Any, /) -> tuple[Tensor, ...]:
        """`tensor_split` along dimension 1, or 0 for a vector; sections must be equal."""

    def hypot(self, other: Tensor) -> Tensor:
        """``sqrt(input**2 + other**2)`` without overflow in between."""

    def hypot_(self, other: Tensor) -> Tensor:
        """``sqrt(input**2 + other**2)`` without overflow in between."""

    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0."""

    def i0_(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0."""

    def igamma(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function: the part of the gamma integral of `input` below `other`."""

    def igamma_(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function: the part of the gamma integral of `input` below `other`."""

    def igammac(self, other: Tensor) -> Tensor:
        """The part of the gamma function's integral for `input` that lies above `other`: ``1 - igamma(input,
        other)``."""

    def igammac_(self, other: Tensor) -> Tensor:
        """The part of the gamma function's integral for `input` that lies above `other`: ``1 - igamma(input,
        other)``."""

    @property
    def imag(self) -> Tensor:
        """The imaginary parts of a complex tensor."""
    @imag.setter
    def imag(self, value: Tensor) -> None: ...

    def index_add(self, dim: _int, index: Tensor, source: Tensor, *, alpha: _complex = 1) -> Tensor:
        """A copy with the slices of `source`, times `alpha`, added at `index` of `dim`."""

    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: _complex = 1) -> Tensor:
        """A copy with the slices of `source`, times `alpha`, added at `index` of `dim`."""

    def index_copy(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of `source` at positions `index` of `dim`."""

    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of `source` at positions `index` of `dim`."""

    def index_fill(self, dim: _int, index: Tensor, value: Any) -> Tensor:
        """A copy with `value` at positions `index` of `dim`."""

    def index_fill_(self, dim: _int, index: Tensor, value: Any) -> Tensor:
        """A copy with `value` at positions `index` of `dim`."""

    def index_put(self, indices: Any, values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with `values` written, or added, where the tensors `indices` say."""

    def index_put_(self, indices: Any, values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with `values` written, or added, where the tensors `indices` say."""

    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The slices of `input` at the positions `index`, a vector, of dimension `dim`: a copy."""

    def inner(self, other: Tensor) -> Tensor:
        """The sums of products over the last dimension of both, for all pairs of leading dimensions; a number
        scales."""

    def int(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.int32; itself if it has that dtype."""

    def inverse(self) -> Tensor:
        """The inverse of a matrix, `linalg.inv`."""

    def is_conj(self) -> _bool:
        """Whether the elements are conjugated when they are read."""

    def is_inference(self) -> _bool:
        """Whether the tensor was made in inference mode."""

    @property
    def is_leaf(self) -> _bool:
        """Whether this tensor is a leaf: no recorded operator made it, and its gradient is kept in `grad`."""

    def is_neg(self) -> _bool:
        """Whether the elements are negated when they are read. Those of tensorglass never are."""

    def is_nonzero(self) -> _bool:
        """Whether a tensor of one element is nonzero."""

    def is_pinned(self, device: _device | str | None = None) -> _bool:
        """Whether the storage is page-locked host memory, from which an accelerator copies faster."""

    def is_same_size(self, other: Tensor) -> _bool:
        """Whether both tensors have the same size."""

    def isclose(self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
        """Whether elements differ by at most ``atol + rtol * |other|``."""

    def isfinite(self) -> Tensor:
        """Whether each element is neither infinite nor NaN."""

    def isinf(self) -> Tensor:
        """Whether each element is infinite; for complex elements, whether a part is."""

    def isnan(self) -> Tensor:
        """Whether each element is not a number."""

    def isneginf(self) -> Tensor:
        """Whether each element is negative infinity."""

    def isposinf(self) -> Tensor:
        """Whether each element is positive infinity."""

    def isreal(self) -> Tensor:
        """Whether the imaginary part of each element is 0."""

    def istft(
        self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None,
        center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None,
        return_complex: _bool = False,
    ) -> Tensor:
        """The signal whose `stft` these spectra are, or the one closest to it: (…, frequencies, frames) → (…,
        samples)."""

    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: `other` as often as `input` has elements, each copy multiplied by its element."""

    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False) -> _return_kthvalue:
        """The `k`-th smallest element along `dim`, and its position; `k` counts from 1."""

    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple of two integers."""

    def lcm_(self, other: Tensor) -> Tensor:
        """The least common multiple of two integers."""

    def ldexp(self, other: Tensor) -> Tensor:
        """``input * 2**other``."""

    def ldexp_(self, other: Tensor) -> Tensor:
        """`ldexp`, written to `input`."""

    def le(self, other: Tensor | _complex) -> Tensor:
        """``input <= other``."""

    def le_(self, other: Tensor | _complex) -> Tensor:
        """``input <= other``."""

    def lerp(self, end: Tensor, weight: Tensor | _complex) -> Tensor:
        """``input + weight * (end - input)``."""

    def lerp_(self, end: Tensor, weight: Tensor | _complex) -> Tensor:
        """``input + weight * (end - input)``."""

    def less(self, other: Tensor | _complex) -> Tensor:
        """``input < other``."""

    def less_(self, other: Tensor | _complex) -> Tensor:
        """``input < other``."""

    def less_equal(self, other: Tensor | _complex) -> Tensor:
        """``input <= other``."""

    def less_equal_(self, other: Tensor | _complex) -> Tensor:
        """``input <= other``."""

    def lgamma(self) -> Tensor:
        """The logarithm of the size of the gamma function, which extends factorials: of (input - 1)!."""

    def lgamma_(self) -> Tensor:
        """The logarithm of the size of the gamma function, which extends factorials: of (input - 1)!."""

    def log(self) -> Tensor:
        """The natural logarithm."""

    def log10(self) -> Tensor:
        """The logarithm to base 10."""

    def log10_(self) -> Tensor:
        """The logarithm to base 10."""

    def log1p(self) -> Tensor:
        """``log(1 + input)``, accurate for small elements."""

    def log1p_(self) -> Tensor:
        """``log(1 + input)``, accurate for small elements."""

    def log2(self) -> Tensor:
        """The logarithm to base 2."""

    def log2_(self) -> Tensor:
        """The logarithm to base 2."""

    def log_(self) -> Tensor:
        """The natural logarithm."""

    def log_normal_(self, mean: _float = 1, std: _float = 2, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers whose logarithm is normal, of this mean and standard deviation."""

    def log_softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """The logarithm of `softmax`, exact where that is tiny."""

    def logaddexp(self, other: Tensor) -> Tensor:
        """``log(exp(input) + exp(other))``, computed without overflow."""

    def logaddexp2(self, other: Tensor) -> Tensor:
        """``log2(2**input + 2**other)``, computed without overflow."""

    def logcumsumexp(self, dim: _int) -> Tensor:
        """The logarithm of the sum of e to the power of the elements up to each, along `dim`, without overflow."""

    def logdet(self) -> Tensor:
        """The logarithm of the determinant: nan where that is negative."""

    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both elements are nonzero."""

    def logical_and_(self, other: Tensor) -> Tensor:
        """Whether both elements are nonzero."""

    def logical_not(self) -> Tensor:
        """Whether each element is zero."""

    def logical_not_(self) -> Tensor:
        """Whether each element is zero."""

    def logical_or(self, other: Tensor) -> Tensor:
        """Whether an element is nonzero."""

    def logical_or_(self, other: Tensor) -> Tensor:
        """Whether an element is nonzero."""

    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one element is nonzero."""

    def logical_xor_(self, other: Tensor) -> Tensor:
        """Whether exactly one element is nonzero."""

    def logit(self, eps: _float | None = None) -> Tensor:
        """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps`, `input` is clamped to ``eps … 1 -
        eps`` first."""

    def logit_(self, eps: _float | None = None) -> Tensor:
        """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps`, `input` is clamped to ``eps … 1 -
        eps`` first."""

    def logsumexp(self, dim: _int | Sequence[_int] | None, keepdim: _bool = False) -> Tensor:
        """``log(sum(exp(input)))`` over dimensions `dim`, without overflow in between."""

    def long(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.int64; itself if it has that dtype."""

    def lt(self, other: Tensor | _complex) -> Tensor:
        """``input < other``."""

    def lt_(self, other: Tensor | _complex) -> Tensor:
        """``input < other``."""

    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> Any:
        """The older form of `linalg.lu_factor`: a tuple, with the numbers of zero pivots if `get_infos`."""

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """`linalg.lu_solve`, with the right side first: the `X` for which ``A @ X == input``."""

    @property
    def mH(self) -> Tensor:
        """The last two dimensions swapped and the elements conjugated: the adjoint of each matrix of a batch."""

    @property
    def mT(self) -> Tensor:
        """The last two dimensions swapped: the transpose of each matrix of a batch."""

    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """A copy with `value`, a number or a 0-dim tensor, where `mask` is True."""

    def masked_fill_(self, mask: Tensor, value: Any) -> Tensor:
        """A copy with `value`, a number or a 0-dim tensor, where `mask` is True."""

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy in which the elements where `mask` is True are those of `source`, in order."""

    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy in which the elements where `mask` is True are those of `source`, in order."""

    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where `mask`, broadcast, is True, in one dimension."""

    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product: of two vectors their inner product, of batches of matrices the product of each pair."""

    def matrix_exp(self) -> Tensor:
        """The exponential of a square matrix: the sum of its powers, each divided by the factorial of the exponent."""

    def matrix_power(self, n: _int) -> Tensor:
        """A square matrix times itself, `n` times; its inverse's power for a negative `n`."""

    @overload
    def max(self) -> Tensor:
        """The largest element of all; with `dim` a pair of the largest along it and their positions; with another
        tensor `maximum`."""
    @overload
    def max(self, dim: _int, keepdim: _bool = False) -> _return_max:
        ...
    @overload
    def max(self, other: Tensor) -> Tensor:
        ...

    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two elements; NaN if either is."""

    def mean(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    ) -> Tensor:
        """The mean over dimensions `dim`, or over all."""

    @overload
    def median(self) -> Tensor:
        """The element in the middle of all, of two the lower; with `dim` a pair of those along it and their
        positions."""
    @overload
    def median(self, dim: _int, keepdim: _bool = False) -> _return_median:
        ...

    @overload
    def min(self) -> Tensor:
        """The smallest element of all; with `dim` a pair of the smallest along it and their positions; with another
        tensor `minimum`."""
    @overload
    def min(self, dim: _int, keepdim: _bool = False) -> _return_min:
        ...
    @overload
    def min(self, other: Tensor) -> Tensor:
        ...

    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two elements; NaN if either is."""

    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""

    def mode(self, dim: _int = -1, keepdim: _bool = False) -> _return_mode:
        """The element that occurs most often along `dim`, of several the smallest, and the last position that has
        it."""

    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Dimensions `source` moved to the places `destination`; the others keep their order."""

    def movedim(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Dimensions `source` moved to the places `destination`; the others keep their order."""

    def msort(self) -> Tensor:
        """The elements in order along the first dimension."""

    def mul(self, other: Tensor | _complex) -> Tensor:
        """``input * other``."""

    def mul_(self, other: Tensor | _complex) -> Tensor:
        """``input * other``."""

    def multinomial(
        self, num_samples: _int, replacement: _bool = False, *, generator: _Generator | None = None,
    ) -> Tensor:
        """Places drawn by the weights in `input` (a row of them, or rows): `num_samples` from each row, as int64."""

    def multiply(self, other: Tensor | _complex) -> Tensor:
        """``input * other``."""

    def multiply_(self, other: Tensor | _complex) -> Tensor:
        """``input * other``."""

    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""

    def mvlgamma(self, p: _int) -> Tensor:
        """The logarithm of the gamma function of `p` dimensions."""

    def mvlgamma_(self, p: _int) -> Tensor:
        """`mvlgamma`, written to `input`."""

    @property
    def name(self) -> None:
        """PyTorch keeps a name of tensors in C++ that Python cannot give: always None."""

    def nan_to_num(
        self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None,
    ) -> Tensor:
        """`nan` (or 0) in place of NaN, and `posinf` and `neginf` (or the dtype's limits) in place of infinities."""

    def nan_to_num_(
        self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None,
    ) -> Tensor:
        """`nan_to_num`, written to `input`; integers stay as they are."""

    def nanmean(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    ) -> Tensor:
        """The mean over dimensions `dim`, or over all, of those elements that are not NaN."""

    @overload
    def nanmedian(self) -> Tensor:
        """`median` of those elements that are not NaN."""
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = False) -> _return_nanmedian:
        ...

    def nanquantile(
        self, q: Any, dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = 'linear',
    ) -> Tensor:
        """`quantile` of those elements that are not NaN."""

    def nansum(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
    ) -> Tensor:
        """The sum over dimensions `dim`, or over all, NaN counted as zero."""

    def narrow(self, dim: _int, start: Any, length: _int) -> Tensor:
        """`length` positions of dimension `dim`, from `start` on."""

    def ne(self, other: Tensor | _complex) -> Tensor:
        """``input != other``."""

    def ne_(self, other: Tensor | _complex) -> Tensor:
        """``input != other``."""

    def neg(self) -> Tensor:
        """``-input``."""

    def neg_(self) -> Tensor:
        """``-input``."""

    def negative(self) -> Tensor:
        """``-input``."""

    def negative_(self) -> Tensor:
        """``-input``."""

    def new(
        self, *arguments: Any, size: Sequence[_int] | None = None, device: _device | str | _int | None = None,
    ) -> Tensor:
        """What the old constructor of this tensor's dtype makes: ``x.new(2, 3)``, ``x.new([1, 2])``."""

    def new_empty(
        self, *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, dtype: _dtype | None = None,
        layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False,
    ) -> Tensor:
        """An uninitialized tensor with the dtype and device of this one."""

    def new_empty_strided(
        self, size: Sequence[_int] | None, stride: Any, *, dtype: _dtype | None = None, layout: _layout | None = ...,
        device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    ) -> Tensor:
        """An uninitialized tensor with these strides, and the dtype and device of this one."""

    def new_full(
        self, size: Sequence[_int] | None, fill_value: Any, *, dtype: _dtype | None = None,
        layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False,
    ) -> Tensor:
        """A tensor whose elements all are `fill_value`, with the dtype and device of this one."""

    def new_ones(
        self, *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, dtype: _dtype | None = None,
        layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False,
    ) -> Tensor:
        """A tensor of ones, with the dtype and device of this one."""

    def new_tensor(
        self, data: Any, *, dtype: _dtype | None = None, layout: _layout | None = ...,
        device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    ) -> Tensor:
        """A tensor with a copy of `data`, of this tensor's dtype and device."""

    def new_zeros(
        self, *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, dtype: _dtype | None = None,
        layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False,
    ) -> Tensor:
        """A tensor of zeros, with the dtype and device of this one."""

    def nextafter(self, other: Tensor) -> Tensor:
        """The next number of the dtype after `input`, in the direction of `other`."""

    def nextafter_(self, other: Tensor) -> Tensor:
        """The next number of the dtype after `input`, in the direction of `other`."""

    @overload
    def nonzero(self) -> Tensor:
        """The positions of the elements that are not 0: one row each; with `as_tuple` one index tensor a dimension."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False]) -> Tensor:
        ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]:
        ...

    def norm(
        self, p: _float | str | None = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """The vector norm of order `p` over dimensions `dim`, or over all; with `dtype` of the elements converted to
        it."""

    def normal_(self, mean: _float = 0.0, std: _float = 1.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers drawn from the normal distribution of this mean and standard deviation."""

    def not_equal(self, other: Tensor | _complex) -> Tensor:
        """``input != other``."""

    def not_equal_(self, other: Tensor | _complex) -> Tensor:
        """``input != other``."""

    def numpy(self, *, force: _bool = False) -> ndarray[Any, Any]:
        """An array on the tensor's own memory. With `force`, a copy where it cannot be shared."""

    def outer(self, vec2: Tensor) -> Tensor:
        """The products of each element of one vector with each of another: a matrix."""

    @property
    def output_nr(self) -> _int:
        """Which of its node's outputs this tensor is."""

    def permute(self, *dims: _int | Sequence[_int]) -> Tensor:
        """The dimensions in the given order."""

    def pin_memory(self, device: _device | str | None = None) -> Tensor:
        """A copy in page-locked host memory, from which an accelerator copies faster; itself if it is there already."""

    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """The pseudo-inverse, `linalg.pinv`."""

    def polygamma(self, n: _int) -> Tensor:
        """The `n`-th derivative of `digamma`; itself for 0."""

    def polygamma_(self, n: _int) -> Tensor:
        """`polygamma`, written to `input`."""

    def positive(self) -> Tensor:
        """The tensor itself: Python's ``+x``."""

    def pow(self, exponent: Tensor | _complex) -> Tensor:
        """``input ** exponent``."""

    def pow_(self, exponent: Tensor | _complex) -> Tensor:
        """``input ** exponent``."""

    def prod(self, dim: _int | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The product over dimension `dim`, or over all. Integers are multiplied as int64."""

    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with the elements of `source` at positions `index`, counted through all elements."""

    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy with the elements of `source` at positions `index`, counted through all elements."""

    def qr(self, some: _bool = True) -> _return_qr:
        """``input == Q @ R``, with a square `Q` if not `some`. `linalg.qr` is its successor."""

    def quantile(
        self, q: Any, dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = 'linear',
    ) -> Tensor:
        """The value at each part `q` (from 0 to 1) of the way through the elements in order, along `dim` or of all."""

    def rad2deg(self) -> Tensor:
        """An angle in radians as one in degrees."""

    def rad2deg_(self) -> Tensor:
        """An angle in radians as one in degrees."""

    def random_(self, from_: Any = ..., to: Any = ..., *, generator: _Generator | None = None) -> Tensor:
        """Fill with integers: ``random_()`` from all that the dtype holds exactly and that are not negative,
        ``random_(to)`` from 0 … to - 1, ``random_(from, to)`` from `from` … to - 1, or on to the last if `to` is
        None."""

    def ravel(self) -> Tensor:
        """All elements in one dimension: a view of a contiguous tensor, else of a contiguous copy."""

    @property
    def real(self) -> Tensor:
        """The real parts; a real tensor itself."""
    @real.setter
    def real(self, value: Tensor) -> None: ...

    def reciprocal(self) -> Tensor:
        """``1 / input``."""

    def reciprocal_(self) -> Tensor:
        """``1 / input``."""

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHandle:
        """Call ``hook(grad)`` when this tensor's gradient is computed; a tensor that it returns replaces it."""

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(tensor)`` whenever backward has added to `grad`. Leaves only."""

    def relu(self) -> Tensor:
        """Each element, or 0 if it is negative."""

    def relu_(self) -> Tensor:
        """Each element, or 0 if it is negative."""

    def remainder(self, other: Tensor | _complex) -> Tensor:
        """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""

    def remainder_(self, other: Tensor | _complex) -> Tensor:
        """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""

    def renorm(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """The slices along `dim`, those with a norm of order `p` above `maxnorm` scaled down to it."""

    def renorm_(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """`renorm`, written to `input`."""

    def repeat(self, *repeats: _int | Sequence[_int]) -> Tensor:
        """The elements repeated along each dimension, each copy with cells of its own; further dimensions go in
        front."""

    def repeat_interleave(
        self, repeats: Tensor | _int | None = None, dim: _int | None = None, *, output_size: _int | None = None,
    ) -> Tensor:
        """Each element, or each slice along `dim`, `repeats` times in a row; a tensor gives a number for each."""

    @property
    def requires_grad(self) -> _bool:
        """Whether gradients flow to this tensor."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...

    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Set `requires_grad`, and return the tensor."""

    def reshape(self, *shape: _int | Sequence[_int]) -> Tensor:
        """A view of another size where the strides allow one, else a copy."""

    def reshape_as(self, other: Tensor) -> Tensor:
        """`input.reshape(other.size())`."""

    def resize_(self, *size: _int | Sequence[_int], memory_format: _memory_format | None = None) -> Tensor:
        """Give the header another size, contiguous from its offset on. The storage grows if need be, and never
        shrinks; elements that it gains are not initialized. A header that has the size stays, unless a format is
        given."""

    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
        """`input.resize_(the_template.size())`; `preserve_format` is the format that the template seems to have."""

    def resolve_conj(self) -> Tensor:
        """`input` itself, or, if its conjugate bit is set, a copy with the conjugates in memory."""

    def resolve_neg(self) -> Tensor:
        """`input` itself: tensors of tensorglass never have the negative bit set."""

    def retain_grad(self) -> None:
        """Keep the gradient in `grad` although this is not a leaf. On a leaf it changes nothing."""

    @property
    def retains_grad(self) -> _bool:
        """Whether `retain_grad` was called: backward keeps the gradient of this non-leaf."""

    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
        """The elements moved by `shifts` along `dims`; those that would fall off the end move to the beginning."""

    def rot90(self, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor:
        """The plane of two dimensions turned by `k` quarters, from the first of `dims` towards the second."""

    def round(self, *, decimals: _int | None = None) -> Tensor:
        """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""

    def round_(self, *, decimals: _int | None = None) -> Tensor:
        """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""

    def rsqrt(self) -> Tensor:
        """``1 / sqrt(input)``."""

    def rsqrt_(self) -> Tensor:
        """``1 / sqrt(input)``."""

    def scatter(
        self, dim: _int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None,
    ) -> Tensor:
        """A copy with `src`, or `value`, where `index` says along `dim`."""

    def scatter_(
        self, dim: _int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None,
    ) -> Tensor:
        """A copy with `src`, or `value`, where `index` says along `dim`."""

    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """A copy with `src` added where `index` says along `dim`."""

    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """A copy with `src` added where `index` says along `dim`."""

    def scatter_reduce(
        self, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True,
    ) -> Tensor:
        """A copy with the elements of `src` combined, by `reduce`, where `index` says along `dim`."""

    def scatter_reduce_(
        self, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True,
    ) -> Tensor:
        """A copy with the elements of `src` combined, by `reduce`, where `index` says along `dim`."""

    def select(self, dim: _int, index: _int) -> Tensor:
        """One position of dimension `dim`, which goes away."""

    def select_scatter(self, src: Tensor, dim: _int, index: _int) -> Tensor:
        """A copy with `src` where ``select(dim, index)`` looks."""

    def set_(
        self, source: Any = None, storage_offset: _int = 0, size: Sequence[_int] | None = None,
        stride: Sequence[_int] | None = None,
    ) -> Tensor:
        """Point the header at another storage: that of a tensor, a storage as a whole, or a part of one."""

    def sgn(self) -> Tensor:
        """The sign, as in `sign`; for a complex number, the number of length 1 in its direction, or 0."""

    def sgn_(self) -> Tensor:
        """The sign, as in `sign`; for a complex number, the number of length 1 in its direction, or 0."""

    def short(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """`input` as torch.int16; itself if it has that dtype."""

    def sigmoid(self) -> Tensor:
        """``1 / (1 + exp(-input))``."""

    def sigmoid_(self) -> Tensor:
        """``1 / (1 + exp(-input))``."""

    def sign(self) -> Tensor:
        """-1, 0 or 1 as each element is negative, zero or positive."""

    def sign_(self) -> Tensor:
        """-1, 0 or 1 as each element is negative, zero or positive."""

    def signbit(self) -> Tensor:
        """Whether the sign is negative: True for -0.0 too."""

    def sin(self) -> Tensor:
        """The sine of an angle in radians."""

    def sin_(self) -> Tensor:
        """The sine of an angle in radians."""

    def sinc(self) -> Tensor:
        """``sin(pi * input) / (pi * input)``, and 1 at 0."""

    def sinc_(self) -> Tensor:
        """``sin(pi * input) / (pi * input)``, and 1 at 0."""

    def sinh(self) -> Tensor:
        """The hyperbolic sine."""

    def sinh_(self) -> Tensor:
        """The hyperbolic sine."""

    def slice_scatter(
        self, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1,
    ) -> Tensor:
        """A copy with `src` where the slice ``start:end:step`` of dimension `dim` looks."""

    def slogdet(self) -> _return_slogdet:
        """The sign of the determinant, and the logarithm of its size."""

    def softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """``exp(input)`` divided by its sum along `dim`: positive numbers that add up to 1."""

    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = None) -> _return_sort:
        """The elements in order along `dim`, and where they stood. Equals keep their order, `stable` or not."""

    def split(self, split_size: Any, dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of `split_size` positions each along `dim`, the last perhaps smaller; or of the sizes in a list."""

    def split_with_sizes(self, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of the given sizes along `dim`, which make it up together."""

    def sqrt(self) -> Tensor:
        """The square root."""

    def sqrt_(self) -> Tensor:
        """The square root."""

    def square(self) -> Tensor:
        """``input * input``."""

    def square_(self) -> Tensor:
        """``input * input``."""

    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Without the dimensions of size 1: all of them, or those of `dim` that have size 1."""

    def squeeze_(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """`squeeze` in place: gives this tensor the header that the view would have."""

    def std(
        self, dim: _int | Sequence[_int] | _bool | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
        correction: _float | None = None,
    ) -> Tensor:
        """The square root of `var`."""

    def stft(
        self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None,
        center: _bool = True, pad_mode: str = 'reflect', normalized: _bool = False, onesided: _bool | None = None,
        return_complex: _bool | None = None, align_to_window: _bool | None = None,
    ) -> Tensor:
        """The short-time Fourier transform of a signal, or of a batch: (…, samples) → (…, frequencies, frames)."""

    def sub(self, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
        """``input - alpha * other``."""

    def sub_(self, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
        """``input - alpha * other``."""

    def subtract(self, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
        """``input - alpha * other``."""

    def subtract_(self, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
        """``input - alpha * other``."""

    def sum(
        self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
    ) -> Tensor:
        """The sum over dimensions `dim`, or over all. Integers are added as int64."""

    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """The sum over every dimension along which a tensor of `size` would be expanded to this one."""

    def svd(self, some: _bool = True, compute_uv: _bool = True) -> _return_svd:
        """``input == U @ diag(S) @ V.mH``; without `compute_uv` `U` and `V` are zeros. `linalg.svd` is its
        successor."""

    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """`transpose`, as NumPy calls it."""

    def swapaxes_(self, axis0: _int, axis1: _int) -> Tensor:
        """`swapaxes` in place: gives this tensor the header that the view would have."""

    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dimensions swapped: their sizes and strides change places, the storage stays as it is."""

    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """`swapdims` in place: gives this tensor the header that the view would have."""

    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or a scalar as it is."""

    def t_(self) -> Tensor:
        """`t` in place: gives this tensor the header that the view would have."""

    def take(self, index: Tensor) -> Tensor:
        """The elements at the positions `index`, counted through all elements in order; of the size of `index`."""

    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor:
        """`gather` with `input` and `indices` broadcast beside `dim`; without `dim`, `take`."""

    def tan(self) -> Tensor:
        """The tangent of an angle in radians."""

    def tan_(self) -> Tensor:
        """The tangent of an angle in radians."""

    def tanh(self) -> Tensor:
        """The hyperbolic tangent."""

    def tanh_(self) -> Tensor:
        """The hyperbolic tangent."""

    def tensor_split(self, indices_or_sections: Any, /, dim: _int = 0) -> tuple[Tensor, ...]:
        """That many views along `dim`, as equal as possible; or the parts between the given indices."""

    def tile(self, *dims: _int | Sequence[_int]) -> Tensor:
        """`repeat`, with 1 for the dimensions that are not named."""

    @overload
    def to(
        self, dtype: _dtype, non_blocking: _bool = False, copy: _bool = False, *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        """The tensor with another dtype or on another device: ``to(dtype)``, ``to(device)``, ``to(device, dtype)``,
        ``to(other)``, each with ``non_blocking``, ``copy`` and ``memory_format``. Itself where nothing would change."""
    @overload
    def to(
        self, device: _device | str | _int | None = None, dtype: _dtype | None = None, non_blocking: _bool = False,
        copy: _bool = False, *, memory_format: _memory_format | None = ...,
    ) -> Tensor:
        ...
    @overload
    def to(
        self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        ...

    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: _bool | None = None) -> Tensor:
        """`input` itself, or a copy of another `dtype`: every tensor has all of its elements here."""

    def to_device(self, device: _device | str, /, *, stream: Any = None) -> Tensor:
        """The array API's name for `to`: this tensor if it is on `device`, else a copy of it there."""

    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True) -> _return_topk:
        """The `k` largest elements along `dim`, or the smallest, in order, and the positions where they stood."""

    def trace(self) -> Tensor:
        """The sum of the elements on a matrix's diagonal. Integers are added as int64."""

    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dimensions swapped: their sizes and strides change places, the storage stays as it is."""

    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """`transpose` in place: gives this tensor the header that the view would have."""

    def tril(self, diagonal: _int = 0) -> Tensor:
        """The part of each matrix on and below a diagonal; zero elsewhere."""

    def tril_(self, diagonal: _int = 0) -> Tensor:
        """The part of each matrix on and below a diagonal; zero elsewhere."""

    def triu(self, diagonal: _int = 0) -> Tensor:
        """The part of each matrix on and above a diagonal; zero elsewhere."""

    def triu_(self, diagonal: _int = 0) -> Tensor:
        """The part of each matrix on and above a diagonal; zero elsewhere."""

    def true_divide(self, other: Tensor | _complex) -> Tensor:
        """``input / other``."""

    def true_divide_(self, other: Tensor | _complex) -> Tensor:
        """``input / other``."""

    def trunc(self) -> Tensor:
        """The integer part of each element."""

    def trunc_(self) -> Tensor:
        """The integer part of each element."""

    @overload
    def type(self, dtype: None = None) -> str:
        """The name of the old class, "torch.FloatTensor"; given a dtype, an old class or its name, the tensor
        converted."""
    @overload
    def type(
        self, dtype: _dtype | str | _type[Any], non_blocking: _bool = False, *,
        memory_format: _memory_format | None = ...,
    ) -> Tensor:
        ...

    def type_as(self, other: Tensor) -> Tensor:
        """`input` with the dtype and on the device of `other`."""

    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """One view for each position of `dim`, which is removed."""

    def unflatten(self, dim: _int, sizes: Sequence[_int]) -> Tensor:
        """Dimension `dim` cut into several of the given sizes, of which one may be -1."""

    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """Windows of `size` along `dimension`, one every `step`, as a new last dimension. Windows may share cells."""

    def uniform_(self, from_: _float = 0.0, to: _float = 1.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers drawn evenly from `from_` up to but not including `to`."""

    def unique(
        self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
        dim: _int | None = None,
    ) -> Any:
        """Each element once, in order; also where each of `input` stands in that, and how often it occurs, if asked
        for."""

    def unique_consecutive(
        self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None,
    ) -> Any:
        """Each run of equal elements, or of equal slices along `dim`, as one; also each one's run, and their
        lengths."""

    def unsqueeze(self, dim: _int) -> Tensor:
        """With a dimension of size 1 put in before dimension `dim`."""

    def unsqueeze_(self, dim: _int) -> Tensor:
        """`unsqueeze` in place: gives this tensor the header that the view would have."""

    def var(
        self, dim: _int | Sequence[_int] | _bool | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
        correction: _float | None = None,
    ) -> Tensor:
        """The variance over dimensions `dim`, or over all: the sum of squared deviations divided by n -
        `correction`, by default 1."""

    def vdot(self, other: Tensor) -> Tensor:
        """The sum of the products of two vectors' elements, those of the first conjugated."""

    @overload
    def view(self, *shape: _int | Sequence[_int]) -> Tensor:
        """The same elements in order, with another size or, for ``view(dtype)``, with their bytes read as another
        dtype."""
    @overload
    def view(self, dtype: _dtype) -> Tensor:
        ...

    def view_as(self, other: Tensor) -> Tensor:
        """`input.view(other.size())`."""

    @property
    def volatile(self) -> _bool:
        """False: `no_grad` took its place in PyTorch 0.4."""
    @volatile.setter
    def volatile(self, value: _bool) -> None: ...

    def vsplit(self, indices_or_sections: Any, /) -> tuple[Tensor, ...]:
        """`tensor_split` along dimension 0; sections must be equal."""

    def where(self, condition: Tensor, other: Tensor | _complex) -> Tensor:
        """None"""

    def xlogy(self, other: Tensor | _complex) -> Tensor:
        """``input * log(other)``, and 0 where `input` is 0, for every `other` but NaN."""

    def xlogy_(self, other: Tensor | _complex) -> Tensor:
        """``input * log(other)``, and 0 where `input` is 0, for every `other` but NaN."""

    def zero_(self) -> Tensor:
        """Set every element to zero."""
