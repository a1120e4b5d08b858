"""Well-known convolutional networks, small: VGG blocks, ResNet, DenseNet, Inception, MobileNet, squeeze-and-excite, U-Net."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

torch.manual_seed(0)


def conv3x3(in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, 3, stride, padding=dilation, groups=groups, bias=False, dilation=dilation)


class BasicBlock(nn.Module):
    expansion: int = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, norm_layer=nn.BatchNorm2d):
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, layers, num_classes=5):
        super().__init__()
        self.inplanes = 4
        self.conv1 = nn.Conv2d(3, 4, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(4, layers[0])
        self.layer2 = self._make_layer(8, layers[1], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _make_layer(self, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes:
            downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes))
        layers = [BasicBlock(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes
        layers += [BasicBlock(planes, planes) for _ in range(1, blocks)]
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.avgpool(self.layer2(self.layer1(x)))
        return self.fc(torch.flatten(x, 1))


class DenseLayer(nn.Sequential):
    def __init__(self, channels, growth):
        super().__init__()
        self.add_module("norm", nn.BatchNorm2d(channels))
        self.add_module("relu", nn.ReLU(inplace=True))
        self.add_module("conv", conv3x3(channels, growth))

    def forward(self, x):
        return torch.cat([x, super().forward(x)], 1)


class Inception(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.b1 = nn.Conv2d(c, 2, 1)
        self.b2 = nn.Sequential(nn.Conv2d(c, 2, 1), nn.ReLU(), nn.Conv2d(2, 3, kernel_size=(1, 7), padding=(0, 3)))
        self.b3 = nn.Sequential(nn.Conv2d(c, 2, 1), nn.ReLU(), nn.Conv2d(2, 3, 5, padding="same"))
        self.b4 = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(c, 2, 1))

    def forward(self, x):
        return torch.cat([F.relu(b(x)) for b in (self.b1, self.b2, self.b3, self.b4)], dim=1)


class ConvBNReLU(nn.Sequential):
    def __init__(self, i, o, kernel_size=3, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(i, o, kernel_size, stride, (kernel_size - 1) // 2, groups=groups, bias=False), nn.BatchNorm2d(o), nn.ReLU6(inplace=True)
        )


class InvertedResidual(nn.Module):
    def __init__(self, c, expand):
        super().__init__()
        self.conv = nn.Sequential(ConvBNReLU(c, c * expand, 1), ConvBNReLU(c * expand, c * expand, groups=c * expand), nn.Conv2d(c * expand, c, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return x + self.conv(x)


class SqueezeExcite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fc = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, 2, 1), nn.SiLU(), nn.Conv2d(2, c, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.fc(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = self.double(1, 4), self.double(4, 8)
        self.up = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.smooth = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.last = self.double(16, 4)
        self.out = nn.Conv2d(4, 2, 1)

    def double(self, i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, padding_mode="reflect"), nn.GroupNorm(2, o), nn.LeakyReLU(0.1), nn.Conv2d(o, o, 3, padding=1), nn.InstanceNorm2d(o, affine=True), nn.ELU())

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        up, smooth = self.up(b), self.smooth(b)
        dy, dx = x.size(2) - up.size(2), x.size(3) - up.size(3)
        up, smooth = (F.pad(t, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2]) for t in (up, smooth))
        return self.out(self.last(torch.cat([a, up, smooth], dim=1)))


vgg = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.LocalResponseNorm(2), nn.Conv2d(4, 6, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2, ceil_mode=True),
    nn.Flatten(), nn.LazyLinear(8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 5),
)
dense = nn.Sequential(conv3x3(3, 4), DenseLayer(4, 2), DenseLayer(6, 2), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(32, 5))
inception = nn.Sequential(Inception(3), Inception(10), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(10, 5))
mobile = nn.Sequential(ConvBNReLU(3, 4, stride=2), InvertedResidual(4, 3), SqueezeExcite(4), nn.Hardswish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5))
nets = {"vgg": vgg, "resnet": ResNet([1, 2]), "dense": dense, "inception": inception, "mobile": mobile}
x, y = torch.randn(6, 3, 16, 16), torch.randint(0, 5, (6,))
for name, net in nets.items():
    print(name, net)
    net.train()
    optimizer = torch.optim.SGD(net.parameters() if name != "vgg" else (net(x), net.parameters())[1], lr=0.01, momentum=0.9, weight_decay=5e-4)
    for step in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        print(name, step, loss.item())
    net.eval()
    with torch.inference_mode():
        print(net(x[:1]))
    print(sum(p.numel() for p in net.parameters()), {k: v.shape for k, v in list(net.state_dict().items())[:4]})
unet = UNet()
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-2)
picture, mask = torch.randn(2, 1, 11, 13), torch.randint(0, 2, (2, 11, 13))
for step in range(3):
    optimizer.zero_grad()
    out = unet(picture)
    probs = F.softmax(out, dim=1)[:, 1]
    dice = 1 - (2 * (probs * mask).sum() + 1) / (probs.sum() + mask.sum() + 1)
    loss = F.cross_entropy(out, mask, weight=torch.tensor([0.4, 0.6])) + dice
    loss.backward()
    optimizer.step()
    print("unet", loss.item(), out.shape)
model = ResNet([1, 1]).to(memory_format=torch.channels_last)
print(model(x.contiguous(memory_format=torch.channels_last)).sum(), model.conv1.weight.stride())
