"""Which operators autocast runs in which dtype, and how they are made to: PyTorch's lists for the CPU.

When autocast is first switched on, the public functions and methods of the lists are replaced by forms that cast their
arguments, wherever modules hold them. Inside an operator nothing more is cast.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

import tensorglass as torch
from tensorglass.core.contexts import setting
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.declare.registry import FUNCTIONS
from tensorglass.tensor.tensor import Tensor
from tensorglass.tensor.torch_function import dispatch, overloaded_arguments, tensor_likes

#: Those that are fast in a short dtype: products. Some are here because PyTorch computes them by others of the list.
LOWER_PRECISION = """
    addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d corrcoef cov einsum inner matmul matrix_power mm prelu tensordot __matmul__ __rmatmul__
    linalg.matmul linalg.matrix_power linalg.multi_dot linalg.vecdot
    nn.functional.linear nn.functional.scaled_dot_product_attention
"""

#: Those that need the range and the places of float32.
FLOAT32 = """
    cdist cholesky cholesky_inverse cholesky_solve geqrf inverse lu_solve nanquantile orgqr pinverse polar prod qr
    quantile stft svd trace triangular_solve view_as_complex
    fft.fft fft.fft2 fft.fftn fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft
    fft.rfft2 fft.rfftn
    linalg.cholesky linalg.cholesky_ex linalg.cond linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.householder_product linalg.inv linalg.inv_ex linalg.lstsq linalg.matrix_rank linalg.qr linalg.solve
    linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve
    nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d nn.functional.avg_pool3d
    nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits
    nn.functional.cosine_embedding_loss nn.functional.cross_entropy nn.functional.ctc_loss
    nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d nn.functional.grid_sample
    nn.functional.hinge_embedding_loss nn.functional.huber_loss nn.functional.kl_div nn.functional.l1_loss
    nn.functional.margin_ranking_loss nn.functional.max_pool3d nn.functional.max_unpool2d nn.functional.max_unpool3d
    nn.functional.mse_loss nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.nll_loss
    nn.functional.pad nn.functional.poisson_nll_loss nn.functional.smooth_l1_loss nn.functional.soft_margin_loss
    nn.functional.triplet_margin_loss
"""

#: Those that join tensors, in float32 if one of them is.
WIDEST = "cat column_stack concat concatenate dstack hstack index_copy row_stack stack vstack"

#: Not in the lists, but written here with operators that are: they cast nothing.
UNTOUCHED = "pca_lowrank svd_lowrank nn.functional.bilinear nn.functional.multilabel_soft_margin_loss"


def _makes_one_number(input: Tensor, other: Tensor, dims: Any = 2) -> bool:
    """Whether a contraction leaves one element: PyTorch multiplies and adds up then, without a product of matrices."""
    ours, theirs = (range(-dims, 0), range(dims)) if isinstance(dims, int) else torch.as_tensor(dims).tolist()
    return all(
        tensor.numel() == math.prod([tensor.size(dim) for dim in contracted])
        for tensor, contracted in ((input, ours), (other, theirs))
    )


#: Calls of an operator of the lists that are left as they are, by its name.
EXCEPT: dict[str, Callable[..., bool]] = {
    "einsum": lambda equation, *operands: len(operands) == 1 and isinstance(operands[0], Tensor),
    "inner": lambda input, other: not (input.dim() and other.dim()) or input.dim() == other.dim() == 1,
    "matrix_power": lambda input, n: n < 2,
    "pad": lambda input, pad, mode="constant", value=None: (
        mode not in ("reflect", "replicate") or (mode == "reflect" and len(pad) > 4)
    ),
    "tensordot": _makes_one_number,
}


class _State(threading.local):
    def __init__(self) -> None:
        self.dtypes: dict[str, DType] = {}  #: of the types of device on which autocast is on
        self.is_caching = True
        self.cache: dict[int, tuple[Tensor, Tensor]] = {}  #: parameters and what they were cast to, by identity


state = _State()

Choose = Callable[[list[Tensor], str], DType | None]


def _lower(_: list[Tensor], device_type: str) -> DType | None:
    return state.dtypes[device_type]


def _float32(_: list[Tensor], __: str) -> DType | None:
    return torch.float32


def _widest(tensors: list[Tensor], device_type: str) -> DType | None:
    lower = found = state.dtypes[device_type]
    for each in tensors:
        if each.dtype is torch.float64:
            continue
        if torch.float32 in (found, each.dtype):
            found = torch.float32
        elif each.dtype is not lower:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return found


def _nothing(_: list[Tensor], __: str) -> DType | None:
    return None


def _tensors(arguments: Iterable[Any], device_type: str) -> Iterator[Tensor]:
    """The floating-point tensors on a type of device, also in lists and tuples."""
    for each in arguments:
        if isinstance(each, Tensor):
            if each.is_floating_point() and each.device.type == device_type:
                yield each
        elif type(each) in (list, tuple):
            yield from _tensors(each, device_type)


def _cast(value: Any, device_type: str, dtype: DType) -> Any:
    """An argument with its tensors on the device cast, except float64."""
    if type(value) in (list, tuple):
        return type(value)(_cast(each, device_type, dtype) for each in value)
    if not isinstance(value, Tensor) or value.dtype in (dtype, torch.float64):
        return value
    if not value.is_floating_point() or value.device.type != device_type:
        return value
    is_parameter = value.dtype is torch.float32 and value.requires_grad and value.is_leaf and not value._is_view()
    if not (is_parameter and state.is_caching and dtype is state.dtypes[device_type]):
        return value.to(dtype)
    if id(value) not in state.cache:
        state.cache[id(value)] = value, value.to(dtype)  # the parameter too, so that its identity stays its own
    return state.cache[id(value)][1]


def _casting(name: str, public: Callable[..., Any], choose: Choose) -> Callable[..., Any]:
    """`public`, with its arguments cast where autocast is on. A call with ``out`` is left as it is."""
    is_left = EXCEPT.get(name)

    @wraps(public)
    def call(*arguments: Any, **keywords: Any) -> Any:
        overloaded = [] if name.startswith("__") else overloaded_arguments(tensor_likes(arguments, keywords))
        if overloaded:  # handlers know this form, which is the public one now
            return dispatch(call, overloaded, arguments, keywords)
        if not state.dtypes or keywords.get("out") is not None or (is_left and is_left(*arguments, **keywords)):
            return public(*arguments, **keywords)
        for device_type in state.dtypes:
            tensors = list(_tensors((*arguments, *keywords.values()), device_type))
            dtype = choose(tensors, device_type) if tensors else None
            if dtype is not None:
                arguments = tuple([_cast(each, device_type, dtype) for each in arguments])
                keywords = {name: _cast(each, device_type, dtype) for name, each in keywords.items()}
        with setting(state, dtypes={}):
            return public(*arguments, **keywords)

    return call


@cache
def install() -> None:
    """Replace the operators of the lists, once: on Tensor, and in every module that holds one."""
    import_module("tensorglass.nn")
    replaced: dict[int, tuple[Any, Any]] = {}  # by identity: the old form, and the new
    for names, choose in ((LOWER_PRECISION, _lower), (FLOAT32, _float32), (WIDEST, _widest), (UNTOUCHED, _nothing)):
        for path in names.split():
            home, _, name = path.rpartition(".")
            if not home and hasattr(Tensor, name):
                setattr(Tensor, name, _casting(name, getattr(Tensor, name), choose))
            if not name.startswith("__"):
                function = getattr(import_module(f"tensorglass.{home}" if home else "tensorglass"), name)
                replaced.setdefault(id(function), (function, _casting(name, function, choose)))
    modules = [vars(module) for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    for holder in (FUNCTIONS, *modules):
        for name, value in list(holder.items()):
            if id(value) in replaced:
                holder[name] = replaced[id(value)][1]
