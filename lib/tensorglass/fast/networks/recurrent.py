"""The shortcut of a GRU's layer and of a plain recurrent one: all steps in one node of the graph, as in `lstm`.

The inputs' products are computed for all steps together, and so are the products for the weights in backward; only one
product a step has to wait for the step before. Second derivatives run the plain way again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tensorglass.autograd.backward import grad as gradients
from tensorglass.autograd.function import Function
from tensorglass.backends import Array
from tensorglass.backends.numpy_backend import HOST
from tensorglass.fast.networks import lstm
from tensorglass.fast.networks.one_node import is_usual
from tensorglass.ops.kernels.activations import above_threshold
from tensorglass.ops.kernels.matmul import aligned, matrix_product
from tensorglass.ops.kernels.sum import total
from tensorglass.tensor.construct import from_array
from tensorglass.tensor.grad_mode import enable_grad, state
from tensorglass.tensor.tensor import Tensor, raw_array

Form = Callable[..., Any]
XP = HOST.xp


def of_layer(form: Form) -> Form:
    """A shortcut before `form`, which runs a recurrent layer through all steps in one direction."""
    behind = lstm.of_layer(form)

    class RecurrentLayer(Function):
        """Input (steps, batch, features), state and weights → outputs of all steps, the last state."""

        @staticmethod
        def forward(ctx: Any, call: tuple[Any, ...], *inputs: Any) -> tuple[Tensor, ...]:
            ctx.call = call
            x, arrays = inputs[0], [None if tensor is None else raw_array(tensor) for tensor in inputs]
            kept = HOST.launch(_steps, call[0].__name__, arrays, call[2])
            states = kept[0]  # a separate copy: the user may write to the output, as to the result of `stack`
            given = HOST.empty(x._dtype, states.shape)
            given[...] = states
            results = [
                from_array(array, x._dtype, x._storage) for array in (*kept, given, states[0 if call[2] else -1].copy())
            ]
            ctx.save_for_backward(*results[:-2], *inputs)
            return results[-2], results[-1]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            cell, weights, is_backwards = ctx.call
            saved, wanted = ctx.saved_tensors, ctx.needs_input_grad[1:]
            kept, inputs = saved[:-6], saved[-6:]
            if not state.grad:
                arrays = [[None if tensor is None else raw_array(tensor) for tensor in part] for part in (kept, inputs)]
                given = [raw_array(tensor) for tensor in grads]
                of_inputs = HOST.launch(_gradients, cell.__name__, *arrays, given, is_backwards, wanted)
                like = inputs[0]
                return None, *[
                    None if answer is None else from_array(answer, like._dtype, like._storage) for answer in of_inputs
                ]
            x, hidden, *parameters = inputs
            with enable_grad():
                output, (last,) = form(cell, x, (hidden,), weights(*parameters), is_backwards, None)
            asked = [input for input, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
            answers = iter(gradients((output, last), asked, grads, create_graph=True, allow_unused=True))
            return None, *[next(answers) if is_wanted else None for is_wanted in wanted]

    @wraps(form)
    def layer_first(cell: Any, input: Any, start: Any, w: Any, backwards: bool, sizes: Any) -> Any:
        if cell.__name__ != "_lstm" and is_usual(input, (*start, *w[:4])):
            output, last = RecurrentLayer.apply((cell, type(w), backwards), input, *start, *w[:4])
            return output, (last,)
        return behind(cell, input, start, w, backwards, sizes)

    return layer_first


def _steps(xp: Any, name: str, inputs: Sequence[Any], is_backwards: bool) -> tuple[Array, ...]:
    """Outputs of all steps; for a GRU also the gates, (steps, batch, 3 * width), and the state's part of n."""
    x, hidden, weight_in, weight, bias_in, bias = inputs
    (steps, batch, features), width = x.shape, hidden.shape[1]
    columns = aligned(weight.T.shape, weight.dtype)
    columns[...] = weight.T
    gates = matrix_product(xp, x.reshape(-1, features), weight_in.T).reshape(steps, batch, -1)
    if bias_in is not None:
        xp.add(gates, bias_in, gates)
    output = HOST.empty(HOST.dtype_of(gates), (steps, batch, width))
    shares = xp.empty((steps if name == "_gru" else 0, batch, width), gates.dtype)
    sums, half = xp.empty(gates.shape[1:], gates.dtype), gates.dtype.type(0.5)
    for number in range(steps)[:: -1 if is_backwards else 1]:
        step, target = gates[number], output[number]
        xp.matmul(hidden, columns, sums)
        if bias is not None:
            xp.add(sums, bias, sums)
        if name == "_gru":
            doors, new, share = step[:, : 2 * width], step[:, 2 * width :], shares[number]
            xp.add(doors, sums[:, : 2 * width], doors)  # σ(x) = (1 + tanh(x / 2)) / 2
            xp.tanh(xp.multiply(doors, half, doors), doors)
            xp.add(xp.multiply(doors, half, doors), half, doors)
            share[...] = sums[:, 2 * width :]
            xp.tanh(xp.add(new, xp.multiply(share, doors[:, :width], target), new), new)
            xp.add(xp.multiply(xp.subtract(hidden, new, target), doors[:, width:], target), new, target)
        elif name == "_rnn_tanh":
            xp.tanh(xp.add(sums, step, target), target)
        else:
            xp.maximum(xp.add(sums, step, target), gates.dtype.type(0), out=target)
        hidden = target
    return (output, gates, shares) if name == "_gru" else (output,)


def _gradients(
    xp: Any, name: str, kept: Sequence[Array], inputs: Sequence[Any], grads: Sequence[Array], is_backwards: bool,
    wanted: Sequence[bool],
) -> list[Array | None]:  # fmt: skip
    """The wanted gradients of the inputs."""
    x, hidden, weight_in, weight, *_ = inputs
    output, width = kept[0], hidden.shape[1]
    steps, batch, _ = output.shape
    before = xp.concatenate([output[1:], hidden[None]] if is_backwards else [hidden[None], output[:-1]])
    towards = grads[1].copy()
    towards_state = HOST.empty(HOST.dtype_of(output), (steps, batch, len(weight)))  # of the candidate state
    towards_gates = xp.empty_like(towards_state) if name == "_gru" else towards_state
    for number in range(steps)[:: 1 if is_backwards else -1]:
        xp.add(towards, grads[0][number], towards)
        of_state = towards_state[number]
        if name == "_gru":
            gates, of_gates = kept[1][number], towards_gates[number]
            r, z, new = gates[:, :width], gates[:, width : 2 * width], gates[:, 2 * width :]
            of_gates[:, width : 2 * width] = towards * (before[number] - new) * z * (1 - z)
            of_new = towards * (1 - z) * (1 - new * new)
            of_gates[:, 2 * width :] = of_new
            of_gates[:, :width] = of_new * kept[2][number] * r * (1 - r)
            of_state[:, : 2 * width] = of_gates[:, : 2 * width]
            xp.multiply(of_new, r, of_state[:, 2 * width :])
            towards = xp.add(of_state.dot(weight), towards * z)
        else:
            state = output[number]
            of_state[...] = (
                towards * (1 - state * state) if name == "_rnn_tanh" else above_threshold(xp, towards, state, 0)
            )
            towards = of_state.dot(weight)
    rows, state_rows = [array.reshape(steps * batch, -1) for array in (towards_gates, towards_state)]
    answers: list[Array | None] = [None] * 6
    if wanted[0]:
        answers[0] = matrix_product(xp, rows, weight_in).reshape(x.shape)
    if wanted[1]:
        answers[1] = towards
    if wanted[2]:
        answers[2] = matrix_product(xp, rows.T, x.reshape(steps * batch, -1))
    if wanted[3]:
        answers[3] = matrix_product(xp, state_rows.T, before.reshape(steps * batch, width))
    for place, array in ((4, rows), (5, state_rows)):
        if wanted[place]:
            answers[place] = total(xp, array, (0,)).reshape(-1)
    return answers
