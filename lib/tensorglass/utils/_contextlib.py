"""`torch.utils._contextlib`: the base of contexts that decorate functions, too, as `no_grad` does."""

from tensorglass.tensor.grad_mode import Mode as _DecoratorContextManager

__all__ = ["_DecoratorContextManager"]
