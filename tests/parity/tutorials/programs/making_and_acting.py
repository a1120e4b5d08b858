"""Generative networks (autoencoders, adversaries, diffusion), reinforcement learning, and contrastive pairs."""

import random
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.distributions import Bernoulli, Categorical, Independent, MultivariateNormal, Normal, kl_divergence

torch.manual_seed(2)
random.seed(2)
data = torch.rand(20, 12)


def mlp(*widths, activation=nn.ReLU, end=None):
    layers = []
    for into, out in zip(widths, widths[1:]):
        layers += [nn.Linear(into, out), activation()]
    layers[-1:] = [end] if end else []
    return nn.Sequential(*layers)


shrinks = nn.Sequential(mlp(12, 6, 3), mlp(3, 6, 12, activation=nn.Tanh, end=nn.Sigmoid()))
optimizer = optim.Adam(shrinks.parameters(), lr=0.02, weight_decay=1e-5)
for step in range(3):
    blurred = (data + 0.1 * torch.randn_like(data)).clamp(0, 1)
    loss = F.binary_cross_entropy(shrinks(blurred), data) + 1e-3 * shrinks[0](data).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("autoencoder", loss.item())


class Variational(nn.Module):
    """Data as draws from a normal distribution that a network gives, decoded by another."""

    def __init__(self):
        super().__init__()
        self.encode, self.decode = mlp(12, 8, 4, activation=nn.Softplus), mlp(2, 8, 12)

    def forward(self, x):
        mean, log_scale = self.encode(x).chunk(2, dim=-1)
        posterior = Independent(Normal(mean, log_scale.exp()), 1)
        likelihood = Independent(Bernoulli(logits=self.decode(posterior.rsample()), validate_args=False), 1)
        prior = Independent(Normal(torch.zeros_like(mean), torch.ones_like(mean)), 1)
        return likelihood.log_prob(x) - kl_divergence(posterior, prior)


variational = Variational()
optimizer = optim.Adamax(variational.parameters(), lr=0.02)
for step in range(3):
    loss = -variational(data).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("variational", loss.item())
with torch.no_grad():
    print(torch.sigmoid(variational.decode(torch.randn(2, 2)))[:, :4])
print(MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]])).sample((2,)))

generator = nn.Sequential(
    nn.ConvTranspose2d(4, 6, 4, bias=False),
    nn.BatchNorm2d(6),
    nn.ReLU(True),
    nn.ConvTranspose2d(6, 1, 4, 2, 1),
    nn.Tanh(),
)
critic = nn.Sequential(
    nn.utils.spectral_norm(nn.Conv2d(1, 4, 4, 2, 1)), nn.LeakyReLU(0.2, True), nn.Flatten(), nn.Linear(64, 1)
)
both = [optim.Adam(net.parameters(), lr=2e-3, betas=(0.5, 0.999)) for net in (generator, critic)]
real = torch.stack([torch.outer(torch.linspace(-1, 1, 8), torch.linspace(-s, s, 8)) for s in torch.rand(6)]).unsqueeze(
    1
)
for step in range(3):
    fake = generator(torch.randn(6, 4, 1, 1))
    mixed = torch.lerp(real, fake.detach(), torch.rand(6, 1, 1, 1)).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    loss = critic(fake.detach()).mean() - critic(real).mean() + 10 * (slope.flatten(1).norm(dim=1) - 1).square().mean()
    both[1].zero_grad()
    loss.backward()
    both[1].step()
    cheated = F.binary_cross_entropy_with_logits(critic(fake), torch.ones(6, 1))
    both[0].zero_grad()
    cheated.backward()
    both[0].step()
    print("adversaries", loss.item(), cheated.item(), fake.mean().item())

kept = torch.cumprod(1 - torch.linspace(1e-3, 0.1, 10), 0)
clean = mlp(13, 16, 12, activation=nn.SiLU)
optimizer = optim.AdamW(clean.parameters(), lr=1e-2)
for step in range(3):
    time = torch.randint(0, 10, (20, 1))
    noise = torch.randn_like(data)
    noisy = kept[time].sqrt() * data + (1 - kept[time]).sqrt() * noise
    loss = F.huber_loss(clean(torch.cat((noisy, time / 10), 1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("diffusion", loss.item())

same = mlp(12, 8, 4, activation=nn.PReLU)
optimizer = optim.RMSprop(same.parameters(), lr=1e-3)
for step in range(3):
    anchor, near, far = (F.normalize(same(part), dim=1) for part in (data[:6], data[6:12], data[12:18]))
    labels = torch.tensor([1.0, -1, 1, -1, 1, 1])
    losses = (
        nn.TripletMarginLoss(0.5)(anchor, near, far),
        F.cosine_embedding_loss(anchor, near, labels, margin=0.2),
        F.margin_ranking_loss(anchor[:, 0], far[:, 0], labels, margin=0.1),
        F.hinge_embedding_loss(F.pairwise_distance(anchor, far), labels),
        F.cross_entropy(anchor @ near.T / 0.1, torch.arange(6)),
        nn.KLDivLoss(reduction="batchmean")(anchor.log_softmax(1), far.softmax(1)),
    )
    optimizer.zero_grad()
    sum(losses).backward()
    optimizer.step()
    print("alike", [loss.item() for loss in losses])

style = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3)).requires_grad_(False)
image = torch.rand(1, 1, 8, 8, requires_grad=True)
aim = style(real[:1]).flatten(2)
optimizer = optim.LBFGS([image], max_iter=4)


def closure():
    optimizer.zero_grad()
    found = style(image).flatten(2)
    loss = 50 * F.mse_loss(found @ found.mT, aim @ aim.mT)
    loss.backward()
    return loss


print("style", [f"{optimizer.step(closure).item():.2f}" for _ in range(2)])


class Walk:
    """Five cells in a row; the right end is worth a reward, either end is the end."""

    def reset(self):
        self.cell, self.left = 2, 12
        return F.one_hot(torch.tensor(self.cell), 5).float()

    def step(self, right):
        self.cell += 1 if right else -1
        self.left -= 1
        return (
            F.one_hot(torch.tensor(self.cell), 5).float(),
            float(self.cell == 4),
            self.cell in (0, 4) or not self.left,
        )


walk = Walk()
body, act, value = mlp(5, 8, 8), nn.Linear(8, 2), nn.Linear(8, 1)
actor = nn.ModuleList([body, act, value])
optimizer = optim.Adam(actor.parameters(), lr=0.02)
for episode in range(5):
    state, steps, is_over = walk.reset(), [], False
    while not is_over:
        hidden = F.dropout(torch.relu(body(state)), 0.1)
        choice = Categorical(logits=act(hidden))
        action = choice.sample()
        state, reward, is_over = walk.step(action.item())
        steps.append((choice.log_prob(action), value(hidden).squeeze(), choice.entropy(), reward - 0.05))
    total, loss = 0.0, torch.zeros(())
    for log_prob, expected, entropy, reward in reversed(steps):
        total = reward + 0.9 * total
        loss = (
            loss
            - log_prob * (total - expected.detach())
            + F.smooth_l1_loss(expected, torch.tensor(total))
            - 0.01 * entropy
        )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("actor", len(steps), loss.item())

memory, fast, slow = deque(maxlen=50), mlp(5, 8, 2), mlp(5, 8, 2)
slow.load_state_dict(fast.state_dict())
optimizer = optim.AdamW(fast.parameters(), lr=1e-2, amsgrad=True)
for episode in range(5):
    state, is_over = walk.reset(), False
    while not is_over:
        with torch.no_grad():
            action = fast(state).argmax().item() if random.random() > 0.3 else random.randrange(2)
        after, reward, is_over = walk.step(action)
        memory.append((state, action, reward, after, is_over))
        state = after
        if len(memory) >= 6:
            states, actions, rewards, afters, overs = zip(*random.sample(list(memory), 6))
            chosen = fast(torch.stack(states)).gather(1, torch.tensor(actions)[:, None])[:, 0]
            with torch.no_grad():
                best = slow(torch.stack(afters)).max(1).values * ~torch.tensor(overs)
            loss = nn.SmoothL1Loss()(chosen, torch.tensor(rewards) + 0.9 * best)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for one, other in zip(slow.parameters(), fast.parameters()):
                    one.lerp_(other, 0.1)
            print("values", loss.item())
