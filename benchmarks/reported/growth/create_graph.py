"""A gradient with a graph stays in its parameter: a cycle in C++ that no garbage collector sees.

After "[memory leak] [PyTorch] create_graph=True w/ custom grad" (pytorch/pytorch).

Told by: create_graph=True
"""

import warnings

import torch

warnings.simplefilter("ignore")  # PyTorch warns of just this


def step() -> None:
    weight = torch.rand(1000, requires_grad=True)
    loss = weight.tanh().sum()
    loss.backward(create_graph=True)  # mended: loss.backward()
