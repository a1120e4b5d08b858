"""tensorglass: a PyTorch-compatible tensor library that you can see through.

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

from tensorglass.tensor.methods import _return_aminmax, _return_cummax, _return_cummin, _return_frexp, _return_geqrf, _return_histogram, _return_kthvalue, _return_linalg_cholesky_ex, _return_linalg_eig, _return_linalg_eigh, _return_linalg_inv_ex, _return_linalg_lstsq, _return_linalg_lu, _return_linalg_lu_factor, _return_linalg_lu_factor_ex, _return_linalg_qr, _return_linalg_slogdet, _return_linalg_solve_ex, _return_linalg_svd, _return_lu_unpack, _return_max, _return_median, _return_min, _return_mode, _return_nanmedian, _return_qr, _return_slogdet, _return_sort, _return_svd, _return_topk
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from tensorglass import _C as _C
from tensorglass import __config__ as __config__
from tensorglass import _dynamo as _dynamo
from tensorglass import _inductor as _inductor
from tensorglass import _jit_internal as _jit_internal
from tensorglass import _tensor_str as _tensor_str
from tensorglass import _vmap_internals as _vmap_internals
from tensorglass import accelerator as accelerator
from tensorglass import amp as amp
from tensorglass import ao as ao
from tensorglass import array_api as array_api
from tensorglass import autograd as autograd
from tensorglass import backends as backends
from tensorglass import compiler as compiler
from tensorglass import cpu as cpu
from tensorglass import cuda as cuda
from tensorglass import distributed as distributed
from tensorglass import distributions as distributions
from tensorglass import extending as extending
from tensorglass import fft as fft
from tensorglass import func as func
from tensorglass import functional as functional
from tensorglass import futures as futures
from tensorglass import fx as fx
from tensorglass import hub as hub
from tensorglass import interop as interop
from tensorglass import jit as jit
from tensorglass import library as library
from tensorglass import linalg as linalg
from tensorglass import masked as masked
from tensorglass import memory as memory
from tensorglass import mps as mps
from tensorglass import multiprocessing as multiprocessing
from tensorglass import nn as nn
from tensorglass import onnx as onnx
from tensorglass import ops as ops
from tensorglass import optim as optim
from tensorglass import overrides as overrides
from tensorglass import profiler as profiler
from tensorglass import quasirandom as quasirandom
from tensorglass import random as random
from tensorglass import sim as sim
from tensorglass import special as special
from tensorglass import testing as testing
from tensorglass import torch_version as torch_version
from tensorglass import transfers as transfers
from tensorglass import types as types
from tensorglass import utils as utils
from tensorglass import version as version
from tensorglass import xpu as xpu
from tensorglass.amp.autocast_mode import autocast as autocast
from tensorglass.amp.settings import autocast_decrement_nesting as autocast_decrement_nesting
from tensorglass.amp.settings import autocast_increment_nesting as autocast_increment_nesting
from tensorglass.amp.settings import clear_autocast_cache as clear_autocast_cache
from tensorglass.amp.settings import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from tensorglass.amp.settings import get_autocast_dtype as get_autocast_dtype
from tensorglass.amp.settings import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from tensorglass.amp.settings import is_autocast_cache_enabled as is_autocast_cache_enabled
from tensorglass.amp.settings import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from tensorglass.amp.settings import is_autocast_enabled as is_autocast_enabled
from tensorglass.amp.settings import set_autocast_cache_enabled as set_autocast_cache_enabled
from tensorglass.amp.settings import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from tensorglass.amp.settings import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from tensorglass.amp.settings import set_autocast_dtype as set_autocast_dtype
from tensorglass.amp.settings import set_autocast_enabled as set_autocast_enabled
from tensorglass.amp.settings import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from tensorglass.backends.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from tensorglass.backends.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from tensorglass.backends.settings import get_float32_matmul_precision as get_float32_matmul_precision
from tensorglass.backends.settings import get_num_interop_threads as get_num_interop_threads
from tensorglass.backends.settings import get_num_threads as get_num_threads
from tensorglass.backends.settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from tensorglass.backends.settings import is_warn_always_enabled as is_warn_always_enabled
from tensorglass.backends.settings import set_default_tensor_type as set_default_tensor_type
from tensorglass.backends.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from tensorglass.backends.settings import set_float32_matmul_precision as set_float32_matmul_precision
from tensorglass.backends.settings import set_flush_denormal as set_flush_denormal
from tensorglass.backends.settings import set_num_interop_threads as set_num_interop_threads
from tensorglass.backends.settings import set_num_threads as set_num_threads
from tensorglass.backends.settings import set_warn_always as set_warn_always
from tensorglass.backends.settings import use_deterministic_algorithms as use_deterministic_algorithms
from tensorglass.compiler.compiling import compile as compile
from tensorglass.core.devices import device as device
from tensorglass.core.devices import get_default_device as get_default_device
from tensorglass.core.devices import set_default_device as set_default_device
from tensorglass.core.dtype_info import finfo as finfo
from tensorglass.core.dtype_info import iinfo as iinfo
from tensorglass.core.dtypes import bfloat16 as bfloat16
from tensorglass.core.dtypes import bool as bool
from tensorglass.core.dtypes import can_cast as can_cast
from tensorglass.core.dtypes import cdouble as cdouble
from tensorglass.core.dtypes import cfloat as cfloat
from tensorglass.core.dtypes import complex128 as complex128
from tensorglass.core.dtypes import complex64 as complex64
from tensorglass.core.dtypes import double as double
from tensorglass.core.dtypes import dtype as dtype
from tensorglass.core.dtypes import float as float
from tensorglass.core.dtypes import float16 as float16
from tensorglass.core.dtypes import float32 as float32
from tensorglass.core.dtypes import float64 as float64
from tensorglass.core.dtypes import get_default_dtype as get_default_dtype
from tensorglass.core.dtypes import half as half
from tensorglass.core.dtypes import int as int
from tensorglass.core.dtypes import int16 as int16
from tensorglass.core.dtypes import int32 as int32
from tensorglass.core.dtypes import int64 as int64
from tensorglass.core.dtypes import int8 as int8
from tensorglass.core.dtypes import long as long
from tensorglass.core.dtypes import promote_types as promote_types
from tensorglass.core.dtypes import set_default_dtype as set_default_dtype
from tensorglass.core.dtypes import short as short
from tensorglass.core.dtypes import uint16 as uint16
from tensorglass.core.dtypes import uint32 as uint32
from tensorglass.core.dtypes import uint64 as uint64
from tensorglass.core.dtypes import uint8 as uint8
from tensorglass.core.errors import OutOfMemoryError as OutOfMemoryError
from tensorglass.core.memory_format import channels_last as channels_last
from tensorglass.core.memory_format import channels_last_3d as channels_last_3d
from tensorglass.core.memory_format import contiguous_format as contiguous_format
from tensorglass.core.memory_format import layout as layout
from tensorglass.core.memory_format import legacy_contiguous_format as legacy_contiguous_format
from tensorglass.core.memory_format import memory_format as memory_format
from tensorglass.core.memory_format import preserve_format as preserve_format
from tensorglass.core.memory_format import sparse_bsc as sparse_bsc
from tensorglass.core.memory_format import sparse_bsr as sparse_bsr
from tensorglass.core.memory_format import sparse_coo as sparse_coo
from tensorglass.core.memory_format import sparse_csc as sparse_csc
from tensorglass.core.memory_format import sparse_csr as sparse_csr
from tensorglass.core.memory_format import strided as strided
from tensorglass.core.size import Size as Size
from tensorglass.func import vmap as vmap
from tensorglass.graph.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from tensorglass.graph.anomaly import is_anomaly_enabled as is_anomaly_enabled
from tensorglass.interop.legacy_constructors import BFloat16Tensor as BFloat16Tensor
from tensorglass.interop.legacy_constructors import BoolTensor as BoolTensor
from tensorglass.interop.legacy_constructors import ByteTensor as ByteTensor
from tensorglass.interop.legacy_constructors import CharTensor as CharTensor
from tensorglass.interop.legacy_constructors import DoubleTensor as DoubleTensor
from tensorglass.interop.legacy_constructors import FloatTensor as FloatTensor
from tensorglass.interop.legacy_constructors import HalfTensor as HalfTensor
from tensorglass.interop.legacy_constructors import IntTensor as IntTensor
from tensorglass.interop.legacy_constructors import LongTensor as LongTensor
from tensorglass.interop.legacy_constructors import ShortTensor as ShortTensor
from tensorglass.nn.functional import bilinear as bilinear
from tensorglass.nn.functional import celu_ as celu_
from tensorglass.nn.functional import prelu as prelu
from tensorglass.nn.functional import rrelu_ as rrelu_
from tensorglass.nn.functional import selu_ as selu_
from tensorglass.nn.native_functions import _softmax_backward_data as _softmax_backward_data
from tensorglass.nn.native_functions import alpha_dropout as alpha_dropout
from tensorglass.nn.native_functions import alpha_dropout_ as alpha_dropout_
from tensorglass.nn.native_functions import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from tensorglass.nn.native_functions import celu as celu
from tensorglass.nn.native_functions import cosine_embedding_loss as cosine_embedding_loss
from tensorglass.nn.native_functions import ctc_loss as ctc_loss
from tensorglass.nn.native_functions import dropout as dropout
from tensorglass.nn.native_functions import dropout_ as dropout_
from tensorglass.nn.native_functions import embedding as embedding
from tensorglass.nn.native_functions import feature_alpha_dropout as feature_alpha_dropout
from tensorglass.nn.native_functions import feature_alpha_dropout_ as feature_alpha_dropout_
from tensorglass.nn.native_functions import feature_dropout as feature_dropout
from tensorglass.nn.native_functions import feature_dropout_ as feature_dropout_
from tensorglass.nn.native_functions import hinge_embedding_loss as hinge_embedding_loss
from tensorglass.nn.native_functions import kl_div as kl_div
from tensorglass.nn.native_functions import margin_ranking_loss as margin_ranking_loss
from tensorglass.nn.native_functions import poisson_nll_loss as poisson_nll_loss
from tensorglass.nn.native_functions import rrelu as rrelu
from tensorglass.nn.native_functions import selu as selu
from tensorglass.nn.native_functions import triplet_margin_loss as triplet_margin_loss
from tensorglass.nn.recurrence import gru as gru
from tensorglass.nn.recurrence import gru_cell as gru_cell
from tensorglass.nn.recurrence import lstm as lstm
from tensorglass.nn.recurrence import lstm_cell as lstm_cell
from tensorglass.nn.recurrence import rnn_relu as rnn_relu
from tensorglass.nn.recurrence import rnn_relu_cell as rnn_relu_cell
from tensorglass.nn.recurrence import rnn_tanh as rnn_tanh
from tensorglass.nn.recurrence import rnn_tanh_cell as rnn_tanh_cell
from tensorglass.serialization import load as load
from tensorglass.serialization import save as save
from tensorglass.storage.storage import UntypedStorage as UntypedStorage
from tensorglass.storage.typed_storage import BFloat16Storage as BFloat16Storage
from tensorglass.storage.typed_storage import BoolStorage as BoolStorage
from tensorglass.storage.typed_storage import ByteStorage as ByteStorage
from tensorglass.storage.typed_storage import CharStorage as CharStorage
from tensorglass.storage.typed_storage import ComplexDoubleStorage as ComplexDoubleStorage
from tensorglass.storage.typed_storage import ComplexFloatStorage as ComplexFloatStorage
from tensorglass.storage.typed_storage import DoubleStorage as DoubleStorage
from tensorglass.storage.typed_storage import FloatStorage as FloatStorage
from tensorglass.storage.typed_storage import HalfStorage as HalfStorage
from tensorglass.storage.typed_storage import IntStorage as IntStorage
from tensorglass.storage.typed_storage import LongStorage as LongStorage
from tensorglass.storage.typed_storage import ShortStorage as ShortStorage
from tensorglass.storage.typed_storage import TypedStorage as TypedStorage
from tensorglass.tensor.generator import Generator as Generator
from tensorglass.tensor.generator import default_generator as default_generator
from tensorglass.tensor.generator import get_rng_state as get_rng_state
from tensorglass.tensor.generator import initial_seed as initial_seed
from tensorglass.tensor.generator import manual_seed as manual_seed
from tensorglass.tensor.generator import seed as seed
from tensorglass.tensor.generator import set_rng_state as set_rng_state
from tensorglass.tensor.grad_mode import enable_grad as enable_grad
from tensorglass.tensor.grad_mode import inference_mode as inference_mode
from tensorglass.tensor.grad_mode import is_grad_enabled as is_grad_enabled
from tensorglass.tensor.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from tensorglass.tensor.grad_mode import no_grad as no_grad
from tensorglass.tensor.grad_mode import set_grad_enabled as set_grad_enabled
from tensorglass.tensor.printing import set_printoptions as set_printoptions
from tensorglass.tensor.tensor import Tensor as Tensor
from tensorglass.version import __version__ as __version__
from tensorglass.ao import quantization as quantization

newaxis: None
Storage: Any
from tensorglass.ops.declare import return_types as return_types

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value; of a complex number its length, a real number."""

def abs_(input: Tensor) -> Tensor:
    """The absolute value; of a complex number its length, a real number."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value; of a complex number its length, a real number."""

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is each element."""

def acos_(input: Tensor) -> Tensor:
    """The angle whose cosine is each element."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `cosh`."""

def acosh_(input: Tensor) -> Tensor:
    """The inverse of `cosh`."""

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The mean of each of `output_size` parts of signals: (N, C, L) → (N, C, L'), or the same without N."""

def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> tuple[Tensor, Tensor]:
    """The largest element of each of `output_size` parts of signals, and which cell it is: (N, C, L) → (N, C, L')."""

def add(
    input: Tensor | _complex, other: Tensor | _complex, *, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``input + alpha * other``."""

def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _complex = 1, alpha: _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2).sum(0)``. With a `beta` of 0 `input` is not read."""

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``input + value * tensor1 / tensor2``."""

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``input + value * tensor1 * tensor2``."""

def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _complex = 1, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``. With a `beta` of 0 `input` is not read."""

def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _complex = 1, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``. With a `beta` of 0 `input` is not read."""

def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _complex = 1, alpha: _complex = 1) -> Tensor:
    """`addmv`, written to `input`."""

def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _complex = 1, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``, in the dtype that the three have in common."""

def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped and the elements conjugated."""

def affine_grid_generator(theta: Tensor, size: Sequence[_int], align_corners: _bool) -> Tensor:
    """The grid at which `grid_sampler` maps an image by `theta`, (N, 2, 3), to `size`, (N, C, H, W): (N, H, W, 2)."""

def all(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
) -> Tensor:
    """Whether every element is nonzero, over dimensions `dim` or over all."""

def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False,
) -> _bool:
    """Whether all elements are close, as `isclose` has it. Both tensors must have the same dtype."""

def amax(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
) -> Tensor:
    """The largest element over dimensions `dim`, or over all; NaN if there is one."""

def amin(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
) -> Tensor:
    """The smallest element over dimensions `dim`, or over all; NaN if there is one."""

def aminmax(
    input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: tuple[Tensor, Tensor] | None = None,
) -> _return_aminmax:
    """The smallest and the largest element, along `dim` or of all."""

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of each complex number in the plane, in radians; for real numbers 0, or pi where they are negative."""

def any(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
) -> Tensor:
    """Whether some element is nonzero, over dimensions `dim` or over all."""

def arange(
    start: Any = None, end: Any = None, step: Any = 1, *, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """The numbers from `start` (0 unless given) up to but not including `end`, `step` apart."""

def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is each element."""

def arccos_(input: Tensor) -> Tensor:
    """The angle whose cosine is each element."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `cosh`."""

def arccosh_(input: Tensor) -> Tensor:
    """The inverse of `cosh`."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is each element."""

def arcsin_(input: Tensor) -> Tensor:
    """The angle whose sine is each element."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `sinh`."""

def arcsinh_(input: Tensor) -> Tensor:
    """The inverse of `sinh`."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is each element."""

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (`other`, `input`)."""

def arctan_(input: Tensor) -> Tensor:
    """The angle whose tangent is each element."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `tanh`."""

def arctanh_(input: Tensor) -> Tensor:
    """The inverse of `tanh`."""

def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The position of the largest element along `dim`, or among all elements in order; the first of equals."""

def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The position of the smallest element along `dim`, or among all elements in order; the first of equals."""

def argsort(
    input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = None, out: Tensor | None = None,
) -> Tensor:
    """The positions of the elements in order along `dim`. Equals keep their order, `stable` or not."""

def argwhere(input: Tensor) -> Tensor:
    """The positions of the elements that are not 0, one row each."""

def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None,
) -> Tensor:
    """A view with the given header on `input`'s storage, if it stays within the storage."""

def as_strided_(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None,
) -> Tensor:
    """`as_strided` in place: gives this tensor the header that the view would have."""

def as_tensor(data: Any, *, dtype: _dtype | None = None, device: _device | str | None = None) -> Tensor:
    """`data` as a tensor, sharing the memory of tensors and arrays where dtype and device allow."""

def asarray(
    obj: Any, *, dtype: _dtype | None = None, device: _device | str | None = None, copy: _bool | None = None,
    requires_grad: _bool | None = None,
) -> Tensor:
    """`obj` as a tensor. `copy` True always copies, False refuses to, None copies where nothing else will do."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is each element."""

def asin_(input: Tensor) -> Tensor:
    """The angle whose sine is each element."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `sinh`."""

def asinh_(input: Tensor) -> Tensor:
    """The inverse of `sinh`."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is each element."""

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (`other`, `input`)."""

def atan_(input: Tensor) -> Tensor:
    """The angle whose tangent is each element."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `tanh`."""

def atanh_(input: Tensor) -> Tensor:
    """The inverse of `tanh`."""

def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension; a tuple if several are given."""

def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions; a vector becomes a row."""

def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions."""

def avg_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True,
) -> Tensor:
    """The mean of each window of signals: (N, C, L) → (N, C, L'), or the same without N."""

def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _complex = 1, alpha: _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, pair by pair. With a `beta` of 0 `input` is not read."""

def bartlett_window(
    window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A window that rises and falls in straight lines."""

def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool,
) -> Tensor:
    """Each channel of (N, C, …) normalized: in training by its own mean and variance, else by the running ones."""

def bernoulli(
    input: Tensor, p: _float | None = None, *, generator: _Generator | None = None, out: Tensor | None = None,
) -> Tensor:
    """Ones, each by the chance in its place in `input` (or by chance `p`, if that is given), and zeros."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each of 0, 1, 2, … occurs in a vector, or the sum of its `weights`; at least `minlength` of them."""

def binomial(count: Tensor, prob: Tensor, generator: _Generator | None = None) -> Tensor:
    """How many of `count` tries succeed, each by chance `prob`: integers in the dtype of both."""

def bitwise_and(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input & other``."""

def bitwise_left_shift(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input << other``."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``~input``: every bit flipped; for bool, the negation."""

def bitwise_or(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input | other``."""

def bitwise_right_shift(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input >> other``."""

def bitwise_xor(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input ^ other``."""

def blackman_window(
    window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A window of two cosines, flatter at its ends than `hann_window`."""

def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices one after the other on the diagonal of a larger one, zero elsewhere; a vector is a row."""

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices, pair by pair."""

def broadcast_shapes(*shapes: Any) -> _Size:
    """The size at which tensors of these sizes meet."""

def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Every tensor expanded to their common broadcast size."""

def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor:
    """`input.expand(size)`."""

def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """The number of the bucket that each element falls into: `searchsorted` of sorted, one-dimensional `boundaries`."""

def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every choice of one element of each vector, one row each; a single vector as it is."""

def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`, in a new storage; their other sizes must be equal."""

def cdist(x1: Tensor, x2: Tensor, p: _float = 2.0, compute_mode: str = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distance of order `p` between each vector of `x1` and each of `x2`: (…, P, M), (…, R, M) → (…, P, R)."""

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer not below each element."""

def ceil_(input: Tensor) -> Tensor:
    """The smallest integer not below each element."""

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """The channels of (N, C, …), in `groups`, dealt out: the first of each, then the second of each, … (ShuffleNet)."""

def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The lower triangular factor, or the upper one, as `linalg.cholesky` gives it."""

def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the matrix whose Cholesky factor `input` is, the upper one if `upper`."""

def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The `X` for which ``A @ X == input``, of the `A` whose Cholesky factor `input2` is, the upper one if `upper`."""

def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along `dim`, the last perhaps smaller."""

def clamp(
    input: Tensor, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

def clamp_(input: Tensor, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None) -> Tensor:
    """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

def clamp_max(input: Tensor, max: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """Each element, or `max` if it is more."""

def clamp_max_(input: Tensor, max: Tensor | _complex) -> Tensor:
    """Each element, or `max` if it is more."""

def clamp_min(input: Tensor, min: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """Each element, or `min` if it is less."""

def clamp_min_(input: Tensor, min: Tensor | _complex) -> Tensor:
    """Each element, or `min` if it is less."""

def clip(
    input: Tensor, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

def clip_(input: Tensor, min: Tensor | _complex | None = None, max: Tensor | _complex | None = None) -> Tensor:
    """Each element, bounded by `min` below and `max` above; either may be left out, but not both."""

def clone(input: Tensor, *, memory_format: _memory_format | None = ...) -> Tensor:
    """A copy with a storage of its own. Its strides follow `input`'s where that is dense."""

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 1, with vectors as columns."""

def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, in the order in which they stand, one row each."""

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``real + imag * 1j``, of tensors of one floating-point dtype, which are broadcast."""

def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`, in a new storage; their other sizes must be equal."""

def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors one after the other along `dim`, in a new storage; their other sizes must be equal."""

def conj(input: Tensor) -> Tensor:
    """The conjugates: a view whose elements are conjugated when they are read. A real tensor itself."""

def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The conjugates, computed into new memory, unlike `conj`, which is a view; for real numbers `input`."""

def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical`, written to `input`."""

def constant_pad_nd(input: Tensor, pad: Sequence[_int], value: Any = 0) -> Tensor:
    """The tensor with `value` around it. `pad` holds how many positions come before and after, from the last
    dimension on; a negative number takes positions away."""

def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """The convolution of signals: (N, C, L), (O, C/groups, K) → (N, O, L'), or the same without N."""

def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """The convolution of images: (N, C, H, W), (O, C/groups, K, K) → (N, O, H', W'). See `conv1d`."""

def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """The convolution of volumes: (N, C, D, H, W), (O, C/groups, K, K, K) → (N, O, D', H', W'). See `conv1d`."""

def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The gradient of a convolution for its input, as an operator: (N, C, L), (C, O/groups, K) → (N, O, L')."""

def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The same of images: (N, C, H, W), (C, O/groups, K, K) → (N, O, H', W'). See `conv_transpose1d`."""

def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The same of volumes: (N, C, D, H, W), (C, O/groups, K, K, K) → (N, O, D', H', W'). See `conv_transpose1d`."""

def convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[_int], padding: Sequence[_int],
    dilation: Sequence[_int], transposed: _bool, output_padding: Sequence[_int], groups: _int,
) -> Tensor:
    """The general convolution, which `conv2d`, `conv_transpose2d` and their siblings call."""

def copysign(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of `input` with the sign of `other`."""

def corrcoef(input: Tensor) -> Tensor:
    """The correlations of the rows: their covariances, divided by both deviations."""

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of an angle in radians."""

def cos_(input: Tensor) -> Tensor:
    """The cosine of an angle in radians."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine."""

def cosh_(input: Tensor) -> Tensor:
    """The hyperbolic cosine."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors that lie along `dim`: 1 where they point the same way, 0 at right
    angles."""

def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """How many elements are nonzero, over dimensions `dim` or over all."""

def cov(
    input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of the rows, each of which holds one variable's observations."""

def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross products of the vectors along `dim`, or along the first dimension of three elements."""

def cummax(input: Tensor, dim: _int, *, out: tuple[Tensor, Tensor] | list[Tensor] | None = None) -> _return_cummax:
    """The largest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the largest."""

def cummin(input: Tensor, dim: _int, *, out: tuple[Tensor, Tensor] | list[Tensor] | None = None) -> _return_cummin:
    """The smallest element up to each, along `dim`, and where it stands: of equals, the last. NaN is the smallest."""

def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The products of the elements up to each, along `dim`. Integers are multiplied as int64."""

def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sums of the elements up to each, along `dim`. Integers are added as int64."""

def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: _int = -1) -> Tensor:
    """The integral along `dim` up to each point but the first, by the trapezoid rule."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """An angle in degrees as one in radians."""

def deg2rad_(input: Tensor) -> Tensor:
    """An angle in degrees as one in radians."""

def det(input: Tensor) -> Tensor:
    """The determinant of a matrix, or of each in a batch."""

def detach(input: Tensor) -> Tensor:
    """The same elements without a history: shares storage and version counter, and is not a view for autograd."""

def detach_(input: Tensor) -> Tensor:
    """Cut the tensor off from the graph: it becomes a leaf that requires no gradient."""

def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The matrix that has a vector on its diagonal, or a copy of a matrix's diagonal."""

def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """The last dimension laid on the diagonal of two new dimensions, `dim1` and `dim2`; zero elsewhere."""

def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """The matrix that has all elements of `input`, in order, on its diagonal."""

def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """The diagonal of dimensions `dim1` and `dim2` as a new last dimension: its stride is the sum of theirs."""

def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """A copy with `src` where ``diagonal(offset, dim1, dim2)`` looks."""

def diff(
    input: Tensor, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """The differences of neighbours along `dim`, taken `n` times; `prepend` and `append` are joined to it before."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`."""

def dist(input: Tensor, other: Tensor, p: _float = 2) -> Tensor:
    """The norm of order `p` of the difference."""

def div(
    input: Tensor | _complex, other: Tensor | _complex, *, rounding_mode: str | None = None, out: Tensor | None = None,
) -> Tensor:
    """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

def divide(
    input: Tensor | _complex, other: Tensor | _complex, *, rounding_mode: str | None = None, out: Tensor | None = None,
) -> Tensor:
    """``input / other``; with `rounding_mode` "floor" or "trunc" the quotient is rounded down or towards zero."""

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements."""

def dsplit(input: Tensor, indices_or_sections: Any, /) -> tuple[Tensor, ...]:
    """`tensor_split` along dimension 2; sections must be equal."""

def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 2."""

def einsum(*args: Any) -> Tensor:
    """The products of the operands' elements, summed: ``einsum("ij,jk->ik", a, b)`` is the matrix product."""

def empty(
    *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, out: Tensor | None = None,
    memory_format: Any = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A tensor whose elements are whatever its new memory happens to hold."""

def empty_like(
    input: Tensor, *, memory_format: Any = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """An uninitialized tensor with the size, dtype, device and order of dimensions of `input`."""

def empty_strided(
    size: Sequence[_int] | None, stride: Any, *, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """An uninitialized tensor of these strides; its storage reaches exactly to its last element."""

def eq(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input == other``."""

def equal(input: Tensor, other: Tensor) -> _bool:
    """Whether both tensors have the same size and the same elements."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""

def erf_(input: Tensor) -> Tensor:
    """The error function: the part of a normal distribution of variance 1/2 between -`input` and `input`."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(input)``, exact where that is small."""

def erfc_(input: Tensor) -> Tensor:
    """``1 - erf(input)``, exact where that is small."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function is `input`; infinite for -1 and 1, NaN beyond."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of each element."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""

def exp2_(input: Tensor) -> Tensor:
    """2 to the power of each element."""

def exp_(input: Tensor) -> Tensor:
    """e to the power of each element."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input) - 1``, accurate for small elements."""

def expm1_(input: Tensor) -> Tensor:
    """``exp(input) - 1``, accurate for small elements."""

def eye(
    n: SupportsIndex, m: _int | None = None, *, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """The identity: an n×m matrix (m is n unless given) with ones on the diagonal."""

def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a 0-dim tensor."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integer part of each element."""

def fix_(input: Tensor) -> Tensor:
    """The integer part of each element."""

def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one. `input` itself if that is a single dimension; else as `reshape`."""

def flip(input: Tensor, *dims: _int | Sequence[_int]) -> Tensor:
    """The elements in reverse order along `dims`. A copy: PyTorch's strides are never negative."""

def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""

def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""

def float_power(input: Tensor | _complex, exponent: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input ** exponent`` in double precision, whatever the operands are."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer not above each element."""

def floor_(input: Tensor) -> Tensor:
    """The largest integer not above each element."""

def floor_divide(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input // other``: the quotient rounded down."""

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two elements; if one is NaN, the other."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two elements; if one is NaN, the other."""

def fmod(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """The remainder of a division rounded towards zero: it has the sign of `input`, like C's ``fmod``."""

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The fractional part of each element: what `trunc` drops."""

def frac_(input: Tensor) -> Tensor:
    """The fractional part of each element: what `trunc` drops."""

def frexp(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> _return_frexp:
    """Each element as ``mantissa * 2**exponent``: a mantissa from 0.5 up to 1, or 0, and an int32 exponent."""

def from_dlpack(ext_tensor: Any, *, device: _device | str | None = None, copy: _bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array, which offers it by the DLPack protocol."""

def from_file(
    filename: str, shared: _bool | None = None, size: _int | None = 0, *, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """A 1-dim tensor of the first `size` elements of a file."""

def from_numpy(ndarray: ndarray[Any, Any]) -> Tensor:
    """A tensor on the array's own memory: what is written to one shows in the other."""

def frombuffer(
    buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False,
) -> Tensor:
    """A 1-dim tensor on the memory of a bytearray or its like: `count` elements from byte `offset` on (-1: all)."""

def full(
    size: Sequence[_int] | None, fill_value: Any, *, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """A tensor whose elements all are `fill_value`, whose type gives the dtype: 3 int64, 3.0 the default dtype."""

def full_like(
    input: Tensor, fill_value: Any, *, memory_format: Any = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """`fill_value` everywhere, with the size, dtype, device and order of dimensions of `input`."""

def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """For each element of `index`, the element of `input` at the same place, except that its position along `dim` is
    the index."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor of two integers."""

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor of two integers."""

def ge(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``."""

def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _return_geqrf:
    """QR's factors as LAPACK has them: `R`, below it the vectors of the reflections in `Q`, and their factors."""

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of each element of one vector with each of another: a matrix."""

def get_device(input: Tensor) -> _int:
    """The index of the accelerator that the tensor is on; -1 for the CPU."""

def gradient(
    input: Tensor, *, spacing: Any = None, dim: _int | Sequence[_int] | None = None, edge_order: _int = 1,
) -> tuple[Tensor, ...]:
    """The slopes along each of the dimensions `dim`, from the differences of each element's neighbours."""

def greater(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input > other``."""

def greater_equal(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``."""

def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool,
) -> Tensor:
    """(N, C, *lengths) read at the positions of (N, *counts, dimensions), from -1 to 1: (N, C, *counts)."""

def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool,
) -> Tensor:
    """`grid_sampler` of images."""

def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool,
) -> Tensor:
    """`grid_sampler` of volumes."""

def group_norm(
    input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """Each of `num_groups` groups of channels of each input of (N, C, …) normalized by itself."""

def gt(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input > other``."""

def hamming_window(
    window_length: _int, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *,
    dtype: _dtype | None = None, layout: _layout | None = ..., device: _device | str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A window of one wave of a cosine of height `beta` about `alpha`, which does not reach 0."""

def hann_window(
    window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A window of one wave of a cosine, from 0 to 1 and back."""

def hardshrink(input: Tensor, lambd: _complex = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Each element, but 0 where it lies between ``-lambd`` and `lambd`."""

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 for negative elements, 1 for positive ones, and the elements of `values` where `input` is 0."""

def histc(input: Tensor, bins: _int = 100, min: _float = 0, max: _float = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements fall into each of `bins` equal bins between `min` and `max`, or from the least to the
    largest."""

def histogram(
    input: Tensor, bins: Any = 100, *, range: Sequence[_float] | None = None, weight: Tensor | None = None,
    density: _bool = False, out: tuple[Tensor, Tensor] | None = None,
) -> _return_histogram:
    """How many elements fall into each bin, and the bins' edges: a number of equal bins, or a tensor of edges."""

def hsplit(input: Tensor, indices_or_sections: Any, /) -> tuple[Tensor, ...]:
    """`tensor_split` along dimension 1, or 0 for a vector; sections must be equal."""

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 1; vectors along dimension 0."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sqrt(input**2 + other**2)`` without overflow in between."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""

def i0_(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized lower incomplete gamma function: the part of the gamma integral of `input` below `other`."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The part of the gamma function's integral for `input` that lies above `other`: ``1 - igamma(input, other)``."""

def imag(input: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor."""

def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """A copy with the slices of `source`, times `alpha`, added at `index` of `dim`."""

def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy with the slices of `source` at positions `index` of `dim`."""

def index_fill(input: Tensor, dim: _int, index: Tensor, value: Any) -> Tensor:
    """A copy with `value` at positions `index` of `dim`."""

def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy with `values` written, or added, where the tensors `indices` say."""

def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy with `values` written, or added, where the tensors `indices` say."""

def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices of `input` at the positions `index`, a vector, of dimension `dim`: a copy."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimension of both, for all pairs of leading dimensions; a number scales."""

def instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    use_input_stats: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool,
) -> Tensor:
    """Each channel of each input of (N, C, …) normalized by itself: batch norm of N·C channels of one input."""

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a matrix, `linalg.inv`."""

def is_complex(input: Tensor) -> _bool:
    """Whether the dtype is a complex one."""

def is_conj(input: Tensor) -> _bool:
    """Whether the elements are conjugated when they are read."""

def is_floating_point(input: Tensor) -> _bool:
    """Whether the dtype is a floating-point one."""

def is_inference(input: Tensor) -> _bool:
    """Whether the tensor was made in inference mode."""

def is_neg(input: Tensor) -> _bool:
    """Whether the elements are negated when they are read. Those of tensorglass never are."""

def is_nonzero(input: Tensor) -> _bool:
    """Whether a tensor of one element is nonzero."""

def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """Whether both tensors have the same size."""

def is_signed(input: Tensor) -> _bool:
    """Whether the dtype has negative numbers."""

def is_storage(obj: Any) -> _bool:
    """Whether `obj` is a storage, typed or untyped."""

def is_tensor(obj: Any) -> _bool:
    """Whether `obj` is a tensor."""

def isclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False,
) -> Tensor:
    """Whether elements differ by at most ``atol + rtol * |other|``."""

def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor NaN."""

def isin(
    elements: Any, test_elements: Any, *, assume_unique: _bool = False, invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether each of `elements` is among `test_elements`; with `invert`, whether it is not."""

def isinf(input: Tensor) -> Tensor:
    """Whether each element is infinite; for complex elements, whether a part is."""

def isnan(input: Tensor) -> Tensor:
    """Whether each element is not a number."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is negative infinity."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is positive infinity."""

def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part of each element is 0."""

def istft(
    input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None,
    window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None,
    length: _int | None = None, return_complex: _bool = False,
) -> Tensor:
    """The signal whose `stft` these spectra are, or the one closest to it: (…, frequencies, frames) → (…, samples)."""

def kaiser_window(
    window_length: _int, periodic: _bool = True, beta: _float = 12.0, *, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """A window made of `i0`; the larger `beta`, the narrower."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: `other` as often as `input` has elements, each copy multiplied by its element."""

def kthvalue(
    input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, out: tuple[Tensor,
    Tensor] | list[Tensor] | None = None,
) -> _return_kthvalue:
    """The `k`-th smallest element along `dim`, and its position; `k` counts from 1."""

def layer_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: _float = 1e-05, cudnn_enable: _bool = True,
) -> Tensor:
    """The last dimensions, which are of `normalized_shape`, normalized; `weight` and `bias` are of that size too."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple of two integers."""

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple of two integers."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * 2**other``."""

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp`, written to `input`."""

def le(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``."""

def lerp(input: Tensor, end: Tensor, weight: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input + weight * (end - input)``."""

def less(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input < other``."""

def less_equal(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the size of the gamma function, which extends factorials: of (input - 1)!."""

def linspace(
    start: Any, end: Any, steps: _int, *, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included."""

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10."""

def log10_(input: Tensor) -> Tensor:
    """The logarithm to base 10."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + input)``, accurate for small elements."""

def log1p_(input: Tensor) -> Tensor:
    """``log(1 + input)``, accurate for small elements."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2."""

def log2_(input: Tensor) -> Tensor:
    """The logarithm to base 2."""

def log_(input: Tensor) -> Tensor:
    """The natural logarithm."""

def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`, exact where that is tiny."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(exp(input) + exp(other))``, computed without overflow."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log2(2**input + 2**other)``, computed without overflow."""

def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of e to the power of the elements up to each, along `dim`, without overflow."""

def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: nan where that is negative."""

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements are nonzero."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero."""

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether an element is nonzero."""

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether exactly one element is nonzero."""

def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps`, `input` is clamped to ``eps … 1 - eps``
    first."""

def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """``log(input / (1 - input))``, the inverse of `sigmoid`; with `eps`, `input` is clamped to ``eps … 1 - eps``
    first."""

def logspace(
    start: Any, end: Any, steps: _int, base: _float = 10.0, *, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """`base` to the power of `steps` numbers at equal distances from `start` to `end`, both included."""

def logsumexp(
    input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """``log(sum(exp(input)))`` over dimensions `dim`, without overflow in between."""

def lt(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input < other``."""

def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Sequence[Tensor] | None = None) -> Any:
    """The older form of `linalg.lu_factor`: a tuple, with the numbers of zero pivots if `get_infos`."""

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`linalg.lu_solve`, with the right side first: the `X` for which ``A @ X == input``."""

def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *,
    out: Sequence[Tensor] | None = None,
) -> _return_lu_unpack:
    """`P`, `L` and `U` of what `lu_factor` gave; empty tensors for those that are not asked for."""

def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy with `value`, a number or a 0-dim tensor, where `mask` is True."""

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy in which the elements where `mask` is True are those of `source`, in order."""

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where `mask`, broadcast, is True, in one dimension."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product: of two vectors their inner product, of batches of matrices the product of each pair."""

def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of a square matrix: the sum of its powers, each divided by the factorial of the exponent."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix times itself, `n` times; its inverse's power for a negative `n`."""

@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest element of all; with `dim` a pair of the largest along it and their positions; with another tensor
    `maximum`."""
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, Tensor] | None = None) -> _return_max:
    ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    ...

def max_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> Tensor:
    """The largest element of each window of signals: (N, C, L) → (N, C, L'), or the same without N."""

def max_pool1d_with_indices(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d`, and which cell of each signal the largest element is."""

def max_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> Tensor:
    """The largest element of each window of images: (N, C, H, W) → (N, C, H', W'). See `max_pool1d`."""

def max_pool3d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> Tensor:
    """The largest element of each window of volumes: (N, C, D, H, W) → (N, C, D', H', W'). See `max_pool1d`."""

def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two elements; NaN if either is."""

def mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean over dimensions `dim`, or over all."""

@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The element in the middle of all, of two the lower; with `dim` a pair of those along it and their positions."""
@overload
def median(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, Tensor] | None = None,
) -> _return_median:
    ...

def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid's points, one tensor for each of the vectors: views, expanded along the others."""

@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest element of all; with `dim` a pair of the smallest along it and their positions; with another
    tensor `minimum`."""
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, Tensor] | None = None) -> _return_min:
    ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    ...

def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two elements; NaN if either is."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices."""

def mode(
    input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: tuple[Tensor, Tensor] | list[Tensor] | None = None,
) -> _return_mode:
    """The element that occurs most often along `dim`, of several the smallest, and the last position that has it."""

def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """Dimensions `source` moved to the places `destination`; the others keep their order."""

def movedim(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """Dimensions `source` moved to the places `destination`; the others keep their order."""

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension."""

def mul(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input * other``."""

def multinomial(
    input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Places drawn by the weights in `input` (a row of them, or rows): `num_samples` from each row, as int64."""

def multiply(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input * other``."""

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector."""

def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function of `p` dimensions."""

def nan_to_num(
    input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """`nan` (or 0) in place of NaN, and `posinf` and `neginf` (or the dtype's limits) in place of infinities."""

def nan_to_num_(
    input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None,
) -> Tensor:
    """`nan_to_num`, written to `input`; integers stay as they are."""

def nanmean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean over dimensions `dim`, or over all, of those elements that are not NaN."""

@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`median` of those elements that are not NaN."""
@overload
def nanmedian(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, Tensor] | None = None,
) -> _return_nanmedian:
    ...

def nanquantile(
    input: Tensor, q: Any, dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = 'linear',
    out: Tensor | None = None,
) -> Tensor:
    """`quantile` of those elements that are not NaN."""

def nansum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
) -> Tensor:
    """The sum over dimensions `dim`, or over all, NaN counted as zero."""

def narrow(input: Tensor, dim: _int, start: Any, length: _int) -> Tensor:
    """`length` positions of dimension `dim`, from `start` on."""

def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: _bool, momentum: _float, eps: _float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm`, with the means and the inverses of the standard deviations that were used, if in training."""

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """`channel_shuffle` without a derivative."""

def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: _int, C: _int, HxW: _int, group: _int, eps: _float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`group_norm`, with the means and the inverses of the standard deviations."""

def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None, bias: Tensor | None, eps: _float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm`, with the means and the inverses of the standard deviations."""

def ne(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input != other``."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input``."""

def neg_(input: Tensor) -> Tensor:
    """``-input``."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input``."""

def negative_(input: Tensor) -> Tensor:
    """``-input``."""

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next number of the dtype after `input`, in the direction of `other`."""

@overload
def nonzero(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The positions of the elements that are not 0: one row each; with `as_tuple` one index tensor a dimension."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False]) -> Tensor:
    ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]:
    ...

def norm(
    input: Tensor, p: _float | str | None = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    out: Tensor | None = None, dtype: _dtype | None = None,
) -> Tensor:
    """The vector norm of order `p` over dimensions `dim`, or over all; with `dtype` of the elements converted to it."""

def normal(
    mean: Any, std: Any = 1.0, size: Sequence[_int] | None = None, *, generator: _Generator | None = None,
    out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """Normal numbers: of one `mean` and `std` in a tensor of `size`, or one for each element of the tensors given."""

def not_equal(input: Tensor, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input != other``."""

def numel(input: Tensor) -> _int:
    """The number of elements."""

def ones(
    *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, out: Tensor | None = None,
    dtype: _dtype | None = None, layout: _layout | None = ..., device: _device | str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A tensor of ones."""

def ones_like(
    input: Tensor, *, memory_format: Any = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """Ones with the size, dtype, device and order of dimensions of `input`."""

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of each element of one vector with each of another: a matrix."""

def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """The distance of order `p` between vectors that lie along the last dimension, row by row."""

def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2,
) -> tuple[Tensor, Tensor, Tensor]:
    """The principal components of the rows of `A`, its columns centred first if `center`: `U`, `S` and `V`."""

def pdist(input: Tensor, p: _float = 2) -> Tensor:
    """The distance of order `p` between every two rows of a matrix: of the first and each after it, of the second, …"""

def permute(input: Tensor, *dims: _int | Sequence[_int]) -> Tensor:
    """The dimensions in the given order."""

def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """The pseudo-inverse, `linalg.pinv`."""

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels that become pixels: (…, C·r², H, W) → (…, C, H·r, W·r), r being `upscale_factor` (Shi et al. 2016)."""

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """What undoes `pixel_shuffle`: (…, C, H·r, W·r) → (…, C·r², H, W), r being `downscale_factor`."""

def poisson(input: Tensor, generator: _Generator | None = None) -> Tensor:
    """Integers drawn from the Poisson distributions whose means are the elements of `input`."""

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``abs * (cos(angle) + sin(angle) * 1j)``, of tensors of one floating-point dtype, which are broadcast."""

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`; itself for 0."""

def positive(input: Tensor) -> Tensor:
    """The tensor itself: Python's ``+x``."""

def pow(input: Tensor | _complex, exponent: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input ** exponent``."""

def prod(
    input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product over dimension `dim`, or over all. Integers are multiplied as int64."""

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy with the elements of `source` at positions `index`, counted through all elements."""

def qr(input: Tensor, some: _bool = True, *, out: Sequence[Tensor] | None = None) -> _return_qr:
    """``input == Q @ R``, with a square `Q` if not `some`. `linalg.qr` is its successor."""

def quantile(
    input: Tensor, q: Any, dim: _int | None = None, keepdim: _bool = False, *, interpolation: str = 'linear',
    out: Tensor | None = None,
) -> Tensor:
    """The value at each part `q` (from 0 to 1) of the way through the elements in order, along `dim` or of all."""

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """An angle in radians as one in degrees."""

def rad2deg_(input: Tensor) -> Tensor:
    """An angle in radians as one in degrees."""

def rand(
    *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, generator: _Generator | None = None,
    out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """Numbers drawn evenly from 0 up to but not including 1."""

def rand_like(
    input: Tensor, *, generator: _Generator | None = None, memory_format: Any = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """As `rand`, with the size, dtype, device and order of dimensions of `input`."""

def randint(
    *arguments: Any, low: Any = None, high: Any = None, size: Sequence[_int] | None = None,
    generator: _Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """Integers drawn evenly from `low` (0 unless given) up to but not including `high`."""

def randint_like(
    input: Tensor, low: _int, high: _int | None = None, *, generator: _Generator | None = None,
    memory_format: Any = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """As `randint`, with the size, dtype, device and order of dimensions of `input`."""

def randn(
    *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, generator: _Generator | None = None,
    out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and standard deviation 1."""

def randn_like(
    input: Tensor, *, generator: _Generator | None = None, memory_format: Any = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """As `randn`, with the size, dtype, device and order of dimensions of `input`."""

def randperm(
    n: _int, *, generator: _Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """The numbers 0 … n - 1 in random order."""

def range(
    start: Any, end: Any, step: Any = 1, *, out: Tensor | None = None, dtype: _dtype | None = None,
    layout: _layout | None = ..., device: _device | str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """As `arange`, with `end` included and the default dtype. Deprecated in PyTorch: use `arange`."""

def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view of a contiguous tensor, else of a contiguous copy."""

def real(input: Tensor) -> Tensor:
    """The real parts; a real tensor itself."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / input``."""

def reciprocal_(input: Tensor) -> Tensor:
    """``1 / input``."""

def relu(input: Tensor) -> Tensor:
    """Each element, or 0 if it is negative."""

def relu_(input: Tensor) -> Tensor:
    """Each element, or 0 if it is negative."""

def remainder(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """The remainder of `floor_divide`: it has the sign of `other`, like Python's ``%``."""

def renorm(input: Tensor, p: _float, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Tensor:
    """The slices along `dim`, those with a norm of order `p` above `maxnorm` scaled down to it."""

def repeat_interleave(
    input: Tensor, repeats: Tensor | _int | None = None, dim: _int | None = None, *, output_size: _int | None = None,
) -> Tensor:
    """Each element, or each slice along `dim`, `repeats` times in a row; a tensor gives a number for each."""

def reshape(input: Tensor, *shape: Any) -> Tensor:
    """A view of another size where the strides allow one, else a copy."""

def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """`input.resize_(the_template.size())`; `preserve_format` is the format that the template seems to have."""

def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself, or, if its conjugate bit is set, a copy with the conjugates in memory."""

def resolve_neg(input: Tensor) -> Tensor:
    """`input` itself: tensors of tensorglass never have the negative bit set."""

def result_type(tensor1: Any, tensor2: Any) -> _dtype:
    """The dtype of ``tensor1 + tensor2``; either may be a Python number."""

def rms_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, eps: _float | None = None,
) -> Tensor:
    """The last dimensions divided by the root of the mean of their squares, and scaled by `weight`."""

def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The elements moved by `shifts` along `dims`; those that would fall off the end move to the beginning."""

def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor:
    """The plane of two dimensions turned by `k` quarters, from the first of `dims` towards the second."""

def round(input: Tensor, *, decimals: _int | None = None, out: Tensor | None = None) -> Tensor:
    """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""

def round_(input: Tensor, *, decimals: _int | None = None) -> Tensor:
    """The nearest integer, or multiple of ``10**-decimals``; halves go to the even neighbour."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 0, with vectors as rows."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / sqrt(input)``."""

def rsqrt_(input: Tensor) -> Tensor:
    """``1 / sqrt(input)``."""

def rsub(input: Tensor, other: Tensor | _complex, *, alpha: _complex = 1) -> Tensor:
    """``other - alpha * input``."""

def scalar_tensor(
    s: Any, *, dtype: _dtype | None = None, layout: _layout | None = ..., device: _device | str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A 0-dim tensor of the default dtype (unlike `tensor(s)`, which goes by the number's type)."""

def scatter(
    input: Tensor, dim: _int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A copy with `src`, or `value`, where `index` says along `dim`."""

def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy with `src` added where `index` says along `dim`."""

def scatter_reduce(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """A copy with the elements of `src` combined, by `reduce`, where `index` says along `dim`."""

def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: _bool = False, right: _bool = False, side: str | None = None,
    sorter: Tensor | None = None, out: Tensor | None = None,
) -> Tensor:
    """The index at which each element of `input` would be inserted into `sorted_sequence`, to keep it sorted."""

def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """One position of dimension `dim`, which goes away."""

def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor:
    """A copy with `src` where ``select(dim, index)`` looks."""

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sign, as in `sign`; for a complex number, the number of length 1 in its direction, or 0."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-input))``."""

def sigmoid_(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-input))``."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1 as each element is negative, zero or positive."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign is negative: True for -0.0 too."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of an angle in radians."""

def sin_(input: Tensor) -> Tensor:
    """The sine of an angle in radians."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""

def sinc_(input: Tensor) -> Tensor:
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine."""

def sinh_(input: Tensor) -> Tensor:
    """The hyperbolic sine."""

def slice_scatter(
    input: Tensor, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1,
) -> Tensor:
    """A copy with `src` where the slice ``start:end:step`` of dimension `dim` looks."""

def slogdet(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> _return_slogdet:
    """The sign of the determinant, and the logarithm of its size."""

def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """``exp(input)`` divided by its sum along `dim`: positive numbers that add up to 1."""

def sort(
    input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = None, out: tuple[Tensor,
    Tensor] | None = None,
) -> _return_sort:
    """The elements in order along `dim`, and where they stood. Equals keep their order, `stable` or not."""

def split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of `split_size` positions each along `dim`, the last perhaps smaller; or of the sizes in a list."""

def split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of the given sizes along `dim`, which make it up together."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root."""

def sqrt_(input: Tensor) -> Tensor:
    """The square root."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * input``."""

def square_(input: Tensor) -> Tensor:
    """``input * input``."""

def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Without the dimensions of size 1: all of them, or those of `dim` that have size 1."""

def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The tensors, all of one size, one after the other along a new dimension `dim`."""

def std(
    input: Tensor, dim: _int | Sequence[_int] | _bool | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None, out: Tensor | None = None,
) -> Tensor:
    """The square root of `var`."""

def std_mean(
    input: Tensor, dim: _int | Sequence[_int] | _bool | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over dimensions `dim`, or over all."""

def stft(
    input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None,
    window: Tensor | None = None, center: _bool = True, pad_mode: str = 'reflect', normalized: _bool = False,
    onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: _bool | None = None,
) -> Tensor:
    """The short-time Fourier transform of a signal, or of a batch: (…, samples) → (…, frequencies, frames)."""

def sub(
    input: Tensor | _complex, other: Tensor | _complex, *, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``input - alpha * other``."""

def subtract(
    input: Tensor | _complex, other: Tensor | _complex, *, alpha: _complex = 1, out: Tensor | None = None,
) -> Tensor:
    """``input - alpha * other``."""

def sum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False,
) -> Tensor:
    """The sum over dimensions `dim`, or over all. Integers are added as int64."""

def svd(
    input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Sequence[Tensor] | None = None,
) -> _return_svd:
    """``input == U @ diag(S) @ V.mH``; without `compute_uv` `U` and `V` are zeros. `linalg.svd` is its successor."""

def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`U`, `S` and `V` for the `q` largest singular values of `A`, or of ``A - M``: ``U @ diag(S) @ V.mH`` is near
    it."""

def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """`transpose`, as NumPy calls it."""

def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dimensions swapped: their sizes and strides change places, the storage stays as it is."""

def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a scalar as it is."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at the positions `index`, counted through all elements in order; of the size of `index`."""

def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """`gather` with `input` and `indices` broadcast beside `dim`; without `dim`, `take`."""

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of an angle in radians."""

def tan_(input: Tensor) -> Tensor:
    """The tangent of an angle in radians."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent."""

def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""

def tensor(
    data: Any, *, dtype: _dtype | None = None, layout: _layout | None = ..., device: _device | str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A tensor with a copy of `data`: a number, a nested sequence of numbers, a NumPy array, a tensor."""

def tensor_split(input: Tensor, indices_or_sections: Any, /, dim: _int = 0) -> tuple[Tensor, ...]:
    """That many views along `dim`, as equal as possible; or the parts between the given indices."""

def tensordot(
    a: Tensor, b: Tensor, dims: _int | Sequence[_int] | Sequence[Sequence[_int]] | Tensor = 2,
    out: Tensor | None = None,
) -> Tensor:
    """The sums of products over pairs of dimensions."""

def threshold(input: Tensor, threshold: _complex, value: _complex, *, out: Tensor | None = None) -> Tensor:
    """Each element above `threshold`, and `value` in place of the others; NaN stays."""

def threshold_(input: Tensor, threshold: _complex, value: _complex) -> Tensor:
    """`threshold` in place."""

def tile(input: Tensor, *dims: _int | Sequence[_int]) -> Tensor:
    """`repeat`, with 1 for the dimensions that are not named."""

def to_dlpack(data: Tensor, *, dl_device: tuple[_int, _int] | None = None, copy: _bool | None = None) -> Any:
    """A capsule of `data` for one call of `from_dlpack`. The old way: `from_dlpack` takes tensors themselves."""

def topk(
    input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, out: tuple[Tensor,
    Tensor] | list[Tensor] | None = None,
) -> _return_topk:
    """The `k` largest elements along `dim`, or the smallest, in order, and the positions where they stood."""

def trace(input: Tensor) -> Tensor:
    """The sum of the elements on a matrix's diagonal. Integers are added as int64."""

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dimensions swapped: their sizes and strides change places, the storage stays as it is."""

def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: _int = -1) -> Tensor:
    """The integral along `dim` of a function whose values are `y`, by the trapezoid rule."""

def trapz(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: _int = -1) -> Tensor:
    """The integral along `dim` of a function whose values are `y`, by the trapezoid rule."""

def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The part of each matrix on and below a diagonal; zero elsewhere."""

def tril_indices(
    row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The rows and the columns of the elements on and below diagonal `offset` of a row×col matrix, as a 2×N tensor."""

def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The part of each matrix on and above a diagonal; zero elsewhere."""

def triu_indices(
    row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The rows and the columns of the elements on and above diagonal `offset` of a row×col matrix, as a 2×N tensor."""

def true_divide(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input / other``."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integer part of each element."""

def trunc_(input: Tensor) -> Tensor:
    """The integer part of each element."""

def typename(obj: Any) -> str:
    """The name of a tensor's type, "torch.FloatTensor", or of any other object's class."""

def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """One view for each position of `dim`, which is removed."""

def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor:
    """Dimension `dim` cut into several of the given sizes, of which one may be -1."""

def unique(
    input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
    dim: _int | None = None,
) -> Any:
    """Each element once, in order; also where each of `input` stands in that, and how often it occurs, if asked for."""

def unique_consecutive(
    input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None,
) -> Any:
    """Each run of equal elements, or of equal slices along `dim`, as one; also each one's run, and their lengths."""

def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """The index along each dimension of a tensor of size `shape` that the flat positions `indices` name."""

def unsqueeze(input: Tensor, dim: _int) -> Tensor:
    """With a dimension of size 1 put in before dimension `dim`."""

def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """The Vandermonde matrix: one row for each element of `x`, with its powers N-1 … 0, or 0 … N-1 if `increasing`."""

def var(
    input: Tensor, dim: _int | Sequence[_int] | _bool | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None, out: Tensor | None = None,
) -> Tensor:
    """The variance over dimensions `dim`, or over all: the sum of squared deviations divided by n - `correction`, by
    default 1."""

def var_mean(
    input: Tensor, dim: _int | Sequence[_int] | _bool | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over dimensions `dim`, or over all."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements, those of the first conjugated."""

def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dimension holds pairs (real, imaginary), as complex numbers."""

def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as pairs (real, imaginary) along a new last dimension."""

def vsplit(input: Tensor, indices_or_sections: Any, /) -> tuple[Tensor, ...]:
    """`tensor_split` along dimension 0; sections must be equal."""

def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors concatenated along dimension 0, with vectors as rows."""

@overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """`input` where `condition` is True, else `other`, broadcast and promoted; alone, `nonzero(as_tuple=True)`."""
@overload
def where(
    condition: Tensor, input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None,
) -> Tensor:
    ...

def xlogy(input: Tensor | _complex, other: Tensor | _complex, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where `input` is 0, for every `other` but NaN."""

def xlogy_(input: Tensor | _complex, other: Tensor | _complex) -> Tensor:
    """``input * log(other)``, and 0 where `input` is 0, for every `other` but NaN."""

def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""

def zeros(
    *sizes: _int | Sequence[_int], size: Sequence[_int] | None = None, out: Tensor | None = None,
    dtype: _dtype | None = None, layout: _layout | None = ..., device: _device | str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A tensor of zeros. The system zeroes memory when it is first touched: even a large tensor is made in no time."""

def zeros_like(
    input: Tensor, *, memory_format: Any = None, dtype: _dtype | None = None, layout: _layout | None = ...,
    device: _device | str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """Zeros with the size, dtype, device and order of dimensions of `input`."""
