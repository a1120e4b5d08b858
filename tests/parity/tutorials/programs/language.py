"""Language: word vectors, tags, translation with attention, recurrent and masked-attention text generators."""

import math
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
text = "a small bird sings in the tall tree and a tall bird sleeps in the small tree while the tree sings"
words = text.split()
index = {word: at for at, word in enumerate(sorted(set(words)))}
ids = torch.tensor([index[word] for word in words])

# vectors of words: from the words around, and against words drawn by chance
bag, out = nn.EmbeddingBag(len(index), 5, mode="mean"), nn.Linear(5, len(index))
around = torch.stack([ids[:-4], ids[1:-3], ids[3:-1], ids[4:]], 1)
optimizer = torch.optim.Adagrad([*bag.parameters(), *out.parameters()], lr=0.3)
for _ in range(4):
    loss = F.cross_entropy(out(bag(around)), ids[2:-2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("bag", loss.item())
print(bag(ids[:7], torch.tensor([0, 2, 3]))[:, :2])
left, right = nn.Embedding(len(index), 4, max_norm=1.0), nn.Embedding(len(index), 4, padding_idx=0)
often = torch.bincount(ids, minlength=len(index)).float() ** 0.75
optimizer = torch.optim.SGD([*left.parameters(), *right.parameters()], lr=0.2)
for at in range(1, 6):
    drawn = torch.multinomial(often, 3, replacement=True)
    vector = left(ids[at])
    loss = -F.logsigmoid(right(ids[at - 1]) @ vector) - F.logsigmoid(-right(drawn) @ vector).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("against", drawn.tolist(), loss.item(), left.weight.norm(dim=1).max().item())
print(F.cosine_similarity(left.weight[:1], left.weight).topk(3))
print(nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor([2, 0])))

# tags, by an LSTM both ways over sentences of several lengths
sentences = [ids[:5], ids[5:7], ids[7:11]]
tags = [sentence % 3 for sentence in sentences]


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.vectors = nn.Embedding(len(index), 6)
        self.read = nn.LSTM(6, 4, num_layers=2, bidirectional=True, dropout=0.2, batch_first=True)
        self.tag = nn.Linear(8, 3)

    def forward(self, sentences):
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        padded = self.vectors(pad_sequence(sentences, batch_first=True))
        states, (last, _) = self.read(pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False))
        return self.tag(pad_packed_sequence(states, batch_first=True)[0]), last


tagger = Tagger()
print(tagger)
optimizer = torch.optim.Adam(tagger.parameters(), lr=0.05)
wanted = pad_sequence(tags, batch_first=True, padding_value=-100)
transitions = nn.Parameter(torch.randn(3, 3))
for _ in range(4):
    scores, last = tagger(sentences)
    each = F.cross_entropy(scores.transpose(1, 2), wanted, reduction="none")
    alpha = scores[0, 0]
    for score in scores[0, 1:]:  # all paths through the first sentence, as a chain-structured field adds them up
        alpha = torch.logsumexp(alpha[:, None] + transitions, 0) + score
    loss = each.sum() / (wanted >= 0).sum() + 0.1 * torch.logsumexp(alpha, 0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("tags", loss.item(), last.shape)
print(pack_sequence(sentences, enforce_sorted=False))
gru = nn.GRU(2, 3, bidirectional=True)
print(*gru(pack_sequence([torch.ones(3, 2), torch.zeros(1, 2)])))
print(nn.RNN(2, 3, 2, nonlinearity="relu", batch_first=True)(torch.randn(4, 2)))
state = None
for step in torch.randn(3, 2, 2):
    state = nn.LSTMCell(2, 3)(step, state)
print(state)

# translation: a GRU reads, another writes and looks back with additive attention
vectors, reader, writer = nn.Embedding(8, 6), nn.GRU(6, 6, batch_first=True), nn.GRUCell(12, 6)
ask, key, score, say = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 1), nn.Linear(6, 8)
parts = nn.ModuleList([vectors, reader, writer, ask, key, score, say])
source = torch.randint(2, 8, (5, 4))
target = source.flip(1)
optimizer = torch.optim.RAdam(parts.parameters(), lr=0.02)
for step in range(4):
    memory, hidden = reader(vectors(source))
    hidden, loss, told = hidden[0], 0.0, torch.ones(5, dtype=torch.long)
    for at in range(4):
        weights = F.softmax(score(torch.tanh(ask(hidden).unsqueeze(1) + key(memory))).squeeze(-1), -1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        hidden = writer(torch.cat((vectors(told), F.dropout(context, 0.1)), 1), hidden)
        loss = loss + F.nll_loss(F.log_softmax(say(hidden), 1), target[:, at])
        told = target[:, at] if torch.rand(1).item() < 0.5 else say(hidden).argmax(1)
    optimizer.zero_grad()
    loss.backward()
    print("translation", loss.item(), nn.utils.clip_grad_norm_(parts.parameters(), 1.0).item(), weights[0].tolist())
    optimizer.step()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    transformer = nn.Transformer(6, 2, 1, 1, 12, dropout=0.1, batch_first=True)
padding = source == 2
causal = nn.Transformer.generate_square_subsequent_mask(4)
made = transformer(vectors(source), vectors(target), tgt_mask=causal, src_key_padding_mask=padding, tgt_is_causal=True)
made.sum().backward()
print(transformer, made[0, 0], vectors.weight.grad.norm())
transformer.eval()
with torch.no_grad():
    print(
        transformer.encoder(
            vectors(source), src_key_padding_mask=torch.arange(4) >= torch.tensor([[4], [3], [2], [4], [1]])
        )
    )

# letters, by an LSTM whose state is carried from piece to piece
letters = sorted(set(text))
stream = torch.tensor([letters.index(each) for each in text])[: len(text) // 3 * 3].view(3, -1)
vectors, lstm, say = nn.Embedding(len(letters), 8), nn.LSTM(8, 8, 2, dropout=0.1), nn.Linear(8, len(letters))
say.weight = vectors.weight  # tied
net = nn.ModuleList([vectors, lstm, say])
hidden = None
for at in range(0, stream.size(1) - 8, 8):
    output, hidden = lstm(vectors(stream[:, at : at + 8].t()), hidden)
    hidden = tuple(tensor.detach() for tensor in hidden)
    loss = F.cross_entropy(say(output).flatten(0, 1), stream[:, at + 1 : at + 9].t().flatten())
    net.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 0.25)
    for p in net.parameters():
        p.data.add_(p.grad, alpha=-1.0)
    print(f"letters {math.exp(loss.item()):.3f}")


class Looks(nn.Module):
    """Attention to what came before, and two linear layers: one block of a model that writes."""

    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads = heads
        self.qkv, self.join = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.RMSNorm(width)])
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width), nn.Dropout(0.1)
        )
        self.register_buffer("later", torch.ones(longest, longest, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in self.qkv(self.norms[0](x)).chunk(3, -1)
        )
        if self.training:
            weights = (q @ k.mT / math.sqrt(width // self.heads)).masked_fill(self.later[:length, :length], -math.inf)
            seen = F.dropout(weights.softmax(-1), 0.1) @ v
        else:
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.join(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norms[1](x))


class Writes(nn.Module):
    def __init__(self, width=16, longest=12):
        super().__init__()
        self.longest = longest
        self.letters, self.places = nn.Embedding(len(letters), width), nn.Embedding(longest, width)
        self.blocks = nn.Sequential(*[Looks(width, 2, longest) for _ in range(2)])
        self.say = nn.Linear(width, len(letters), bias=False)
        for name, p in self.named_parameters():
            if name.endswith("weight") and p.dim() > 1:
                nn.init.normal_(p, std=0.02)

    def forward(self, ids):
        return self.say(self.blocks(self.letters(ids) + self.places.weight[: ids.size(1)]))

    @torch.no_grad()
    def write(self, ids, count, k):
        for _ in range(count):
            scores, places = self(ids[:, -self.longest :])[:, -1].topk(k)
            ids = torch.cat((ids, places.gather(1, torch.multinomial(scores.softmax(-1), 1))), 1)
        return "".join(letters[each] for each in ids[0].tolist())


model = Writes()
print(model, list(model.state_dict()))
matrices = [p for p in model.parameters() if p.dim() > 1]
others = [p for p in model.parameters() if p.dim() == 1]
optimizer = torch.optim.AdamW(
    [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-2, betas=(0.9, 0.95)
)
warmed = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3))
flat = stream.flatten()
for step in range(6):
    begins = torch.randint(len(flat) - 13, (4,))
    pieces = torch.stack([flat[at : at + 13] for at in begins])
    loss = F.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    warmed.step()
    print("writes", loss.item(), warmed.get_last_lr())
print(repr(model.eval().write(flat[:4].view(1, -1), 12, 3)))

probabilities = torch.randn(10, 2, 5).log_softmax(2).requires_grad_()
loss = nn.CTCLoss(zero_infinity=True)(
    probabilities, torch.randint(1, 5, (2, 4)), torch.tensor([10, 8]), torch.tensor([4, 2])
)
loss.backward()
print("alignments", loss)
