"""PyTorch's names for recorded calls: most operators have their own, such as ``aten::relu``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Returns the name under which a call with these arguments is recorded; None: it is not recorded.
Naming = Callable[..., "str | None"]

#: Calls that are not operators in PyTorch: queries, and views made in Python.
_SILENT = frozenset((
    "__array__", "__iter__", "__len__", "broadcast_shapes", "conj", "data", "is_complex", "is_conj",
    "is_floating_point", "is_inference", "is_neg", "is_signed", "is_storage", "is_tensor", "numel", "numpy",
    "requires_grad_", "tolist", "typename", "unravel_index",
))  # fmt: skip
_NAMES = {
    "H": "matrix_H", "T": "numpy_T", "__abs__": "abs", "__add__": "add", "__contains__": "eq", "__eq__": "eq",
    "__floordiv__": "floor_divide", "__ge__": "ge", "__gt__": "gt", "__iadd__": "add_", "__ifloordiv__":
    "floor_divide_", "__imod__": "remainder_", "__imul__": "mul_", "__invert__": "bitwise_not", "__ipow__": "pow_",
    "__isub__": "sub_", "__itruediv__": "div_", "__le__": "le", "__lt__": "lt", "__matmul__": "matmul",
    "__mod__": "remainder", "__mul__": "mul", "__ne__": "ne", "__neg__": "neg", "__pos__": "positive",
    "__pow__": "pow", "__radd__": "add", "__rand__": "bitwise_and", "__rdiv__": "reciprocal",
    "__rfloordiv__": "floor_divide", "__rlshift__": "bitwise_left_shift", "__rmatmul__": "matmul",
    "__rmod__": "remainder", "__rmul__": "mul", "__ror__": "bitwise_or", "__rpow__": "pow",
    "__rrshift__": "bitwise_right_shift", "__rsub__": "rsub", "__rtruediv__": "reciprocal",
    "__rxor__": "bitwise_xor", "__sub__": "sub", "__truediv__": "div",
    "__bool__": "is_nonzero", "__float__": "item", "__int__": "item", "__index__": "item", "item": "item",
    "as_tensor": "lift_fresh", "asarray": "lift_fresh", "from_numpy": "lift_fresh", "new_tensor": "lift_fresh",
    "tensor": "lift_fresh", "lu": "_lu_with_info",
    **dict.fromkeys(
        (
            "bfloat16", "bool", "byte", "cdouble", "cfloat", "char", "cpu", "cuda", "double", "float", "half", "int",
            "long", "short",
        ),
        "to",
    ),
}  # fmt: skip

#: Methods of tensors that are no operators of the table and have a name.
METHODS = frozenset(("__bool__", "__float__", "__index__", "__int__", "item"))

#: Functions that are no operators here and are one in PyTorch.
OF_LAYERS: dict[str, dict[str, str | Naming]] = {
    "tensorglass": {
        name: f"aten::{name}"
        for name in (
            "_softmax_backward_data",
            "alpha_dropout",
            "alpha_dropout_",
            "bilinear",
            "binary_cross_entropy_with_logits",
            "celu",
            "celu_",
            "cosine_embedding_loss",
            "ctc_loss",
            "dropout",
            "dropout_",
            "embedding",
            "feature_alpha_dropout",
            "feature_dropout",
            "gru",
            "gru_cell",
            "hinge_embedding_loss",
            "kl_div",
            "lstm",
            "lstm_cell",
            "margin_ranking_loss",
            "poisson_nll_loss",
            "prelu",
            "rnn_relu",
            "rnn_relu_cell",
            "rnn_tanh",
            "rnn_tanh_cell",
            "rrelu",
            "rrelu_",
            "selu",
            "selu_",
            "triplet_margin_loss",
        )
    },
    "tensorglass.nn.functional": {
        name: f"aten::{name}"
        for name in (
            "adaptive_avg_pool1d",
            "adaptive_avg_pool2d",
            "adaptive_avg_pool3d",
            "adaptive_max_pool1d",
            "adaptive_max_pool2d",
            "adaptive_max_pool3d",
            "avg_pool1d",
            "avg_pool2d",
            "avg_pool3d",
            "batch_norm",
            "bilinear",
            "binary_cross_entropy",
            "binary_cross_entropy_with_logits",
            "channel_shuffle",
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
            "cosine_embedding_loss",
            "cosine_similarity",
            "ctc_loss",
            "elu_",
            "embedding",
            "embedding_bag",
            "gelu",
            "glu",
            "group_norm",
            "hardshrink",
            "hinge_embedding_loss",
            "huber_loss",
            "instance_norm",
            "kl_div",
            "l1_loss",
            "layer_norm",
            "leaky_relu_",
            "linear",
            "margin_ranking_loss",
            "max_unpool2d",
            "max_unpool3d",
            "mse_loss",
            "multi_margin_loss",
            "multilabel_margin_loss",
            "one_hot",
            "pad",
            "pairwise_distance",
            "pdist",
            "pixel_shuffle",
            "pixel_unshuffle",
            "poisson_nll_loss",
            "prelu",
            "rms_norm",
            "rrelu_",
            "scaled_dot_product_attention",
            "selu_",
            "smooth_l1_loss",
            "soft_margin_loss",
            "softplus",
            "softshrink",
            "triplet_margin_loss",
        )
    },
}
OF_LAYERS["tensorglass.nn.functional"].update(
    {
        "affine_grid": "aten::affine_grid_generator",
        "cross_entropy": "aten::cross_entropy_loss",
        "dropout2d": "aten::feature_dropout",
        "fold": "aten::col2im",
        "grid_sample": "aten::grid_sampler",
        "logsigmoid": "aten::log_sigmoid",
        "nll_loss": "aten::nll_loss_nd",
        "unfold": "aten::im2col",
    }
)  # fmt: skip


def _may_be_in_place(name: str) -> Naming:
    def naming(*arguments: Any, **keywords: Any) -> str:
        is_in_place = keywords.get("inplace", False) or arguments[-1] is True
        return f"aten::{name}_" if is_in_place else f"aten::{name}"

    return naming


def _pool(name: str) -> Naming:
    def naming(*arguments: Any, return_indices: bool = False, **keywords: Any) -> str:
        is_with_indices = return_indices or (len(arguments) > 6 and arguments[6])
        return f"aten::{name}_with_indices" if is_with_indices else f"aten::{name}"

    return naming


def _interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", *more: Any, **keywords: Any
) -> str:
    dims = input.dim() - 2
    if mode == "area":
        return f"aten::adaptive_avg_pool{dims}d"
    known = {"nearest": "upsample_nearest", "nearest-exact": "_upsample_nearest_exact"}
    return f"aten::{known.get(mode, f'upsample_{mode}')}{'' if mode[-6:] == 'linear' and dims == 0 else f'{dims}d'}"


def _recurrence(mode: str, *arguments: Any, **keywords: Any) -> str:
    return f"aten::{mode.lower()}"


OF_LAYERS["tensorglass.nn.recurrence"] = {
    "run": _recurrence,
    **{name: f"aten::{name}" for name in ("gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell")},
}
_of_functions = OF_LAYERS["tensorglass.nn.functional"]
for _name in (
    "alpha_dropout", "celu", "dropout", "elu", "feature_alpha_dropout", "hardsigmoid", "hardswish", "hardtanh",
    "leaky_relu", "mish", "relu", "relu6", "rrelu", "selu", "silu", "threshold",
):  # fmt: skip
    _of_functions[_name] = _may_be_in_place(_name)
for _name in ("max_pool1d", "max_pool2d", "max_pool3d"):
    _of_functions[_name] = _pool(_name)
_of_functions["interpolate"] = _interpolate


def _contiguous(input: Any, *more: Any, **keywords: Any) -> str | None:
    return None if input.is_contiguous(*more, **keywords) else "aten::contiguous"


def _norm(input: Any, p: Any = "fro", *more: Any, **keywords: Any) -> str:
    return f"aten::linalg_{'matrix' if p == 'nuc' else 'vector'}_norm"


def _nonzero(input: Any, *, as_tuple: bool = False, **keywords: Any) -> str:
    return f"aten::nonzero{'_numpy' if as_tuple else ''}"


def _split(tensor: Any, split_size: Any, *more: Any, **keywords: Any) -> str:
    return f"aten::split{'' if isinstance(split_size, int) else '_with_sizes'}"


def _unique(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> str:
    return "aten::_unique2" if dim is None else "aten::unique_dim"


def _type(input: Any, dtype: Any = None, *more: Any, **keywords: Any) -> str | None:
    return None if dtype is None else "aten::to"


def _reading(input: Any, index: Any) -> str | None:
    """The row of ``x[index]``: PyTorch has one for each part of the index; here they are one operator."""
    parts = index if isinstance(index, tuple) else (index,)
    kinds = []
    for part in parts:
        if isinstance(part, bool) or not (part is None or part is Ellipsis or isinstance(part, int | slice)):
            return "aten::index"
        if part is None:
            kinds.append("aten::unsqueeze")
        elif isinstance(part, int):
            kinds.append("aten::select")
        elif isinstance(part, slice) and (len(parts) == 1 or part != slice(None)):
            kinds.append("aten::slice")
    return kinds[0] if kinds else "aten::alias"


def _writing(input: Any, index: Any, value: Any) -> str:
    """The row of ``x[index] = value``: that which writes."""
    if _reading(input, index) == "aten::index":
        return "aten::index_put_"
    return "aten::fill_" if isinstance(value, int | float | complex) else "aten::copy_"


_NAMING: dict[str, Naming] = {
    "__getitem__": _reading, "__setitem__": _writing, "contiguous": _contiguous, "nonzero": _nonzero,
    "norm": _norm, "split": _split, "type": _type, "unique": _unique,
}  # fmt: skip


def of_method(name: str) -> str | Naming | None:
    """The row of a method or an attribute of tensors."""
    return None if name in _SILENT else _NAMING.get(name) or f"aten::{_NAMES.get(name, name)}"


def of_function(path: str) -> str | Naming | None:
    """The row of a function, by its path: "linalg.det"."""
    return of_method(path.replace(".", "_"))


def of_zero_grad(optimizer: Any, *arguments: Any, **keywords: Any) -> str:
    """The row of an optimizer's `zero_grad`."""
    return f"Optimizer.zero_grad#{type(optimizer).__name__}.zero_grad"


def of_step(optimizer: Any, *arguments: Any, **keywords: Any) -> str:
    """The row of an optimizer's step."""
    return f"Optimizer.step#{type(optimizer).__name__}.step"


def of_loading(batches: Any) -> str:
    """The row of a data loader that fetches a batch."""
    return f"enumerate(DataLoader)#{type(batches).__name__}.__next__"


def of_own_function(kind: type, *arguments: Any, **keywords: Any) -> str:
    """The row of an `autograd.Function`: a program's own, or one of the library's that stands for several operators."""
    return kind.__name__
