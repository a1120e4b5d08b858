"""What programs ask PyTorch's C++ part for when they derive classes from Tensor; all else of it does not exist here."""

from tensorglass.tensor.torch_function import Off as DisableTorchFunctionSubclass
from tensorglass.tensor.torch_function import disabled as _disabled_torch_function_impl

__all__ = ["DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]
