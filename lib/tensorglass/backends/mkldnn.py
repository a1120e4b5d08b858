"""oneDNN's switches, under its old name. The library does not call it."""

enabled = True  #: whether oneDNN may be used
deterministic = False  #: whether it must choose deterministic algorithms


def is_available() -> bool:
    """False: the library does not call it.

    >>> torch.backends.mkldnn.is_available()
    False
    """
    return False
