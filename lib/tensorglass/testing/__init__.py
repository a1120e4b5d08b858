"""For those who test: whether a backend does what the CPU's does."""

from tensorglass.testing.backends import BackendReport, check_backend, check_operator

__all__ = ["BackendReport", "check_backend", "check_operator"]
