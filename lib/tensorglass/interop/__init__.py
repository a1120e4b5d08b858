"""Exchange with NumPy and other array libraries, and PyTorch's old constructors."""
