"""An array is changed after a tensor was made of it.

After "Mistake in explanation of how tensors created with .from_numpy() and original arrays are related."
(mrdbourke/pytorch-deep-learning).

Look: aliases
Shared: tensor and array
Told by: array and tensor: the same
"""

import numpy
import torch

array = numpy.arange(1.0, 8.0)
tensor = torch.from_numpy(array)  # mended: tensor = torch.from_numpy(array.copy())
array += 1
