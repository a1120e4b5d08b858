"""Anomaly detection: where in the program was the operator whose derivative went wrong?

The one idea to keep in mind: while it is on, every node keeps the call stack under which it was recorded, and backward
looks for nan in what each node returns.
"""

from __future__ import annotations

import warnings
from typing import Any

from tensorglass.graph.node import Gradients, Node


class _State:
    def __init__(self) -> None:
        self.enabled = False
        self.check_nan = True


state = _State()


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether it also looks for nan."""
    return state.check_nan


class set_detect_anomaly:
    """Turn anomaly detection on or off; as a context, until its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = state.enabled, state.check_nan
        state.enabled, state.check_nan = mode, check_nan

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        state.enabled, state.check_nan = self._before


class detect_anomaly:
    """A context in which anomaly detection is on."""

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before = state.enabled, state.check_nan
        state.enabled, state.check_nan = True, self._check_nan

    def __exit__(self, *error: Any) -> None:
        state.enabled, state.check_nan = self._before


def remember(node: Node) -> None:
    """Keep the stack under which a node is recorded, down to the user's line."""
    import traceback  # when it is needed: imports should be quick

    stack = traceback.extract_stack()
    while len(stack) > 1 and "tensorglass" in stack[-1].filename.replace("\\", "/").split("/"):
        stack.pop()
    node.metadata["traceback_"] = traceback.format_list(stack)


def watched(node: Node, gradients: list[Any], towards: Any = None) -> Gradients:
    """Run a node; on an error, or nan in what it returns, say where it was recorded."""
    try:
        found = node.apply(gradients, towards)
    except Exception:
        _print_stack(node)
        raise
    if state.check_nan:
        for place, gradient in enumerate(found):
            if gradient is not None and bool((gradient != gradient).any()):
                _print_stack(node)
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {place}th output.")
    return found


def _print_stack(node: Node) -> None:
    stack = node.metadata.get("traceback_")
    if stack is None:
        warnings.warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information.",
            UserWarning,
            stacklevel=2,
        )
        return
    warnings.warn(
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(stack)}",
        UserWarning,
        stacklevel=2,
    )
