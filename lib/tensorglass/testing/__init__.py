"""For those who test: tensors of chance, whether results are close, whether a backend does what the CPU's does."""

from tensorglass.testing.backends import BackendReport, check_backend, check_operator
from tensorglass.testing.comparison import assert_close
from tensorglass.testing.making import make_tensor

__all__ = ["BackendReport", "assert_close", "check_backend", "check_operator", "make_tensor"]
