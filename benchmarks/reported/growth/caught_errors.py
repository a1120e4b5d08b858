"""Errors are kept for a report; each has its traceback, and the traceback every local variable.

After "Possible memory leak when exceptions are raised" (pytorch/pytorch).

Told by: errors
"""

import torch

errors = []


def evaluate() -> None:
    scores = torch.rand(32, 64)
    scores.view(7, -1)


def step() -> None:
    try:
        evaluate()
    except RuntimeError as error:
        errors.append(error)  # mended: errors.append(str(error))
