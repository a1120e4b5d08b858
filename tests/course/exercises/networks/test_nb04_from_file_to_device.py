"""What people answer wrongly in notebook 04 of part 5, and what the checks tell them."""

import pytest
from exercise_answers import assert_told, right_answers, verdict_on, wrong_answers

DIGITS = """
class Digits:
    def __init__(self, raw, labels):
        self.raw, self.labels = {kept}, labels
    def __len__(self):
        return {length}
    def __getitem__(self, i):
        return {sample}
"""
SAMPLE = "self.raw[i].float() / 16, self.labels[i].item()"
LENGTH = "len(self.raw)"
DIGITS_NAMED = """
class Digits(torch.utils.data.Dataset):
    def __init__(self, raw, labels):
        self.both = torch.utils.data.TensorDataset(raw, labels)
    def __len__(self):
        return len(self.both)
    def __getitem__(self, i):
        picture, label = self.both[i]
        return [picture.to(torch.float32).mul(1 / 16), int(label)]
"""
DIGITS_CLOSED = """
def Digits(raw, labels):
    class Made:
        def __len__(self): return raw.shape[0]
        def __getitem__(self, i): return torch.div(raw[i], 16), labels.tolist()[i]
    return Made()
"""

BATCHES = "def batches(count, size, shuffle):\n    order = {order}\n    return {pieces}"
ORDER = "torch.randperm(count) if shuffle else torch.arange(count)"
PIECES = "list(order.split(size))"
SHUFFLED_BATCHES = """
def batches(count, size, shuffle):
    pieces = list(torch.arange(count).split(size))
    if not shuffle:
        return pieces
    short = pieces.pop()
    return [pieces[i] for i in torch.randperm(len(pieces)).tolist()] + [short]
"""
BATCHES_BY_SAMPLER = """
def batches(count, size, shuffle):
    data = torch.utils.data
    order = data.RandomSampler(range(count)) if shuffle else data.SequentialSampler(range(count))
    return [torch.tensor(each) for each in data.BatchSampler(order, size, drop_last=False)]
"""
BATCHES_BY_SORTING = """
def batches(count, size, shuffle):
    order = torch.rand(count).argsort() if shuffle else torch.arange(count)
    return [order[begin:begin + size] for begin in range(0, count, size)]
"""

COLLATE = "def collate(samples):\n    pictures, labels = zip(*samples)\n    return {pictures}, {labels}"
COLLATE_IN_PLACE = """
def collate(samples):
    pictures = torch.empty(len(samples), 8, 8)
    for place, (picture, _) in zip(pictures, samples):
        place.copy_(picture)
    return [pictures, torch.as_tensor([label for _, label in samples])]
"""

FLIGHT = "batch_bytes, waiting = "
ONE = 256 * (3 * 224 * 224 * 4 + 8)
READY = "def ready(batch, device):\n    pictures, labels = batch\n    return {pictures}, {labels}"
ROWS = "(pictures.to(device).float() / 16).view(len(pictures), -1)"
LABELS = "labels.to(torch.uint8).to(device).long()"

WRONG = [
    ("n04-dataset", DIGITS.format(kept="raw.float() / 16", length=LENGTH, sample="self.raw[i], self.labels[i].item()"),
     "a copy of all pictures at once"),
    ("n04-dataset", DIGITS.format(kept="raw.clone()", length=LENGTH, sample=SAMPLE), "a copy of all pictures at once"),
    ("n04-dataset", DIGITS.format(kept="raw", length="self.raw.numel()", sample=SAMPLE), "not pixels"),
    ("n04-dataset", DIGITS.format(kept="raw", length=LENGTH, sample="self.raw[i], self.labels[i].item()"),
     "it should be float32"),
    ("n04-dataset", DIGITS.format(kept="raw", length=LENGTH, sample="self.raw[i].float(), self.labels[i].item()"),
     "divide it by 16"),
    ("n04-dataset", DIGITS.format(kept="raw", length=LENGTH, sample="self.raw[i].float() / 16, self.labels[i]"),
     "A Python integer"),
    ("n04-dataset", DIGITS.format(kept="raw", length=LENGTH, sample="self.raw[i].float() / 16"), "should be a pair"),
    ("n04-dataset", "class Digits:\n    def __init__(self, raw, labels): self.raw = raw", "`__len__` is missing"),
    ("n04-batches", BATCHES.format(order=ORDER, pieces="list(order.chunk(4))"), "chunk makes equal pieces"),
    ("n04-batches", BATCHES.format(order=ORDER, pieces="list(order[:count // size * size].split(size))"),
     "in no batch"),
    ("n04-batches", BATCHES.format(order="torch.randint(count, (count,)) if shuffle else torch.arange(count)",
                                   pieces=PIECES), "each comes once"),
    ("n04-batches", BATCHES.format(order="torch.randperm(count)", pieces=PIECES), "should come in their order"),
    ("n04-batches", BATCHES.format(order="torch.arange(count)", pieces=PIECES), "still come in their order"),
    ("n04-batches", "torch_manual = torch.manual_seed\n" + BATCHES.format(
        order="(torch_manual(0), torch.randperm(count))[1] if shuffle else torch.arange(count)", pieces=PIECES),
     "the same order"),
    ("n04-batches", SHUFFLED_BATCHES, "each batch has neighbors"),
    ("n04-collate", COLLATE.format(pictures="torch.cat(pictures)", labels="torch.tensor(labels)"), "stack keeps them"),
    ("n04-collate", COLLATE.format(pictures="torch.stack(pictures)", labels="labels"), "it should be a tensor"),
    ("n04-collate", COLLATE.format(pictures="torch.stack(pictures)", labels="torch.Tensor(labels)"), "torch.int64"),
    ("n04-collate", COLLATE.format(pictures="torch.stack(pictures, 1)", labels="torch.tensor(labels)"), "has shape"),
    ("n04-collate", "def collate(samples): return samples", "should be a pair"),
    ("n04-flight", FLIGHT + f"{256 * 3 * 224 * 224 * 4}, 0", "The labels are missing"),
    ("n04-flight", FLIGHT + f"{256 * (3 * 224 * 224 + 8)}, 0", "A float32 has four bytes"),
    ("n04-flight", FLIGHT + f"{ONE}, {8 * ONE}", "one batch a worker"),
    ("n04-flight", FLIGHT + f"{ONE}, {12 * ONE}", "not 12"),
    ("n04-ready", READY.format(pictures="pictures.to(device).float() / 16", labels=LABELS), "has shape (10, 8, 8)"),
    ("n04-ready", READY.format(pictures=ROWS.replace(" / 16", ""), labels=LABELS), "first of ready(batch, device)"),
    ("n04-ready", READY.format(pictures=ROWS, labels=LABELS.replace(".long()", "")), "torch.uint8"),
    ("n04-ready", "def ready(batch, device): return batch[0].to(device)", "should be a pair"),
]  # fmt: skip

ALSO_RIGHT = [
    ("n04-dataset", DIGITS_NAMED),
    ("n04-dataset", DIGITS_CLOSED),
    ("n04-batches", BATCHES_BY_SAMPLER),
    ("n04-batches", BATCHES_BY_SORTING),
    ("n04-collate", "def collate(samples): return torch.utils.data.default_collate(samples)"),
    ("n04-collate", COLLATE_IN_PLACE),
    ("n04-flight", FLIGHT + "154_142_720, 32 * 154_142_720"),
    ("n04-flight", FLIGHT + f"{float(ONE)}, {float(32 * ONE)}"),
    ("n04-ready", READY.format(
        pictures="pictures.flatten(1).to(device) / 16", labels="labels.byte().to(device).long()")),
    ("n04-ready", READY.format(
        pictures="pictures.to(device, non_blocking=True).reshape(-1, 64).mul(1 / 16)",
        labels="labels.to(torch.int8).to(device).to(torch.int64)")),
]  # fmt: skip

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)


@pytest.mark.parametrize(
    ("pictures", "labels", "told"),
    [
        ("(pictures.float() / 16).to(device).view(-1, 64)", "labels.to(device)", "Both were converted on the host"),
        ("(pictures.float() / 16).to(device).view(-1, 64)", LABELS, "The pictures were converted on the host"),
        (ROWS, "labels.to(device)", "the labels as int64"),
        ("pictures.view(-1, 64) / 16", "labels", "it should be on sim"),
    ],
)
def test_what_travels_is_counted_where_there_is_a_device(pictures, labels, told):
    import tensorglass  # PyTorch without a GPU has no second device

    assert_told(verdict_on(tensorglass, "n04-ready", READY.format(pictures=pictures, labels=labels)), told)
