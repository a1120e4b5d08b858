"""The folder that stands first on the path where programs of PyTorch run: a package `torch`, and its version."""
