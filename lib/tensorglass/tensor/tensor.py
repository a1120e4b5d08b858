"""A tensor: a header that says how to read a storage.

The header is five things: the storage, and the size, stride and offset (all counted in elements) and dtype by which
its bytes are looked up. Element ``[i, j]`` lies at ``offset + i * stride[0] + j * stride[1]``. Several headers may sit
on one storage; making another one copies nothing.

Only the header is here. What can be done with tensors, the operators, are declared in `ops`, which attaches them to
this class as methods. The array that a kernel needs is derived from the header when a kernel first needs it.
"""

from __future__ import annotations

from typing import Any

from tensorglass import geometry
from tensorglass.backends import Array, Backend
from tensorglass.core import memory_format as formats
from tensorglass.core.devices import CPU, META
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import INTEGER
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import explained, warn
from tensorglass.core.size import Size
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import OLD_CLASSES, TypedStorage, warn_of_removal
from tensorglass.tensor import printing
from tensorglass.tensor.autograd_meta import Creation, Meta
from tensorglass.tensor.grad_mode import is_grad_enabled
from tensorglass.tensor.methods import Methods
from tensorglass.tensor.version_counter import CountsWrites, VersionCounter

_make_size = tuple.__new__  # past the checks of Size, which these lengths have passed


class Tensor(CountsWrites, Methods):
    """An array of elements of one dtype on one device. Make one with `tensor`, `zeros`, `arange` and their siblings.

    >>> x = torch.arange(6).reshape(2, 3)
    >>> x.t().stride(), x.t().storage_offset()
    ((1, 3), 0)
    """

    __module__ = "tensorglass"  # its public module, for messages and pickles
    __slots__ = (
        "__dict__",  # for attributes that users set on a tensor; created at the first one
        "__weakref__", "_array", "_base", "_conj", "_contiguous", "_counter", "_creation", "_dtype", "_meta", "_offset",
        "_seen", "_size", "_storage", "_stride",
    )  # fmt: skip

    _storage: UntypedStorage
    _size: tuple[int, ...]
    _stride: tuple[int, ...]
    _offset: int
    _dtype: DType
    _conj: bool  #: the conjugate bit: elements are conjugated when they are read
    _array: Array | None  # derived from the five above; None until a kernel needs it
    _contiguous: bool | None  # derived too; None until it is needed
    _base: Tensor | None  #: the tensor that this one is a view of
    _counter: VersionCounter | None  # None: the storage counts the writes
    _creation: Creation  #: views only: how it was made
    _seen: int  #: views only: the version for which its `grad_fn` is valid
    _meta: Meta | None  #: its autograd fields; None for a tensor that takes no part in autograd

    _version = CountsWrites._version  #: defined here too, so that setting it raises PyTorch's error

    __array_priority__ = 1000  # NumPy leaves `array + tensor` to the tensor

    # --- the header ------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The length of each dimension."""
        return _make_size(Size, self._size)

    def size(self, dim: int | None = None) -> Any:
        """The length of each dimension, or of dimension `dim`."""
        if dim is None:
            return _make_size(Size, self._size)
        return self._size[geometry.wrap_dim(dim, len(self._size), wrap_scalar=False)]

    def stride(self, dim: int | None = None) -> Any:
        """How many storage elements one step along each dimension skips, or along dimension `dim`."""
        if dim is None:
            return self._stride
        return self._stride[geometry.wrap_dim(dim, len(self._size), wrap_scalar=False)]

    def storage_offset(self) -> int:
        """The place of the first element in the storage, counted in elements."""
        return self._offset

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._size)

    ndimension = dim
    ndim = property(dim)

    def numel(self) -> int:
        """The number of elements."""
        return geometry.numel(self._size)

    nelement = numel

    def element_size(self) -> int:
        """Bytes an element."""
        return self._dtype.itemsize

    itemsize = property(element_size)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, counted as though each had its own: an expanded tensor's storage is smaller."""
        return self.numel() * self._dtype.itemsize

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def device(self) -> Device:
        return self._storage.device

    @property
    def layout(self) -> formats.layout:
        return formats.strided

    @property
    def is_cuda(self) -> bool:
        return self._storage.device.type == "cuda"

    @property
    def is_cpu(self) -> bool:
        return self._storage.device.type == "cpu"

    @property
    def is_meta(self) -> bool:
        return self._storage.device is META

    is_sparse = is_quantized = is_mps = is_xpu = is_nested = is_mkldnn = property(lambda self: False)
    is_ipu = is_maia = is_mtia = is_sparse_csr = is_vulkan = is_xla = is_sparse

    def get_device(self) -> int:
        """The index of the accelerator that the tensor is on; -1 for the CPU."""
        return -1 if self.is_cpu or self.is_meta else self.device.index or 0

    def is_floating_point(self) -> bool:
        return self._dtype.is_floating_point

    def is_complex(self) -> bool:
        return self._dtype.is_complex

    def is_signed(self) -> bool:
        return self._dtype.is_signed

    def is_contiguous(self, *, memory_format: formats.memory_format = formats.contiguous_format) -> bool:
        """Whether the elements lie in the storage without gaps, in the order of `memory_format`."""
        if memory_format is formats.contiguous_format or memory_format is formats.preserve_format:
            if self._contiguous is None:
                self._contiguous = geometry.is_contiguous(self._size, self._stride)
            return self._contiguous
        if memory_format is formats.channels_last:
            return geometry.is_channels_last(self._size, self._stride)
        if memory_format is formats.channels_last_3d:
            return geometry.is_channels_last_3d(self._size, self._stride)
        raise TypeError(
            f"is_contiguous(): argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}"
        )

    # --- the storage -----------------------------------------------------------------------------------------------

    def untyped_storage(self) -> UntypedStorage:
        """The run of bytes that this tensor looks at."""
        self._storage.note(self)
        return self._storage

    def storage(self) -> TypedStorage:
        """The storage with elements of this tensor's dtype. Deprecated in PyTorch: use `untyped_storage`."""
        warn_of_removal(stacklevel=3)
        return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self._dtype)

    def storage_type(self) -> type:
        """The old class of such a storage, as FloatStorage."""
        warn_of_removal(stacklevel=3)
        return OLD_CLASSES[self._dtype]

    def data_ptr(self) -> int:
        """The address of the first element; 0 for a tensor without elements."""
        if 0 in self._size:
            return 0
        return self._storage.data_ptr() + self._offset * self._dtype.itemsize

    def is_set_to(self, tensor: Tensor) -> bool:
        """Whether both tensors have the same storage, offset, size and stride."""
        return (
            self._storage is tensor._storage
            and self._offset == tensor._offset
            and self._size == tensor._size
            and self._stride == tensor._stride
        )

    def is_shared(self) -> bool:
        """Whether the storage is in shared memory, in a file or on a GPU, where other processes may see it."""
        return self._storage.is_shared()

    def share_memory_(self) -> Tensor:
        """Move the storage into shared memory, if it is the CPU's and not there yet. Not resizable from then on."""
        self.untyped_storage().share_memory_()
        return self

    def _is_view(self) -> bool:
        return self._base is not None

    # --- values, as Python sees them -------------------------------------------------------------------------------

    def item(self) -> Any:
        """The only element, as a Python number."""
        array = self._array
        if array is not None and array.size == 1 and self._storage.device is CPU and not self._conj:
            return array.item()
        if self.numel() != 1:
            raise explained(
                RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar"),
                f"item() is for tensors of one element; this one has size {list(self._size)}. "
                "tolist() converts them all.",
            )
        if self._storage.device is META:
            raise explained(
                RuntimeError("Tensor.item() cannot be called on meta tensors"),
                "A tensor on 'meta' has a size and a dtype, and no elements.",
            )
        return self._host_array().item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a plain number for a 0-dim tensor."""
        return self._host_array().tolist()

    def __len__(self) -> int:
        if not self._size:
            raise TypeError("len() of a 0-d tensor")
        return self._size[0]

    def __bool__(self) -> bool:
        if self.numel() != 1:
            many = "no values" if self.numel() == 0 else "more than one value"
            raise explained(
                RuntimeError(f"Boolean value of Tensor with {many} is ambiguous"),
                "Ask for one answer: (a == b).all(), .any(), or torch.equal(a, b).",
                "and, or, not and 1 < x < 4 want one answer, too; for each element write (1 < x) & (x < 4), ~x.",
                notebook="2/06 Questions masks and nan",
            )
        return bool(self.item())

    def __int__(self) -> int:
        return int(self._real_number("int64_t"))

    def __float__(self) -> float:
        number = float(self._real_number("double"))
        self._warn_of_lost_gradient()
        return number

    def __complex__(self) -> complex:
        number = complex(self._number())
        self._warn_of_lost_gradient()
        return number

    def _warn_of_lost_gradient(self) -> None:
        if self._meta is not None and self.requires_grad and is_grad_enabled():
            warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first."
            )

    def _number(self) -> Any:
        if self._size and self.numel() != 1:
            raise explained(
                ValueError("only one element tensors can be converted to Python scalars"),
                f"This one has size {list(self._size)}. tolist() converts all elements.",
            )
        return self.item()

    def _real_number(self, wanted: str) -> Any:
        number = self._number()
        if isinstance(number, complex):
            if number.imag:
                raise explained(
                    RuntimeError(f"value cannot be converted to type {wanted} without overflow"),
                    "The number has an imaginary part: take x.real.",
                )
            return number.real
        return number

    def __hash__(self) -> int:
        return id(self)

    def __index__(self) -> int:
        if self._dtype.category > INTEGER or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __format__(self, spec: str) -> str:
        if not self._size and type(self) is Tensor and self._storage.device is not META:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        return printing.tensor_repr(self, tensor_contents)

    # --- the array that a kernel needs -----------------------------------------------------------------------------

    @property
    def _backend(self) -> Backend:
        return self._storage.backend

    def _host_array(self) -> Array:
        """The elements as a NumPy array: this memory itself on the CPU, a copy from other devices."""
        return self._storage.backend.to_host(array_of(self))


def array_of(tensor: Tensor) -> Array:
    """The backend's array of a tensor's elements, for reading: a view of the storage, unless the conjugate bit is
    set.
    """
    array = raw_array(tensor)
    return tensor._storage.backend.launch(_conjugate, array) if tensor._conj else array


def _conjugate(xp: Any, array: Array) -> Array:
    return xp.conj(array)


def raw_array(tensor: Tensor) -> Array:
    """The array on the storage that a header describes, derived once and cached: in-place writes go to it."""
    array = tensor._array
    if array is None:
        storage, size, stride, offset, dtype = (
            tensor._storage, tensor._size, tensor._stride, tensor._offset, tensor._dtype,
        )  # fmt: skip
        # Whether there are gaps is worked out here, so that operators find it cached: their fast path needs it.
        nbytes, tensor._contiguous = geometry.reach(size, stride, offset, dtype.itemsize)
        if nbytes > storage._nbytes:
            raise _out_of_bounds(tensor)
        buffer = storage._buffer
        if buffer is None:
            buffer = storage.buffer
        array = tensor._array = storage.backend.array(buffer, dtype, size, stride, offset)
    return array


def header_of(tensor: Tensor) -> geometry.Header:
    """What `geometry` calculates with: (size, stride, offset)."""
    return tensor._size, tensor._stride, tensor._offset


def _out_of_bounds(tensor: Tensor) -> RuntimeError:
    """The error for reading beyond a storage that was shrunk under a tensor (PyTorch would read stray memory)."""
    needed = geometry.storage_nbytes(tensor._size, tensor._stride, tensor._offset, tensor._dtype.itemsize)
    return explained(
        RuntimeError(
            f"setStorage: sizes {list(tensor._size)}, strides {list(tensor._stride)}, storage offset "
            f"{tensor._offset}, and itemsize {tensor._dtype.itemsize} requiring a storage size of {needed} are out "
            f"of bounds for storage of size {tensor._storage.nbytes()}"
        ),
        "The storage was resized under this tensor: its header still describes the old length. "
        f"untyped_storage().resize_({needed}) makes room for it again; bytes that were cut off are lost.",
        notebook="1/09 The storage object",
    )
