"""Part-of-speech tags by a two-way LSTM over packed sentences, a CRF's forward score, and CTC."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence, unpad_sequence

torch.manual_seed(1)
lstm = nn.LSTM(3, 3)
inputs = [torch.randn(1, 3) for _ in range(5)]
hidden = (torch.randn(1, 1, 3), torch.randn(1, 1, 3))
for i in inputs:
    out, hidden = lstm(i.view(1, 1, -1), hidden)
inputs = torch.cat(inputs).view(len(inputs), 1, -1)
out, hidden = lstm(inputs, (torch.randn(1, 1, 3), torch.randn(1, 1, 3)))
print(out.data)
print(hidden)


def prepare_sequence(seq, to_ix):
    return torch.tensor([to_ix[w] for w in seq], dtype=torch.long)


training_data = [
    ("The dog ate the apple".split(), ["DET", "NN", "V", "DET", "NN"]), ("Everybody read that book".split(), ["NN", "V", "DET", "NN"]),
    ("dog read".split(), ["NN", "V"]),
]
word_to_ix = {}
for sent, _ in training_data:
    for word in sent:
        word_to_ix.setdefault(word, len(word_to_ix))
tag_to_ix = {"DET": 0, "NN": 1, "V": 2}


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocab_size, tagset_size):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size + 1, embedding_dim, padding_idx=vocab_size)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.hidden2tag = nn.Linear(2 * hidden_dim, tagset_size)

    def forward(self, sentences, lengths):
        packed = pack_padded_sequence(self.word_embeddings(sentences), lengths, batch_first=True, enforce_sorted=False)
        packed_out, (h, c) = self.lstm(packed)
        out, lens = pad_packed_sequence(packed_out, batch_first=True)
        return F.log_softmax(self.hidden2tag(out), dim=2), h


model = LSTMTagger(6, 5, len(word_to_ix), 3)
print(model)
sentences = [prepare_sequence(s, word_to_ix) for s, _ in training_data][::-1]
tags = [prepare_sequence(t, tag_to_ix) for _, t in training_data][::-1]
lengths = torch.tensor([len(s) for s in sentences])
batch = pad_sequence(sentences, batch_first=True, padding_value=len(word_to_ix))
targets = pad_sequence(tags, batch_first=True, padding_value=-100)
optimizer = optim.SGD(model.parameters(), lr=0.5)
for epoch in range(5):
    model.zero_grad()
    tag_scores, h = model(batch, lengths)
    loss = nn.NLLLoss(ignore_index=-100)(tag_scores.flatten(0, 1), targets.flatten())
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), h.shape)
packed = pack_sequence(sentences, enforce_sorted=False)
print(packed)
print([each.tolist() for each in unpad_sequence(*pad_packed_sequence(packed))])
gru = nn.GRU(2, 3, bidirectional=True)
out, h = gru(pack_sequence([torch.ones(3, 2), torch.zeros(1, 2)]))
print(out.data, out.batch_sizes, h)
try:
    pack_padded_sequence(torch.zeros(2, 3, 1), [1, 2], batch_first=True)
except RuntimeError as error:
    print(error)

# the forward score of a conditional random field
transitions = nn.Parameter(torch.randn(3, 3))


def log_partition(feats):
    alpha = feats[0]
    for feat in feats[1:]:
        alpha = torch.logsumexp(alpha.unsqueeze(1) + transitions, dim=0) + feat
    return torch.logsumexp(alpha, 0)


def path_score(feats, tags):
    return feats[torch.arange(len(tags)), tags].sum() + transitions[tags[:-1], tags[1:]].sum()


optimizer = optim.Adam([transitions, *model.parameters()], lr=0.05)
for step in range(3):
    scores, _ = model(batch, lengths)
    loss = sum(log_partition(s[:n]) - path_score(s[:n], t) for s, n, t in zip(scores, lengths.tolist(), tags))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

T, C, N = 12, 5, 2
log_probs = torch.randn(T, N, C).log_softmax(2).detach().requires_grad_()
targets = torch.randint(1, C, (N, 4), dtype=torch.long)
loss = nn.CTCLoss(zero_infinity=True)(log_probs, targets, torch.full((N,), T), torch.tensor([4, 2]))
loss.backward()
print(loss, log_probs.grad[0])
cell, state = nn.LSTMCell(2, 3), None
for step in torch.randn(3, 2, 2):
    state = cell(step, state)
print(state)
print(nn.RNN(2, 3, nonlinearity="relu", num_layers=2, batch_first=True)(torch.randn(4, 2))[0])
