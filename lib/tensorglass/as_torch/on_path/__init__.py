"""The folder that stands first on the path where programs of PyTorch run: a module `torch`, and its version."""
