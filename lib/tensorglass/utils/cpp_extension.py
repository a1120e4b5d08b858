"""`torch.utils.cpp_extension`: programs import it, should they compile kernels of theirs. Nothing is compiled here."""

from __future__ import annotations

from typing import Any, NoReturn

from tensorglass.core.errors import explained
from tensorglass.core.left_out import LeftOut
from tensorglass.core.out_of_scope import about

__all__ = ["CUDA_HOME", "BuildExtension", "CUDAExtension", "CppExtension", "load", "load_inline"]

CUDA_HOME = None  #: the folder of CUDA's compiler, which is not looked for
ROCM_HOME = HIP_HOME = None  #: those of AMD's


def load(name: str, *_: Any, **__: Any) -> NoReturn:
    """Compiling sources is refused."""
    raise explained(NotImplementedError(f"{name}: sources in C++ are not compiled"), about("utils.cpp_extension") or "")


load_inline = CppExtension = CUDAExtension = load


class BuildExtension(LeftOut):
    """The command of a program's setup that compiles."""
