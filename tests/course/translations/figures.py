"""Prints the texts of figures as JSON; with `without`, as if this machine had no font with Chinese letters."""

import json
import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt

from glassroom.drawing import fonts

if "without" in sys.argv:
    fonts.CHINESE = ()
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from every_inspector import every_inspector

    import tensorglass as torch

    pictures = every_inspector(torch)
    told = {}
    for picture in list(pictures.values())[:4]:
        axes = picture.plot()
        axes.figure.canvas.draw()
        told[type(picture).__name__] = [text.get_text() for text in axes.texts]
    figure, axes = plt.subplots()
    axes.set_title(sys.argv[1])
    figure.canvas.draw()
print(json.dumps({"told": told, "title": axes.get_title(), "warned": [str(warning.message) for warning in caught]}))
