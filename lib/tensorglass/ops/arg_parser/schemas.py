"""PyTorch's signatures of the operators: what its parser holds a call against, and names in its refusals.

They stand in ``signatures.txt``, under the name of the function, and under ``Tensor.<name>`` where those of the method
are not the function's without its first tensor; an in-place form's are the method's if it has none of its own. The file
is read when a call has failed for the first time; a program whose calls are right never opens it.
"""

from __future__ import annotations

import os
import re
from functools import cache

_OUT = re.compile(r", (Tensor|tuple of Tensors) out = None")
#: What marks a signature that PyTorch still takes but no longer shows.
DEPRECATED = " deprecated"


@cache
def _of_file() -> dict[str, list[str]]:
    """The signatures by name."""
    found: dict[str, list[str]] = {}
    signatures: list[str] = []
    with open(os.path.join(os.path.dirname(__file__), "signatures.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith(" "):
            signatures.append(line.strip())
        else:
            signatures = found[line] = []
    return found


def signatures_of(name: str, *, is_method: bool) -> list[str]:
    """The signatures of ``torch.<name>`` or of ``Tensor.<name>``, as that is called; none where PyTorch's is Python."""
    known = _of_file()
    forms = (name, name[:-1]) if name.endswith("_") else (name,)
    if not is_method:
        found = next((known[form] for form in forms if form in known), [])
        return found if name in known else [_without_out(each) for each in found]
    for form in forms:
        if f"Tensor.{form}" in known:
            return known[f"Tensor.{form}"]
        if form in known:
            return list(dict.fromkeys(_as_method(each) for each in known[form]))
    return []


def _without_out(signature: str) -> str:
    return _OUT.sub("", signature).replace(", *)", ")")


def _as_method(signature: str) -> str:
    without = _without_out(signature).replace("(Tensor input, ", "(").replace("(Tensor input)", "()")
    return "()" if without == "(*)" else without
