"""Random numbers, bit for bit those of PyTorch's generators."""
