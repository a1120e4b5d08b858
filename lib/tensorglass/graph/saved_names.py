"""What a node shows of what it keeps: `_saved_self` and the like, by PyTorch's names and in PyTorch's forms.

Formulas keep what they need under the names of their parameters, and PyTorch's formulas need much the same. Where they
need something else, a table below says what is shown instead.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Kept = Mapping[str, Any]
RESULTS = ("result", "result1", "results")  #: the first result, the second, and all

#: What only this library's formulas need.
_OWN = {
    "advanced", "destination", "input_device", "input_header", "length", "result1", "results", "src_device", "src_size",
    "tensors_size", "unbiased",
}  # fmt: skip

#: What some nodes keep more than PyTorch's: the operator is declared once, and has two nodes there.
_HIDDEN = {
    "DivBackward0": ("rounding_mode",),
    "FmodBackward0": ("input", "other"),
    "LerpBackward0": ("input", "end"),
    "LinalgVectorNormBackward0": ("p",),
    "MeanBackward0": ("dim", "keepdim"),
    "NotImplemented": ("input", "other"),
    "PermuteBackward0": ("input_size", "source"),
    "PowBackward0": ("result",),
    "ProdBackward0": ("dim", "keepdim"),
    "RemainderBackward0": ("input", "other"),
    "ScatterBackward0": ("reduce",),
    "ScatterBackward1": ("reduce",),
    "StdMeanBackward0": ("result",),
    "SumBackward0": ("dim", "keepdim"),
    "Unique2Backward0": ("dim",),
}

#: Numbers that PyTorch keeps as such. It shows all other integers without a sign: -1 as 2⁶⁴ - 1.
_SCALARS = {"alpha", "correction", "exponent", "max", "min", "ord", "other", "p", "value", "weight", "beta"}


def _tuple(name: str, none: Any = None) -> Callable[[Kept], Any]:
    """A dimension or several, as several."""

    def several(kept: Kept) -> Any:
        value = kept[name]
        if value is None or value is True or value is False:  # var(unbiased)
            return none
        return (value,) if isinstance(value, int) else tuple(value)

    return several


def _unpacked(name: str) -> Callable[[Kept], Any]:
    """What was passed one by one, or as one sequence."""
    return lambda kept: tuple(kept[name][0]) if isinstance(kept[name][0], (list, tuple)) else tuple(kept[name])


def _correction(kept: Kept) -> Any:
    if kept["correction"] is not None or (kept["dim"] is None and kept["unbiased"]):
        return kept["correction"]
    return int(kept["dim"] if isinstance(kept["dim"], bool) else kept["unbiased"])


def _order(kept: Kept) -> Any:
    if "dims" in kept:
        return _unpacked("dims")(kept)
    return None if "source" in kept else tuple(range(len(kept["input_size"])))[::-1]


_SPREAD: dict[str, Callable[[Kept], Any]] = {"dim": _tuple("dim"), "correction": _correction}
_EXTREME: dict[str, Callable[[Kept], Any]] = {"dim": _tuple("dim", ())}


def _start(kept: Kept) -> int:
    start: int = kept["start"] or 0
    return start + kept["input_size"][kept["dim"]] if "length" in kept and start < 0 else start


def _end(kept: Kept) -> int:
    if "length" in kept:  # it was narrow that made the slice
        return _start(kept) + int(kept["length"])
    return sys.maxsize if kept["end"] is None else kept["end"]


#: By node, what is shown beside or instead of what is kept.
_SHOWN: dict[str, dict[str, Callable[[Kept], Any]]] = {
    "AddBackward0": {"alpha": lambda kept: 1 if kept["alpha"] is None else kept["alpha"]},
    "AmaxBackward0": _EXTREME,
    "AminBackward0": _EXTREME,
    "AminmaxBackward0": {"min": lambda kept: kept["results"][0], "max": lambda kept: kept["results"][1]},
    "FlipBackward0": {"dims": _unpacked("dims")},
    "GatherBackward0": {"sparse_grad": lambda kept: False},
    "LinalgVectorNormBackward0": {
        "dim": _tuple("dim"), "ord": lambda kept: 2 if kept["p"] in ("fro", None) else kept["p"],
    },
    "LogsumexpBackward0": {"dim": _tuple("dim")},
    "MaxBackward0": {"indices": lambda kept: kept["result1"]},
    "MeanBackward0": {"self_sym_numel": lambda kept: math.prod(kept["input_size"])},
    "MeanBackward1": {"dim": _tuple("dim"), "self_sym_numel": lambda kept: math.prod(kept["input_size"])},
    "MinBackward0": {"indices": lambda kept: kept["result1"]},
    "NansumBackward0": {"dim": _tuple("dim")},
    "PermuteBackward0": {"dims": _order},
    "RepeatBackward0": {"repeats": _unpacked("repeats")},
    "RollBackward0": {"dims": _tuple("dims", ()), "shifts": _tuple("shifts")},
    "SliceBackward0": {"start": _start, "end": _end, "step": lambda kept: kept.get("step", 1)},
    "SortBackward0": {"indices": lambda kept: kept["result1"]},
    "StdBackward0": _SPREAD,
    "StdMeanBackward0": _SPREAD | {"result0": lambda kept: kept["result"]},
    "SubBackward0": {"alpha": lambda kept: 1 if kept["alpha"] is None else kept["alpha"]},
    "SumBackward1": {"dim": _tuple("dim")},
    "VarBackward0": _SPREAD,
    "VarMeanBackward0": _SPREAD,
}  # fmt: skip


def shown(node: str, kept: Kept) -> dict[str, Any]:
    """By PyTorch's names what a node of this name shows, from what it keeps."""
    hidden = _OWN.union(_HIDDEN.get(node, ()))
    found = {pytorchs(name): value for name, value in kept.items() if name not in hidden}
    found |= {name: show(kept) for name, show in _SHOWN.get(node, {}).items()}
    return {name: value if name in _SCALARS else _unsigned(value) for name, value in found.items()}


def names(node: str, kept: Iterable[str]) -> list[str]:
    """PyTorch's names of what `shown` shows."""
    hidden = _OWN.union(_HIDDEN.get(node, ()))
    return [*(pytorchs(name) for name in kept if name not in hidden), *_SHOWN.get(node, {})]


def _unsigned(value: Any) -> Any:
    if type(value) is int and value < 0:
        return value + 2**64
    return tuple([_unsigned(each) for each in value]) if type(value) in (tuple, list) else value


def pytorchs(name: str) -> str:
    """What PyTorch calls what is kept."""
    if name == "input":
        return "self"
    if name.endswith("_size"):
        return f"{pytorchs(name.removesuffix('_size'))}_sym_sizes"
    if name.endswith("_stride"):
        return f"{pytorchs(name.removesuffix('_stride'))}_sym_strides"
    return name
