"""Recurrent layers, which read a sequence step by step: `RNN`, `LSTM`, `GRU`, and their cells, which make one step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from numbers import Number
from typing import Any, Self
from weakref import ref

import tensorglass as torch
from tensorglass.nn import init, recurrence
from tensorglass.nn.modules.module import Module
from tensorglass.nn.parameter import Parameter
from tensorglass.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def apply_permutation(tensor: Any, permutation: Any, dim: int = 1) -> Any:
    """Deprecated in PyTorch: call `index_select`."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)


class RNNBase(Module):
    """The base class of recurrent layers: (steps, batch, input_size) → outputs (steps, batch, directions *
    hidden_size).

    With `batch_first` the batch is the first dimension of input and output, but not of the state; without a batch the
    input is (steps, input_size). The state is (num_layers * directions, batch, hidden_size), and zeros if it is not
    given. Between layers there is `dropout`. Sequences of different lengths are passed as a `PackedSequence`.

    Each layer and direction has `weight_ih_l0`, for the input, and `weight_hh_l0`, for the hidden state, which stack
    the rows of all gates; `bias_ih_l0` and `bias_hh_l0`; and, with a projection, `weight_hr_l0`. All are drawn
    uniformly from -√k … √k, where k = 1 / hidden_size.
    """

    __constants__ = (
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    )

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options(dropout)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        rows = _GATES[mode] * hidden_size
        directions = 2 if bidirectional else 1
        for layer in range(num_layers):
            columns = input_size if layer == 0 else (proj_size or hidden_size) * directions
            for direction in range(directions):
                sizes = {"weight_ih": (rows, columns), "weight_hh": (rows, proj_size or hidden_size)}
                if bias:
                    sizes.update(bias_ih=(rows,), bias_hh=(rows,))  # type: ignore[arg-type]  # of one dimension
                if proj_size:
                    sizes["weight_hr"] = (proj_size, hidden_size)
                suffix = f"_l{layer}{'_reverse' if direction else ''}"
                for name, size in sizes.items():
                    self.register_parameter(name + suffix, Parameter(torch.empty(size, device=device, dtype=dtype)))
                self._all_weights.append([name + suffix for name in sizes])
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self._init_flat_weights()
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        is_number = isinstance(dropout, Number) and not isinstance(dropout, bool)
        if not is_number or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        kinds: dict[str, type[int]] = {"bias": bool, "batch_first": bool, "input_size": int, "hidden_size": int}
        for name, kind in kinds.items():
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing. PyTorch puts the weights into one block of memory for cuDNN, which is not used here."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _init_flat_weights(self) -> None:
        """Gather the parameters: `forward` computes with `_flat_weights`, which programs may also assign."""
        self._flat_weights: list[Any] = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if weight is None else ref(weight) for weight in self._flat_weights]
        self.flatten_parameters()

    def _weights_have_changed(self) -> bool:
        now = [getattr(self, name, None) for name in self._flat_weights_names]
        pairs = zip(self._flat_weight_refs, now, strict=True)
        return any(kept is not None and new is not None and kept() is not new for kept, new in pairs)

    def _update_flat_weights(self) -> None:
        if self._weights_have_changed():
            self._init_flat_weights()

    def __setattr__(self, name: str, value: Any) -> None:
        names = self.__dict__.get("_flat_weights_names", ())
        if name in names:
            self._flat_weights[names.index(name)] = value
        super().__setattr__(name, value)

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        self._init_flat_weights()
        return self

    def __getstate__(self) -> dict[str, Any]:
        self._update_flat_weights()
        return {name: value for name, value in super().__getstate__().items() if name != "_flat_weight_refs"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self._init_flat_weights()

    def _replicate_for_data_parallel(self) -> Self:
        replica = super()._replicate_for_data_parallel()
        replica._flat_weights = self._flat_weights[:]
        return replica

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs of every step, and the last state."""
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            kind = self.mode.split("_")[0]
            tail = " tensor instead" if kind == "RNN" else " instead"
            raise ValueError(f"{kind}: Expected input to be 2D or 3D, got {input.dim()}D{tail}")
        batch_dim = 0 if self.batch_first else 1
        is_batched = input.dim() == 3
        if hx is not None:
            self._check_dims(hx, is_batched)
        if not is_batched:
            input = input.unsqueeze(batch_dim)
            hx = None if hx is None else self._of_each(hx, lambda part: part.unsqueeze(1))
        output, final = self._run_layers(input, hx, None, None)
        if not is_batched:
            output, final = output.squeeze(batch_dim), self._of_each(final, lambda part: part.squeeze(1))
        return output, self.permute_hidden(final, None)

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> Any:
        data, batch_sizes, sorted_indices, unsorted_indices = packed
        output, final = self._run_layers(data, hx, batch_sizes, sorted_indices)
        packed_output = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return packed_output, self.permute_hidden(final, unsorted_indices)

    def _run_layers(self, input: Any, hx: Any, batch_sizes: Any, order: Any) -> Any:
        if hx is None:
            hx = self._first_state(input, self._batch_of(input, batch_sizes))
        else:
            hx = self.permute_hidden(hx, order)
        self.check_forward_args(input, hx, batch_sizes)
        flags = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        first = self.batch_first and batch_sizes is None
        is_pair = isinstance(hx, (tuple, list))
        state = tuple(hx) if is_pair else (hx,)
        output, final = recurrence.run(self.mode, input, state, self._flat_weights, *flags, first, batch_sizes)
        return output, final if is_pair else final[0]

    def _batch_of(self, input: Any, batch_sizes: Any) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.size(0 if self.batch_first else 1)

    def _first_state(self, input: Any, batch: int) -> Any:
        return self._zeros(input, batch, self.hidden_size)

    def _zeros(self, input: Any, batch: int, size: int) -> Any:
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return torch.zeros(layers, batch, size, dtype=input.dtype, device=input.device)

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Raise for an input or a state of the wrong size. `forward` calls it; subclasses override it."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """The state with its sequences in another order; as it is, if `permutation` is None."""
        return hx if permutation is None else self._of_each(hx, lambda part: part.index_select(1, permutation))

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Raise for an input of the wrong dtype, number of dimensions or number of features."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        dims = 3 if batch_sizes is None else 2
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: tuple[int, ...], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raise for a state of the wrong size."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The size that the hidden state must have for this input."""
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return layers, self._batch_of(input, batch_sizes), self.proj_size or self.hidden_size

    def _of_each(self, hx: Any, change: Callable[[Any], Any]) -> Any:
        """The state after a change of each of its tensors."""
        return change(hx)

    def _check_dims(self, hx: Any, is_batched: bool) -> None:
        wanted = 3 if is_batched else 2
        if hx.dim() != wanted:
            form = "batched 3-D" if is_batched else "unbatched 2-D"
            raise RuntimeError(f"For {form} input, hx should also be {wanted}-D but got {hx.dim()}-D tensor")

    def extra_repr(self) -> str:
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        options = [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join([str(self.input_size), str(self.hidden_size), *options])


class RNN(RNNBase):
    """``h' = tanh(W x + b + U h + c)``, or with `nonlinearity` "relu" the same with relu."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory: four gates, i, f, g and o, and a cell state c beside the hidden state h::

            c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
            h' = sigmoid(o) * tanh(c')

    The state is the pair (h, c). With `proj_size` the hidden state is projected to that size, and c keeps its own.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _first_state(self, input: Any, batch: int) -> Any:
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)
        return tuple(self._zeros(input, batch, size) for size in sizes)

    def _of_each(self, hx: Any, change: Callable[[Any], Any]) -> Any:
        return change(hx[0]), change(hx[1])

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Raise for an input or a state of the wrong size."""
        self.check_input(input, batch_sizes)
        if len(hidden) != 2:
            raise RuntimeError("lstm expects two hidden states")
        sizes = (self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes))
        for number, size in enumerate(sizes):
            self.check_hidden_size(hidden[number], size, f"Expected hidden[{number}] size {{}}, got {{}}")

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The size that the cell state must have for this input."""
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return layers, self._batch_of(input, batch_sizes), self.hidden_size

    def _check_dims(self, hx: Any, is_batched: bool) -> None:
        wanted = 3 if is_batched else 2
        if hx[0].dim() != wanted or hx[1].dim() != wanted:
            form = "batched 3-D" if is_batched else "unbatched 2-D"
            got = f"{hx[0].dim()}-D, {hx[1].dim()}-D"
            raise RuntimeError(f"For {form} input, hx and cx should also be {wanted}-D but got ({got}) tensors")


class GRU(RNNBase):
    """Gated recurrent unit: three gates, r, z and n, with the parts of the state's product marked by h::

    n' = tanh(n + sigmoid(r + r_h) * n_h)
    h' = (1 - sigmoid(z + z_h)) * n' + sigmoid(z + z_h) * h
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """The base class of cells, which make one step: (batch, input_size) and a state (batch, hidden_size) → the next
    state.
    """

    __constants__: tuple[str, ...] = ("input_size", "hidden_size", "bias")

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size

        def new_parameter(*size: int) -> Parameter:
            return Parameter(torch.empty(size, device=device, dtype=dtype))

        self.weight_ih = new_parameter(rows, input_size)
        self.weight_hh = new_parameter(rows, hidden_size)
        self.register_parameter("bias_ih", new_parameter(rows) if bias else None)
        self.register_parameter("bias_hh", new_parameter(rows) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, function: Any, input: Any, state: Any) -> tuple[Any, ...]:
        """The next state by `function`, for an input with or without a batch."""
        kind = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{kind}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for number, part in enumerate(() if state is None else state):
            if part.dim() not in (1, 2):
                label = f"hx[{number}]" if kind == "LSTMCell" else "hidden"
                raise ValueError(f"{kind}: Expected {label} to be 1D or 2D, got {part.dim()}D instead")
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
        parts = 2 if kind == "LSTMCell" else 1
        if state is None:
            zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            state = (zeros,) * parts
        elif not is_batched:
            state = tuple(part.unsqueeze(0) for part in state)
        given = state if parts == 2 else state[0]
        result = function(input, given, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        result = result if parts == 2 else (result,)
        return result if is_batched else tuple(part.squeeze(0) for part in result)


class RNNCell(RNNCellBase):
    """``h' = tanh(W x + b + U h + c)``, or the same with relu."""

    __constants__ = ("input_size", "hidden_size", "bias", "nonlinearity")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state."""
        functions = {"tanh": recurrence.rnn_tanh_cell, "relu": recurrence.rnn_relu_cell}
        if self.nonlinearity not in functions:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(functions[self.nonlinearity], input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`, whose state is the pair (h, c)."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next (h, c)."""
        return self._step(recurrence.lstm_cell, input, hx)


class GRUCell(RNNCellBase):
    """One step of a `GRU`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state."""
        return self._step(recurrence.gru_cell, input, None if hx is None else (hx,))[0]
