"""``torch.nn.utils``: clipping gradients; parameters as one vector, computed from other tensors, or pruned; sequences
of different lengths in `rnn`.
"""

from tensorglass.core.lazy_modules import fetching
from tensorglass.nn.utils import parametrizations, parametrize, rnn, stateless
from tensorglass.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from tensorglass.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from tensorglass.nn.utils.init import skip_init
from tensorglass.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from tensorglass.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
    "parameters_to_vector", "parametrizations", "parametrize", "remove_spectral_norm",
    "remove_weight_norm", "rnn", "skip_init", "spectral_norm", "stateless", "vector_to_parameters", "weight_norm",
]  # fmt: skip

__getattr__ = fetching(globals(), {
    "prune": (),
    "fusion": ("fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"),
    "memory_format": ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"),
})  # fmt: skip
