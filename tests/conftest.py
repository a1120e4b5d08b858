"""What holds for every test: no deadline for an example, since a busy machine is not a fault of the code; and a test
that asks Python's collector what is left does not wait until it has looked through all tests.
"""

import gc

from hypothesis import settings

settings.register_profile("tensorglass", deadline=None)
settings.load_profile("tensorglass")


def pytest_collection() -> None:
    """Turn the garbage collector off during collection: little of what it creates is garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Hide the tests from the collector: they are a million objects, half a second each time."""
    gc.enable()
    gc.collect()
    gc.freeze()
