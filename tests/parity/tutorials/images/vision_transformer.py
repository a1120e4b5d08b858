"""Patches as words: attention written out and by `nn.MultiheadAttention`, a class token, mixup and label smoothing."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class PatchEmbed(nn.Module):
    def __init__(self, img_size=16, patch_size=4, in_chans=3, embed_dim=16):
        super().__init__()
        self.num_patches = (img_size // patch_size) ** 2
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, dim, num_heads=4, qkv_bias=True):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4).unbind(0)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        keep = 1 - self.p
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * mask.div_(keep)


class Block(nn.Module):
    def __init__(self, dim, plain):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim, eps=1e-6), nn.LayerNorm(dim, eps=1e-6)
        self.attn = Attention(dim) if plain else nn.MultiheadAttention(dim, 4, dropout=0.1, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * dim, dim))
        self.drop_path = DropPath(0.2)

    def forward(self, x):
        y = self.norm1(x)
        y = self.attn(y) if isinstance(self.attn, Attention) else self.attn(y, y, y, need_weights=False)[0]
        x = x + self.drop_path(y)
        return x + self.drop_path(self.mlp(self.norm2(x)))


class VisionTransformer(nn.Module):
    def __init__(self, embed_dim=16, classes=4):
        super().__init__()
        self.patch_embed = PatchEmbed(embed_dim=embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, self.patch_embed.num_patches + 1, embed_dim))
        self.blocks = nn.Sequential(Block(embed_dim, True), Block(embed_dim, False))
        self.norm = nn.LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, classes)
        nn.init.trunc_normal_(self.pos_embed, std=0.02)
        nn.init.trunc_normal_(self.cls_token, std=0.02)
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            nn.init.trunc_normal_(m.weight, std=0.02)
            if m.bias is not None:
                nn.init.zeros_(m.bias)
        elif isinstance(m, nn.LayerNorm):
            nn.init.ones_(m.weight)
            nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.patch_embed(x)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        return self.head(self.norm(self.blocks(x))[:, 0])


model = VisionTransformer()
print(model)
decay = [p for n, p in model.named_parameters() if p.ndim > 1]
rest = [p for n, p in model.named_parameters() if p.ndim <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}], lr=1e-2)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.02, epochs=2, steps_per_epoch=3)
x, y = torch.randn(8, 3, 16, 16), torch.randint(0, 4, (8,))
mixing = torch.distributions.Uniform(0.3, 0.7)
for step in range(6):
    model.train()
    lam = mixing.sample().item()
    index = torch.randperm(8)
    mixed = lam * x + (1 - lam) * x[index]
    target = lam * F.one_hot(y, 4) + (1 - lam) * F.one_hot(y[index], 4)
    loss = nn.CrossEntropyLoss(label_smoothing=0.1)(model(mixed), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    print(step, loss.item(), schedule.get_last_lr())
model.eval()
with torch.no_grad():
    print(model(x[:2]))
    positions = model.pos_embed[:, 1:].reshape(1, 4, 4, -1).permute(0, 3, 1, 2)
    print(F.interpolate(positions, size=(6, 6), mode="bicubic", align_corners=False).flatten(2).shape)
    out, weights = model.blocks[1].attn(*[torch.randn(1, 3, 16)] * 3)
    print(weights, out[0, 0, :3])
