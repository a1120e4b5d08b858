"""``torch._dynamo.config``: settings of PyTorch's compiler. Any may be set; none changes anything."""

from tensorglass.compiler.settings import patching

accumulated_cache_size_limit = 256
accumulated_recompile_limit = 256
assume_static_by_default = True
automatic_dynamic_shapes = True
cache_size_limit = 8
capture_dynamic_output_shape_ops = False
capture_scalar_outputs = False
disable = True
dynamic_shapes = True
inline_inbuilt_nn_modules = True
optimize_ddp = True
recompile_limit = 8
suppress_errors = False
verbose = False

patch = patching(__name__)
