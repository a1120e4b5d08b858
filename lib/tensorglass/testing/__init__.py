"""For those who test: whether results are close, and whether a backend does what the CPU's does."""

from tensorglass.core.out_of_scope import refusing
from tensorglass.testing.backends import BackendReport, check_backend, check_operator
from tensorglass.testing.comparison import assert_close

__all__ = ["BackendReport", "assert_close", "check_backend", "check_operator"]

__getattr__ = refusing("testing")
