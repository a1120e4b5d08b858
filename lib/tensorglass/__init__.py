"""tensorglass: a PyTorch-compatible tensor library that you can see through.

``import tensorglass as torch`` runs code about tensors, storages, views and indexing, on NumPy alone.
"""

from tensorglass.bootstrap import requirements  # first, since it checks the versions of Python and NumPy

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
from tensorglass.backends.settings import (
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
    legacy_contiguous_format,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
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
from tensorglass.storage.storage import UntypedStorage
from tensorglass.storage.typed_storage import (
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
    TypedStorage,
)
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
from tensorglass.version import __version__

importing.answer_to_torch()
tensor_fields.attach()
subclassing.attach()
autograd.attach()
globals().update(ops.attach())
namespaces.attach(sys.modules[__name__])
return_types = ops.return_types  #: the named tuples of operators with several results
sys.modules["tensorglass.return_types"] = return_types
newaxis = None  #: what adds a dimension in an index: ``x[:, newaxis]``

if TYPE_CHECKING:  # imported when first asked for
    from tensorglass import func, library, utils
    from tensorglass.func import vmap
    from tensorglass.serialization import load, save

_LAZY = {
    "_C": (),
    "_dynamo": (),
    "_inductor": (),
    "_jit_internal": (),
    "_tensor_str": (),
    "_utils": (
        "_assert",
        "_convert_indices_from_coo_to_csr",
        "_convert_indices_from_csr_to_coo",
        "get_device_module",
    ),
    "_vmap_internals": (),
    "accelerator": (),
    "amp": (),
    "amp.autocast_mode": ("autocast",),
    "amp.settings": (
        "autocast_decrement_nesting",
        "autocast_increment_nesting",
        "clear_autocast_cache",
        "get_autocast_cpu_dtype",
        "get_autocast_dtype",
        "get_autocast_gpu_dtype",
        "is_autocast_cache_enabled",
        "is_autocast_cpu_enabled",
        "is_autocast_enabled",
        "set_autocast_cache_enabled",
        "set_autocast_cpu_dtype",
        "set_autocast_cpu_enabled",
        "set_autocast_dtype",
        "set_autocast_gpu_dtype",
        "set_autocast_enabled",
    ),
    "ao": (),
    "array_api": (),
    "compiler": (),
    "compiler.compiling": ("_disable_dynamo", "compile"),
    "cpu": (),
    "cuda": (),
    "distributed": (),
    "distributions": (),
    "distributions.gamma_family": ("_standard_gamma",),
    "extending": (),
    "func": ("vmap",),
    "futures": (),
    "fx": (),
    "hub": (),
    "jit": (),
    "library": (),
    "masked": (),
    "mps": (),
    "multiprocessing": (),
    "nn": (),
    "nn.native_functions": (
        "_softmax_backward_data",
        "alpha_dropout",
        "alpha_dropout_",
        "binary_cross_entropy_with_logits",
        "celu",
        "cosine_embedding_loss",
        "ctc_loss",
        "dropout",
        "dropout_",
        "embedding",
        "feature_alpha_dropout",
        "feature_alpha_dropout_",
        "feature_dropout",
        "feature_dropout_",
        "hinge_embedding_loss",
        "kl_div",
        "margin_ranking_loss",
        "poisson_nll_loss",
        "rrelu",
        "selu",
        "triplet_margin_loss",
    ),
    "nn.recurrence": (
        "gru",
        "gru_cell",
        "lstm",
        "lstm_cell",
        "rnn_relu",
        "rnn_relu_cell",
        "rnn_tanh",
        "rnn_tanh_cell",
    ),
    "__config__": (),
    "functional": (),
    "nn.functional": ("bilinear", "celu_", "prelu", "rrelu_", "selu_"),
    "onnx": (),
    "optim": (),
    "overrides": (),
    "profiler": (),
    "quasirandom": (),
    "serialization": ("load", "save"),
    "sim": (),
    "tensor.conditions": (
        "_assert_async",
        "_check",
        "_check_index",
        "_check_is_size",
        "_check_not_implemented",
        "_check_tensor_all",
        "_check_type",
        "_check_value",
        "_check_with",
    ),
    "testing": (),
    "torch_version": (),
    "transfers": (),
    "types": (),
    "utils": (),
    "version": (),
    "xpu": (),
}
_also = [
    "Storage",
    "amp",
    "ao",
    "autocast",
    "compile",
    "compiler",
    "distributions",
    "func",
    "futures",
    "hub",
    "jit",
    "library",
    "load",
    "masked",
    "nn",
    "optim",
    "profiler",
    "quasirandom",
    "save",
    "utils",
]
_also += ["vmap", *(name for home, names in _LAZY.items() if home.startswith(("nn.", "amp.")) for name in names)]
_look, __dir__ = namespaces.answering(globals(), also=_also)
_fetch = fetching(globals(), _LAZY, _look)


def __getattr__(name: str) -> Any:
    if name == "Storage":
        from tensorglass.storage.typed_storage import OLD_CLASSES

        return OLD_CLASSES[get_default_dtype()]
    if name == "torch":  # programs write `from torch import torch`
        return sys.modules[__name__]
    if name in ("has_cuda", "has_cudnn", "has_mkldnn", "has_mps"):
        from tensorglass.backends.built_with import is_built_with

        return is_built_with(name)
    from importlib import import_module

    from tensorglass.core.module_names import ELSEWHERE, ours

    if name in ELSEWHERE:
        return import_module(ours(f"torch.{name}"))
    if name.startswith("_foreach_") and hasattr(import_module("tensorglass.foreach"), name):
        return getattr(import_module("tensorglass.foreach"), name)
    if name[:1].isupper() and name in import_module("tensorglass.core.names_alone").names_of("_C"):
        return getattr(import_module("tensorglass._C"), name)
    return _fetch(name)


if "multiprocessing" in sys.modules:  # Python's own queues and pools then share tensors too
    __getattr__("multiprocessing")

# The namespace keeps PyTorch's names and the library's rooms.
del fetching, importing, namespaces, numpy_backend, requirements, subclassing
del tensor_fields
