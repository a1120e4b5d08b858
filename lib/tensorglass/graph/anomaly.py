"""Anomaly detection: where in the program was the operator whose derivative went wrong?

While it is on, every node keeps the call stack under which it was recorded, and backward looks for nan in what each
node returns. A node that was recorded while another node's derivative ran also keeps that node.
"""

from __future__ import annotations

import threading
import warnings
from typing import Any

from tensorglass.core.contexts import Context, setting
from tensorglass.graph.node import Gradients, Node


class _State:
    def __init__(self) -> None:
        self.enabled = False
        self.check_nan = True


state = _State()


class _Running(threading.local):
    node: Node | None = None  #: the node whose derivative this thread is computing


_running = _Running()


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether it also looks for nan."""
    return state.check_nan


class set_detect_anomaly(Context):
    """Turn anomaly detection on or off; as a context, until its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = state.enabled, state.check_nan
        state.enabled, state.check_nan = mode, check_nan

    def begin(self, _: Any) -> None:
        pass

    def end(self, _: Any) -> None:
        state.enabled, state.check_nan = self._before


class detect_anomaly(setting):
    """A context in which anomaly detection is on."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(state, enabled=True, check_nan=check_nan)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )


def remember(node: Node) -> None:
    """Keep the stack under which a node is recorded, down to the user's line."""
    import traceback  # imported here, so that importing the library stays quick

    stack = traceback.extract_stack()
    while len(stack) > 1 and "tensorglass" in stack[-1].filename.replace("\\", "/").split("/"):
        stack.pop()
    node.metadata["traceback_"] = traceback.format_list(stack)
    if _running.node is not None:
        node.metadata["parent_"] = _running.node


def watched(node: Node, gradients: list[Any], towards: Any = None) -> Gradients:
    """Run a node; if it raises, or returns nan, warn with the place where it was recorded."""
    before, _running.node = _running.node, node
    try:
        answers = node.apply(gradients, towards)
    except Exception:
        _print_stack(node)
        raise
    finally:
        _running.node = before
    if state.check_nan:
        for place, gradient in enumerate(answers):
            if gradient is not None and bool((gradient != gradient).any()):
                _print_stack(node)
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {place}th output.")
    return answers


def _print_stack(node: Node | None) -> None:
    """Warn with the stack that recorded a node, and with that of each node in whose derivative it was recorded."""
    first = node
    while node is not None:
        stack = node.metadata.get("traceback_")
        if node is first:
            what = f"Error detected in {node.name()}."
            where = "Traceback of forward call that caused the error"
        else:
            what = f"\n\nPrevious calculation was induced by {node.name()}."
            where = "Traceback of forward call that induced the previous calculation"
        if stack is None:
            where = (
                "No forward pass information available. Enable detect anomaly during forward pass for more information."
            )
        else:
            where += f":\n{''.join(stack)}"
        warnings.warn(f"{what} {where}", UserWarning, stacklevel=3)
        node = node.metadata.get("parent_")
