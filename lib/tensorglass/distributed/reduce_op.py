"""`ReduceOp`: how the elements of several processes become one."""

from __future__ import annotations

from enum import Enum


class RedOpType(Enum):
    """The reductions, with PyTorch's numbers."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


class ReduceOp:
    """The reductions by name. AVG is the sum divided by the number of processes; BAND, BOR and BXOR take integers."""

    RedOpType = RedOpType
    SUM = RedOpType.SUM
    AVG = RedOpType.AVG
    PRODUCT = RedOpType.PRODUCT
    MIN = RedOpType.MIN
    MAX = RedOpType.MAX
    BAND = RedOpType.BAND
    BOR = RedOpType.BOR
    BXOR = RedOpType.BXOR


def supports_complex(reduceOp: RedOpType) -> bool:
    """Whether complex numbers can be reduced so: only sums and averages of them."""
    return reduceOp in (RedOpType.SUM, RedOpType.AVG)
