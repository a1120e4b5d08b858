"""Functions of functions: derivatives and batches as `torch.func` has them.

Nothing is written to: ``grad(f)`` is a new function, and ``grad(grad(f))`` and ``vmap(grad(f))`` are made the same way.
"""

from tensorglass.func.batching import vmap
from tensorglass.func.functional_call import functional_call, replace_all_batch_norm_modules_, stack_module_state
from tensorglass.func.transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip
