"""``torch._inductor.config``: settings of PyTorch's code generator. Any may be set; none changes anything."""

from types import SimpleNamespace

from tensorglass.compiler.settings import patching

compile_threads = 1
conv_1x1_as_mm = False
coordinate_descent_check_all_directions = False
coordinate_descent_tuning = False
cpp = SimpleNamespace(threads=-1)
cpp_wrapper = False
debug = False
epilogue_fusion = True
force_fuse_int_mm_with_mul = False
freezing = False
fx_graph_cache = True
max_autotune = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
shape_padding = True
trace = SimpleNamespace(enabled=False)
triton = SimpleNamespace(cudagraph_trees=True, cudagraphs=False, unique_kernel_names=True)
use_mixed_mm = True

patch = patching(__name__)
