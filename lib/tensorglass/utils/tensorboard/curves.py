"""Curves of precision and recall, and sounds, as TensorBoard reads them."""

from __future__ import annotations

import io
import wave
from typing import Any

from tensorboard.compat.proto import summary_pb2, tensor_pb2, tensor_shape_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

from tensorglass.core import dtypes
from tensorglass.interop.numpy import as_tensor
from tensorglass.ops.rearrange.cat_stack import stack
from tensorglass.tensor.tensor import Tensor

MOST_THRESHOLDS = 127  #: more do not fit into the byte that the file has for them


def precision_and_recall(labels: Any, predictions: Any, thresholds: int, weights: Any = None) -> Tensor:
    """Six rows with a column for each threshold: true and false positives, true and false negatives, precision, recall.

    A prediction is a probability of the label 1.
    """
    said = as_tensor(predictions).detach().cpu().reshape(-1)
    truth = as_tensor(labels).detach().cpu().reshape(-1).double()
    weight = truth.new_ones(()) if weights is None else as_tensor(weights).detach().cpu().double()
    bucket = (said * (thresholds - 1)).floor().long()
    empty = truth.new_zeros(thresholds)
    # Those that are at least as likely as a threshold: the sums of all buckets from it on.
    true_positive, false_positive = (
        empty.index_add(0, bucket, part * weight).flip(0).cumsum(0).flip(0) for part in (truth, 1 - truth)
    )
    true_negative = false_positive[0] - false_positive
    false_negative = true_positive[0] - true_positive
    least = 1e-7
    precision = true_positive / (true_positive + false_positive).clamp(min=least)
    recall = true_positive / (true_positive + false_negative).clamp(min=least)
    return stack([true_positive, false_positive, true_negative, false_negative, precision, recall])


def curve(tag: str, rows: Any, thresholds: int) -> Any:
    """The six rows of `precision_and_recall` under a tag."""
    table = as_tensor(rows).double()
    content = PrCurvePluginData(version=0, num_thresholds=min(thresholds, MOST_THRESHOLDS)).SerializeToString()
    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name="pr_curves", content=content)
    data = tensor_pb2.TensorProto(
        dtype="DT_FLOAT",
        float_val=table.reshape(-1).tolist(),
        tensor_shape=tensor_shape_pb2.TensorShapeProto(
            dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=size) for size in table.shape]
        ),
    )
    described = summary_pb2.SummaryMetadata(plugin_data=plugin)
    return summary_pb2.Summary.Value(tag=tag, metadata=described, tensor=data)


def sound(tag: str, samples: Any, rate: int) -> Any:
    """A sound of one channel, whose samples are between -1 and 1, under a tag."""
    row = as_tensor(samples).detach().cpu().squeeze()
    if row.abs().max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        row = row.clamp(-1, 1)
    if row.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(b"".join(level.to_bytes(2, "little", signed=True) for level in _levels(row)))
    data = summary_pb2.Summary.Audio(
        sample_rate=rate,
        num_channels=1,
        length_frames=len(row),
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return summary_pb2.Summary.Value(tag=tag, audio=data)


def _levels(row: Tensor) -> list[int]:
    """The samples as numbers of two bytes."""
    loudest = dtypes.int16.itemsize * 2**14 - 1
    levels: list[int] = (row * loudest).to(dtypes.int16).tolist()
    return levels
