"""A result is handed on as an array, and the tensor is used again.

After "Tensor shares memory with numpy array under certain condition." (pytorch/pytorch).

Look: aliases
Shared: tensor and array
Told by: tensor and array: the same
"""

import torch

tensor = torch.ones(7)
array = tensor.numpy()  # mended: array = tensor.clone().numpy()
tensor += 1
