"""A plugin for pytest: with `PORTION=1/3` it keeps every third test, beginning with the second."""

import os

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    first, portions = map(int, os.environ["PORTION"].split("/"))
    kept = items[first::portions]
    config.hook.pytest_deselected(items=[item for number, item in enumerate(items) if number % portions != first])
    items[:] = kept
