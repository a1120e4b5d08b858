"""What ``import torch`` finds first: it puts tensorglass in its own place."""

from tensorglass.as_torch import install

install()
