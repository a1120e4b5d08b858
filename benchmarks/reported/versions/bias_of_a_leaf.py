"""The bias of a layer is set by writing to a view of it, while gradients are recorded.

After "leaf Variable inplace bug fix" (ultralytics/yolov5).

Told by: layer.bias
"""

from torch import nn

layer = nn.Conv2d(4, 6, 1)
rows = layer.bias.view(2, 3)  # mended: rows = layer.bias.detach().view(2, 3)
rows[:, 0] += 0.5
