"""A small transformer and its trainer, of PyTorch or tensorglass, whose lines a watch follows."""

from __future__ import annotations

from typing import Any

WORDS, LENGTH, BATCH = 50, 16, 8


def trainer_of(lib: Any, steps: int, width: int = 32, depth: int = 3) -> Any:
    """A trainer that trains a network for some steps when `run` is called."""
    nn = lib.nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
            scores = q @ k.transpose(-2, -1)
            weights = scores.softmax(-1)
            x = x + self.out(weights @ v)
            hidden = self.up(self.norm2(x))
            hidden = hidden.relu()
            return x + self.down(hidden)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.norm = nn.Embedding(WORDS, width), nn.LayerNorm(width)
            self.blocks = nn.ModuleList(Block() for _ in range(depth))
            self.head = nn.Linear(width, WORDS)

        def forward(self, tokens: Any, targets: Any) -> Any:
            x = self.embed(tokens)
            for block in self.blocks:
                x = block(x)
            logits = self.head(self.norm(x))
            return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    class Trainer:
        def __init__(self) -> None:
            self.net = Net()
            self.optimizer = lib.optim.AdamW(self.net.parameters())

        def run(self) -> list[float]:
            losses = []
            for _ in range(steps):
                tokens = lib.randint(WORDS, (BATCH, LENGTH))
                targets = lib.randint(WORDS, (BATCH, LENGTH))
                loss = self.net(tokens, targets)
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                self.optimizer.step()
                losses.append(loss.item())
            return losses

    return Trainer()
