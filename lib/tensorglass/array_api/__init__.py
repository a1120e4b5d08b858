"""The array API standard: a namespace for libraries that use arrays only through the standard.

SciPy, scikit-learn and others ask an array for its namespace (`Tensor.__array_namespace__`) and compute with what is in
it, so that they need not know the library. Nothing is computed here: these are the standard's
names, keywords and rules for dtypes, over the operators of `tensorglass`.

    >>> def standardized(x):
    ...     xp = x.__array_namespace__()
    ...     return (x - xp.mean(x)) / xp.std(x, correction=1)
    >>> standardized(torch.tensor([1.0, 2.0, 3.0]))
    tensor([-1.,  0.,  1.])

Source: https://data-apis.org/array-api, version 2024.12. `docs/array-api.md` says how conformance is tested.
"""

from math import e, inf, nan, pi

# Many names on a line.
# fmt: off
# isort: off
from tensorglass.array_api import fft, linalg
from tensorglass.array_api.creation import (
    arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like, linspace, meshgrid, ones, ones_like, tril,
    triu, zeros, zeros_like,
)
from tensorglass.array_api.data_types import astype, can_cast, finfo, iinfo, isdtype
from tensorglass.array_api.elementwise import (
    abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert, bitwise_left_shift,
    bitwise_or, bitwise_right_shift, bitwise_xor, ceil, clip, conj, copysign, cos, cosh, divide, equal, exp, expm1,
    floor, floor_divide, greater, greater_equal, hypot, imag, isfinite, isinf, isnan, less, less_equal, log, log1p,
    log2, log10, logaddexp, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative,
    nextafter, not_equal, positive, pow, real, reciprocal, remainder, round, sign, signbit, sin, sinh, sqrt, square,
    subtract, tan, tanh, trunc,
)
from tensorglass.array_api.data_types import __array_namespace_info__
from tensorglass.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from tensorglass.array_api.manipulation import (
    broadcast_arrays, broadcast_shapes, broadcast_to, concat, expand_dims, flip, moveaxis, permute_dims, repeat,
    reshape, roll, squeeze, stack, take, take_along_axis, tile, unstack,
)
from tensorglass.array_api.promoting import result_type
from tensorglass.array_api.searching import (
    argmax, argmin, argsort, count_nonzero, isin, nonzero, searchsorted, sort, unique_all, unique_counts,
    unique_inverse, unique_values, where,
)
from tensorglass.array_api.statistics import (
    all, any, cumulative_prod, cumulative_sum, diff, max, mean, min, prod, std, sum, var,
)
from tensorglass.core.dtypes import (
    bool, complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
)

# fmt: on

__array_api_version__ = "2024.12"
newaxis = None  #: what adds a dimension in an index: ``x[:, newaxis]``

__all__ = [
    "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "asin",
    "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bool", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "can_cast", "ceil", "clip", "complex64", "complex128", "concat", "conj", "copysign", "cos",
    "cosh", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "divide", "e", "empty", "empty_like",
    "equal", "exp", "expand_dims", "expm1", "eye", "fft", "finfo", "flip", "float32", "float64", "floor",
    "floor_divide", "from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot", "iinfo", "imag", "inf",
    "int8", "int16", "int32", "int64", "isdtype", "isfinite", "isin", "isinf", "isnan", "less", "less_equal",
    "linalg", "linspace", "log", "log1p", "log2", "log10", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "matmul", "matrix_transpose", "max", "maximum", "mean", "meshgrid", "min", "minimum", "moveaxis",
    "multiply", "nan", "negative", "nextafter", "nonzero", "not_equal", "ones", "ones_like", "permute_dims", "pi",
    "positive", "pow", "prod", "real", "reciprocal", "remainder", "repeat", "reshape", "result_type", "roll",
    "round", "searchsorted", "sign", "signbit", "sin", "sinh", "sort", "sqrt", "square", "squeeze", "stack", "std",
    "subtract", "sum", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "tril", "triu", "trunc",
    "uint8", "uint16", "uint32", "uint64", "unique_all", "unique_counts", "unique_inverse", "unique_values",
    "unstack", "var", "vecdot", "where", "zeros", "zeros_like",
]  # fmt: skip
