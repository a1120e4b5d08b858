"""The classroom: pictures of tensor memory, predictions, exercises with instant checks, and the ``glassroom`` command.

The names a notebook uses are found on first use, so that ``glassroom doctor`` can start, and say what is missing, on a
machine where NumPy or the Jupyter stack is not there yet.

(This file and ``cli/__init__.py`` keep to syntax that old Pythons read, to be able to say that they are too old.)
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "show": "glassroom.inspectors",
    "explore_strides": "glassroom.inspectors",
    "predict": "glassroom.exercises",
    "check": "glassroom.exercises",
    "hint": "glassroom.exercises",
}

__all__ = ["__version__", "check", "explore_strides", "hint", "predict", "show"]  # noqa: F822 - made by __getattr__


def __getattr__(name):  # type: ignore[no-untyped-def]  # annotations would not be read by an old Python
    """Import a public name from the module it lives in, the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__():  # type: ignore[no-untyped-def]  # as above
    return sorted(set(globals()) | set(_HOMES))
