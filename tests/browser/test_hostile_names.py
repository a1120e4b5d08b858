"""Names that are markup or scripts are only names in every live form, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from attacks import labels


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["end of script", "right to left"])
def test_a_hostile_name_neither_runs_nor_breaks_the_page(chromium: Any, kind: str) -> None:
    by_name = labels.pictures(labels.NAMES[kind])
    with chromium.new_context() as context:
        assert {name: faults for name, make in by_name.items() if (faults := labels.opened(context, make))} == {}


@pytest.mark.parametrize("picture", ["memory log", "broadcast explorer"])
def test_a_name_that_no_line_can_break_stays_within_the_window(chromium: Any, picture: str) -> None:
    by_name = labels.pictures(labels.NAMES["marks on marks"])
    assert labels.opened(chromium, by_name[picture]) == []
