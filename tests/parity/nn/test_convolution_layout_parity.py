"""The memory layout of convolutions of sequences, and what dropout draws for them, which follows the layout."""

from __future__ import annotations

import itertools

import pytest
from parity.same_source import disagreement

LAYOUTS = {
    "channels last": "torch.randn({batch}, {length}, {channels}, dtype=dtype).transpose(1, 2)",
    "contiguous": "torch.randn({batch}, {channels}, {length}, dtype=dtype)",
    "expanded": "torch.randn({batch}, {channels}, 1, dtype=dtype).expand(-1, -1, {length})",
    "sliced": "torch.randn({batch}, {channels}, 2 * {length}, dtype=dtype)[:, :, ::2]",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sequence_of_one_channel_may_lie_as_an_image_of_one_row(layout: str) -> None:
    for batch, channels, length, kernel, dtype in itertools.product((1, 2), (1, 3), (1, 6), (1, 3), ("float32",)):
        tensor = LAYOUTS[layout].format(batch=batch, channels=channels, length=length)
        told = disagreement(
            f"""
            torch.manual_seed(0)
            dtype = torch.{dtype}
            x = ({tensor}).detach().requires_grad_()
            w = torch.randn(4, {channels}, {kernel}, dtype=dtype, requires_grad=True)
            y = torch.nn.functional.conv1d(x, w, padding=1)
            see(y, torch.nn.functional.dropout(y, 0.5))
            z = torch.nn.functional.conv_transpose1d(x, w.transpose(0, 1), padding=0)
            see(z, torch.nn.functional.dropout(z, 0.5))
            """
        )
        assert told is None, told


def test_batch_norm_of_one_channel_is_contiguous() -> None:
    told = disagreement(
        """
        for size in ((2, 5, 5, 1), (1, 4, 5, 1), (2, 5, 5, 3), (2, 3, 4, 5, 1), (2, 3, 4, 5, 2)):
            x = torch.randn(*size).movedim(-1, 1)
            see(torch.nn.functional.batch_norm(x, None, None, training=True))
        """
    )
    assert told is None, told
