"""Operators of your own, declared as in PyTorch: a name, a function with annotations, and perhaps a derivative.

    @torch.library.custom_op("mylib::softsign", mutates_args=())
    def softsign(x: torch.Tensor) -> torch.Tensor:
        return x / (1 + x.abs())

`custom_op` makes it of a function; `define` and `impl`, or a `Library`, of a schema and kernels. Each is found under
``torch.ops.mylib.softsign`` then. (An operator of the library itself is a row of the operator table.)
"""

from tensorglass.library.custom_operators import CustomOpDef, custom_op, triton_op
from tensorglass.library.libraries import (
    Library,
    _scoped_library,
    define,
    fallthrough_kernel,
    impl,
    impl_abstract,
    register_autocast,
    register_autograd,
    register_fake,
    register_kernel,
    register_torch_dispatch,
    register_vmap,
)
from tensorglass.library.schema import infer_schema

__all__ = [
    "CustomOpDef",
    "Library",
    "_scoped_library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
]
