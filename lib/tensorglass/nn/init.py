"""``torch.nn.init``: initial values of parameters. Every function fills its tensor without being recorded.

Signals should neither grow nor vanish from layer to layer, so the spread of the weights depends on the numbers of
inputs (`fan_in`) and outputs (`fan_out`) of a layer. Glorot & Bengio (2010, "Xavier") use both, for layers followed by
tanh; He et al. (2015, "Kaiming") use one of them, and the `gain`, which makes up for what the activation cuts off.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorglass as torch
from tensorglass.core.errors import warn
from tensorglass.tensor.generator import Generator
from tensorglass.tensor.tensor import Tensor

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal", "kaiming_normal_",
    "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal", "orthogonal_", "sparse",
    "sparse_", "trunc_normal_", "uniform", "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform",
    "xavier_uniform_", "zeros_",
]  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The gain for initializing a layer that is followed by `nonlinearity`; `param` is the slope of a leaky ReLU."""
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is None:
        param = 0.01
    if isinstance(param, bool) or not isinstance(param, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + param**2))


_GAINS: dict[str, float] = {
    **dict.fromkeys(("linear", "sigmoid"), 1),
    **{f"conv{kind}{dims}d": 1 for kind in ("", "_transpose") for dims in (1, 2, 3)},
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,  # PyTorch's value, found by experiment
}


# --- numbers that depend on nothing ------------------------------------------------------------------------------


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn uniformly from `a` to `b`."""
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers from the normal distribution."""
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers from the normal distribution; those outside of `a` … `b` are drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    with torch.no_grad():
        inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
        if not tensor.is_meta:
            (_redraw if inside > 0.3 else _reject)(tensor, mean, std, a, b, generator)
    return tensor


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> None:
    """Redraw normal numbers until all of them lie inside: quick if most do."""
    low, high = (tensor.new_tensor(bound, device="cpu").item() for bound in (a, b))  # as the dtype has them
    drawn = tensor.normal_(mean, std, generator=generator)
    while True:
        is_outside = (drawn < low) | (drawn > high)
        if not is_outside.any():
            break
        drawn = torch.where(is_outside, torch.empty_like(drawn).normal_(mean, std, generator=generator), drawn)
    if drawn is not tensor:
        tensor.copy_(drawn)


def _reject(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> None:
    """Rejection sampling: uniform numbers, each accepted with probability density / maximal density."""
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    log_chance, drawn_log = torch.empty_like(tensor), torch.empty_like(tensor)
    tensor.uniform_(a, b, generator=generator)
    log_chance.copy_(tensor)
    log_chance.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(highest)
    pending = drawn_log.uniform_(generator=generator).log_().gt(log_chance)
    if not pending.any():
        return
    kept = tensor
    while pending.any():
        log_chance.uniform_(a, b, generator=generator)
        kept = torch.where(pending, log_chance, kept)
        log_chance.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(highest)
        again = drawn_log.uniform_(generator=generator).log_().gt(log_chance)
        pending = torch.where(pending, again, pending)
    tensor.copy_(kept)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    with torch.no_grad():
        return tensor.zero_()


# --- matrices that leave signals as they are ---------------------------------------------------------------------


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity, so that a linear layer returns its inputs, as many as it has outputs for."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution's weight of 3, 4 or 5 dimensions so that it returns its input channels, as many as it can."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *kernel = tensor.size()
    if outputs % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = outputs // groups
    middle = [length // 2 for length in kernel]
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, inputs)):
                tensor[(group * per_group + channel, channel, *middle)] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a (semi-)orthogonal matrix; all dimensions but the first count as one (Saxe et al. 2013)."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    if rows < columns:
        drawn.t_()
    q, r = torch.linalg.qr(drawn)
    q *= torch.diag(r, 0).sign()  # makes all orthogonal matrices equally likely (Mezzadri 2006)
    if rows < columns:
        q.t_()
    with torch.no_grad():
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normal numbers, and set a fraction `sparsity` of each column to 0 (Martens 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


# --- numbers that depend on the layer's size ---------------------------------------------------------------------


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """The number of inputs of each output of a layer, and of outputs of each input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *kernel = tensor.shape
    return inputs * math.prod(kernel), outputs * math.prod(kernel)


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    valid_modes = ["fan_in", "fan_out"]
    if mode not in valid_modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {valid_modes}")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with uniform numbers from -a … a, where a = gain √(6 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    std = _xavier_std(tensor, gain)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers of standard deviation gain √(2 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with uniform numbers from -b … b, where b = gain √(3 / fan) (He et al. 2015); `a` is the leaky slope."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal numbers of standard deviation gain / √fan (He et al. 2015)."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


# --- the old names -----------------------------------------------------------------------------------------------


def _old(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    new_name = function.__name__

    @wraps(function)
    def deprecated_init(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{new_name[:-1]}` is now deprecated in favor of `nn.init.{new_name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    deprecated_init.__name__ = new_name[:-1]
    deprecated_init.__doc__ = f"The old name of `{new_name}`."
    return deprecated_init


uniform = _old(uniform_)
normal = _old(normal_)
constant = _old(constant_)
eye = _old(eye_)
dirac = _old(dirac_)
xavier_uniform = _old(xavier_uniform_)
xavier_normal = _old(xavier_normal_)
kaiming_uniform = _old(kaiming_uniform_)
kaiming_normal = _old(kaiming_normal_)
orthogonal = _old(orthogonal_)
sparse = _old(sparse_)


# --- the older names of what fills a tensor, which programs import ------------------------------------------------

_no_grad_uniform_ = uniform_
_no_grad_normal_ = normal_
_no_grad_trunc_normal_ = trunc_normal_
_no_grad_fill_ = constant_
_no_grad_zero_ = zeros_
