"""What `memory_log` costs a program that trains a GPT on PyTorch: `python benchmarks/memory_log.py [--turns 15]`.

The networks are minGPT's: blocks of attention and two linear layers, trained by AdamW on sequences of 64 tokens. A turn
has a few steps without the log, as many steps within `log.step()` that are not looked at, and one that is. All are
timed in processor time on one thread. A figure is the median, over the turns, of the ratio to that turn's plain steps,
so other work of the machine matters little. The last column is the cost for a run in which one step of a hundred is
looked at.
"""

from __future__ import annotations

import argparse
import os
from statistics import median
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when PyTorch is loaded, so before its import

import torch  # as said above
from torch import nn  # as said above

from glassroom import memory_log  # as said above

EVERY = 100  # the default of `memory_log`
TOKENS, CONTEXT, BATCH = 65, 64, 12
SIZES = ((4, 144, 4), (6, 372, 6))  # layers, width, heads: a million parameters, and ten


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        by_head = (batch, length, self.heads, width // self.heads)
        query, key, value = [part.view(by_head).transpose(1, 2) for part in self.attend(self.before(x)).chunk(3, -1)]
        heard = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.project(heard.transpose(1, 2).reshape(batch, length, width))
        return x + self.feed(self.between(x))


class GPT(nn.Module):
    def __init__(self, layers: int, width: int, heads: int) -> None:
        super().__init__()
        self.token, self.position = nn.Embedding(TOKENS, width), nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, TOKENS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
        return self.head(self.last(self.blocks(x)))


class Training:
    """Training a GPT, with a log."""

    def __init__(self, layers: int, width: int, heads: int, unseen: int) -> None:
        torch.manual_seed(0)
        self.network = GPT(layers, width, heads)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=1e-3)
        self.text = torch.randint(TOKENS, (100, BATCH, CONTEXT + 1))
        self.number = 0
        self.log = memory_log(every=unseen + 1)

    def step(self) -> None:
        tokens = self.text[self.number % len(self.text)]
        self.number += 1
        answer = self.network(tokens[:, :-1]).flatten(0, 1)
        loss = nn.functional.cross_entropy(answer, tokens[:, 1:].flatten())
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()

    def logged_step(self) -> bool:
        """One step within the log; returns whether it was looked at."""
        with self.log.step():
            looked = self.log.is_looking
            self.step()
        return looked


def seconds(training: Training, unseen: int) -> tuple[float, float, float]:
    """The seconds of one turn: of a plain step, of a step within the log, and of one that is looked at."""
    begun = process_time()
    for _ in range(unseen):
        training.step()
    plain = (process_time() - begun) / unseen
    begun, number = process_time(), 0
    while True:
        before = process_time()
        if training.logged_step():
            return plain, (before - begun) / max(number, 1), process_time() - before
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=15, help="the more, the steadier")
    parser.add_argument("--unseen", type=int, default=8, help="steps of each kind in a turn")
    given = parser.parse_args()
    torch.set_num_threads(1)
    print("parameters    a step    within the log, not looked at    a look costs            one look in 100 steps")
    for layers, width, heads in SIZES:
        training = Training(layers, width, heads, given.unseen)
        turns = [seconds(training, given.unseen) for _ in range(given.turns + 2)][2:]  # without two turns to warm up
        plain = median(plain for plain, _, _ in turns)
        unseen = median(logged / plain - 1 for plain, logged, _ in turns)
        look = median(looked / plain - 1 for plain, _, looked in turns)
        parameters = sum(parameter.numel() for parameter in training.network.parameters())
        cost = f"{look:.2f} steps, {look * plain * 1e3:.0f} ms"
        print(f"{parameters:>10,}  {plain * 1e3:5.0f} ms  {unseen:>29.2%}    {cost:<22}  {look / EVERY:>21.2%}")


if __name__ == "__main__":
    main()
