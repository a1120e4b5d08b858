"""What `SummaryWriter` writes is what PyTorch's writes: TensorBoard's own reader finds the same in both files."""

import io
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra: parity)")
pytest.importorskip("tensorboard", reason="tensorboard is not installed (extra: test)")
import torch.utils.tensorboard as theirs  # noqa: E402  # what is not installed is asked for first
from PIL import Image  # noqa: E402  # the same
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader  # noqa: E402  # the same

import tensorglass  # noqa: E402  # the same
import tensorglass.utils.tensorboard as ours  # noqa: E402  # the same

WRITES: dict[str, Any] = {
    "numbers": lambda t, w: [w.add_scalar("loss/train", 1 / (step + 1), step, walltime=3.5) for step in range(3)],
    "tensors of one element": lambda t, w: [w.add_scalar("a b", t.tensor(2.5), t.tensor(4), 1.0)],
    "new style": lambda t, w: w.add_scalar("loss", 0.1, 1, 1.0, new_style=True),
    "double precision": lambda t, w: w.add_scalar("loss", 0.1, 1, 1.0, double_precision=True),
    "double precision, new style": lambda t, w: w.add_scalar("x", 0.1, 1, 1.0, new_style=True, double_precision=True),
    "numbers in one diagram": lambda t, w: w.add_scalars("run/a", {"sin": 0.5, "cos": t.tensor(1.0)}, 7, 2.0),
    "a histogram": lambda t, w: w.add_histogram("weights", t.arange(-7.0, 25.0) / 8, 2, walltime=1.0),
    "a histogram of bins": lambda t, w: w.add_histogram("weights", t.arange(9.0), 2, bins=[0, 1, 4, 9], walltime=1.0),
    "fewer bins": lambda t, w: w.add_histogram("w", t.arange(9.0), bins=[0, 1, 2, 4, 6, 9], walltime=1.0, max_bins=2),
    "a picture": lambda t, w: w.add_image("digit", t.arange(24.0).reshape(3, 2, 4) / 30, 1, 1.0),
    "a picture of bytes": lambda t, w: w.add_image("d", t.arange(8, dtype=t.uint8).reshape(2, 4), 1, 1.0, "HW"),
    "pictures": lambda t, w: w.add_images("digits", t.arange(45.0).reshape(5, 1, 3, 3) / 45, 1, 1.0),
    "a text": lambda t, w: w.add_text("note", "**bold**, ü", 1, 1.0),
}


def events(folder: Path) -> list[Any]:
    """The contents of each file of a folder, except where and when it was written."""
    rows = []
    for path in sorted(folder.rglob("events.*")):
        for event in EventFileLoader(str(path)).Load():
            if event.HasField("summary"):
                pictures = []
                for value in event.summary.value:
                    if value.HasField("image"):  # PNG packs the same pixels in more than one way
                        pictures.append(_pixels(value.image.encoded_image_string))
                        value.image.encoded_image_string = b""
                rows.append((path.parent.relative_to(folder).as_posix(), str(event), pictures))
    return rows


def _pixels(picture: bytes) -> Any:
    image = Image.open(io.BytesIO(picture))
    return image.size, image.mode, image.tobytes()


@pytest.mark.parametrize("write", WRITES)
def test_a_run_is_written_as_pytorch_writes_it(write: str, tmp_path: Path) -> None:
    for library, module, name in ((tensorglass, ours, "ours"), (torch, theirs, "theirs")):
        with module.SummaryWriter(tmp_path / name) as writer:
            WRITES[write](library, writer)
    written = events(tmp_path / "ours")
    assert written
    assert written == events(tmp_path / "theirs")


def test_what_is_not_written_says_so(tmp_path: Path) -> None:
    with ours.SummaryWriter(tmp_path) as writer:
        with pytest.raises(NotImplementedError, match="add_embedding is not there"):
            writer.add_embedding(tensorglass.ones(2, 2))
        with pytest.warns(UserWarning, match="add_graph writes nothing"):
            writer.add_graph(tensorglass.nn.Linear(2, 2))
