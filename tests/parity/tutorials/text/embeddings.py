"""Words as vectors: n-grams, CBOW, skip-gram with negative samples, and a bag-of-words classifier."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(1)
text = "we are about to study the idea of a process that lives in a machine and a process is a thing that moves".split()
vocab = sorted(set(text))
word_to_ix = {word: i for i, word in enumerate(vocab)}
embeds = nn.Embedding(2, 5)
lookup_tensor = torch.tensor([word_to_ix["a"] * 0], dtype=torch.long)
print(embeds(lookup_tensor))

CONTEXT_SIZE, EMBEDDING_DIM = 2, 6
ngrams = [([text[i - j - 1] for j in range(CONTEXT_SIZE)], text[i]) for i in range(CONTEXT_SIZE, len(text))]


class NGramLanguageModeler(nn.Module):
    def __init__(self, vocab_size, embedding_dim, context_size):
        super(NGramLanguageModeler, self).__init__()
        self.embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.linear1 = nn.Linear(context_size * embedding_dim, 16)
        self.linear2 = nn.Linear(16, vocab_size)

    def forward(self, inputs):
        embeds = self.embeddings(inputs).view((1, -1))
        out = F.relu(self.linear1(embeds))
        out = self.linear2(out)
        return F.log_softmax(out, dim=1)


losses = []
loss_function = nn.NLLLoss()
model = NGramLanguageModeler(len(vocab), EMBEDDING_DIM, CONTEXT_SIZE)
optimizer = optim.SGD(model.parameters(), lr=0.05)
for epoch in range(4):
    total_loss = 0
    for context, target in ngrams:
        context_idxs = torch.tensor([word_to_ix[w] for w in context], dtype=torch.long)
        model.zero_grad()
        log_probs = model(context_idxs)
        loss = loss_function(log_probs, torch.tensor([word_to_ix[target]], dtype=torch.long))
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
    losses.append(total_loss)
print(losses)
print(model.embeddings.weight[word_to_ix["process"]])


class CBOW(nn.Module):
    def __init__(self, vocab_size, embedding_dim):
        super().__init__()
        self.embeddings = nn.EmbeddingBag(vocab_size, embedding_dim, mode="mean")
        self.out = nn.Linear(embedding_dim, vocab_size, bias=False)
        self.out.weight = nn.Parameter(self.embeddings.weight.detach().clone())

    def forward(self, text, offsets=None):
        return self.out(self.embeddings(text, offsets))


cbow = CBOW(len(vocab), EMBEDDING_DIM)
print(cbow)
optimizer = optim.Adagrad(cbow.parameters(), lr=0.2)
contexts = torch.tensor([[word_to_ix[text[i + k]] for k in (-2, -1, 1, 2)] for i in range(2, len(text) - 2)])
targets = torch.tensor([word_to_ix[text[i]] for i in range(2, len(text) - 2)])
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(cbow(contexts), targets, label_smoothing=0.1)
    loss.backward()
    optimizer.step()
    print(loss.item())
offsets = torch.tensor([0, 2, 3])
print(cbow(torch.tensor([1, 2, 3, 4, 5]), offsets)[:, :3])

# skip-gram: a word and one near it against words drawn by frequency
center, near = nn.Embedding(len(vocab), 4, max_norm=1.0), nn.Embedding(len(vocab), 4, padding_idx=0)
counts = torch.bincount(torch.tensor([word_to_ix[w] for w in text]), minlength=len(vocab)).float()
noise = counts.pow(0.75) / counts.pow(0.75).sum()
optimizer = optim.SGD([*center.parameters(), *near.parameters()], lr=0.1)
for i in range(1, 8):
    word, other = torch.tensor([word_to_ix[text[i]]]), torch.tensor([word_to_ix[text[i - 1]]])
    negatives = torch.multinomial(noise, 3, replacement=True)
    v = center(word)
    positive = F.logsigmoid((v * near(other)).sum(1))
    negative = F.logsigmoid(-near(negatives) @ v.t()).sum()
    loss = -(positive + negative).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(negatives.tolist(), loss.item(), center.weight.norm(dim=1).max().item())
similarity = F.cosine_similarity(center.weight[2:3], center.weight, dim=1)
print(similarity.topk(3))
pretrained = nn.Embedding.from_pretrained(torch.arange(6.0).view(3, 2))
print(pretrained.weight.requires_grad, pretrained(torch.tensor([2, 0])))
