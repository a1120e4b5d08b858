"""Activations: the functions that stand between linear layers, each one node of the graph.

`softmax` is in `ops.reductions`, `relu`, `sigmoid`, `tanh`, `threshold` and `hardshrink` are in `ops.pointwise`. The
derivatives are operators as well (``…_backward``, PyTorch's names), so that derivatives have derivatives.
"""

from __future__ import annotations

import math
from typing import Any

from tensorglass.backends import Array
from tensorglass.core import dtypes
from tensorglass.core.dtype_info import finfo
from tensorglass.graph.derivative import derivative
from tensorglass.graph.recorder import recorded
from tensorglass.ops.declare.pointwise import pointwise
from tensorglass.ops.declare.type_promotion import PROMOTE
from tensorglass.ops.derivatives.shared import conj, zero_gradient
from tensorglass.ops.kernels import special_functions
from tensorglass.ops.kernels.select_by_mask import where
from tensorglass.ops.pointwise.checks import Operands
from tensorglass.ops.rearrange.cat_stack import cat
from tensorglass.tensor.grad_mode import state
from tensorglass.tensor.tensor import Tensor

_FLOATS = PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER, dtypes.COMPLEX)
_REAL = PROMOTE.refusing(dtypes.BOOL, dtypes.COMPLEX)
_INTERNAL: dict[str, Any] = {"function": False, "method": False}
_BACKWARD: dict[str, Any] = {"function": False, "method": False, "inplace": False}


def _number(array: Array, value: float) -> Any:
    """A number of the array's dtype, so that results are not promoted."""
    return array.dtype.type(value)


def _exp(xp: Any, power: Array) -> Array:
    """The exponential of a kernel's own array, in its place."""
    return xp.exp(power, out=power if power.ndim else None)


# --- exponential linear units --------------------------------------------------------------------------------------


@pointwise(_FLOATS, **_BACKWARD, error_name="elu_backward_cpu")
@derivative(
    node="EluBackwardBackward0",
    grad_output=lambda grad, input, alpha, scale, input_scale: elu_backward(
        grad, input, alpha=alpha, scale=scale, input_scale=input_scale
    ),
    input=lambda grad, grad_output, input, alpha, scale, input_scale: (
        grad * grad_output * (alpha * scale * input_scale**2) * (input * input_scale).exp() * (input < 0)
    ),
)
def elu_backward(
    xp: Any,
    grad_output: Array,
    input: Array,
    *,
    alpha: float = 1.0,
    scale: float = 1.0,
    input_scale: float = 1.0,
    out: Array = None,
) -> Array:
    """The gradient of `elu`."""
    below = _exp(xp, input * _number(input, input_scale))
    below *= _number(input, input_scale * alpha * scale)
    below = below * grad_output  # which may have more dimensions
    return where(xp, input <= 0, below, grad_output * _number(input, scale) if scale != 1 else grad_output)


def _elu(xp: Any, input: Array, alpha: float, scale: float, input_scale: float) -> Array:
    below = xp.expm1(xp.minimum(input, 0) * _number(input, input_scale))
    below *= _number(input, alpha * scale)
    return where(xp, input < 0, below, input * _number(input, scale) if scale != 1 else input)


@pointwise(_FLOATS, **_INTERNAL)
@derivative(
    input=lambda grad, input, alpha, scale, input_scale: elu_backward(
        grad, input, alpha=alpha, scale=scale, input_scale=input_scale
    )
)
def elu(
    xp: Any,
    input: Array,
    alpha: float = 1.0,
    scale: float = 1.0,
    input_scale: float = 1.0,
    *,
    out: Array = None,
) -> Array:
    """Exponential linear unit (Clevert et al. 2015): x above 0, and ``alpha * (exp(x) - 1)`` below."""
    return _elu(xp, input, alpha, scale, input_scale)


@pointwise(_FLOATS, **_INTERNAL, error_name="elu_cpu")
@derivative(input=lambda grad, input, alpha: elu_backward(grad, input, alpha=alpha, scale=1.0, input_scale=1.0 / alpha))
def celu(xp: Any, input: Array, alpha: float = 1.0) -> Array:
    """Continuously differentiable ELU (Barron 2017): x above 0, and ``alpha * (exp(x / alpha) - 1)`` below."""
    return _elu(xp, input, alpha, 1.0, 1.0 / alpha)


#: The constants by which signals keep mean 0 and variance 1 (Klambauer et al. 2017).
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@pointwise(_FLOATS, **_INTERNAL, error_name="elu_cpu")
@derivative(
    node="EluBackward0", input=lambda grad, input: elu_backward(grad, input, alpha=SELU_ALPHA, scale=SELU_SCALE)
)
def selu(xp: Any, input: Array) -> Array:
    """Scaled ELU (Klambauer et al. 2017), which keeps signals at mean 0 and variance 1."""
    return _elu(xp, input, SELU_ALPHA, SELU_SCALE, 1.0)


# --- leaky ones ----------------------------------------------------------------------------------------------------


@pointwise(_FLOATS, **_BACKWARD, error_name="leaky_relu_backward_cpu")
@derivative(
    node="LeakyReluBackwardBackward0",
    grad_output=lambda grad, input, negative_slope: leaky_relu_backward(grad, input, negative_slope=negative_slope),
    input=zero_gradient,
)
def leaky_relu_backward(
    xp: Any, grad_output: Array, input: Array, *, negative_slope: float = 0.01, out: Array = None
) -> Array:
    """The gradient of `leaky_relu`."""
    return where(xp, input > 0, grad_output, grad_output * _number(input, negative_slope))


@pointwise(_FLOATS, **_INTERNAL)
@derivative(input=lambda grad, input, negative_slope: leaky_relu_backward(grad, input, negative_slope=negative_slope))
def leaky_relu(xp: Any, input: Array, negative_slope: float = 0.01, *, out: Array = None) -> Array:
    """x above 0, and ``negative_slope * x`` below (Maas et al. 2013)."""
    below = input * _number(input, negative_slope)
    if 0 < negative_slope <= 1:
        return xp.maximum(input, below)  # of infinity too: it times the slope is itself
    return where(xp, input > 0, input, below)


@pointwise(_FLOATS, **_INTERNAL, inplace=False, error_name="prelu_cpu")
@derivative(
    node="PreluKernelBackward0",
    input=lambda grad, input, weight: prelu_backward_input(grad, input, weight),
    weight=lambda grad, input: leaky_relu_backward(grad * input, -input, negative_slope=0.0),
)
def prelu_kernel(xp: Any, input: Array, weight: Array) -> Array:
    """x above 0, and ``weight * x`` below, with a weight for each element."""
    return where(xp, input > 0, input, weight * input)


@pointwise(_FLOATS, **_BACKWARD)
@derivative(
    node="PreluKernelBackwardBackward0",
    grad_output=lambda grad, input, weight: prelu_backward_input(grad, input, weight),
    input=zero_gradient,
    weight=lambda grad, grad_output, input: grad * grad_output * (input <= 0),
)
def prelu_backward_input(xp: Any, grad_output: Array, input: Array, weight: Array) -> Array:
    """The gradient of `prelu_kernel` for its input."""
    return where(xp, input > 0, grad_output, weight * grad_output)


@pointwise(_FLOATS, **_INTERNAL, error_name="rrelu_with_noise_out_cpu")
@derivative(node="RreluWithNoiseBackward0", input=lambda grad, input, noise: rrelu_backward(grad, input, noise))
def rrelu_with_noise(xp: Any, input: Array, noise: Array) -> Array:
    """``noise * x``, where `noise` is 1 above 0 and a slope drawn at random below (Xu et al. 2015)."""
    return input * noise


@pointwise(_FLOATS, **_BACKWARD)
@derivative(
    node="RreluWithNoiseBackwardBackward0",
    grad_output=lambda grad, input, noise: rrelu_backward(grad, input, noise),
    input=zero_gradient,
)
def rrelu_backward(xp: Any, grad_output: Array, input: Array, noise: Array) -> Array:
    """The gradient of `rrelu_with_noise`."""
    return grad_output * noise


# --- with bounds ---------------------------------------------------------------------------------------------------


@pointwise(_REAL, **_BACKWARD)
@derivative(
    node="HardtanhBackwardBackward0",
    grad_output=lambda grad, input, min_val, max_val: hardtanh_backward(grad, input, min_val=min_val, max_val=max_val),
    input=zero_gradient,
)
def hardtanh_backward(
    xp: Any, grad_output: Array, input: Array, *, min_val: float = -1.0, max_val: float = 1.0, out: Array = None
) -> Array:
    """The gradient between the bounds, and 0 beyond them."""
    return where(xp, (input <= min_val) | (input >= max_val), _number(grad_output, 0), grad_output)


def _real_or_refuse(operands: Operands, *_: Any, **__: Any) -> None:
    dtype = operands[0]._dtype
    if dtype is dtypes.bool:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if dtype.is_complex:
        raise NotImplementedError("clamp is not supported for complex types")


@pointwise(PROMOTE, **_INTERNAL, check=_real_or_refuse)
@derivative(
    input=lambda grad, input, min_val, max_val: hardtanh_backward(grad, input, min_val=min_val, max_val=max_val)
)
def hardtanh(xp: Any, input: Array, min_val: float = -1.0, max_val: float = 1.0, *, out: Array = None) -> Array:
    """x between the bounds, and the bounds beyond them."""
    return xp.clip(input, _number(input, min_val), _number(input, max_val))


_SIXTH = 0.16666667163372040  #: 1 / 6 as a float32, also for float64, as in PyTorch


@pointwise(_FLOATS, **_INTERNAL)
@derivative(input=lambda grad, input: hardsigmoid_backward(grad, input))
def hardsigmoid(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``(x + 3) / 6`` between 0 and 1: a sigmoid of straight lines."""
    return xp.clip(input + _number(input, 3), _number(input, 0), _number(input, 6)) / _number(input, 6)


@pointwise(_FLOATS, **_BACKWARD, error_name="hardsigmoid_backward")
@derivative(
    node="HardsigmoidBackwardBackward0",
    grad_output=lambda grad, input: hardsigmoid_backward(grad, input),
    input=zero_gradient,
)
def hardsigmoid_backward(xp: Any, grad_output: Array, input: Array) -> Array:
    """A sixth of the gradient between -3 and 3, and 0 beyond them."""
    inside = (input > -3) & (input < 3)
    return where(xp, inside, grad_output * _number(input, _SIXTH), _number(grad_output, 0))


@pointwise(_FLOATS, **_INTERNAL)
@derivative(input=lambda grad, input: hardswish_backward(grad, input))
def hardswish(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``x * hardsigmoid(x)`` (Howard et al. 2019)."""
    return input * xp.clip(input + _number(input, 3), _number(input, 0), _number(input, 6)) / _number(input, 6)


@pointwise(_FLOATS, **_BACKWARD)
@derivative(
    node="HardswishBackwardBackward0",
    grad_output=lambda grad, input: hardswish_backward(grad, input),
    input=lambda grad, grad_output, input: grad * grad_output * ((input > -3) & (input < 3)) / 3,
)
def hardswish_backward(xp: Any, grad_output: Array, input: Array) -> Array:
    """The gradient of `hardswish`."""
    middle = input / _number(input, 3)
    middle += _number(input, 0.5)
    middle = middle * grad_output
    return where(xp, input <= -3, _number(grad_output, 0), where(xp, input < 3, middle, grad_output))


@pointwise(_FLOATS, **_BACKWARD)
@derivative(
    node="SoftshrinkBackwardBackward0",
    grad_output=lambda grad, input, lambd: softshrink_backward(grad, input, lambd=lambd),
    input=zero_gradient,
)
def softshrink_backward(xp: Any, grad_output: Array, input: Array, *, lambd: float = 0.5, out: Array = None) -> Array:
    """The gradient where `input` was not shrunk to 0."""
    bound = lambd.real
    return where(xp, (input >= -bound) & (input <= bound), _number(grad_output, 0), grad_output)


def _lambd_is_positive(operands: Operands, lambd: float = 0.5) -> None:
    dtype: Any = operands[0]._dtype
    if isinstance(lambd, complex):
        if lambd.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        lambd = lambd.real
    if dtype.is_floating_point and not 0 <= lambd <= finfo(dtype).max:
        raise RuntimeError(
            f"lambda must be in range [0, {finfo(dtype).max:g}] for input dtype {dtype.scalar_type}, "
            f"but found {lambd:g}"
        )


@pointwise(_FLOATS, **_INTERNAL, inplace=False, check=_lambd_is_positive, error_name="softshrink_check")
@derivative(input=lambda grad, input, lambd: softshrink_backward(grad, input, lambd=lambd))
def softshrink(xp: Any, input: Array, lambd: float = 0.5, *, out: Array = None) -> Array:
    """x moved by `lambd` towards 0, and 0 where it would cross it."""
    bound = _number(input, lambd.real)  # a complex number without an imaginary part is taken, too
    moved = where(xp, input > bound, input - bound, where(xp, input < -bound, input + bound, _number(input, 0)))
    return where(xp, xp.isnan(input), input, moved)


# --- smooth ones ---------------------------------------------------------------------------------------------------

_SQRT_HALF, _SQRT_2_BY_PI, _CUBE = math.sqrt(0.5), math.sqrt(2 / math.pi), 0.044715


def _normal_cdf(xp: Any, input: Array) -> Array:
    result = special_functions.erf(xp, input * _number(input, _SQRT_HALF))
    result += _number(input, 1)
    result *= _number(input, 0.5)
    return result


def _tanh_of_gelu(xp: Any, input: Array) -> Array:
    inner = input * input
    inner *= input
    inner *= _number(input, _CUBE)
    inner += input
    inner *= _number(input, _SQRT_2_BY_PI)
    return xp.tanh(inner, out=inner if inner.ndim else None)


def _gelu_is_known(operands: Operands, approximate: str = "none") -> None:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")


@pointwise(_FLOATS, **_INTERNAL, check=_gelu_is_known, error_name="GeluKernelImpl")
@derivative(input=lambda grad, input, approximate: gelu_backward(grad, input, approximate=approximate))
def gelu(xp: Any, input: Array, *, approximate: str = "none", out: Array = None) -> Array:
    """Gaussian error linear unit (Hendrycks & Gimpel 2016): ``x Φ(x)``, Φ the normal distribution's cdf.

    "tanh" approximates it.
    """
    if approximate == "tanh":
        share = _tanh_of_gelu(xp, input)
        share += _number(input, 1)
        share *= _number(input, 0.5) * input
        return share
    return xp.multiply(input, _normal_cdf(xp, input), out)


@pointwise(_FLOATS, **_BACKWARD, error_name="GeluBackwardKernelImpl")
@derivative(
    node="GeluBackwardBackward0",
    grad_output=lambda grad, input, approximate: gelu_backward(grad, input, approximate=approximate),
    input=lambda grad, grad_output, input, approximate: grad * grad_output * _gelu_curvature(input, approximate),
)
def gelu_backward(xp: Any, grad_output: Array, input: Array, *, approximate: str = "none", out: Array = None) -> Array:
    """The gradient of `gelu`."""
    one, half = _number(input, 1), _number(input, 0.5)
    if approximate == "tanh":
        tanh = _tanh_of_gelu(xp, input)
        inner_slope = (one + input * input * _number(input, 3 * _CUBE)) * _number(input, _SQRT_2_BY_PI)
        return grad_output * (half * (one + tanh) + half * input * (one - tanh * tanh) * inner_slope)
    density = -half * input
    density *= input
    density = _exp(xp, density)
    density *= input * _number(input, 1 / math.sqrt(2 * math.pi))
    density += _normal_cdf(xp, input)
    return xp.multiply(grad_output, density, out)


def _gelu_curvature(input: Tensor, approximate: str) -> Tensor:
    if approximate == "tanh":
        inner = (input + input**3 * _CUBE) * _SQRT_2_BY_PI
        slope = (1 + input**2 * (3 * _CUBE)) * _SQRT_2_BY_PI
        tanh = inner.tanh()
        tanh_slope = 1 - tanh**2
        return tanh_slope * (slope - input * tanh * slope**2 + input * input * (3 * _CUBE * _SQRT_2_BY_PI))
    return (2 - input**2) * (-0.5 * input**2).exp() / math.sqrt(2 * math.pi)


def _sigmoid(xp: Any, input: Array) -> Array:
    one, powers = _number(input, 1), _exp(xp, -input)
    powers += one
    return xp.divide(one, powers, out=powers if powers.ndim else None)


@pointwise(PROMOTE.refusing(dtypes.BOOL, dtypes.INTEGER), **_INTERNAL)
@derivative(input=lambda grad, input: silu_backward(grad, input))
def silu(xp: Any, input: Array, *, out: Array = None) -> Array:
    """Sigmoid linear unit, or swish: ``x * sigmoid(x)`` (Hendrycks & Gimpel 2016; Ramachandran et al. 2017)."""
    powers = _exp(xp, -input)
    powers += _number(input, 1)
    return xp.divide(input, powers, out)


def silu_backward(grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of `silu`."""
    if not state.grad and input._dtype.is_floating_point:  # nothing is recorded, so one kernel suffices
        return _silu_backward(grad, input)
    sigmoid = input.sigmoid()
    return grad * conj(sigmoid * (1 + input * (1 - sigmoid)))


@pointwise(_FLOATS, **_BACKWARD)
def _silu_backward(xp: Any, grad_output: Array, input: Array) -> Array:
    """`silu_backward` of real numbers."""
    one, sigmoid = _number(input, 1), _sigmoid(xp, input)
    slope = one - sigmoid
    slope *= input
    slope += one
    slope *= sigmoid
    return slope * grad_output


_MISH_IS_X = 20  # from there on the tanh is 1 in every dtype


@pointwise(_FLOATS, **_INTERNAL)
@derivative(input=lambda grad, input: mish_backward(grad, input))
def mish(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``x * tanh(softplus(x))`` (Misra 2019): with p = eˣ, the tanh is ``p (p + 2) / (p (p + 2) + 2)``."""
    powers = _exp(xp, xp.minimum(input, _number(input, _MISH_IS_X)))
    product = powers + _number(input, 2)
    product *= powers
    return input * (product / (product + _number(input, 2)))


def mish_backward(grad: Tensor, input: Tensor) -> Tensor:
    """The gradient of `mish`."""
    sigmoid, tanh = input.sigmoid(), softplus(input).tanh()
    return grad * (tanh + input * sigmoid * (1 - tanh * tanh))


@pointwise(_FLOATS, **_INTERNAL, inplace=False)
@derivative(input=lambda grad, input, beta, threshold: softplus_backward(grad, input, beta=beta, threshold=threshold))
def softplus(xp: Any, input: Array, beta: float = 1.0, threshold: float = 20.0, *, out: Array = None) -> Array:
    """``log(1 + exp(beta * x)) / beta``, and x where ``beta * x`` is above `threshold` (Dugas et al. 2000)."""
    scaled = input * _number(input, beta)
    smooth = xp.log1p(_exp(xp, xp.minimum(scaled, _number(input, threshold))))
    smooth /= _number(input, beta)
    return where(xp, scaled > threshold, input, smooth)


@pointwise(_FLOATS, **_BACKWARD)
@derivative(
    node="SoftplusBackwardBackward0",
    grad_output=lambda grad, input, beta, threshold: softplus_backward(grad, input, beta=beta, threshold=threshold),
    input=lambda grad, grad_output, input, beta, threshold: (
        grad * grad_output * _sigmoid_slope(input * beta) * beta * (input * beta <= threshold)
    ),
)
def softplus_backward(
    xp: Any, grad_output: Array, input: Array, *, beta: float = 1.0, threshold: float = 20.0, out: Array = None
) -> Array:
    """The gradient of `softplus`."""
    scaled = input * _number(input, beta)
    power = _exp(xp, xp.minimum(scaled, _number(input, threshold)))
    below = grad_output * power
    power += _number(input, 1)
    below /= power
    return where(xp, scaled > threshold, grad_output, below)


def _sigmoid_slope(input: Tensor) -> Tensor:
    sigmoid = input.sigmoid()
    return sigmoid * (1 - sigmoid)


@pointwise(_FLOATS.but(is_like_input=False), **_INTERNAL, inplace=False, error_name="log_sigmoid_cpu")
@derivative(node="LogSigmoidBackward0", input=lambda grad, input: log_sigmoid_backward(grad, input))
def logsigmoid(xp: Any, input: Array, *, out: Array = None) -> Array:
    """``log(sigmoid(x))``, exact where that is tiny."""
    return xp.minimum(input, _number(input, 0)) - xp.log1p(xp.exp(-xp.abs(input)))


@pointwise(_FLOATS, **_BACKWARD)
@derivative(
    node="LogSigmoidBackwardBackward0",
    grad_output=lambda grad, input: log_sigmoid_backward(grad, input),
    input=lambda grad, grad_output, input: -grad * grad_output * _sigmoid_slope(input),
)
def log_sigmoid_backward(xp: Any, grad_output: Array, input: Array) -> Array:
    """The gradient of `logsigmoid`."""
    return grad_output * _sigmoid(xp, -input)


@pointwise(_FLOATS, **_BACKWARD, error_name="glu_cpu")
def _gated(xp: Any, input: Array, gate: Array) -> Array:
    """``x * sigmoid(gate)``."""
    share = _sigmoid(xp, gate)
    share *= input
    return share


def _glu_backward(grad: Tensor, input: Tensor, dim: int) -> Tensor:
    part, gate = input.chunk(2, dim)
    sigmoid = gate.sigmoid()
    return cat([grad * sigmoid, grad * part * sigmoid * (1 - sigmoid)], dim)


@derivative(node="GluBackward0", input=_glu_backward)
def _glu(input: Tensor, dim: int) -> Tensor:
    return _gated(*input.chunk(2, dim))


#: Gated linear unit (Dauphin et al. 2016): the first half along a dimension, times the sigmoid of the second.
glu: Any = recorded(_glu)
