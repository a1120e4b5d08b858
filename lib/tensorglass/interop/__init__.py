"""Exchange with NumPy and other array libraries, and PyTorch's old constructors."""

from tensorglass.interop import legacy_constructors, numpy
