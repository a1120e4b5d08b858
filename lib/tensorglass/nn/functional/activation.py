"""Activation functions. With ``inplace=True``, and under names that end in `_`, they overwrite their input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorglass as torch
from tensorglass.core.dtypes import dtype as DType
from tensorglass.core.errors import warn
from tensorglass.ops.arg_parser.checks import check_tensor, check_tensors
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.creation.factory import read_number
from tensorglass.ops.declare.autocast import in_lower_precision
from tensorglass.ops.declare.registry import OPERATORS
from tensorglass.ops.nn import activation as ops
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor


def _in_place(name: str) -> Callable[..., Tensor]:
    form = OPERATORS[name].inplace
    assert form is not None
    form.__module__ = __name__  # pickle looks for it here
    return form if name.startswith("rrelu") else parsed(f"{name}_")(form)


elu_, selu_, celu_ = _in_place("elu"), _in_place("selu"), _in_place("celu")
leaky_relu_, hardtanh_ = _in_place("leaky_relu"), _in_place("hardtanh")
_hardsigmoid_, _hardswish_ = _in_place("hardsigmoid"), _in_place("hardswish")
_silu_, _mish_ = _in_place("silu"), _in_place("mish")
_rrelu_with_noise_ = _in_place("rrelu_with_noise")
relu_, threshold_ = torch.relu_, torch.threshold_
hardshrink = torch.hardshrink


def _number(function: str, argument: str, given: Any, position: int = 2) -> Any:
    return given if type(given) is float else read_number(function, argument, position, given)


@parsed("gelu")
def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """``x Φ(x)``, where Φ is the normal distribution's cdf, or its "tanh" approximation (Hendrycks & Gimpel 2016)."""
    return (
        ops.gelu(input, approximate=approximate) if out is None else ops.gelu(input, approximate=approximate, out=out)
    )


@parsed("softplus")
def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``, and x itself where ``beta * x`` is above `threshold`."""
    return ops.softplus(input, beta, threshold, out=out)


@parsed("softshrink")
def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x moved towards 0 by `lambd`, and 0 where it would pass 0."""
    return ops.softshrink(input, lambd, out=out)


@parsed("log_sigmoid")
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(sigmoid(x))``."""
    return ops.logsigmoid(input, out=out)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above `threshold`, `value` elsewhere."""
    return (torch.threshold_ if inplace else torch.threshold)(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(x, 0)`` (Nair & Hinton 2010)."""
    return torch.relu_(input) if inplace else torch.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(x, 0), 6)`` (Krizhevsky 2010)."""
    check_tensor("relu6", input)
    return (hardtanh_ if inplace else ops.hardtanh)(input, 0.0, 6.0)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x clamped to `min_val` … `max_val`."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    min_val, max_val = _number("hardtanh", "min_val", min_val), _number("hardtanh", "max_val", max_val, 3)
    return (hardtanh_ if inplace else ops.hardtanh)(input, min_val, max_val)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, ``alpha * (exp(x) - 1)`` below (Clevert et al. 2015)."""
    return (elu_ if inplace else ops.elu)(input, _number("elu", "alpha", alpha))


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """ELU scaled so that signals keep mean 0 and variance 1 (Klambauer et al. 2017)."""
    return (selu_ if inplace else ops.selu)(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, ``alpha * (exp(x / alpha) - 1)`` below (Barron 2017)."""
    alpha = _number("celu", "alpha", alpha)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return (celu_ if inplace else ops.celu)(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x above 0, ``negative_slope * x`` below (Maas et al. 2013)."""
    return (leaky_relu_ if inplace else ops.leaky_relu)(input, _number("leaky_relu", "negative_slope", negative_slope))


@in_lower_precision
@parsed("prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, ``weight * x`` below (He et al. 2015); `weight` has one element, or one for each channel: (C)."""
    check_tensors("prelu", input=input, weight=weight)
    if input._dtype is not weight._dtype:
        names = f"{input._dtype.scalar_type} and {weight._dtype.scalar_type}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {names}")
    if weight.numel() == 1:
        return ops.prelu_kernel(input, weight.reshape((1,) * input.dim()))
    rank = input.dim()
    if not rank:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = input.size(1) if rank > 1 else 1
    if channels != weight.numel():
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{weight.numel()} and channel size = {channels}."
        )
    if weight.dim() > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    return ops.prelu_kernel(input, weight.view(*[channels if dim == 1 else 1 for dim in range(rank)]))


@parsed("rrelu", "input", "lower", "upper", "training")
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """x above 0; below 0, x times a slope drawn from `lower` … `upper`, or their mean if not `training`."""
    lower, upper = _number("rrelu", "lower", lower), _number("rrelu", "upper", upper, 3)
    if isinstance(lower, complex) or isinstance(upper, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if training:
        noise = torch.ones_like(input, memory_format=torch.contiguous_format, requires_grad=False)
        is_below = input.detach() <= 0
        drawn = torch.empty(int(is_below.sum()), dtype=torch.float64, device=input.device)
        noise[is_below] = drawn.uniform_(lower, upper, generator=generator).to(input.dtype)
    else:
        slope = torch.full((), (lower + upper) / 2, dtype=input.dtype, device=input.device)
        noise = torch.where(input.detach() > 0, torch.ones_like(slope), slope)
    return (_rrelu_with_noise_ if inplace else ops.rrelu_with_noise)(input, noise)


@parsed("rrelu_")
def rrelu_(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, inplace=True, generator=generator)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``(x + 3) / 6`` between 0 and 1."""
    return (_hardsigmoid_ if inplace else ops.hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)`` (Howard et al. 2019)."""
    return (_hardswish_ if inplace else ops.hardswish)(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)`` (Ramachandran et al. 2017, "swish")."""
    return (_silu_ if inplace else ops.silu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))`` (Misra 2019)."""
    return (_mish_ if inplace else ops.mish)(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim`, times the sigmoid of the second (Dauphin et al. 2016)."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _glu(input, dim)


@parsed("glu")
def _glu(input: Tensor, dim: int) -> Tensor:
    length = input.size(dim)
    if length % 2:
        dim = dim % input.dim()
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {length}")
    return ops.glu(input, dim)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``."""
    return input.sigmoid()


def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``."""
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


# --- along a dimension ---------------------------------------------------------------------------------------------


def _softmax_dim(name: str, rank: int) -> int:
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if rank in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """``exp(x)`` divided by its sum along `dim`."""
    if dim is None:
        dim = _softmax_dim("softmax", input.dim())
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """`softmax` of ``-x``."""
    if dim is None:
        dim = _softmax_dim("softmin", input.dim())
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """The logarithm of `softmax`, accurate even where `softmax` is tiny."""
    if dim is None:
        dim = _softmax_dim("log_softmax", input.dim())
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution (Jang et al. 2016): nearly a one-hot vector along `dim`.

    `tau` is the temperature. With `hard`, the sample is one-hot, and has the gradient of the soft sample.
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    drawn: Any = -torch.empty_like(logits, memory_format=torch.contiguous_format).exponential_().log()
    soft = ((logits + drawn) / tau).softmax(dim)
    if not hard:
        return soft
    largest = soft.max(dim, keepdim=True)[1]
    vector = torch.zeros_like(logits, memory_format=torch.contiguous_format).scatter_(dim, largest, 1.0)
    return vector - soft.detach() + soft
