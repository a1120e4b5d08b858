"""What derivatives of several operators share: formulas, and the nodes that PyTorch's graphs have for views.

The derivative of an operator itself stands beside it, under `derivative`: that of `sigmoid` in `ops.pointwise`.
"""
