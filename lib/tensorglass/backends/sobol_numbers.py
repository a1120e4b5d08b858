"""The direction numbers of Sobol's sequences by Joe and Kuo (2008): the table that SciPy has."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

import numpy

from tensorglass.backends.without_scipy import missing


@cache
def sobol_numbers() -> tuple[numpy.ndarray, numpy.ndarray]:
    """Primitive polynomials by dimension, as bits, and the first numbers of each, (dimensions, 18).

    ModuleNotFoundError where SciPy, or its table, is not installed.
    """
    try:
        spec = find_spec("scipy.stats")  # without importing it, which would take a second
    except ModuleNotFoundError:
        spec = None
    for folder in (spec and spec.submodule_search_locations) or ():
        path = os.path.join(folder, "_sobol_direction_numbers.npz")
        if os.path.isfile(path):
            with numpy.load(path) as table:
                return table["poly"], table["vinit"]
    raise missing("scipy.stats")
