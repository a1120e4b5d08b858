"""Special functions: ``torch.special`` and what it shares with the main namespace.

Their kernels are SciPy's, by the backend: `tensorglass.backends.special` says which of them work without SciPy.
"""
