"""The third call of an operator gives the same as the first, and the same as a call without shortcuts. Shortcuts of the
graph begin with an operator's second call, and are off under anomaly detection.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gradient_calls import NAMES
from gradient_layouts import LAYOUTS, calls_laid_out, second_gradients

import tensorglass as torch


def told(seen: dict[str, Any]) -> str:
    """All facts about results and gradients, as text, so that NaN equals NaN."""
    return repr({field: _told(content) for field, content in seen.items()})


def _told(value: Any) -> Any:
    if isinstance(value, list):
        return [_told(item) for item in value]
    if not isinstance(value, torch.Tensor):
        return value
    header = tuple(value.shape), value.stride(), value.storage_offset(), value.is_conj(), value._version
    return *header, value.requires_grad, value.grad_fn and value.grad_fn.name(), value.detach().tolist()


#: Runs a call in a thread of its own: anomaly detection writes down the stack of every operator, which is short there.
SHALLOW = ThreadPoolExecutor(1)
CASES = [(name, layout) for name in NAMES for layout in LAYOUTS if any(True for _ in calls_laid_out(name, layout))]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("name", "layout"), CASES)
def test_the_third_call_has_the_gradients_of_the_first(name: str, layout: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls_laid_out(name, layout):
            first, _, third = [told(second_gradients(torch, call, layout)) for _ in range(3)]
            with torch.autograd.detect_anomaly(check_nan=False):
                plain = told(SHALLOW.submit(second_gradients, torch, call, layout).result())
            assert third == first == plain, call.name
