"""For those who test: whether results are close, and whether a backend does what the CPU's does."""

from tensorglass.core.refusing import refusing
from tensorglass.testing.backends import BackendReport, check_backend, check_operator
from tensorglass.testing.comparison import assert_allclose, assert_close
from tensorglass.testing.creation import make_tensor

__all__ = ["BackendReport", "assert_allclose", "assert_close", "check_backend", "check_operator", "make_tensor"]

__getattr__ = refusing("testing")
