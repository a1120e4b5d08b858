"""What holds for every test: no deadline for an example, since a busy machine is not a fault of the code; a test that
asks Python's collector what is left does not wait until it has looked through all tests; and sweeps take a part of
their cases each day.
"""

import gc
import os
from pathlib import Path

import pytest
from by_day import of_other_days
from hypothesis import settings

settings.register_profile("tensorglass", deadline=None)
settings.load_profile("tensorglass")

#: Files that take longest, though some have few tests. They begin first, so that no process works alone at the end.
LONGEST = (
    "test_hub.py", "test_crossing.py", "test_hostile.py", "test_release.py", "test_grading.py",
    "test_site.py", "test_pseudo_language.py", "test_lite.py", "test_running.py",
)  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark of sweeps."""
    config.addinivalue_line("markers", "sweep(parts=2): a part of the cases runs each day; SWEEPS=whole takes all")


def pytest_collection() -> None:
    """Turn the garbage collector off during collection: little of what it creates is garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Hide the tests from the collector: they are a million objects, half a second each time."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what sweeps take on other days, unless a test is asked for by its name; put the longest files first."""
    by_name = any("::" in argument for argument in config.args)
    if left := [] if by_name else of_other_days(items):
        config.hook.pytest_deselected(items=left)
        others = set(left)
        items[:] = [item for item in items if item not in others]
        if (path := os.environ.get("SWEEPS_LEFT")) and not config.option.keyword:  # `glassroom test` reports the number
            Path(path).write_text(str(len(left)))
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
