"""`torch.autograd.grad_mode`: the modes of recording."""

from tensorglass.tensor.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
