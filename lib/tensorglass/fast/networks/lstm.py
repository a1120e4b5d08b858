"""The shortcut of an LSTM's layer: all steps in one node of the graph.

Each gate has its own array, the output gate first: (gates, steps, batch, width). So what a step does with one gate,
with the three sigmoids or with the three gates of the cell state runs along contiguous memory. A sigmoid is a
hyperbolic tangent of half its argument, ``σ(x) = (1 + tanh(x / 2)) / 2``, so one call computes all four gates.
Backward, each step only computes the product for the hidden state. The gates' gradients are placed side by side, in the
order of the weights, and the products for weights and inputs are computed for all steps together. Second derivatives
run the plain way again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from tensorglass.autograd.backward import grad as gradients
from tensorglass.autograd.function import Function
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.networks.one_node import is_usual
from tensorglass.ops.kernels.matmul import SMALL, aligned, matrix_product
from tensorglass.ops.kernels.sum import total
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import enable_grad, state
from tensorglass.tensor.tensor import Tensor, raw_array

Form = Callable[..., Any]
XP = HOST.xp
_MOST = 1 << 19  # bytes of gates that are processed at a time


def of_layer(form: Form) -> Form:
    """A shortcut before `form`, which runs a recurrent layer through all steps in one direction."""

    class LSTMLayer(Function):
        """Input (steps, batch, features), state and weights → outputs of all steps, the last state."""

        @staticmethod
        def forward(ctx: Any, call: tuple[Any, ...], *inputs: Any) -> tuple[Tensor, ...]:
            ctx.call = call
            gates, cells, squashed, output, *last = _forward(inputs, is_backwards=call[2])
            ctx.save_for_backward(gates, cells, squashed, output, *inputs)
            return output, *last

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            gates, cells, squashed, output, *inputs = ctx.saved_tensors
            cell, weights, is_backwards = ctx.call
            wanted = ctx.needs_input_grad[1:]
            if not state.grad:
                return None, *_lstm_backward(gates, cells, squashed, output, inputs, grads, is_backwards, wanted)
            x, hidden, inner, *parameters = inputs
            with enable_grad():
                output, last = form(cell, x, (hidden, inner), weights(*parameters), is_backwards, None)
            asked = [input for input, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
            of_inputs = iter(gradients((output, *last), asked, grads, create_graph=True, allow_unused=True))
            return None, *[next(of_inputs) if is_wanted else None for is_wanted in wanted]

    @wraps(form)
    def layer_first(cell: Any, input: Any, start: Any, w: Any, backwards: bool, sizes: Any) -> Any:
        if cell.__name__ == "_lstm" and w.hr is None and is_usual(input, (*start, *w[:4])):
            output, *last = LSTMLayer.apply((cell, type(w), backwards), input, *start, *w[:4])
            return output, tuple(last)
        return form(cell, input, start, w, backwards, sizes)

    return layer_first


def _tensor(array: Array, like: Tensor) -> Tensor:
    return from_array(array, like._dtype, like._storage)


#: The gates in our order, o, i, f, g: their indices in the weights.
_ORDER = (3, 0, 1, 2)


def _by_gates(weight: Array) -> Array:
    """The rows of each gate: (4, width, columns)."""
    width = len(weight) // 4
    gates = aligned((4, width, weight.shape[1]), weight.dtype)
    for gate, place in zip(gates, _ORDER, strict=True):
        gate[...] = weight[place * width : (place + 1) * width]
    return gates


def _scaled_by_gates(weight: Array) -> Array:
    """The columns for each gate, (4, columns, width); those of sigmoids are halved."""
    width = len(weight) // 4
    gates = aligned((4, weight.shape[1], width), weight.dtype)
    for gate, place in zip(gates, _ORDER, strict=True):
        XP.multiply(weight[place * width : (place + 1) * width].T, weight.dtype.type(1 if place == 2 else 0.5), gate)
    return gates


def _forward(inputs: Sequence[Any], *, is_backwards: bool) -> tuple[Tensor, ...]:
    """Gates, cell states, their tanh and outputs of all steps, and the last output and cell state."""
    x = inputs[0]
    arrays = [None if tensor is None else raw_array(tensor) for tensor in inputs]
    size = (*x._size[:2], inputs[1]._size[-1])
    gates = HOST.empty(x._dtype, (4, *size))
    states = [HOST.empty(x._dtype, size) for _ in range(3)]
    HOST.launch(_steps, *[_turned(state, is_backwards) for state in states], gates, arrays, is_backwards)
    last = -1 if not is_backwards else 0
    cells, squashed, output = states
    results = (gates, cells, squashed, output, output[last].copy(), cells[last].copy())
    return tuple([_tensor(array, x) for array in results])


def _turned(array: Array, is_backwards: bool) -> Array:
    return array[::-1] if is_backwards else array


def _steps(
    xp: Any, cells: Array, squashed: Array, output: Array, gates: Array, inputs: list[Any], is_backwards: bool
) -> None:
    x, hidden, cell, weight_in, weight, bias_in, bias = inputs
    weights_in, weights = _scaled_by_gates(weight_in), _scaled_by_gates(weight)
    is_small = _is_small(x, hidden)
    if not is_small:
        rows = x.reshape(-1, x.shape[2])
        for target, columns in zip(gates, weights_in, strict=True):
            matrix_product(xp, rows, columns, target.reshape(len(rows), -1))
    step_gates, part = xp.empty((4, *hidden.shape), gates.dtype), xp.empty(hidden.shape, gates.dtype)
    if bias is not None:
        biases = xp.empty_like(step_gates)
        xp.copyto(biases, _scaled_by_gates((bias_in + bias)[:, None]))
    half = xp.asarray(0.5, gates.dtype)
    x, along = _turned(x, is_backwards), gates[:, ::-1] if is_backwards else gates
    for number, (target, after, tanh) in enumerate(zip(output, cells, squashed, strict=True)):
        step = along[:, number]
        if is_small:
            xp.matmul(x[number], weights_in, step)
        xp.matmul(hidden, weights, step_gates)
        if bias is not None:
            xp.add(step_gates, biases, step_gates)
        xp.tanh(xp.add(step, step_gates, step), step)
        sigmoids = step[:3]
        xp.add(xp.multiply(sigmoids, half, sigmoids), half, sigmoids)
        xp.multiply(step[2], cell, after)
        xp.add(after, xp.multiply(step[1], step[3], part), after)
        xp.multiply(step[0], xp.tanh(after, tanh), target)
        hidden, cell = target, after


def _is_small(x: Array, hidden: Array) -> bool:
    """Whether to compute the input's products step by step, so that their results are still in the cache."""
    return bool(x[0].size * hidden.shape[1] <= SMALL)


def _lstm_backward(
    gates: Tensor, cells: Tensor, squashed: Tensor, output: Tensor, inputs: Sequence[Any], grads: Any,
    is_backwards: bool, wanted: Any,
) -> list[Tensor | None]:  # fmt: skip
    """The wanted gradients of the inputs."""
    arrays = [_turned(raw_array(tensor), is_backwards) for tensor in (cells, squashed, output, grads[0])]
    given = [None if tensor is None else raw_array(tensor) for tensor in inputs]
    last = raw_array(grads[1]), raw_array(grads[2])
    answers = HOST.launch(_gradients, raw_array(gates), *arrays, given, last, is_backwards, wanted)
    return [None if answer is None else _tensor(answer, output) for answer in answers]


def _gradients(
    xp: Any, gates: Array, cells: Array, squashed: Array, output: Array, towards_output: Array, given: list[Any],
    towards_last: tuple[Array, Array], is_backwards: bool, wanted: Any,
) -> list[Array | None]:  # fmt: skip
    x, hidden, cell, weight_in, weight, _, _ = given
    steps, batch, width = output.shape
    towards_gates = HOST.empty(HOST.dtype_of(gates), (steps, batch, 4, width))
    along, in_turn = (gates[:, ::-1], towards_gates[::-1]) if is_backwards else (gates, towards_gates)
    weights = _by_gates(weight)
    towards_hidden, towards_cell = [tensor.copy() for tensor in towards_last]
    part, step_gates = xp.empty_like(cell), xp.empty_like(gates[:, 0])
    scratch: Array | None = None
    for block in _blocks_from_the_end(steps, step_gates.nbytes):
        first = [cell[None]] if not block.start else []
        before = XP.concatenate([*first, cells[max(0, block.start - 1) : block.stop - 1]])
        scratch = xp.empty((4, *before.shape), gates.dtype) if scratch is None else scratch[:, : len(before)]
        slopes = _slopes(along[:, block], before, squashed[block], output[block], scratch)
        for number in range(block.stop - 1, block.start - 1, -1):
            of_gates = scratch[:, number - block.start]
            xp.add(towards_hidden, towards_output[number], towards_hidden)
            xp.multiply(of_gates[0], towards_hidden, of_gates[0])
            xp.multiply(slopes[number - block.start], towards_hidden, part)
            xp.add(towards_cell, part, towards_cell)
            xp.multiply(of_gates[1:], towards_cell, of_gates[1:])
            xp.multiply(towards_cell, along[2, number], towards_cell)
            xp.add.reduce(xp.matmul(of_gates, weights, step_gates), axis=0, out=towards_hidden)
        for of_gate, place in zip(scratch, _ORDER, strict=True):
            in_turn[block, :, place] = of_gate
    rows, inputs = towards_gates.reshape(steps * batch, 4 * width), x.reshape(steps * batch, -1)
    answers: list[Array | None] = [None] * 7
    if wanted[0]:
        answers[0] = matrix_product(xp, rows, weight_in).reshape(x.shape)
    answers[1:3] = [towards_hidden if wanted[1] else None, towards_cell if wanted[2] else None]
    if wanted[3]:
        answers[3] = matrix_product(xp, rows.T, inputs)
    if wanted[4]:
        before = XP.concatenate([hidden[None], output[:-1]])
        answers[4] = matrix_product(xp, rows.T, _turned(before, is_backwards).reshape(steps * batch, width))
    if wanted[5] or wanted[6]:
        sums = total(xp, rows, (0,)).reshape(-1)
        answers[5:] = [sums if wanted[5] else None, sums.copy() if wanted[6] else None]
    return answers


def _blocks_from_the_end(steps: int, nbytes: int) -> Iterator[slice]:
    """Blocks of steps, from the last one, whose gates stay in the cache; `nbytes` is the size of one step."""
    length = max(1, _MOST // max(nbytes, 1))
    for stop in range(steps, 0, -length):
        yield slice(max(0, stop - length), stop)


def _slopes(gates: Array, before: Array, squashed: Array, output: Array, out: Array) -> Array:
    """The slopes of some steps' gates, without the gradients of output and cell state, in `out`.

    Returns how the outputs change with the cell states. A sigmoid's slope times what the gate multiplies is p·σ·(1 - σ)
    = q - q·σ, where q = p·σ is already computed.
    """
    (o, i, f, g), (of_o, of_i, of_f, of_g) = gates, out
    XP.subtract(output, XP.multiply(output, o, of_o), of_o)
    let_through = XP.multiply(i, g)
    XP.subtract(let_through, XP.multiply(let_through, i, of_i), of_i)
    XP.subtract(i, XP.multiply(let_through, g, of_g), of_g)
    XP.multiply(f, before, let_through)
    XP.subtract(let_through, XP.multiply(let_through, f, of_f), of_f)
    return XP.subtract(o, XP.multiply(output, squashed, let_through), let_through)
