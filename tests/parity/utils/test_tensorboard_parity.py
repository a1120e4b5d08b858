"""What `SummaryWriter` writes is what PyTorch's writes: TensorBoard's own reader finds the same in both files."""

import io
import time
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
    "hyperparameters": lambda t, w: w.add_hparams(
        {"lr": 0.5, "steps": 3, "name": "adam", "nesterov": True, "decay": t.tensor([0.25]), "left out": None},
        {"hparam/loss": 0.125, "hparam/accuracy": t.tensor(0.5)},
        run_name="one",
        global_step=2,
    ),
    "choices of hyperparameters": lambda t, w: w.add_hparams(
        {"lr": 0.5, "name": "adam", "on": True},
        {"loss": 1.0},
        {"lr": [0.5, 0.25], "name": ["adam", "sgd"], "on": [True, False]},
        "two",
    ),
    "precision and recall": lambda t, w: w.add_pr_curve(
        "curve", t.tensor([1, 0, 1, 1, 0, 1]), t.tensor([0.9, 0.1, 0.4, 1.0, 0.0, 0.75]), 1, 11, walltime=1.0
    ),
    "weighted precision": lambda t, w: w.add_pr_curve(
        "curve", t.tensor([1, 0, 1]), t.tensor([0.9, 0.6, 0.4]), 1, 500, [1.0, 2.0, 0.5], 1.0
    ),
    "a curve that is counted already": lambda t, w: w.add_pr_curve_raw(
        "raw", [2, 1], [1, 0], [0, 1], [0, 1], [0.66, 1.0], [1.0, 0.5], 3, 2, walltime=1.0
    ),
    "a histogram that is counted already": lambda t, w: w.add_histogram_raw(
        "h", 0.0, 3.0, 4, 6.0, 14.0, [1.0, 2.0, 4.0], [1, 1, 2], 1, 1.0
    ),
    "a sound": lambda t, w: w.add_audio("beep", (t.arange(64.0) / 3).sin(), 1, 8000, 1.0),
    "a sound in a batch": lambda t, w: w.add_audio("beep", t.ones(1, 8) / 4, walltime=1.0),
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
def test_a_run_is_written_as_pytorch_writes_it(write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 5.0)
    for library, module, name in ((tensorglass, ours, "ours"), (torch, theirs, "theirs")):
        with module.SummaryWriter(tmp_path / name) as writer:
            WRITES[write](library, writer)
    written = events(tmp_path / "ours")
    assert written
    assert written == events(tmp_path / "theirs")


def test_what_is_not_written_says_so(tmp_path: Path) -> None:
    with ours.SummaryWriter(tmp_path) as writer:
        assert hasattr(writer, "add_embedding")
        assert not hasattr(writer, "add_nothing")
        with pytest.raises(NotImplementedError, match="add_embedding is not there"):
            writer.add_embedding(tensorglass.ones(2, 2))
        with pytest.warns(UserWarning, match="add_graph writes nothing"):
            writer.add_graph(tensorglass.nn.Linear(2, 2))


def test_hyperparameters_that_are_none_are_refused(tmp_path: Path) -> None:
    said = []
    for library, module in ((tensorglass, ours), (torch, theirs)):
        with module.SummaryWriter(tmp_path / module.__name__) as writer:
            for arguments in (
                ([1], {}), ({"a": [1]}, {}), ({"a": 1}, {}, {"b": [1]}), ({"a": 1}, {}, {"a": ["x"]}),
                ({"a": 1}, {}, [1]),
            ):  # fmt: skip
                with pytest.raises((TypeError, ValueError)) as caught:
                    writer.add_hparams(*arguments)
                said.append((library, type(caught.value), str(caught.value)))
            with pytest.raises(ValueError, match=r"len\(bucket_limits\)"):
                writer.add_histogram_raw("h", 0, 1, 1, 1, 1, [1], [1, 2])
    half = len(said) // 2
    assert [row[1:] for row in said[:half]] == [row[1:] for row in said[half:]]
