"""Where a network says that quantized numbers begin and end: layers that return what they are given."""

from __future__ import annotations

from typing import Any

from tensorglass.nn import Module
from tensorglass.tensor.tensor import Tensor

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]


class _Stub(Module):
    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class QuantStub(_Stub):
    """Where quantized numbers would begin. It returns what it is given, as PyTorch's does until it is converted."""


class DeQuantStub(_Stub):
    """Where quantized numbers would end. It returns what it is given, as PyTorch's does until it is converted."""


class QuantWrapper(Module):
    """A network between the two stubs."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant = QuantStub(qconfig)
        self.dequant = DeQuantStub(qconfig)
        self.module = module
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        return self.dequant(self.module(self.quant(X)))
