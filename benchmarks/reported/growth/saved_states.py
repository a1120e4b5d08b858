"""The state of the network is kept after each epoch.

After "memory leak in `pinot.TrainAndTest`?" (choderalab/pinot).

Told by: states
"""

from copy import deepcopy

from torch import nn

net = nn.Linear(128, 128)
states = {}
epoch = 0


def step() -> None:
    global epoch
    epoch += 1
    states[epoch] = deepcopy(net.state_dict())  # mended: states["last"] = deepcopy(net.state_dict())
