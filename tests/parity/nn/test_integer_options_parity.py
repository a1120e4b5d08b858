"""Options of layers that are integers take tensors of one integer and NumPy's integers, as PyTorch's do."""

from __future__ import annotations

import pytest
from parity.same_source import disagreement

OPTIONS = {"tensor": "torch.tensor(2)", "NumPy's": "numpy.int64(2)"}
CALLS = (
    "F.one_hot(torch.tensor([0, 1]), option)",
    "F.max_pool1d(torch.ones(1, 1, 4), option)",
    "F.max_pool2d(torch.ones(1, 1, 4, 4), option, padding=1, stride=option)",
    "F.max_pool3d(torch.ones(1, 1, 4, 4, 4), option)",
    "F.avg_pool1d(torch.ones(1, 1, 4), option)",
    "F.avg_pool2d(torch.ones(1, 1, 4, 4), option)",
    "F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), stride=option)",
    "F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), padding=option)",
    "F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), dilation=option)",
    "F.conv_transpose2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), stride=option)",
    "F.layer_norm(torch.ones(3, 2), (option,))",
    "F.pixel_shuffle(torch.ones(1, 4, 2, 2), option)",
    "F.softmax(torch.ones(1, 1, 4), option)",
    "F.cross_entropy(torch.ones(3, 4), torch.tensor([0, 1, 2]), ignore_index=option)",
    "F.nll_loss(torch.ones(3, 4), torch.tensor([0, 1, 2]), ignore_index=option)",
)


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("call", CALLS)
def test_integers_of_any_kind_are_options(call: str, kind: str) -> None:
    source = f"import numpy\nF = torch.nn.functional\noption = {OPTIONS[kind]}\nattempt(lambda: {call})"
    assert disagreement(source) is None
