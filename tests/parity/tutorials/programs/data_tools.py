"""Datasets and loaders: maps, streams, splits, weights, own batches, workers, seeds, words about what is missing."""

import random

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)


class Points(Dataset):
    """Squares of numbers, as dictionaries."""

    def __init__(self, count, transform=None):
        self.count, self.transform = count, transform

    def __len__(self):
        return self.count

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        sample = {
            "image": np.full((2, 2), idx, dtype=np.float32),
            "landmark": (idx, float(idx) ** 2),
            "name": f"p{idx}",
        }
        return self.transform(sample) if self.transform else sample


class ToTensor:
    def __call__(self, sample):
        return {**sample, "image": torch.from_numpy(sample["image"])}


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x


points = Points(7, Compose([ToTensor()]))
for batch in DataLoader(points, batch_size=3):
    print(batch["image"].shape, batch["image"].dtype, batch["landmark"], batch["name"])
torch.manual_seed(0)
print([batch["name"] for batch in DataLoader(points, batch_size=4, shuffle=True, drop_last=True)])
print(next(iter(DataLoader(points, batch_size=None))))
tensors = TensorDataset(torch.arange(10), torch.arange(10) % 2)
train, test = random_split(tensors, [7, 3])
print(train.indices, test.indices, [each.indices for each in random_split(range(10), [0.5, 0.3, 0.2])])
weights = [1.0 if label else 5.0 for _, label in tensors]
sampler = WeightedRandomSampler(weights, num_samples=10, replacement=True)
print([x.tolist() for x, _ in DataLoader(tensors, batch_size=5, sampler=sampler)])
print(list(WeightedRandomSampler([0.1, 0.9, 0.4], 2, replacement=False, generator=torch.Generator().manual_seed(3))))
print(list(RandomSampler(tensors, replacement=True, num_samples=4)), list(SubsetRandomSampler([3, 1, 4])))
print(list(BatchSampler(SequentialSampler(range(10)), batch_size=4, drop_last=False)))
print(len(ConcatDataset([tensors, points])), ConcatDataset([tensors, tensors])[12], Subset(tensors, [1, 3])[1])
print(StackDataset(tensors, range(10))[2], (tensors + tensors)[19])


class ByLength(Sampler):
    """Texts of like length together."""

    def __init__(self, texts):
        self.order = sorted(range(len(texts)), key=lambda i: len(texts[i]))

    def __iter__(self):
        return iter(self.order)

    def __len__(self):
        return len(self.order)


texts = [torch.arange(n) for n in (5, 2, 4, 1, 3)]


def collate_fn(batch):
    lengths = torch.tensor([len(each) for each in batch])
    return pad_sequence(batch, batch_first=True, padding_value=-1), lengths


for padded, lengths in DataLoader(texts, batch_size=2, sampler=ByLength(texts), collate_fn=collate_fn):
    print(padded, lengths)


class Stream(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(range(self.start, self.end))
        return iter(range(self.start + info.id, self.end, info.num_workers))


print(list(DataLoader(Stream(3, 10), batch_size=3)), list(ChainDataset([Stream(0, 2), Stream(5, 7)])))
print(list(DataLoader(Stream(3, 10), batch_size=2, num_workers=2)))


def worker_init_fn(worker_id):
    np.random.seed(torch.initial_seed() & 0xFFFFFFFF)
    random.seed(torch.initial_seed())


class Drawn(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.rand(1).item(), np.random.rand(), random.random()


g = torch.Generator()
g.manual_seed(0)
for batch in DataLoader(
    Drawn(), batch_size=2, num_workers=2, worker_init_fn=worker_init_fn, generator=g, persistent_workers=True
):
    print(batch)
print(default_collate([(1, {"a": 2.0}, [np.int64(3), "x"]), (4, {"a": 5.0}, [np.int64(6), "y"])]))
for bad in (
    lambda: DataLoader(points, batch_size=2, shuffle=True, sampler=ByLength(texts)),
    lambda: DataLoader(Stream(0, 3), shuffle=True),
    lambda: DataLoader(points, num_workers=-1),
    lambda: next(iter(DataLoader(texts, batch_size=2))),
    lambda: random_split(tensors, [1, 2]),
    lambda: len(DataLoader(Stream(0, 3))),
):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
