"""The two names of PyTorch's C++ module that subclasses of Tensor use."""

from tensorglass.tensor.torch_function import DisableTorchFunctionSubclass
from tensorglass.tensor.torch_function import disabled_torch_function as _disabled_torch_function_impl

__all__ = ["DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]
