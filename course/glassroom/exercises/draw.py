"""`draw(photo=photo, edited=edited)`: tensors as pictures side by side, each under its name."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

WIDTH = 8  # inches
TITLE = 0.3  # inches for the line above a picture
FRAME: dict[str, Any] = {"fill": False, "edgecolor": "#808080", "linewidth": 0.8, "clip_on": False}


def draw(
    named: Mapping[str, Any] | None = None,
    /,
    *,
    columns: int = 8,
    colors: str = "gray",
    limits: tuple[float, float] | None = None,
    **others: Any,
) -> None:
    """Draw tensors of size (height, width) or (height, width, 3), at most `columns` of them in a row.

    A keyword is the title, with spaces for its underscores; a mapping may have any titles. `colors` is a matplotlib
    colormap for tensors of plain numbers, and `limits` are the values at its ends: by default 0 and 255 for bytes,
    otherwise the smallest number and the largest.
    """
    import matplotlib.pyplot as plt
    import numpy as np

    titled = {**(named or {}), **{name.replace("_", " "): other for name, other in others.items()}}
    drawn = {
        title: np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
        for title, tensor in titled.items()
    }
    if not drawn:
        return
    columns = min(columns, len(drawn))
    rows = ceil(len(drawn) / columns)
    tallest = max(picture.shape[0] / picture.shape[1] for picture in drawn.values())
    size = (WIDTH, rows * (WIDTH / max(columns, 2) * tallest + TITLE))
    with plt.style.context("glassroom.figures"):
        _, axes = plt.subplots(rows, columns, squeeze=False, figsize=size, dpi=80, layout="constrained")
        for axis in axes.flat:
            axis.axis("off")
        for axis, (title, picture) in zip(axes.flat, drawn.items(), strict=False):
            low, high = limits or ((0, 255) if picture.dtype == np.uint8 else (None, None))
            image = axis.imshow(picture, cmap=colors, vmin=low, vmax=high)
            if picture.ndim == 2:  # such a picture may end in the color of the page
                left, right, bottom, top = image.get_extent()
                axis.add_patch(plt.Rectangle((left, top), right - left, bottom - top, **FRAME))
            axis.set_title(title, fontsize=10 if columns < 6 else 8)
        plt.show()
