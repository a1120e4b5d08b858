"""PyTorch's package of wrappers that compute activations again."""
