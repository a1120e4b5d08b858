"""Names by languages: a recurrent cell written by hand, an `nn.RNN`, and letters that are drawn one after another."""

import math
import random
import string
import unicodedata

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset

random.seed(0)
torch.manual_seed(0)
all_letters = string.ascii_letters + " .,;'-"
n_letters = len(all_letters) + 1
names = {
    "Italian": ["Rossi", "Bianchi", "Romano", "Colombo", "Ricci", "Marino"],
    "English": ["Smith", "Jones", "Taylor", "Brown", "Wilson", "Evans"],
    "Polish": ["Nowak", "Kowalski", "Wiśniewski", "Wójcik", "Kamiński", "Zieliński"],
}


def unicodeToAscii(s):
    return "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn" and c in all_letters)


print(unicodeToAscii("Ślusàrski"))


def letterToIndex(letter):
    return all_letters.find(letter)


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][letterToIndex(letter)] = 1
    return tensor


print(lineToTensor("Jones").size())


class NamesDataset(Dataset):
    def __init__(self):
        self.labels_uniq = list(names)
        self.data = [(unicodeToAscii(each), label) for label, all in names.items() for each in all]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        line, label = self.data[idx]
        return torch.tensor([self.labels_uniq.index(label)], dtype=torch.long), lineToTensor(line), label, line


alldata = NamesDataset()
train_set, test_set = torch.utils.data.random_split(alldata, [0.85, 0.15], generator=torch.Generator().manual_seed(2024))
print(f"train examples = {len(train_set)}, validation examples = {len(test_set)}", train_set.indices)


class CharRNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.rnn = nn.RNN(input_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, line_tensor):
        rnn_out, hidden = self.rnn(line_tensor)
        output = self.h2o(hidden[0])
        return self.softmax(output)


rnn = CharRNN(n_letters, 16, len(alldata.labels_uniq))
print(rnn)
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.15)
for epoch in range(4):
    rnn.zero_grad()
    current = 0.0
    order = list(range(len(train_set)))
    random.shuffle(order)
    for begin in range(0, len(order), 5):
        batch_loss = 0
        for i in order[begin : begin + 5]:
            label_tensor, text_tensor, label, text = train_set[i]
            batch_loss += criterion.forward(rnn.forward(text_tensor), label_tensor)
        batch_loss.backward()
        nn.utils.clip_grad_norm_(rnn.parameters(), 3)
        optimizer.step()
        optimizer.zero_grad()
        current += batch_loss.item()
    print(epoch, current / len(order))
with torch.no_grad():
    top_n, top_i = rnn(lineToTensor("Rossini")).topk(1)
    print(alldata.labels_uniq[top_i[0].item()], top_n)


class Generator(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        n = len(names)
        self.i2h = nn.Linear(n + input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(n + input_size + hidden_size, output_size)
        self.o2o = nn.Linear(hidden_size + output_size, output_size)
        self.dropout = nn.Dropout(0.1)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, category, input, hidden):
        input_combined = torch.cat((category, input, hidden), 1)
        hidden = self.i2h(input_combined)
        output = self.i2o(input_combined)
        output = self.o2o(torch.cat((hidden, output), 1))
        return self.softmax(self.dropout(output)), hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


def categoryTensor(category):
    tensor = torch.zeros(1, len(names))
    tensor[0][list(names).index(category)] = 1
    return tensor


decoder = Generator(n_letters, 16, n_letters)
for iter in range(12):
    category = random.choice(list(names))
    line = unicodeToAscii(random.choice(names[category]))
    target = torch.LongTensor([letterToIndex(line[li]) for li in range(1, len(line))] + [n_letters - 1])
    target.unsqueeze_(-1)
    hidden = decoder.initHidden()
    decoder.zero_grad()
    loss = torch.Tensor([0])
    for i in range(len(line)):
        output, hidden = decoder(categoryTensor(category), lineToTensor(line)[i], hidden)
        loss += criterion(output, target[i])
    loss.backward()
    for p in decoder.parameters():
        p.data.add_(p.grad.data, alpha=-0.005)
    print(category, line, output.shape, loss.item() / len(line))
decoder.eval()
with torch.no_grad():
    input, hidden, name = lineToTensor("R"), decoder.initHidden(), "R"
    for i in range(8):
        output, hidden = decoder(categoryTensor("Italian"), input[0], hidden)
        topv, topi = output.topk(1)
        topi = topi[0][0]
        if topi == n_letters - 1:
            break
        name += all_letters[topi]
        input = lineToTensor(all_letters[topi])
    print(name, math.exp(topv.item()), F.softmax(output, 1).sum())
