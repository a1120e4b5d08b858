"""Shortcuts of optimizers: their formulas on arrays, in place, block by block.

Each is the formula of `update` in `optim`, with the same operations in the same order, so that it gives the same
numbers. Besides parameter, gradient and state it only needs two scratch rows, however large the parameter is; and
blocks stay in the cache from one operation to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorglass.backends import Array
from tensorglass.core.devices import CPU
from tensorglass.core.dtypes import float32, float64
from tensorglass.fast.bare_arrays import XP, in_quiet
from tensorglass.tensor.grad_mode import state as modes
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN_TYPES

State = dict[str, Any]
Group = dict[str, Any]
#: Updates of a parameter on arrays. They return False, with nothing done, if the call is not supported.
Update = Callable[[Tensor, Tensor, State, Group], bool]

_BLOCK = 1 << 14  # elements
_add, _subtract, _multiply, _divide, _root = XP.add, XP.subtract, XP.multiply, XP.divide, XP.sqrt
_absolute, _maximum = XP.absolute, XP.maximum


def _arrays(*tensors: Any) -> list[Array] | None:
    """The arrays of parameter, gradient and state if they have one layout without gaps on the CPU; else None."""
    first = tensors[0]
    size, dtype = first._size, first._dtype
    if dtype is not float32 and dtype is not float64:
        return None
    arrays = []
    storages = set()
    for tensor in tensors:
        if type(tensor) not in PLAIN_TYPES or tensor._dtype is not dtype or tensor._size != size:
            return None
        meta, storage = tensor._meta, tensor._storage
        if storage.device is not CPU or (meta is not None and meta.is_inference):
            return None
        storages.add(storage)
        arrays.append(raw_array(tensor))
        if not tensor._contiguous:
            return None
    return arrays if len(storages) == len(arrays) else None


def _are_numbers(*values: Any) -> bool:
    """Whether these options are plain numbers, not tensors."""
    for value in values:  # noqa: SIM110  # a loop is quicker than `all` with a generator
        if type(value) is not float and type(value) is not int:
            return False
    return True


def _in_blocks(rule: Callable[..., None], arrays: list[Array], *numbers: float) -> None:
    """Call `rule` with the arrays, two scratch arrays, and the numbers; block by block if the arrays are long."""
    first = arrays[0]
    if first.size <= _BLOCK:
        rule(*arrays, XP.empty_like(first), XP.empty_like(first), *numbers)
        return
    rows = [array.reshape(-1) for array in arrays]
    one, other = XP.empty((2, _BLOCK), first.dtype)
    for start in range(0, first.size, _BLOCK):
        parts = [row[start : start + _BLOCK] for row in rows]
        length = len(parts[0])
        rule(*parts, one[:length], other[:length], *numbers)


def _next_step(state: State) -> float | None:
    """Increment the step count and return it; None if the count is not a plain CPU tensor."""
    count = state["step"]
    array = count._array if type(count) is Tensor and count._storage.device is CPU else None
    if array is None or array.ndim or count._dtype not in (float32, float64):
        return None
    array += 1
    count._written()
    number: float = array.item()
    return number


def _decay(grad: Array, param: Array, weight_decay: float, out: Array) -> Array:
    """The gradient plus weight decay, in `out`; or the gradient itself without weight decay."""
    if not weight_decay:
        return grad
    _multiply(param, weight_decay, out)
    return _add(grad, out, out)


def _apply_rule(rule: Callable[..., None], arrays: list[Array], written: tuple[Tensor, ...], *numbers: float) -> bool:
    """Apply a rule. `written` is how many in-place writes of `update` count for each tensor."""
    in_quiet(_in_blocks, rule, arrays, *numbers)
    for tensor in written:
        tensor._written()
    return True


# --- the formulas ----------------------------------------------------------------------------------------------------


def _descend(param: Array, grad: Array, one: Array, other: Array, lr: float, weight_decay: float) -> None:
    _multiply(_decay(grad, param, weight_decay, one), -lr, other)
    _add(param, other, param)


def _descend_with_momentum(
    param: Array, grad: Array, velocity: Array, one: Array, other: Array,
    lr: float, weight_decay: float, momentum: float, share: float, nesterov: bool,
) -> None:  # fmt: skip
    grad = _decay(grad, param, weight_decay, one)
    _multiply(velocity, momentum, velocity)
    _add(velocity, grad if share == 1 else _multiply(grad, share, other), velocity)
    if nesterov:
        _multiply(velocity, momentum, other)
        _multiply(_add(grad, other, other), -lr, other)
    else:
        _multiply(velocity, -lr, other)
    _add(param, other, param)


def sgd(param: Tensor, grad: Tensor, state: State, group: Group) -> bool:
    """`SGD.update`."""
    lr, decay, momentum, dampening = group["lr"], group["weight_decay"], group["momentum"], group["dampening"]
    if not _are_numbers(lr, decay, momentum, dampening):
        return False
    if momentum == 0:
        arrays = _arrays(param, grad)
        return arrays is not None and _apply_rule(_descend, arrays, (param,), lr, decay)
    velocity = state.get("momentum_buffer")
    if velocity is None:
        return False
    arrays = _arrays(param, grad, velocity)
    if arrays is None:
        return False
    numbers = (lr, decay, momentum, 1 - dampening, group["nesterov"])
    return _apply_rule(_descend_with_momentum, arrays, (param, velocity, velocity), *numbers)


def _adapt(
    param: Array, grad: Array, mean: Array, square: Array, one: Array, other: Array,
    decoupled: float, decay: float, beta1: float, beta2: float, root: float, eps: float, rate: float,
) -> None:  # fmt: skip
    if decoupled != 1:
        _multiply(param, decoupled, param)
    grad = _decay(grad, param, decay, one)
    _multiply(_subtract(grad, mean, other), 1 - beta1, other)
    _add(mean, other, mean)
    _multiply(square, beta2, square)
    _multiply(_multiply(grad, 1 - beta2, other), grad, other)
    _add(square, other, square)
    _add(_divide(_root(square, other), root, other), eps, other)
    _divide(_multiply(mean, rate, one), other, one)
    _add(param, one, param)


def adam(param: Tensor, grad: Tensor, state: State, group: Group) -> bool:
    """`Adam.update`, without `amsgrad`."""
    lr, (beta1, beta2), eps, decay = group["lr"], group["betas"], group["eps"], group["weight_decay"]
    if group["amsgrad"] or not _are_numbers(lr, beta1, beta2, eps, decay) or beta1 <= 0.5:
        return False
    mean, square = state["exp_avg"], state["exp_avg_sq"]
    arrays = _arrays(param, grad, mean, square)
    step = None if arrays is None else _next_step(state)
    if arrays is None or step is None:
        return False
    rates = (beta1, beta2, (1 - beta2**step) ** 0.5, eps, -(lr / (1 - beta1**step)))
    written = (param, mean, square, square)
    if group["decoupled_weight_decay"]:
        return _apply_rule(_adapt, arrays, (param, *written), 1 - lr * decay, 0, *rates)
    return _apply_rule(_adapt, arrays, written, 1, decay, *rates)


def _adapt_to_largest(
    param: Array, grad: Array, mean: Array, largest: Array, one: Array, other: Array,
    decay: float, beta1: float, beta2: float, eps: float, rate: float,
) -> None:  # fmt: skip
    grad = _decay(grad, param, decay, one)
    _multiply(_subtract(grad, mean, other), 1 - beta1, other)
    _add(mean, other, mean)
    _add(_absolute(grad, other), eps, other)
    _maximum(_multiply(largest, beta2, largest), other, out=largest)
    _divide(_multiply(mean, rate, one), largest, one)
    _add(param, one, param)


def adamax(param: Tensor, grad: Tensor, state: State, group: Group) -> bool:
    """`Adamax.update`."""
    lr, (beta1, beta2), eps, decay = group["lr"], group["betas"], group["eps"], group["weight_decay"]
    if not _are_numbers(lr, beta1, beta2, eps, decay) or beta1 <= 0.5:
        return False
    mean, largest = state["exp_avg"], state["exp_inf"]
    arrays = _arrays(param, grad, mean, largest)
    step = None if arrays is None else _next_step(state)
    if arrays is None or step is None:
        return False
    rate = -(lr / (1 - beta1**step))
    return _apply_rule(_adapt_to_largest, arrays, (param, mean, largest), decay, beta1, beta2, eps, rate)


def _scale_by_root(
    param: Array, grad: Array, square: Array, one: Array, other: Array,
    lr: float, decay: float, alpha: float, eps: float,
) -> None:  # fmt: skip
    grad = _decay(grad, param, decay, one)
    _multiply(square, alpha, square)
    _multiply(_multiply(grad, 1 - alpha, other), grad, other)
    _add(square, other, square)
    _add(_root(square, other), eps, other)
    _divide(_multiply(grad, -lr, one), other, one)
    _add(param, one, param)


def rmsprop(param: Tensor, grad: Tensor, state: State, group: Group) -> bool:
    """`RMSprop.update`, without momentum and not centered."""
    lr, decay, alpha, eps = group["lr"], group["weight_decay"], group["alpha"], group["eps"]
    if group["momentum"] > 0 or group["centered"] or not _are_numbers(lr, decay, alpha, eps):
        return False
    square = state["square_avg"]
    arrays = _arrays(param, grad, square)
    if arrays is None or _next_step(state) is None:
        return False
    return _apply_rule(_scale_by_root, arrays, (param, square, square), lr, decay, alpha, eps)


def _scale_by_sum(
    param: Array, grad: Array, squares: Array, one: Array, other: Array, lr: float, decay: float, eps: float
) -> None:
    grad = _decay(grad, param, decay, one)
    _add(squares, _multiply(grad, grad, other), squares)
    _add(_root(squares, other), eps, other)
    _divide(_multiply(grad, -lr, one), other, one)
    _add(param, one, param)


def adagrad(param: Tensor, grad: Tensor, state: State, group: Group) -> bool:
    """`Adagrad.update`."""
    lr, decay, eps, slowing = group["lr"], group["weight_decay"], group["eps"], group["lr_decay"]
    if not _are_numbers(lr, decay, eps, slowing):
        return False
    squares = state["sum"]
    arrays = _arrays(param, grad, squares)
    step = None if arrays is None else _next_step(state)
    if arrays is None or step is None:
        return False
    return _apply_rule(_scale_by_sum, arrays, (param, squares), lr / (1 + (step - 1) * slowing), decay, eps)


_RULES: dict[str, Update] = {
    "Adagrad": adagrad, "Adam": adam, "Adamax": adamax, "RMSprop": rmsprop, "SGD": sgd,
}  # fmt: skip
#: the rule equivalent to an optimizer's method `update`; None: there is none
_rules: dict[Callable[..., None], Update | None] = {}


def update(optimizer: Any, param: Tensor, grad: Tensor, state: State, group: Group) -> bool:
    """Update a parameter by its optimizer's rule, unless the step is recorded."""
    formula = type(optimizer).update
    if formula not in _rules:  # a user's subclass may define its own `update`, which has no entry
        owner = next(cls for cls in type(optimizer).__mro__ if "update" in vars(cls))
        _rules[formula] = _RULES.get(vars(owner).get("_formula", ""))
    rule = _rules[formula]
    return rule is not None and not modes.grad and rule(param, grad, state, group)
