"""The classroom: pictures of tensor memory, predictions, exercises, and the ``glassroom`` command.

The names that a notebook uses are imported on first use, so that ``glassroom doctor`` can start, and say what is
missing, on a machine without NumPy or the Jupyter stack. (This file and ``cli/__init__.py`` keep to syntax that old
Pythons can parse, so that they can be told that they are too old.)
"""

import sys
from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "show": "glassroom.inspectors.memory_map.inspector",
    "explore_strides": "glassroom.inspectors.strides.inspector",
    "aliases": "glassroom.inspectors.aliases.inspector",
    "explore_broadcast": "glassroom.inspectors.broadcasting.inspector",
    "explore_index": "glassroom.inspectors.indexing.inspector",
    "course_device": "glassroom.exercises.course_device",
    "device_map": "glassroom.inspectors.devices.inspector",
    "memory_timeline": "glassroom.inspectors.timeline.inspector",
    "memory_log": "glassroom.inspectors.timeline.log.inspector",
    "holders": "glassroom.inspectors.holders.inspector",
    "model_map": "glassroom.inspectors.model_map.inspector",
    "graph": "glassroom.inspectors.autograd_graph.inspector",
    "explain": "glassroom.lessons.lesson",
    "explain_error": "glassroom.inspectors.version_error.inspector",
    "step_backward": "glassroom.inspectors.backward.inspector",
    "watch": "glassroom.inspectors.watch.inspector",
    "load_ipython_extension": "glassroom.inspectors.watch.magic",
    "read": "glassroom.own_lines",
    "stand_in": "glassroom.exercises.stand_in",
    "keep": "glassroom.exercises.my_tensor.keep",
    "attempt": "glassroom.exercises.attempt",
    "draw": "glassroom.exercises.draw",
    "predict": "glassroom.exercises",
    "check": "glassroom.exercises",
    "hint": "glassroom.exercises",
    "progress": "glassroom.exercises.report",
    "read_again": "glassroom.exercises.review",
}

__all__ = [
    "__version__",
    "aliases",
    "attempt",
    "check",
    "course_device",
    "device_map",
    "draw",
    "explain",
    "explain_error",
    "explore_broadcast",
    "explore_index",
    "explore_strides",
    "graph",
    "hint",
    "holders",
    "keep",
    "memory_log",
    "memory_timeline",
    "model_map",
    "predict",
    "progress",
    "read",
    "read_again",
    "show",
    "stand_in",
    "step_backward",
    "watch",
]

if sys.version_info >= (3, 11):
    import_module("glassroom.translations.language").speak()


def __getattr__(name):
    """Import a public name from the module it lives in, the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    if "IPython" in sys.modules:
        import_module("glassroom.suggestions").attach()
    if "glassroom.translations.loading" in sys.modules:  # the language is not English
        if "tensorglass" in sys.modules:
            import_module("glassroom.translations.notes").attach()
        if "matplotlib" in sys.modules:
            import_module("glassroom.drawing.fonts").use()
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_HOMES))
