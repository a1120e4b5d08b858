"""A language model by `nn.TransformerEncoder`, and a translator by `nn.Transformer`, with masks and positions."""

import math

import torch
from torch import Tensor, nn
from torch.nn import TransformerEncoder, TransformerEncoderLayer

torch.manual_seed(0)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.pe[: x.size(0)]
        return self.dropout(x)


class TransformerModel(nn.Module):
    def __init__(self, ntoken: int, d_model: int, nhead: int, d_hid: int, nlayers: int, dropout: float = 0.2):
        super().__init__()
        self.model_type = "Transformer"
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        encoder_layers = TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.transformer_encoder = TransformerEncoder(encoder_layers, nlayers)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self) -> None:
        initrange = 0.1
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-initrange, initrange)

    def forward(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        src = self.embedding(src) * math.sqrt(self.d_model)
        src = self.pos_encoder(src)
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        output = self.transformer_encoder(src, src_mask)
        return self.linear(output)


data = torch.arange(120) * 7 % 19
bptt, bsz = 8, 4
data = data[: len(data) // bsz * bsz].view(bsz, -1).t().contiguous()
model = TransformerModel(19, 16, 2, 24, 2)
print(model)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)
for epoch in range(2):
    model.train()
    for i in range(0, data.size(0) - 1, bptt):
        seq_len = min(bptt, len(data) - 1 - i)
        output = model(data[i : i + seq_len])
        loss = criterion(output.view(-1, 19), data[i + 1 : i + 1 + seq_len].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        print(i, loss.item(), torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5).item())
        optimizer.step()
    scheduler.step()
    print(scheduler.get_last_lr())
model.eval()
with torch.no_grad():
    print(math.exp(criterion(model(data[:8]).view(-1, 19), data[1:9].reshape(-1)).item()))

# a translator
PAD_IDX = 1
transformer = nn.Transformer(d_model=16, nhead=4, num_encoder_layers=1, num_decoder_layers=2, dim_feedforward=32, dropout=0.1)
for p in transformer.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
source, target = torch.randint(2, 11, (6, 3)), torch.randint(2, 11, (5, 3))
source[4:, 1] = PAD_IDX
target[3:, 2] = PAD_IDX
tokens, generator = nn.Embedding(11, 16), nn.Linear(16, 11)
tgt_input, tgt_out = target[:-1, :], target[1:, :]
src_padding_mask = (source == PAD_IDX).transpose(0, 1)
tgt_padding_mask = (tgt_input == PAD_IDX).transpose(0, 1)
tgt_mask = (torch.triu(torch.ones((4, 4))) == 1).transpose(0, 1)
tgt_mask = tgt_mask.float().masked_fill(tgt_mask == 0, float("-inf")).masked_fill(tgt_mask == 1, 0.0)
src_mask = torch.zeros((6, 6)).type(torch.bool)
loss_fn = torch.nn.CrossEntropyLoss(ignore_index=PAD_IDX)
every = [*transformer.parameters(), *tokens.parameters(), *generator.parameters()]
optimizer = torch.optim.Adam(every, lr=0.001, betas=(0.9, 0.98), eps=1e-9)
for step in range(3):
    outs = transformer(
        tokens(source) * math.sqrt(16), tokens(tgt_input) * math.sqrt(16), src_mask, tgt_mask, None,
        src_padding_mask, tgt_padding_mask, src_padding_mask,
    )
    loss = loss_fn(generator(outs).reshape(-1, 11), tgt_out.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
transformer.eval()
with torch.no_grad():
    memory = transformer.encoder(tokens(source), src_mask)
    ys = torch.ones(1, 1).fill_(2).type(torch.long)
    for i in range(3):
        mask = nn.Transformer.generate_square_subsequent_mask(ys.size(0)).type(torch.bool)
        out = transformer.decoder(tokens(ys), memory[:, :1], mask)
        prob = generator(out.transpose(0, 1)[:, -1])
        _, next_word = torch.max(prob, dim=1)
        ys = torch.cat([ys, torch.ones(1, 1).type_as(source.data).fill_(next_word.item())], dim=0)
    print(ys.flatten().tolist(), prob)
