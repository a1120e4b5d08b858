"""Networks of the well-known kinds, small: residual, dense, split into branches, depthwise, U-shaped, of patches."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def norm_relu(channels):
    return nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two convolutions beside a shortcut, which is a convolution itself where sizes change."""

    def __init__(self, channels, out, stride=1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride, padding=1, bias=False),
            norm_relu(out),
            nn.Conv2d(out, out, 3, padding=1),
        )
        self.shortcut = nn.Identity() if stride == 1 and channels == out else nn.Conv2d(channels, out, 1, stride)

    def forward(self, x):
        y = self.body(x)
        y += self.shortcut(x)
        return torch.relu_(y)


class Dense(nn.Module):
    """Each layer sees what all before it found."""

    def __init__(self, channels, growth, layers):
        super().__init__()
        self.layers = nn.ModuleList()
        for at in range(layers):
            width = channels + at * growth
            self.layers.append(nn.Sequential(norm_relu(width), nn.Conv2d(width, growth, 3, padding="same")))

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat((x, layer(x)), dim=1)
        return x


class Branches(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.paths = nn.ModuleDict(
            {
                "one": nn.Conv2d(channels, 2, 1),
                "cross": nn.Sequential(
                    nn.Conv2d(channels, 2, (1, 5), padding=(0, 2)), nn.Conv2d(2, 2, (5, 1), padding=(2, 0))
                ),
                "wide": nn.Conv2d(channels, 2, 3, padding=2, dilation=2),
                "pool": nn.Sequential(
                    nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False), nn.Conv2d(channels, 2, 1)
                ),
            }
        )

    def forward(self, x):
        return torch.cat([F.leaky_relu(path(x), 0.1) for path in self.paths.values()], 1)


class Depthwise(nn.Module):
    """Widened, filtered channel by channel, weighted by what is in the whole picture, and narrowed again."""

    def __init__(self, channels, times):
        super().__init__()
        wide = channels * times
        self.widen = nn.Sequential(nn.Conv2d(channels, wide, 1), nn.BatchNorm2d(wide), nn.ReLU6())
        self.filter = nn.Sequential(
            nn.Conv2d(wide, wide, 3, padding=1, groups=wide), nn.GroupNorm(2, wide), nn.Hardswish()
        )
        self.attend = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, 2, 1), nn.SiLU(), nn.Conv2d(2, wide, 1), nn.Hardsigmoid()
        )
        self.narrow = nn.Conv2d(wide, channels, 1)

    def forward(self, x):
        y = self.filter(self.widen(x))
        return x + self.narrow(y * self.attend(y))


class Patches(nn.Module):
    """Patches of a picture as words, with a word for the class: one block of attention."""

    def __init__(self, width=8, heads=2, classes=5):
        super().__init__()
        self.cut = nn.Conv2d(3, width, 4, stride=4)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.empty(1, 17, width))
        nn.init.trunc_normal_(self.places, std=0.02)
        self.attention = nn.MultiheadAttention(width, heads, dropout=0.1, batch_first=True)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        words = self.cut(x).flatten(2).transpose(1, 2)
        words = torch.cat((self.first.expand(len(x), -1, -1), words), 1) + self.places
        normed = self.norms[0](words)
        words = words + self.attention(normed, normed, normed, need_weights=False)[0]
        return self.head((words + self.mlp(self.norms[1](words)))[:, 0])


def top(channels):
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 5))


networks = {
    "plain": nn.Sequential(
        nn.Conv2d(3, 4, 5, padding=2, padding_mode="reflect"),
        nn.ReLU(),
        nn.LocalResponseNorm(2),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        nn.Conv2d(4, 4, 3, groups=2),
        nn.ELU(),
        nn.AdaptiveMaxPool2d(2),
        nn.Flatten(),
        nn.LazyLinear(8),
        nn.PReLU(),
        nn.Dropout(),
        nn.Linear(8, 5),
    ),
    "residual": nn.Sequential(nn.Conv2d(3, 4, 3, 2), Residual(4, 4), Residual(4, 6, 2), top(6)),
    "dense": nn.Sequential(
        nn.Conv2d(3, 4, 3), Dense(4, 2, 3), nn.AvgPool2d(2), nn.InstanceNorm2d(10, affine=True), top(10)
    ),
    "branches": nn.Sequential(Branches(3), nn.Dropout2d(0.2), Branches(8), top(8)),
    "depthwise": nn.Sequential(nn.Conv2d(3, 4, 3, 2), Depthwise(4, 3), nn.Mish(), top(4)),
    "patches": Patches(),
}
x, y = torch.randn(6, 3, 16, 16), torch.randint(0, 5, (6,))


def initialise(module):
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        if module.bias is not None:
            nn.init.zeros_(module.bias)


for name, network in networks.items():
    print(name, network.apply(initialise))
    network(x)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.02, momentum=0.9, nesterov=True, weight_decay=1e-3)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for step in range(3):
        network.train()
        mix, other = 0.5 + 0.5 * torch.rand(()).item(), torch.randperm(6)
        loss = mix * criterion(network(x), y) + (1 - mix) * criterion(network(x.flip(-1)), y[other])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(name, step, loss.item())
    network.eval()
    with torch.inference_mode():
        print(network(x[:1]), sum(p.numel() for p in network.parameters()))


class Halves(nn.Module):
    """Down and up again, with what was seen on the way down laid beside: a label for every pixel."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 4, 3, padding=1)
        self.deep = nn.Conv2d(4, 6, 3, padding=1)
        self.up = nn.ConvTranspose2d(6, 4, 2, stride=2)
        self.smooth = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.out = nn.Conv2d(14, 2, 1)

    def forward(self, x):
        fine = torch.tanh(self.down(x))
        deep = F.celu(self.deep(F.max_pool2d(fine, 2)))
        rows, columns = (whole - half for whole, half in zip(fine.shape[2:], (2 * s for s in deep.shape[2:])))
        lifted = [F.pad(each, (0, columns, 0, rows)) for each in (self.up(deep), self.smooth(deep))]
        return self.out(torch.cat((fine, *lifted), 1))


halves = Halves()
optimizer = torch.optim.NAdam(halves.parameters(), lr=1e-2)
image, mask = torch.randn(2, 1, 9, 11), torch.randint(0, 2, (2, 9, 11))
for step in range(3):
    scores = halves(image)
    inside = scores.softmax(1)[:, 1]
    overlap = 1 - 2 * (inside * mask).sum() / (inside.sum() + mask.sum())
    loss = F.cross_entropy(scores, mask, weight=torch.tensor([0.4, 0.6])) + overlap
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("halves", loss.item(), scores.shape)


class Turned(nn.Module):
    """Turns its picture before it looks at it; at first not at all."""

    def __init__(self):
        super().__init__()
        self.find = nn.Linear(64, 6)
        nn.init.zeros_(self.find.weight)
        self.find.bias.data.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))
        self.look = nn.Linear(64, 5)

    def forward(self, x):
        grid = F.affine_grid(self.find(x.flatten(1)).view(-1, 2, 3), x.shape, align_corners=False)
        return self.look(F.grid_sample(x, grid, align_corners=False, padding_mode="border").flatten(1))


turned = Turned()
optimizer = torch.optim.SGD(turned.parameters(), lr=0.05)
for step in range(4):
    loss = F.cross_entropy(turned(x[:, :1, :8, :8]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("turned", loss.item(), turned.find.bias)
flat = networks["residual"].to(memory_format=torch.channels_last)
print(flat(x.to(memory_format=torch.channels_last)), flat[0].weight.stride())
