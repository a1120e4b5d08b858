"""The layers, containers and losses, one file for each family, with PyTorch's names for both."""

# ruff: noqa: F403  # each file says by `__all__` what it offers
from tensorglass.nn.modules import (
    activation,
    adaptive,
    attention,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    linear,
    loss,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)
from tensorglass.nn.modules import lengths as utils
from tensorglass.nn.modules.activation import *
from tensorglass.nn.modules.adaptive import *
from tensorglass.nn.modules.attention import *
from tensorglass.nn.modules.batchnorm import *
from tensorglass.nn.modules.channelshuffle import *
from tensorglass.nn.modules.container import *
from tensorglass.nn.modules.conv import *
from tensorglass.nn.modules.distance import *
from tensorglass.nn.modules.dropout import *
from tensorglass.nn.modules.flatten import *
from tensorglass.nn.modules.fold import *
from tensorglass.nn.modules.instancenorm import *
from tensorglass.nn.modules.lazy import LazyModuleMixin
from tensorglass.nn.modules.linear import *
from tensorglass.nn.modules.loss import *
from tensorglass.nn.modules.module import Module
from tensorglass.nn.modules.normalization import *
from tensorglass.nn.modules.padding import *
from tensorglass.nn.modules.pixelshuffle import *
from tensorglass.nn.modules.pooling import *
from tensorglass.nn.modules.rnn import *
from tensorglass.nn.modules.sparse import *
from tensorglass.nn.modules.transformer import *
from tensorglass.nn.modules.upsampling import *

__all__ = ["Module"]
__all__ += activation.__all__
__all__ += adaptive.__all__
__all__ += attention.__all__
__all__ += batchnorm.__all__
__all__ += channelshuffle.__all__
__all__ += container.__all__
__all__ += conv.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += fold.__all__
__all__ += instancenorm.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += pixelshuffle.__all__
__all__ += pooling.__all__
__all__ += rnn.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
__all__ += upsampling.__all__
