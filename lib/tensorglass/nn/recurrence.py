"""What recurrent layers compute: a cell, and the loop that calls it step by step.

A cell computes the next state from the last one and from ``W x + b``, where x is its input. That product does not
depend on the state, so a layer computes it for all steps at once. A state is a tuple: the hidden state and, for an
LSTM, the cell state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorglass as torch
from tensorglass.nn import functional as F
from tensorglass.ops.arg_parser.parsed import parsed
from tensorglass.ops.declare.autocast import in_lower_precision
from tensorglass.ops.declare.seams import has_shortcut

State = tuple[Any, ...]


class Weights(NamedTuple):
    """The weights of one layer and direction: for the input, for the hidden state, their biases, and an LSTM's
    projection.
    """

    ih: Any
    hh: Any
    bias_ih: Any = None
    bias_hh: Any = None
    hr: Any = None


Cell = Callable[[Any, State, Weights], State]


def _rnn_tanh(gates: Any, state: State, w: Weights) -> State:
    """``h' = tanh(W x + U h)``. Elman, "Finding Structure in Time" (1990)."""
    return (torch.tanh(F.linear(state[0], w.hh, w.bias_hh) + gates),)


def _rnn_relu(gates: Any, state: State, w: Weights) -> State:
    """``h' = relu(W x + U h)``."""
    return (torch.relu(F.linear(state[0], w.hh, w.bias_hh) + gates),)


def _lstm(gates: Any, state: State, w: Weights) -> State:
    """``c' = f c + i g``, ``h' = o tanh(c')``. Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997)."""
    hidden, cell = state
    i, f, g, o = (F.linear(hidden, w.hh, w.bias_hh) + gates).chunk(4, 1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    hidden = torch.sigmoid(o) * torch.tanh(cell)
    return hidden if w.hr is None else F.linear(hidden, w.hr), cell


def _gru(gates: Any, state: State, w: Weights) -> State:
    """``h' = (1 - z) n + z h``, where r controls how much of h enters n.

    Cho and others, "Learning Phrase Representations using RNN Encoder-Decoder" (2014); as in cuDNN, r is applied after
    the product with h.
    """
    (hidden,) = state
    r, z, n = gates.chunk(3, 1)
    from_r, from_z, from_n = F.linear(hidden, w.hh, w.bias_hh).chunk(3, 1)
    new = torch.tanh(n + from_n * torch.sigmoid(from_r + r))
    return ((hidden - new) * torch.sigmoid(from_z + z) + new,)


CELLS: dict[str, Cell] = {"RNN_TANH": _rnn_tanh, "RNN_RELU": _rnn_relu, "LSTM": _lstm, "GRU": _gru}


# --- layers ----------------------------------------------------------------------------------------------------------


def run(
    mode: str,
    input: Any,
    state: State,
    flat_weights: Sequence[Any],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool = False,
    batch_sizes: Any = None,
) -> tuple[Any, State]:
    """The outputs of the last layer at every step, and the last state of each layer and direction.

    `input` is (steps, batch, features), or (batch, steps, features) with `batch_first`; or the data of a packed
    sequence with its `batch_sizes`. The tensors of `state` are (layers * directions, batch, features).
    """
    cell = CELLS[mode]
    weights = _grouped(flat_weights, has_biases, projected=mode == "LSTM" and state[0].size(2) != state[1].size(2))
    if batch_first:
        input = input.transpose(0, 1)
    if batch_sizes is None and not input.size(0):
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    sizes = None if batch_sizes is None else batch_sizes.tolist()
    directions = 2 if bidirectional else 1
    starts = list(zip(*(part.unbind(0) for part in state), strict=True))
    last_states = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            number = layer * directions + direction
            own_weights = weights[number]
            if mode == "LSTM" and sizes is None and own_weights.hr is None:
                output, last = _padded_lstm(input, starts[number], list(own_weights), direction == 1)
            else:
                one = _packed if sizes is not None else _padded
                output, last = one(cell, input, starts[number], own_weights, direction == 1, sizes)
            outputs.append(output)
            last_states.append(last)
        input = outputs[0] if directions == 1 else torch.cat(outputs, outputs[0].dim() - 1)
        if dropout and train and layer < num_layers - 1:
            input = F.dropout(input, dropout)
    final = tuple(torch.stack(parts, 0) for parts in zip(*last_states, strict=True))
    if batch_first:  # PyTorch does so in place, but for an LSTM
        input = input.transpose(0, 1) if mode == "LSTM" else input.transpose_(0, 1)
    return input, final


def _grouped(flat: Sequence[Any], has_biases: bool, projected: bool) -> list[Weights]:
    length = 2 + 2 * has_biases + projected
    groups = []
    for start in range(0, len(flat), length):
        group = flat[start : start + length]
        biases = group[2:4] if has_biases else (None, None)
        groups.append(Weights(group[0], group[1], biases[0], biases[1], group[-1] if projected else None))
    return groups


@has_shortcut("recurrent_layer")
def _padded(
    cell: Cell, input: Any, state: State, w: Weights, backwards: bool, _: list[int] | None
) -> tuple[Any, State]:
    """One layer in one direction, over padded sequences."""
    steps = F.linear(input, w.ih, w.bias_ih).unbind(0)
    outputs = []
    for gates in reversed(steps) if backwards else steps:
        state = cell(gates, state, w)
        outputs.append(state[0])
    return torch.stack(outputs[::-1] if backwards else outputs, 0), state


@in_lower_precision
def _padded_lstm(input: Any, state: State, weights: Sequence[Any], backwards: bool) -> tuple[Any, State]:
    """The same for an LSTM, which is one operator in PyTorch: under autocast its states have the short dtype too."""
    return _padded(_lstm, input, state, Weights(*weights), backwards, None)


def _packed(
    cell: Cell, data: Any, state: State, w: Weights, backwards: bool, sizes: list[int] | None
) -> tuple[Any, State]:
    """One layer in one direction, over packed sequences, the longest first: step i has the first `sizes[i]` of them."""
    assert sizes is not None
    steps = F.linear(data, w.ih, w.bias_ih).split(sizes, 0)
    outputs = []
    if backwards:  # the longest sequences begin; a shorter one joins at its last element
        start, state = state, tuple(part[: sizes[-1]] for part in state)
        for gates in reversed(steps):
            running = state[0].size(0)
            if gates.size(0) > running:
                joining = [part[running : gates.size(0)] for part in start]
                state = tuple(torch.cat(pair, 0) for pair in zip(state, joining, strict=True))
            state = cell(gates, state, w)
            outputs.append(state[0])
        return torch.cat(outputs[::-1], 0), state
    ended: list[State] = []  # the states of sequences that have ended, the shortest first
    for gates in steps:
        left = gates.size(0)
        if left < state[0].size(0):
            ended.append(tuple(part[left:] for part in state))
            state = tuple(part[:left] for part in state)
        state = cell(gates, state, w)
        outputs.append(state[0])
    ended.append(state)
    return torch.cat(outputs, 0), tuple(torch.cat(parts, 0) for parts in zip(*ended[::-1], strict=True))


# --- PyTorch's functions for them ------------------------------------------------------------------------------------


def _layer(mode: str, name: str) -> Callable[..., Any]:
    def function(input: Any, *rest: Any, **options: Any) -> Any:
        packed = isinstance(rest[2], Sequence) and not isinstance(rest[1], Sequence | bool)
        if packed or (mode == "LSTM" and not isinstance(rest[0], Sequence)):
            batch_sizes, hx, params, *flags = rest
            options["batch_sizes"] = batch_sizes
        else:
            hx, params, *flags = rest
        state = tuple(hx) if mode == "LSTM" else (hx,)
        output, final = run(mode, input, state, params, *flags, **options)
        return (output, *final)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`run` of {mode}, with the arguments of PyTorch's function: (input, hx, params, …), or packed."
    return parsed(name)(function)


rnn_tanh = _layer("RNN_TANH", "rnn_tanh")
rnn_relu = _layer("RNN_RELU", "rnn_relu")
lstm = _layer("LSTM", "lstm")
gru = _layer("GRU", "gru")


#: How often PyTorch writes to the last part of the state that a cell returns; its `_version` shows it.
_WRITES = {"GRU": 2, "LSTM": 1}


def _one_step(mode: str, name: str, gates: int) -> Callable[..., Any]:
    cell = CELLS[mode]

    def function(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        state = tuple(hx) if mode == "LSTM" else (hx,)
        _check_cell(input, state, w_ih, w_hh.size(0) // gates)
        state = cell(F.linear(input, w_ih, b_ih), state, Weights(w_ih, w_hh, b_ih, b_hh))
        for _ in range(_WRITES.get(mode, 0)):
            state[-1]._written()
        return state if mode == "LSTM" else state[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"One step of {mode}: the next state, from an input (batch, features) and the last state."
    return parsed(name)(function)


def _check_cell(input: Any, state: State, w_ih: Any, hidden_size: int) -> None:
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    for label, part in enumerate(state):
        if part.size(0) != input.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{label} batch size {part.size(0)}"
            )
        if part.size(1) != hidden_size:
            raise RuntimeError(
                f"hidden{label} has inconsistent hidden_size: got {part.size(1)}, expected {hidden_size}"
            )


rnn_tanh_cell = _one_step("RNN_TANH", "rnn_tanh_cell", 1)
rnn_relu_cell = _one_step("RNN_RELU", "rnn_relu_cell", 1)
lstm_cell = _one_step("LSTM", "lstm_cell", 4)
gru_cell = _one_step("GRU", "gru_cell", 3)
