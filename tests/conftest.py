"""What holds for every test: no deadline for an example, since a busy machine is not a fault of the code; and a test
that asks Python's collector what is left does not wait until it has looked through all tests.
"""

import gc

import pytest
from hypothesis import settings

settings.register_profile("tensorglass", deadline=None)
settings.load_profile("tensorglass")

#: Files that take longest, though some have few tests. They begin first, so that no process works alone at the end.
LONGEST = (
    "test_hub.py", "test_crossing.py", "test_hostile.py", "test_release.py", "test_grading.py",
    "test_site.py", "test_pseudo_language.py", "test_lite.py", "test_running.py",
)  # fmt: skip


def pytest_collection() -> None:
    """Turn the garbage collector off during collection: little of what it creates is garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Hide the tests from the collector: they are a million objects, half a second each time."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
