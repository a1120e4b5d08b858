"""tensorglass: a PyTorch-compatible tensor library that one can see through.

``import tensorglass as torch`` runs code about tensors, storages, views and indexing, on NumPy alone.
"""

from tensorglass.bootstrap import requirements  # first: it says what to install if Python or NumPy will not do

# isort: split
import sys

from tensorglass.bootstrap import importing

with importing.garbage_collection_paused():  # most of the library
    if importing.has_shortcuts():
        from tensorglass import fast

        fast.install()  # before any operator is declared
    from tensorglass import ops

    ops.declare()
    from tensorglass import autograd, interop

# isort: split
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from tensorglass import backends, fft, linalg, memory, random, special
from tensorglass.backends import numpy_backend
from tensorglass.bootstrap import namespaces
from tensorglass.core.devices import device, get_default_device, set_default_device
from tensorglass.core.dtype_info import finfo, iinfo
from tensorglass.core.dtypes import (
    bfloat16,
    bool,
    can_cast,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype,
    float,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    short,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tensorglass.core.errors import OutOfMemoryError
from tensorglass.core.lazy_modules import fetching
from tensorglass.core.memory_format import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from tensorglass.core.size import Size
from tensorglass.graph import tensor_fields
from tensorglass.graph.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from tensorglass.interop.legacy_constructors import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from tensorglass.memory.settings import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled,
    set_default_tensor_type,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_flush_denormal,
    set_num_interop_threads,
    set_num_threads,
    set_warn_always,
    use_deterministic_algorithms,
)
from tensorglass.storage.legacy_storages import (
    BFloat16Storage,
    BoolStorage,
    ByteStorage,
    CharStorage,
    ComplexDoubleStorage,
    ComplexFloatStorage,
    DoubleStorage,
    FloatStorage,
    HalfStorage,
    IntStorage,
    LongStorage,
    ShortStorage,
)
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import TypedStorage
from tensorglass.tensor import subclassing
from tensorglass.tensor.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from tensorglass.tensor.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from tensorglass.tensor.printing import set_printoptions
from tensorglass.tensor.tensor import Tensor

__version__ = "0.1.0"

tensor_fields.attach()
subclassing.attach()
autograd.attach()
globals().update(ops.attach())
namespaces.attach(sys.modules[__name__])
return_types = ops.return_types  #: the named tuples of operators with several results
newaxis = None  #: what adds a dimension in an index: ``x[:, newaxis]``

if TYPE_CHECKING:  # imported when first asked for
    from tensorglass import func, library, utils
    from tensorglass.func import vmap
    from tensorglass.serialization import load, save

_LAZY = {
    "_C": (),
    "accelerator": (),
    "array_api": (),
    "tensor.check": (
        "_check",
        "_check_index",
        "_check_not_implemented",
        "_check_tensor_all",
        "_check_tensor_all_with",
        "_check_type",
        "_check_value",
        "_check_with",
    ),
    "cuda": (),
    "extending": (),
    "func": ("vmap",),
    "library": (),
    "multiprocessing": (),
    "overrides": (),
    "serialization": ("load", "save"),
    "signal": (),
    "sim": (),
    "testing": (),
    "transfers": (),
    "utils": (),
}
_also = ("Storage", "func", "library", "load", "save", "utils", "vmap")
_look, __dir__ = namespaces.answering(globals(), also=_also)
_fetch = fetching(globals(), _LAZY, _look)


def __getattr__(name: str) -> Any:
    if name == "Storage":
        from tensorglass.storage.legacy_storages import OLD_CLASSES

        return OLD_CLASSES[get_default_dtype()]
    return _fetch(name)


if "multiprocessing" in sys.modules:  # Python's own queues and pools then share tensors too
    __getattr__("multiprocessing")

# The namespace keeps PyTorch's names and the library's rooms.
del fetching, importing, namespaces, numpy_backend, requirements, subclassing
del tensor_fields
