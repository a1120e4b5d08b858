"""The shortcut of an LSTM's layer: all steps in one node of the graph.

The gates i, f, g and o of a step are the columns of one matrix, computed in place. A sigmoid is a hyperbolic tangent of
half the number, ``σ(x) = (1 + tanh(x / 2)) / 2``, so one call makes all four. On the way back each step has one product
of matrices, for the hidden state; the products for weights and inputs are made of all steps together. A derivative of
the derivative is that of the plain way, which is run once more.
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
from tensorglass.ops.linalg import addmm as addmm  # declares it
from tensorglass.ops.linalg import matmul as mm  # and this
from tensorglass.ops.kernels.matmul import matrix_product
from tensorglass.ops.kernels.sum import total
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
        def forward(ctx: Any, gates: Tensor, call: tuple[Any, ...], *inputs: Any) -> tuple[Tensor, ...]:
            ctx.call = call
            output, cells, last = _forward(gates, inputs, backwards=call[2])
            ctx.save_for_backward(gates, cells, output, *inputs)
            return (output, *last)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            gates, cells, output, *inputs = ctx.saved_tensors
            cell, weights, backwards = ctx.call
            wanted = ctx.needs_input_grad[2:]
            if not state.grad:
                return None, None, *_backward(gates, cells, output, inputs, grads, backwards, wanted)
            x, hidden, inner, *parameters = inputs
            with enable_grad():
                output, last = form(cell, x, (hidden, inner), weights(*parameters), backwards, None)
            asked = [each for each, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
            found = iter(gradients((output, *last), asked, grads, create_graph=True, allow_unused=True))
            return None, None, *[next(found) if is_wanted else None for is_wanted in wanted]

    @wraps(form)
    def layer_first(cell: Any, input: Any, start: Any, w: Any, backwards: bool, sizes: Any) -> Any:
        if cell.__name__ == "_lstm" and w.hr is None:
            gates = _projected(input, (*start, *w[:4]))
            if gates is not None:
                output, *last = LSTMLayer.apply(gates, (cell, type(w), backwards), input, *start, *w[:4])
                return output, tuple(last)
        return form(cell, input, start, w, backwards, sizes)

    return layer_first


def _projected(input: Any, others: Sequence[Any]) -> Tensor | None:
    """The products of all steps' inputs with their weights, and the biases: of sigmoids by half.

    None where the call is not the shortcut's.
    """
    dtype = input._dtype if type(input) in PLAIN else None
    if dtype is not dtypes.float32 and dtype is not dtypes.float64:
        return None
    if dual.made.dual_tensors or anomaly.state.enabled or watched.saved_tensors_hooks or 0 in input._size:
        return None
    for each in (input, *others):
        if each is not None and (
            type(each) not in PLAIN or each._dtype is not dtype or each._storage.device is not CPU
        ):
            return None
    _, _, weight, _, bias_in, bias = others
    scale = _scale(weight._size[0] // 4, raw_array(weight).dtype)
    scaled = _tensor(XP.multiply(raw_array(weight), scale[:, None]), weight)
    with no_grad():
        rows, turned = input.reshape(-1, input._size[-1]), scaled.t()
        # What users call: with autocast it casts, and then the result is of another dtype.
        if bias_in is None:
            made = FUNCTIONS[mm.mm.__name__](rows, turned)
        else:
            biases = _tensor(XP.multiply(raw_array(bias_in) + raw_array(bias), scale), bias)
            made = FUNCTIONS[addmm.addmm.__name__](biases, rows, turned)
    return made.view(*input._size[:-1], -1) if made._dtype is dtype else None


def _scale(width: int, array_dtype: Any) -> Array:
    """One half for sigmoids, 1 for the third gate."""
    made = XP.full(4 * width, 0.5, array_dtype)
    made[2 * width : 3 * width] = 1
    return made


def _tensor(array: Array, like: Tensor) -> Tensor:
    return from_array(array, like._dtype, like._storage)


def _forward(
    gates: Tensor, inputs: Sequence[Any], *, backwards: bool
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
    """Outputs and cell states of all steps, and the last of both. `gates` becomes what they come to."""
    _, hidden, cell, _, weight, _, _ = [None if each is None else raw_array(each) for each in inputs]
    steps, batch, width = gates._size[0], gates._size[1], gates._size[2] // 4
    output, cells = (_tensor(HOST.empty(gates._dtype, (steps, batch, width)), gates) for _ in range(2))
    arrays = [raw_array(each)[::-1] if backwards else raw_array(each) for each in (gates, cells, output)]
    HOST.run(_steps, *arrays, hidden, cell, weight)
    return output, cells, (_tensor(arrays[2][-1].copy(), gates), _tensor(arrays[1][-1].copy(), gates))


def _steps(gates: Array, cells: Array, output: Array, hidden: Array, cell: Array, weight: Array) -> None:
    width = output.shape[2]
    turned = XP.ascontiguousarray(XP.multiply(weight, _scale(width, gates.dtype)[:, None]).T)
    found = XP.empty_like(gates[0])
    part = XP.empty_like(output[0])
    half = XP.asarray(0.5, gates.dtype)
    for step, made, after in zip(gates, output, cells, strict=True):
        XP.tanh(XP.add(step, XP.matmul(hidden, turned, found), step), step)
        for sigmoids in (step[:, : 2 * width], step[:, 3 * width :]):
            XP.add(XP.multiply(sigmoids, half, sigmoids), half, sigmoids)
        XP.multiply(step[:, width : 2 * width], cell, after)
        XP.add(after, XP.multiply(step[:, :width], step[:, 2 * width : 3 * width], part), after)
        XP.multiply(step[:, 3 * width :], XP.tanh(after, part), made)
        hidden, cell = made, after


def _backward(
    gates: Tensor, cells: Tensor, output: Tensor, inputs: Sequence[Any], grads: Any, backwards: bool, wanted: Any
) -> list[Tensor | None]:
    """The gradients of the inputs that are wanted."""
    arrays = [raw_array(each)[::-1] if backwards else raw_array(each) for each in (gates, cells, output, grads[0])]
    given = [None if each is None else raw_array(each) for each in inputs]
    found = HOST.launch(_all_gradients, arrays, given, raw_array(grads[1]), raw_array(grads[2]), wanted)
    made = [None if each is None else _tensor(each, output) for each in found]
    if backwards and made[0] is not None:
        made[0] = made[0].flip(0)
    return made


def _all_gradients(
    xp: Any, arrays: list[Array], given: list[Any], towards_last: Array, towards_cell: Array, wanted: Any
) -> list[Array | None]:
    gates, cells, output, towards_output = arrays
    x, hidden, cell, weight_in, weight, _, _ = given
    steps, batch, width = output.shape
    made = xp.empty(gates.shape, gates.dtype)
    towards_hidden, towards_cell = towards_last.copy(), towards_cell.copy()
    tanh, part = xp.empty_like(towards_cell), xp.empty_like(towards_cell)
    one = xp.asarray(1, gates.dtype)
    for number in range(steps - 1, -1, -1):
        of_gates, step = made[number], gates[number]
        i, f, g, o = [step[:, start : start + width] for start in range(0, 4 * width, width)]
        of_i, of_f, of_g, of_o = [of_gates[:, start : start + width] for start in range(0, 4 * width, width)]
        xp.multiply(xp.subtract(one, step, of_gates), step, of_gates)  # the slopes of sigmoids
        xp.multiply(xp.subtract(one, xp.multiply(g, g, of_g), of_g), i, of_g)
        xp.multiply(of_i, g, of_i)
        xp.multiply(of_f, cells[number - 1] if number else cell, of_f)
        xp.add(towards_hidden, towards_output[number], towards_hidden)
        xp.multiply(xp.multiply(of_o, towards_hidden, of_o), xp.tanh(cells[number], tanh), of_o)
        xp.multiply(xp.subtract(one, xp.multiply(tanh, tanh, part), part), o, part)
        xp.add(towards_cell, xp.multiply(part, towards_hidden, part), towards_cell)
        first = of_gates[:, : 3 * width].reshape(batch, 3, width)
        xp.multiply(first, towards_cell[:, None], first)
        xp.multiply(towards_cell, f, towards_cell)
        xp.matmul(of_gates, weight, towards_hidden)
    if x is not None and arrays[0].strides[0] < 0:
        x = x[::-1]
    rows = made.reshape(steps * batch, 4 * width)
    found: list[Array | None] = [None] * 7
    if wanted[0]:
        found[0] = matrix_product(xp, rows, weight_in).reshape(steps, batch, -1)
    found[1] = towards_hidden if wanted[1] else None
    found[2] = towards_cell if wanted[2] else None
    if wanted[3]:
        found[3] = matrix_product(xp, rows.T, x.reshape(steps * batch, -1))
    if wanted[4]:
        found[4] = made[0].T @ hidden
        if steps > 1:
            before = output[:-1].reshape((steps - 1) * batch, width)
            xp.add(found[4], matrix_product(xp, rows[batch:].T, before), found[4])
    if wanted[5] or wanted[6]:
        sums = total(xp, rows, (0,)).reshape(-1)
        found[5], found[6] = sums if wanted[5] else None, sums.copy() if wanted[6] else None
    return found
