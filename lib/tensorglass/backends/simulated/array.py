"""The simulated device's memory and arrays: NumPy underneath, but not accessible to the host.

A caching allocator accounts for the memory: addresses, capacity and fragmentation are its own, while NumPy stores the
bytes.

An array behaves as `cupy.ndarray` does: functions of the device's array module take it, Python's operators work between
such arrays and numbers, and NumPy's functions are refused. So a kernel that mixes the two memories by accident fails
here, on a laptop, as it would fail on a GPU.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy
from numpy.lib.mixins import NDArrayOperatorsMixin

from tensorglass.allocator import Allocation
from tensorglass.backends.stand_in_arrays import add_methods
from tensorglass.core.errors import MixedMemory


class BackedAllocation(Allocation):
    """A block of the device's memory with the NumPy array that stores its bytes; freed when nobody holds it."""

    __slots__ = ("root",)

    root: numpy.ndarray

    def address_of(self, cells: numpy.ndarray) -> int:
        """The simulated address of the first element of a window on this allocation."""
        return self.block.address + cells.ctypes.data - self.root.ctypes.data


def root_of(cells: numpy.ndarray) -> numpy.ndarray:
    """The array that owns the memory under `cells`."""
    while isinstance(cells.base, numpy.ndarray):
        cells = cells.base
    return cells


class Module(Protocol):
    """The part of an array module that its arrays call."""

    backend: Any
    device: Any

    def call(
        self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Run a function of NumPy on the cells of the device's arrays."""

    def to_host(self, array: SimulatedArray) -> numpy.ndarray:
        """A copy in the host's memory."""


class SimulatedArray(NDArrayOperatorsMixin):
    """A typed, strided window on an allocation of a simulated device."""

    __slots__ = ("__weakref__", "allocation", "cells", "module")

    cells: numpy.ndarray  #: the NumPy array with the elements. Only for this backend
    allocation: BackedAllocation
    module: Module

    def __init__(self, cells: numpy.ndarray, allocation: BackedAllocation, module: Module) -> None:
        self.cells = cells
        self.allocation = allocation
        self.module = module

    # --- the header: the host may always ask ---------------------------------------------------------------------

    shape = property(operator.attrgetter("cells.shape"))
    strides = property(operator.attrgetter("cells.strides"))
    dtype = property(operator.attrgetter("cells.dtype"))
    ndim = property(operator.attrgetter("cells.ndim"))
    size = property(operator.attrgetter("cells.size"))
    itemsize = property(operator.attrgetter("cells.itemsize"))
    nbytes = property(operator.attrgetter("cells.nbytes"))
    flags = property(operator.attrgetter("cells.flags"))

    def __len__(self) -> int:
        return len(self.cells)

    # --- views and work on the device ------------------------------------------------------------------------------

    def _window(self, cells: numpy.ndarray) -> SimulatedArray:
        return SimulatedArray(cells, self.allocation, self.module)

    @property
    def T(self) -> SimulatedArray:  # NumPy's name
        return self._window(self.cells.T)

    @property
    def real(self) -> SimulatedArray:
        return self._window(self.cells.real)

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> SimulatedArray:
        return self.module.call("imag", lambda cells: cells.imag, (self,), {})

    @imag.setter
    def imag(self, value: Any) -> None:
        self.imag[...] = value

    def __getitem__(self, key: Any) -> Any:
        return self.module.call("getitem", operator.getitem, (self, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self.module.call("setitem", operator.setitem, (self, key, value), {})

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        return self.module.call(ufunc.__name__, getattr(ufunc, method), inputs, keywords)

    # --- the host wants to see values: it waits, and they are copied ------------------------------------------------

    def get(self) -> numpy.ndarray:
        """A copy in the host's memory, once the device has done all its work."""
        return self.module.to_host(self)

    def item(self, *place: Any) -> Any:
        """One element as a Python number."""
        return self.get().item(*place)

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self.get().tolist()

    def __bool__(self) -> bool:
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        return operator.index(self.get())

    def __array__(self, *arguments: Any, **keywords: Any) -> numpy.ndarray:
        raise MixedMemory(
            "this array is in a simulated device's memory, which the host cannot read: copy it with get()"
        )

    def __repr__(self) -> str:
        return f"<array of shape {self.shape}, {self.dtype}, in the memory of {self.module.device}>"


add_methods(
    SimulatedArray,
    lambda array, name, function, arguments, keywords: array.module.call(name, function, (array, *arguments), keywords),
    "on the device",
)
