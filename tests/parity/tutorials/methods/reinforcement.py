"""Policies by REINFORCE and an actor with a critic, and deep Q-learning with a memory and a slow copy."""

import math
import random
from collections import deque, namedtuple
from itertools import count

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Bernoulli, Categorical, Normal

torch.manual_seed(543)
random.seed(543)


class Corridor:
    """Five cells; the agent begins in the middle, and is rewarded at the right end."""

    def reset(self):
        self.place, self.steps = 2, 0
        return self.seen()

    def seen(self):
        return np.eye(5, dtype=np.float32)[self.place]

    def step(self, action):
        self.place = max(0, min(4, self.place + (1 if action else -1)))
        self.steps += 1
        return self.seen(), float(self.place == 4), self.place in (0, 4) or self.steps > 15


env = Corridor()


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(5, 16)
        self.dropout = nn.Dropout(p=0.3)
        self.action_head = nn.Linear(16, 2)
        self.value_head = nn.Linear(16, 1)

    def forward(self, x):
        x = F.relu(self.dropout(self.affine1(x)))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


SavedAction = namedtuple("SavedAction", ["log_prob", "value"])
policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=1e-2)
eps = np.finfo(np.float32).eps.item()
for i_episode in range(8):
    state, saved, rewards = env.reset(), [], []
    for t in count(1):
        probs, value = policy(torch.from_numpy(state).float().unsqueeze(0))
        m = Categorical(probs)
        action = m.sample()
        saved.append(SavedAction(m.log_prob(action), value))
        state, reward, done = env.step(action.item())
        rewards.append(reward - 0.1)
        if done:
            break
    R, returns = 0, deque()
    for r in rewards[::-1]:
        R = r + 0.99 * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps) if len(returns) > 1 else returns
    policy_losses, value_losses = [], []
    for (log_prob, value), R in zip(saved, returns):
        policy_losses.append(-log_prob * (R - value.item()))
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([[R]])))
    optimizer.zero_grad()
    loss = torch.cat(policy_losses).sum() + torch.stack(value_losses).sum() - 0.01 * m.entropy().mean()
    loss.backward()
    optimizer.step()
    print(f"Episode {i_episode} length {t} loss {loss.item():.5f} entropy {m.entropy().item():.5f}")

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
memory = deque([], maxlen=100)
policy_net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
steps_done = 0
for episode in range(6):
    state = torch.tensor(env.reset(), dtype=torch.float32).unsqueeze(0)
    while True:
        threshold = 0.1 + 0.8 * math.exp(-steps_done / 20)
        steps_done += 1
        if random.random() > threshold:
            with torch.no_grad():
                action = policy_net(state).max(1).indices.view(1, 1)
        else:
            action = torch.tensor([[random.randrange(2)]], dtype=torch.long)
        seen, reward, done = env.step(action.item())
        next_state = None if done else torch.tensor(seen).unsqueeze(0)
        memory.append(Transition(state, action, next_state, torch.tensor([reward])))
        state = next_state
        if len(memory) >= 8:
            batch = Transition(*zip(*random.sample(memory, 8)))
            non_final = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
            values = policy_net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
            next_values = torch.zeros(8)
            with torch.no_grad():
                if non_final.any():
                    next_values[non_final] = target_net(torch.cat([s for s in batch.next_state if s is not None])).max(1).values
            loss = nn.SmoothL1Loss()(values, (next_values * 0.99 + torch.cat(batch.reward)).unsqueeze(1))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
            optimizer.step()
            slow, fast = target_net.state_dict(), policy_net.state_dict()
            for key in fast:
                slow[key] = fast[key] * 0.05 + slow[key] * 0.95
            target_net.load_state_dict(slow)
        if done:
            break
    print(episode, steps_done, f"{loss.item() if len(memory) >= 8 else 0:.5f}", target_net[0].weight.sum().item())
normal = Normal(torch.zeros(2), torch.ones(2))
action = normal.sample()
print(action, normal.log_prob(action).sum(-1), torch.tanh(action), Bernoulli(logits=torch.tensor([0.3, -1.0])).sample((3,)))
print(Categorical(logits=torch.randn(2, 3)), Categorical(torch.tensor([0.2, 0.3, 0.5])).sample((6,)))
