"""The simulated device's array module: NumPy's functions, run on the device's arrays and charged to its clock.

Kernels call it by the name `xp`, as they call `numpy` on the CPU and `cupy` on a GPU. Every call is one launch.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

import numpy

from tensorglass.backends import wide_positions
from tensorglass.backends.simulated.array import SimulatedArray, root_of
from tensorglass.core.errors import MixedMemory


class Accelerator(Protocol):
    """The part of a backend that its module calls."""

    device: Any
    xp: Any

    def to_host(self, array: SimulatedArray) -> numpy.ndarray: ...
    def launched(self, name: str, nbytes: int) -> None: ...
    def allocation_of(self, cells: numpy.ndarray) -> Any: ...


class SimulatedModule:
    """``xp`` of one simulated device. Functions that make arrays make them there."""

    def __init__(self, backend: Accelerator, functions: Any = wide_positions.numpy) -> None:
        self.backend = backend
        self.device = backend.device
        self.ndarray = SimulatedArray
        self._functions = functions

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._functions, name)
        if isinstance(function, ModuleType):
            answer: Any = SimulatedModule(self.backend, function)
        elif isinstance(function, type) or not callable(function):
            answer = function  # dtypes, constants
        else:
            answer = SimulatedFunction(self, name, function)
        setattr(self, name, answer)  # cached as an attribute
        return answer

    def asnumpy(self, array: SimulatedArray) -> numpy.ndarray:
        """A copy in the host's memory."""
        return self.to_host(array)

    def to_host(self, array: SimulatedArray) -> numpy.ndarray:
        return self.backend.to_host(array)

    def asserted(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """A kernel's check of elements: asserted on the device, as CUDA kernels do, without a transfer or a wait."""
        seen: list[SimulatedArray] = []
        result = kernel(wide_positions.numpy, *[self._cells(argument, seen) for argument in arguments])
        self.backend.launched(kernel.__name__, sum(array.nbytes for array in seen))
        return result

    def call(
        self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Run a NumPy function on the cells of the device's arrays. Its results are allocated on the device."""
        seen: list[SimulatedArray] = []
        plain = [self._cells(argument, seen) for argument in arguments]
        named = {key: self._cells(value, seen) for key, value in keywords.items()}
        new_arrays: list[SimulatedArray] = []
        result = function(*plain, **named)
        answer = self._wrapped(result, seen, new_arrays)
        # An array to write to is given as out=, or as the last argument, and comes back.
        written = keywords.get("out") is not None or (len(plain) > 1 and result is plain[-1])
        if new_arrays or answer is None or written:  # else it was only a view
            self.backend.launched(name, sum(array.nbytes for array in seen + new_arrays))
        return answer

    def _cells(self, given: Any, seen: list[SimulatedArray]) -> Any:
        """`given` with the device's arrays replaced by their cells; these are added to `seen`."""
        if isinstance(given, SimulatedArray):
            if given.module.backend is not self.backend:
                raise MixedMemory(f"the array is on {given.module.device}, and the function runs on {self.device}")
            seen.append(given)
            return given.cells
        if isinstance(given, tuple | list):
            return type(given)([self._cells(item, seen) for item in given])
        if isinstance(given, numpy.ndarray) and given.ndim:
            raise MixedMemory(f"an array in the host's memory was given to a function that runs on {self.device}")
        return given

    def _wrapped(self, answer: Any, seen: list[SimulatedArray], wrapped_arrays: list[SimulatedArray]) -> Any:
        """The result with its arrays on the device. Those that are not views of `seen` ones go to `wrapped_arrays`."""
        if isinstance(answer, tuple | list):
            wrapped = [self._wrapped(item, seen, wrapped_arrays) for item in answer]
            return wrapped if isinstance(answer, list) else tuple(wrapped)  # a plain one for a named tuple, too
        if isinstance(answer, numpy.generic):  # a 0-dim result stays on the device, as CuPy's do
            answer = numpy.asarray(answer)
        if not isinstance(answer, numpy.ndarray):
            return answer
        root = root_of(answer)
        for given in seen:
            if given.cells is answer:
                return given
            if given.allocation.root is root:
                return SimulatedArray(answer, given.allocation, given.module)
        new = SimulatedArray(answer, self.backend.allocation_of(root), self.backend.xp)
        wrapped_arrays.append(new)
        return new


class SimulatedFunction:
    """A function of NumPy that runs on the simulated device."""

    def __init__(self, module: SimulatedModule, name: str, function: Callable[..., Any]) -> None:
        self._module = module
        self._name = name
        self._function = function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._module.call(self._name, self._function, arguments, keywords)

    def __getattr__(self, name: str) -> SimulatedFunction:
        """A ufunc's own functions: ``xp.add.reduce``."""
        return SimulatedFunction(self._module, f"{self._name}.{name}", getattr(self._function, name))
