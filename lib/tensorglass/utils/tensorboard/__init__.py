"""`torch.utils.tensorboard`: numbers, histograms, pictures and texts of a training, in files that TensorBoard reads.

It needs the package `tensorboard`, which writes the files; pictures also need Pillow, and figures matplotlib. Graphs,
embeddings, meshes and films are not written.
"""

from __future__ import annotations

import io
import os
import socket
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import Any

from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from tensorglass.core import dtypes
from tensorglass.core.errors import explained, warn
from tensorglass.interop.numpy import as_tensor
from tensorglass.ops.creation.ranges import linspace
from tensorglass.ops.creation.tensor import tensor
from tensorglass.ops.rearrange.cat_stack import cat, stack
from tensorglass.tensor.tensor import Tensor

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes the events of one run, each with a step and a time, to a file in a folder."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        folder: str = self.event_writer.get_logdir()
        return folder

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Write an event, whose time is now unless it is given."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)  # also a tensor's
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        self.event_writer.flush()

    def close(self) -> None:
        self.event_writer.close()

    def reopen(self) -> None:
        self.event_writer.reopen()


class SummaryWriter:
    """Writes the logs of a training run to a folder: without `log_dir`, one in ``runs/`` with the time and the machine.

    `purge_step` hides what an earlier, broken run wrote from that step on. Steps and times are a call's own:
    `global_step`, `walltime` in seconds.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                begun = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
                self.file_writer.add_event(event_pb2.Event(file_version="brain.Event:2"), self.purge_step)
                self.file_writer.add_event(event_pb2.Event(session_log=begun), self.purge_step)
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> Any:
        """The folder that the run is written to."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """A number, or a tensor of one element."""
        number = float(scalar_value)
        if new_style:
            data = tensor_pb2.TensorProto(
                dtype="DT_DOUBLE" if double_precision else "DT_FLOAT",
                **{"double_val" if double_precision else "float_val": [number]},
            )
            value = summary_pb2.Summary.Value(tag=tag, tensor=data, metadata=_metadata("scalars"))
        else:
            value = summary_pb2.Summary.Value(tag=tag, simple_value=number)
        self._add(value, global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Several numbers in one diagram: each is a run of its own, in a folder beside this one's file."""
        folder, moment = self._get_file_writer().get_logdir(), time.time() if walltime is None else walltime
        assert self.all_writers is not None
        for tag, number in tag_scalar_dict.items():
            place = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if place not in self.all_writers:
                self.all_writers[place] = FileWriter(place, self.max_queue, self.flush_secs, self.filename_suffix)
            value = summary_pb2.Summary.Value(tag=main_tag, simple_value=float(number))
            self.all_writers[place].add_summary(summary_pb2.Summary(value=[value]), global_step, moment)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How often values occur, in TensorBoard's own bins or in those with the edges or the number `bins`."""
        value = summary_pb2.Summary.Value(tag=tag, histo=_histogram(values, bins, max_bins))
        self._add(value, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture: of bytes, or of numbers from 0 to 1."""
        self._add(
            summary_pb2.Summary.Value(tag=tag, image=_png(_as_rows(img_tensor, dataformats))), global_step, walltime
        )

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several pictures of one size, in rows of eight."""
        self.add_image(tag, _as_rows(img_tensor, dataformats), global_step, walltime, "HWC")

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """A figure of matplotlib, or a list of them, which are closed unless `close` is False."""
        from matplotlib import pyplot
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        drawn = []
        for one_figure in figure if isinstance(figure, list) else [figure]:
            canvas = FigureCanvasAgg(one_figure)
            canvas.draw()
            drawn.append(tensor(canvas.buffer_rgba()).narrow(-1, 0, 3))
            if close:
                pyplot.close(one_figure)
        if isinstance(figure, list):
            self.add_images(tag, stack(drawn), global_step, walltime, "NHWC")
        else:
            self.add_image(tag, drawn[0], global_step, walltime, "HWC")

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """A text in Markdown."""
        data = tensor_pb2.TensorProto(
            dtype="DT_STRING",
            string_val=[text_string.encode()],
            tensor_shape=tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)]),
        )
        value = summary_pb2.Summary.Value(tag=f"{tag}/text_summary", metadata=_metadata("text"), tensor=data)
        self._add(value, global_step, walltime)

    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False, **ignored: Any) -> None:
        """Write nothing: a graph needs a traced program, which `torch.jit` does not make here."""
        warn("add_graph writes nothing: glassroom.model_map(model) draws a network, glassroom.graph(loss) its graph")

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """The settings of a run and what it reached, in a run of their own, `run_name`, within this one."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        from tensorglass.utils.tensorboard.hyperparameters import summaries

        written = summaries(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for summary in written:
                writer._get_file_writer().add_summary(summary, global_step)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall at each threshold, of labels 0 and 1, and of probabilities of the label 1."""
        from tensorglass.utils.tensorboard.curves import MOST_THRESHOLDS, curve, precision_and_recall

        thresholds = min(num_thresholds, MOST_THRESHOLDS)
        rows = precision_and_recall(labels, predictions, thresholds, weights)
        self._add(curve(tag, rows, thresholds), global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall that the program has counted itself, at each threshold."""
        from tensorglass.utils.tensorboard.curves import curve

        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        rows = stack([as_tensor(row).double() for row in (*counts, precision, recall)])
        self._add(curve(tag, rows, num_thresholds), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """A histogram that the program has counted itself: upper edges of bins, and how many values are in each."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        histogram = summary_pb2.HistogramProto(
            min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits,
            bucket=bucket_counts,
        )  # fmt: skip
        self._add(summary_pb2.Summary.Value(tag=tag, histo=histogram), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """A sound of one channel, whose samples are between -1 and 1."""
        from tensorglass.utils.tensorboard.curves import sound

        self._add(sound(tag, snd_tensor, sample_rate), global_step, walltime)

    def _refused(name: str) -> Callable[..., None]:  # type: ignore[misc]  # it makes methods
        def refuse(self: SummaryWriter, *_: Any, **__: Any) -> None:
            raise explained(
                NotImplementedError(f"SummaryWriter.{name} is not there"),
                "Numbers, histograms, pictures, figures, texts, curves, sounds and hyperparameters are written.",
            )

        refuse.__name__ = name
        return refuse

    add_custom_scalars = _refused("add_custom_scalars")
    add_custom_scalars_marginchart = _refused("add_custom_scalars_marginchart")
    add_custom_scalars_multilinechart = _refused("add_custom_scalars_multilinechart")
    add_embedding = _refused("add_embedding")
    add_image_with_boxes = _refused("add_image_with_boxes")
    add_mesh = _refused("add_mesh")
    add_onnx_graph = _refused("add_onnx_graph")
    add_tensor = _refused("add_tensor")
    add_video = _refused("add_video")
    del _refused

    def _add(self, value: Any, step: int | None, walltime: float | None) -> None:
        self._get_file_writer().add_summary(summary_pb2.Summary(value=[value]), step, walltime)

    def flush(self) -> None:
        """Write what is still waiting to be written."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write the rest and close the files. What is added afterwards goes to a new file."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


# --- contents of the file --------------------------------------------------------------------------------------------


def _metadata(plugin: str) -> Any:
    return summary_pb2.SummaryMetadata(plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=plugin))


@cache
def _usual_edges() -> Tensor:
    """The edges of TensorBoard's bins: each is 10 % further from 0 than the one before."""
    edges, edge = [], 1e-12
    while edge < 1e20:
        edges.append(edge)
        edge *= 1.1
    return tensor([-edge for edge in reversed(edges)] + [0.0] + edges, dtype=dtypes.float64)


def _histogram(values: Any, bins: Any, max_bins: int | None) -> Any:
    row = as_tensor(values).detach().cpu().reshape(-1).double()
    if not row.numel():
        raise ValueError("The input has no element.")
    if isinstance(bins, str):
        if bins != "tensorflow":
            raise explained(
                NotImplementedError(f"bins={bins!r}"), 'Give "tensorflow", the edges of the bins or their number.'
            )
        edges = _usual_edges()
    elif isinstance(bins, Iterable):
        edges = as_tensor(bins).double()
    else:
        edges = linspace(row.min().item(), row.max().item(), int(bins) + 1, dtype=dtypes.float64)
    counts = row.histogram(edges).hist
    if max_bins is not None and len(counts) > max_bins:  # several pictures become one
        step = len(counts) // max_bins
        whole = len(counts) // step * step
        rest = [counts[whole:].sum().reshape(1)] if whole < len(counts) else []
        counts = cat([counts[:whole].reshape(-1, step).sum(1), *rest])
        edges = cat([edges[:-1:step], edges[-1:]])
    filled = counts.nonzero().reshape(-1).tolist()
    first, last = (filled[0], filled[-1]) if filled else (0, len(counts) - 1)
    # The file has only upper edges of bins, so an empty bin comes before the first.
    kept = counts[first - 1 : last + 1] if first else cat([counts.new_zeros(1), counts[: last + 1]])
    return summary_pb2.HistogramProto(
        min=row.min().item(), max=row.max().item(), num=row.numel(), sum=row.sum().item(),
        sum_squares=row.dot(row).item(), bucket_limit=edges[first : last + 2].tolist(), bucket=kept.tolist(),
    )  # fmt: skip


def _as_rows(picture: Any, layout: str) -> Tensor:
    """A picture, or several in a grid, as bytes: height, width, three or four channels."""
    pixels = as_tensor(picture).detach().cpu()
    assert pixels.ndim == len(layout), (
        f"size of input tensor and input format are different. tensor shape: {tuple(pixels.shape)}, "
        f"input_format: {layout}"
    )
    letters = layout.upper()
    if letters == "HW":
        pixels, letters = pixels.unsqueeze(-1), "HWC"
    if pixels.dtype is not dtypes.uint8:
        pixels = (pixels.float() * 255).clamp(0, 255).to(dtypes.uint8)
    wanted = "NHWC" if "N" in letters else "HWC"
    pixels = pixels.permute([letters.index(letter) for letter in wanted])
    if pixels.shape[-1] == 1:
        pixels = pixels.expand(*pixels.shape[:-1], 3)
    if wanted == "HWC":
        return pixels
    count, height, width, channels = pixels.shape
    across = min(count, 8)
    down = -(-count // across)
    grid = pixels.new_zeros((down * across, height, width, channels))
    grid[:count] = pixels
    return (
        grid.view(down, across, height, width, channels)
        .transpose(1, 2)
        .reshape(down * height, across * width, channels)
    )


def _png(rows: Tensor) -> Any:
    from PIL import Image

    height, width, channels = rows.shape
    file = io.BytesIO()
    Image.fromarray(rows.contiguous().numpy()).save(file, format="PNG")
    return summary_pb2.Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue()
    )
