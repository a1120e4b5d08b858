"""`torch.optim.lr_scheduler`: learning rates that change while training goes on."""

from tensorglass.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from tensorglass.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from tensorglass.optim.lr_scheduler.cyclic import CyclicLR, OneCycleLR
from tensorglass.optim.lr_scheduler.decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from tensorglass.optim.lr_scheduler.plateau import ReduceLROnPlateau
from tensorglass.optim.lr_scheduler.scheduler import LRScheduler, _LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
