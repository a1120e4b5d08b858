"""tensorglass: a PyTorch-compatible tensor library that one can see through.

``import tensorglass as torch`` runs code about tensors, storages, views and indexing, on NumPy alone.
"""

from tensorglass import backends, memory, ops
from tensorglass.backends import numpy_backend
from tensorglass.tensor import Tensor

globals().update(ops.attach())
