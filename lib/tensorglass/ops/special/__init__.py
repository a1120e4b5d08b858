"""Special functions: ``torch.special`` and what it shares with the main namespace.

Their kernels are SciPy's, by the backend: `tensorglass.backends.special` says which of them work without SciPy.
"""

from typing import Any

from tensorglass.backends import Array, special


def at_elements(xp: Any, name: str, *inputs: Array) -> Array:
    """In a kernel: the function `name` of `scipy.special`, in the dtype of its first operand.

    Half types are computed in float32.
    """
    wide = [each.astype("float32") if each.dtype.itemsize < 4 else each for each in inputs]
    return xp.asarray(getattr(special(xp), name)(*wide)).astype(inputs[0].dtype, copy=False)
