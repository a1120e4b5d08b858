"""A thread generates, and its graph grows: the program has called no_grad, which holds for the calling thread alone.

After "Fix memory leak by using no_grad in all threads" (kyutai-labs/pocket-tts).

Told by: state
"""

from threading import Thread

import torch
from torch import nn

net = nn.Linear(32, 32)
state = torch.zeros(8, 32)


def generate() -> None:
    global state
    state = net(state).tanh()  # mended: state = net(state).tanh().detach()


@torch.no_grad()
def step() -> None:
    thread = Thread(target=generate)
    thread.start()
    thread.join()
