"""The shortcut of an LSTM's layer: all steps in one node of the graph.

Each gate lies in an array of its own, the output gate first: (gates, steps, batch, width). So what a step does with one
gate, with the three sigmoids or with the three that make the cell state goes along one run of memory. A sigmoid is a
hyperbolic tangent of half the number, ``σ(x) = (1 + tanh(x / 2)) / 2``, so one call makes all four gates. On the way
back each step has the products for the hidden state alone; those for weights and inputs are made of all steps together.
A derivative of the derivative is that of the plain way, which is run once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tensorglass.autograd.backward import grad as gradients
from tensorglass.autograd.function import Function
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.core import dtypes
from tensorglass.core.devices import CPU
from tensorglass.graph import anomaly, dual
from tensorglass.ops.declare.registry import FUNCTIONS
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.sum import total
from tensorglass.ops.linalg.matmul import mm
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import enable_grad, no_grad, state, watched
from tensorglass.tensor.tensor import Tensor, raw_array
from tensorglass.tensor.torch_function import PLAIN

Form = Callable[..., Any]
XP = HOST.xp


def of_layer(form: Form) -> Form:
    """`form`, which takes a layer of recurrent cells through all steps, in one direction."""

    class LSTMLayer(Function):
        """Input (steps, batch, features), state and weights → outputs of all steps, the last state."""

        @staticmethod
        def forward(ctx: Any, call: tuple[Any, ...], *inputs: Any) -> tuple[Tensor, ...]:
            ctx.call = call
            gates, cells, output, *last = _forward(inputs, is_backwards=call[2])
            ctx.save_for_backward(gates, cells, output, *inputs)
            return output, *last

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            gates, cells, output, *inputs = ctx.saved_tensors
            cell, weights, is_backwards = ctx.call
            wanted = ctx.needs_input_grad[1:]
            if not state.grad:
                return None, *_backward(gates, cells, output, inputs, grads, is_backwards, wanted)
            x, hidden, inner, *parameters = inputs
            with enable_grad():
                output, last = form(cell, x, (hidden, inner), weights(*parameters), is_backwards, None)
            asked = [each for each, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
            found = iter(gradients((output, *last), asked, grads, create_graph=True, allow_unused=True))
            return None, *[next(found) if is_wanted else None for is_wanted in wanted]

    @wraps(form)
    def layer_first(cell: Any, input: Any, start: Any, w: Any, backwards: bool, sizes: Any) -> Any:
        if cell.__name__ == "_lstm" and w.hr is None and _takes(input, (*start, *w[:4])):
            output, *last = LSTMLayer.apply((cell, type(w), backwards), input, *start, *w[:4])
            return output, tuple(last)
        return form(cell, input, start, w, backwards, sizes)

    return layer_first


def _takes(input: Any, others: Sequence[Any]) -> bool:
    """Whether this is the way: floating-point numbers of one dtype on the CPU, which nobody watches or casts."""
    dtype = input._dtype if type(input) in PLAIN else None
    if dtype is not dtypes.float32 and dtype is not dtypes.float64:
        return False
    if dual.made.dual_tensors or anomaly.state.enabled or watched.saved_tensors_hooks or 0 in input._size:
        return False
    for each in (input, *others):
        if each is not None and (
            type(each) not in PLAIN or each._dtype is not dtype or each._storage.device is not CPU
        ):
            return False
    with no_grad():  # what users call casts with autocast, and then the product is of another dtype
        cell = input[0, :1, :1]
        product: Tensor = FUNCTIONS[mm.__name__](cell, cell)
    return product._dtype is dtype


def _tensor(array: Array, like: Tensor) -> Tensor:
    return from_array(array, like._dtype, like._storage)


#: The gates in our order, o, i, f and g, by their places in the weights.
_ORDER = (3, 0, 1, 2)


def _by_gates(weight: Array, *, is_scaled: bool) -> Array:
    """The rows of each gate: (4, width, columns); with halves of the sigmoids'."""
    made: Array = weight.reshape(4, len(weight) // 4, -1)[list(_ORDER)]
    if is_scaled:
        XP.multiply(made[:3], made.dtype.type(0.5), made[:3])
    return made


def _forward(inputs: Sequence[Any], *, is_backwards: bool) -> tuple[Tensor, ...]:
    """Gates, cell states and outputs of all steps, and the last of the outputs and of the cell states."""
    x = inputs[0]
    arrays = [None if each is None else raw_array(each) for each in inputs]
    size = (*x._size[:2], inputs[1]._size[-1])
    gates, cells, output = (HOST.empty(x._dtype, each) for each in ((4, *size), size, size))
    HOST.launch(_steps, *[_turned(each, is_backwards) for each in (cells, output)], gates, arrays, is_backwards)
    last = -1 if not is_backwards else 0
    return tuple([_tensor(each, x) for each in (gates, cells, output, output[last].copy(), cells[last].copy())])


def _turned(array: Array, is_backwards: bool) -> Array:
    return array[::-1] if is_backwards else array


def _steps(xp: Any, cells: Array, output: Array, gates: Array, inputs: list[Any], is_backwards: bool) -> None:
    x, hidden, cell, weight_in, weight, bias_in, bias = inputs
    steps, batch, width = output.shape
    rows = x.reshape(steps * batch, -1)
    for made, each in zip(gates, _by_gates(weight_in, is_scaled=True), strict=True):
        matrix_product(xp, rows, each.T, made.reshape(steps * batch, width))
    if bias is not None:
        xp.add(gates, _by_gates(bias_in + bias, is_scaled=True).reshape(4, 1, 1, width), gates)
    turned = xp.ascontiguousarray(_by_gates(weight, is_scaled=True).swapaxes(1, 2))
    found, part = xp.empty((4, batch, width), gates.dtype), xp.empty((batch, width), gates.dtype)
    half = xp.asarray(0.5, gates.dtype)
    along = gates[:, ::-1] if is_backwards else gates
    for number, (made, after) in enumerate(zip(output, cells, strict=True)):
        step = along[:, number]
        xp.tanh(xp.add(step, xp.matmul(hidden, turned, found), step), step)
        sigmoids = step[:3]
        xp.add(xp.multiply(sigmoids, half, sigmoids), half, sigmoids)
        xp.multiply(step[2], cell, after)
        xp.add(after, xp.multiply(step[1], step[3], part), after)
        xp.multiply(step[0], xp.tanh(after, part), made)
        hidden, cell = made, after


def _backward(
    gates: Tensor, cells: Tensor, output: Tensor, inputs: Sequence[Any], grads: Any, is_backwards: bool, wanted: Any
) -> list[Tensor | None]:
    """The gradients of the inputs that are wanted."""
    arrays = [_turned(raw_array(each), is_backwards) for each in (cells, output, grads[0])]
    given = [None if each is None else raw_array(each) for each in inputs]
    last = raw_array(grads[1]), raw_array(grads[2])
    found = HOST.launch(_gradients, raw_array(gates), *arrays, given, last, is_backwards, wanted)
    return [None if each is None else _tensor(each, output) for each in found]


def _gradients(
    xp: Any, gates: Array, cells: Array, output: Array, towards_output: Array, given: list[Any],
    towards_last: tuple[Array, Array], is_backwards: bool, wanted: Any,
) -> list[Array | None]:  # fmt: skip
    x, hidden, cell, weight_in, weight, _, _ = given
    steps, batch, width = output.shape
    made = HOST.empty(HOST.dtype_of(gates), gates.shape)
    along, of_all = (gates[:, ::-1], made[:, ::-1]) if is_backwards else (gates, made)
    weights = _by_gates(weight, is_scaled=False)
    towards_hidden, towards_cell = [each.copy() for each in towards_last]
    tanh, part, found = xp.empty_like(towards_cell), xp.empty_like(towards_cell), xp.empty_like(gates[:, 0])
    one = xp.asarray(1, gates.dtype)
    for number in range(steps - 1, -1, -1):
        step, of_gates = along[:, number], of_all[:, number]
        (o, i, f, g), (of_o, of_i, of_f, of_g) = step, of_gates
        sigmoids, of_sigmoids = step[:3], of_gates[:3]
        xp.multiply(xp.subtract(one, sigmoids, of_sigmoids), sigmoids, of_sigmoids)  # their slopes
        xp.multiply(xp.subtract(one, xp.multiply(g, g, of_g), of_g), i, of_g)
        xp.multiply(of_i, g, of_i)
        xp.multiply(of_f, cells[number - 1] if number else cell, of_f)
        xp.add(towards_hidden, towards_output[number], towards_hidden)
        xp.multiply(xp.multiply(of_o, towards_hidden, of_o), xp.tanh(cells[number], tanh), of_o)
        xp.multiply(xp.subtract(one, xp.multiply(tanh, tanh, part), part), o, part)
        xp.add(towards_cell, xp.multiply(part, towards_hidden, part), towards_cell)
        xp.multiply(of_gates[1:], towards_cell, of_gates[1:])
        xp.multiply(towards_cell, f, towards_cell)
        xp.add.reduce(xp.matmul(of_gates, weights, found), axis=0, out=towards_hidden)
    answers: list[Array | None] = [None, towards_hidden if wanted[1] else None, towards_cell if wanted[2] else None]
    rows = made.reshape(4, steps * batch, width)
    answers[0] = _towards_input(rows, weight_in).reshape(x.shape) if wanted[0] else None
    answers.append(_towards_weight(rows, x.reshape(steps * batch, -1)) if wanted[3] else None)
    answers.append(None)
    if wanted[4]:
        before = XP.concatenate([hidden[None], output[:-1]])
        answers[4] = _towards_weight(rows, _turned(before, is_backwards).reshape(steps * batch, width))
    sums = None
    if wanted[5] or wanted[6]:
        sums = total(xp, rows, (1,)).reshape(4, width)[list(_PLACES)].reshape(-1)
    answers += [sums if wanted[5] else None, sums.copy() if sums is not None and wanted[6] else None]
    return answers


#: Where in our order the gates stand in the order of the weights.
_PLACES = (1, 2, 3, 0)


def _towards_input(rows: Array, weight: Array) -> Array:
    """The products with the weights of each gate, added up."""
    made: Array | None = None
    for of_gate, each in zip(rows, _by_gates(weight, is_scaled=False), strict=True):
        found = matrix_product(XP, of_gate, each)
        made = found if made is None else XP.add(made, found, made)
    assert made is not None
    return made


def _towards_weight(rows: Array, inputs: Array) -> Array:
    """The gradient for a weight, the rows of all gates one below the other."""
    width = rows.shape[2]
    made = XP.empty((4, width, inputs.shape[1]), rows.dtype)
    for of_gate, place in zip(rows, _ORDER, strict=True):
        matrix_product(XP, of_gate.T, inputs, made[place])
    return made.reshape(4 * width, -1)
