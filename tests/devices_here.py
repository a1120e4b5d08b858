"""The devices that tests about devices run on: the simulated one always, CUDA where there is a GPU."""

import tensorglass as torch

ACCELERATORS = ["sim", *(["cuda"] if torch.cuda.is_available() else [])]
