"""`nn.functional` on PyTorch's own OpInfo samples: values, layouts, nodes, first and second gradients, errors."""

from __future__ import annotations

from typing import Any

import pytest
from parity.nn.samples import disagreement, spread

torch = pytest.importorskip("torch", reason="the oracle, PyTorch, is not installed (extra: parity)")
pytest.importorskip("expecttest", reason="PyTorch's table of operators needs it: pip install expecttest")
from pytorchs_samples import inputs_of, wrong_inputs_of  # noqa: E402  # after the check above
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402  # as above

#: The functions of this library's `nn.functional` that are compared.
NAMES = (
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "channel_shuffle", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fractional_max_pool2d",
    "fractional_max_pool3d", "grid_sample", "group_norm", "instance_norm", "interpolate", "layer_norm",
    "local_response_norm", "max_pool1d", "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "multi_head_attention_forward", "pad", "pixel_shuffle", "pixel_unshuffle", "rms_norm",
    "scaled_dot_product_attention", "triplet_margin_with_distance_loss", "unfold", "upsample_bilinear",
    "upsample_nearest",
    "alpha_dropout", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu",
    "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "ctc_loss", "dropout", "dropout2d", "dropout3d",
    "elu", "embedding", "embedding_bag", "feature_alpha_dropout", "gaussian_nll_loss", "gelu", "glu", "hardshrink",
    "hardsigmoid", "hardswish", "hardtanh", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "leaky_relu",
    "linear", "linear_cross_entropy", "logsigmoid", "margin_ranking_loss", "mish", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize", "pairwise_distance", "pdist",
    "poisson_nll_loss", "prelu", "relu", "relu6", "rrelu", "selu", "silu", "smooth_l1_loss", "soft_margin_loss",
    "softmin", "softplus", "softshrink", "softsign", "tanhshrink", "threshold", "triplet_margin_loss",
)  # fmt: skip
INFOS = {
    f"{info.name[14:]} {info.variant_test_name}".strip(): info
    for info in op_db
    if info.name[14:] in NAMES and info.variant_test_name not in ("complex", "without_cudnn")
}
MOST = 12  #: how many samples of each are tried; some have hundreds
#: PyTorch computes the chunked form in another node, and without a second derivative.
SKIPPED = {
    "linear_cross_entropy chunked": ("node", "second"),
    "linear_cross_entropy chunked_none": ("node", "second"),
    "scaled_dot_product_attention": ("node",),  # which has a node of its own where PyTorch computes it in blocks
    "grid_sample": ("second",),  # not implemented here
}
#: Where PyTorch rounds to bfloat16 after each of several steps: see the appendix of the differences.
ROUNDED_OFTEN: tuple[str, ...] = (
    "conv_transpose2d", "conv_transpose3d", "fractional_max_pool3d", "grid_sample", "instance_norm",
    "interpolate trilinear", "scaled_dot_product_attention",
)  # fmt: skip
if not torch.ops.mkldnn._is_mkldnn_bf16_supported():  # a processor without AVX-512, where oneDNN does not compute it
    ROUNDED_OFTEN = ("conv_transpose1d", *ROUNDED_OFTEN)


def calls(info: Any, dtype: Any) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The calls of a function that its samples describe. Samples of embeddings begin with the weight."""
    calls = []
    samples = inputs_of(info, dtype, requires_grad=dtype == torch.float64)
    for sample in spread(samples, MOST):
        arguments = (sample.input, *sample.args)
        if info.name.startswith("nn.functional.embedding"):
            arguments = (arguments[1], arguments[0], *arguments[2:])
        if not sample.kwargs.get("sparse"):  # out of scope
            calls.append((arguments, sample.kwargs))
    return calls


def test_every_name_has_samples() -> None:
    assert {info.name[14:] for info in INFOS.values()} == set(NAMES)


@pytest.mark.sweep
@pytest.mark.parametrize("name", INFOS)
def test_samples_give_what_they_give_in_pytorch(name: str) -> None:
    info = INFOS[name]
    number = 0
    dtypes = {torch.float64, torch.float32, torch.bfloat16} & set(info.dtypes)
    for dtype in dtypes - {torch.bfloat16} if name in ROUNDED_OFTEN else dtypes:
        for arguments, keywords in calls(info, dtype):
            number += 1
            differs = disagreement(info.name[14:], arguments, keywords, SKIPPED.get(name, ()))
            sizes = [tuple(argument.shape) if hasattr(argument, "shape") else argument for argument in arguments]
            assert differs is None, f"{sizes} {keywords} in {dtype}: {differs}"
    assert number


#: PyTorch's message names an argument of an internal function, or its checks come in another order.
OTHER_WORDS = ("embedding", "embedding_bag", "gaussian_nll_loss")


@pytest.mark.parametrize("name", [name for name, info in INFOS.items() if info.error_inputs_func is not None])
def test_wrong_calls_are_refused_as_in_pytorch(name: str) -> None:
    info = INFOS[name]
    if info.name[14:] in OTHER_WORDS:
        return
    for error_input in wrong_inputs_of(info):
        sample = error_input.sample_input
        assert disagreement(info.name[14:], (sample.input, *sample.args), sample.kwargs) is None


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "bfloat16", "complex64"])
def test_rms_norm_is_of_floating_and_complex_numbers(dtype: str) -> None:
    values = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    assert disagreement("rms_norm", (values, (3,)), {}, ("stride", "node")) is None
