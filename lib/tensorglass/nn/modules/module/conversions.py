"""Modules on other devices and with other dtypes: every parameter, its gradient, and every buffer is converted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

import tensorglass as torch
from tensorglass.core.devices import device as Device
from tensorglass.core.dtypes import dtype as DType
from tensorglass.ops.copies.to import read_to
from tensorglass.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorglass.nn.modules.module import Module


class Conversions:
    """The methods that convert all of a module's tensors, in place."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]

    if TYPE_CHECKING:

        def children(self) -> Iterator[Module]: ...

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace every parameter, gradient and buffer by what ``fn`` returns for it.

        Parameters and gradients stay the same objects, so that an optimizer keeps them.
        """
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            gradient = parameter.grad
            with torch.no_grad():
                parameter.data = fn(parameter)
                if gradient is not None:
                    gradient = fn(gradient)
            if gradient is not None:
                parameter.grad.data = gradient
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move the module to a device, or convert floating-point parameters and buffers to a dtype, or both.

        ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, ``to(tensor)``, which takes both from a tensor, and
        ``to(memory_format=channels_last)``.
        """
        device, dtype, non_blocking, memory_format = read_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(_COMPLEX, stacklevel=2)

        def convert(tensor: Tensor) -> Any:
            wanted = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            in_format = memory_format if memory_format is not None and tensor.dim() in (4, 5) else None
            try:
                return tensor.to(device, wanted, non_blocking, memory_format=in_format)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
                    "from meta to a different device."
                ) from None

        return self._apply(convert)

    def cuda(self, device: int | Device | None = None) -> Self:
        """Move the module to a GPU."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def xpu(self, device: int | Device | None = None) -> Self:
        """Move the module to a GPU of Intel's: refused, there is none."""
        return self._apply(lambda tensor: tensor.to("xpu" if device is None else device))

    def cpu(self) -> Self:
        """Move the module to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def type(self, dst_type: DType | str) -> Self:
        """Convert all parameters and buffers to a dtype, integers too."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._apply(lambda tensor: tensor.float() if tensor.is_floating_point() else tensor)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._apply(lambda tensor: tensor.double() if tensor.is_floating_point() else tensor)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._apply(lambda tensor: tensor.half() if tensor.is_floating_point() else tensor)

    def bfloat16(self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda tensor: tensor.bfloat16() if tensor.is_floating_point() else tensor)

    def to_empty(self, *, device: Device | str | int | None, recurse: bool = True) -> Self:
        """Move the module to a device with new, uninitialized memory."""
        return self._apply(lambda tensor: torch.empty_like(tensor, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Move all parameters and buffers into shared memory."""
        return self._apply(lambda tensor: tensor.share_memory_())


_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)
