"""An autoencoder, one that denoises, a variational one, a Siamese network, style by Gram matrices, diffusion."""

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.distributions import Independent, MultivariateNormal, Normal, kl_divergence

torch.manual_seed(1)
x = torch.rand(24, 20)


class AE(nn.Module):
    def __init__(self, d=20, h=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 8), nn.ReLU(True), nn.Linear(8, h))
        self.decoder = nn.Sequential(nn.Linear(h, 8), nn.ReLU(True), nn.Linear(8, d), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x))


ae = AE()
optimizer = optim.Adam(ae.parameters(), lr=0.01, weight_decay=1e-5)
for epoch in range(4):
    noisy = (x + 0.1 * torch.randn_like(x)).clamp(0, 1)
    loss = nn.MSELoss()(ae(noisy), x) + 1e-3 * ae.encoder(x).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch [{epoch + 1}/4], loss:{loss.item():.6f}")


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(20, 10), nn.Linear(10, 3), nn.Linear(10, 3)
        self.fc3, self.fc4 = nn.Linear(3, 10), nn.Linear(10, 20)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 20))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 20), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    recon, mu, logvar = model(x)
    loss = loss_function(recon, x, mu, logvar)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("VAE", loss.item())
with torch.no_grad():
    print(model.decode(torch.randn(2, 3))[:, :5])
mu, logvar = model.encode(x)
posterior = Independent(Normal(mu, (0.5 * logvar).exp()), 1)
prior = Independent(Normal(torch.zeros(3), torch.ones(3)), 1)
print(kl_divergence(posterior, prior.expand(posterior.batch_shape)).mean(), posterior.rsample().shape, posterior)
print(MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]])).sample((2,)))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 8), nn.PReLU(), nn.Linear(8, 4))

    def forward_once(self, x):
        return F.normalize(self.body(x), p=2, dim=1)

    def forward(self, *inputs):
        return [self.forward_once(each) for each in inputs]


siamese = Siamese()
optimizer = optim.RMSprop(siamese.parameters(), lr=1e-3)
for step in range(3):
    anchor, positive, negative = siamese(x[:8], x[8:16], x[16:])
    triplet = nn.TripletMarginLoss(margin=1.0)(anchor, positive, negative)
    pair = F.pairwise_distance(anchor, positive)
    label = (torch.arange(8) % 2).float()
    contrastive = torch.mean((1 - label) * pair.pow(2) + label * torch.clamp(2.0 - pair, min=0.0).pow(2))
    cosine = nn.CosineEmbeddingLoss(0.1)(anchor, negative, 2 * label - 1)
    similarity = anchor @ positive.T / 0.1
    nce = F.cross_entropy(similarity, torch.arange(8))
    loss = triplet + contrastive + cosine + nce
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("Siamese", triplet.item(), contrastive.item(), cosine.item(), nce.item())


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


features = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1)).eval().requires_grad_(False)
content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
input_img = content.clone().requires_grad_(True)
optimizer = optim.LBFGS([input_img])
run = [0]
while run[0] <= 20:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        found = features(input_img)
        loss = 1e4 * F.mse_loss(gram_matrix(found), gram_matrix(features(style))) + F.mse_loss(found, features(content).detach())
        loss.backward()
        run[0] += 1
        return loss

    print(run[0], f"{optimizer.step(closure).item():.4f}")

betas = torch.linspace(1e-4, 0.02, 20)
alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
denoiser = nn.Sequential(nn.Linear(21, 16), nn.SiLU(), nn.Linear(16, 20))
optimizer = optim.Adam(denoiser.parameters(), lr=1e-3)
for step in range(3):
    t = torch.randint(0, 20, (24,)).long()
    noise = torch.randn_like(x)
    x_noisy = alphas_cumprod.sqrt().gather(-1, t)[:, None] * x + (1 - alphas_cumprod).sqrt().gather(-1, t)[:, None] * noise
    loss = F.huber_loss(denoiser(torch.cat([x_noisy, t[:, None] / 20], 1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("diffusion", loss.item())
