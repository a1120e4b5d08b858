"""Part 1: right answers that few people give, and more wrong ones, with either library."""

import numpy
from exercise_answers import right_answers, wrong_answers

WHICH_ONES = "some_rows, some_columns, every_other_row, one_row, one_column = "
FIVE_KEYS = "row, row_in_list, every_other, mixed, masked = "
WORKS = "first_rows, first_columns, column_pairs, every_second_row, folded_column = "

SHARE_BY_SET = """
def share_storage(x, y):
    first, second = x.untyped_storage(), y.untyped_storage()
    return len({each.data_ptr() for each in (first, second)}) == 1
"""
SHARE_BY_HEADER = """
def share_storage(x, y):
    def whole(t):
        return t.detach().as_strided((1,), (1,), 0).data_ptr()
    return whole(x) == whole(y)
"""
SHARE_BY_BASE = """
def share_storage(x, y):
    base = lambda t: t if t._base is None else t._base
    return base(x) is base(y)
"""
SHARE_ALL = (
    "def share_storage(x, y): return x.dtype == y.dtype and not (x.shape == y.shape and x.data_ptr() != y.data_ptr())"
)
IN_ORDER_BY_PRODUCT = """
import math
def in_order(size):
    return [math.prod(size[place + 1:]) for place in range(len(size))]
"""
IN_ORDER_BY_EMPTY = "def in_order(size): return torch.empty(size).stride()"
ROWS_FLAT = "def rows(frames): return frames.flatten(1)"
ROWS_OTHER = "def rows(frames): return frames.reshape((frames.shape[0], -1))"
PRICE_VIEW_FIRST = """
def flat_and_price(tensor):
    try:
        return tensor.view(-1), 0
    except RuntimeError:
        flat = tensor.reshape(-1)
        return flat, flat.numel() * flat.element_size()
"""
PRICE_BY_TWO_COPIES = """
def flat_and_price(tensor):
    flat = tensor.reshape(-1)
    shared = flat.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
    return (flat, 0) if shared else (tensor.clone().reshape(-1), flat.nbytes)
"""
HISTORY_DETACHED = """
history = []
for step in range(3):
    weight.add_(1)
    history.append(torch.tensor(weight.tolist()))
"""
HISTORY_STACKED = """
history = []
for step in range(3):
    weight += torch.ones(2)
    history += [weight.detach().clone()]
"""
HISTORY_REBOUND = """
history = []
for step in range(3):
    weight = weight + 1
    history.append(weight.clone())
"""
BYTES_BY_STORAGE = """
def bytes_held(tensors):
    seen = {}
    for tensor in tensors:
        seen[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()
    return sum(storage.nbytes() for storage in seen.values())
"""
BYTES_BY_SET = """
def bytes_held(tensors):
    return sum(n for _, n in {(t.untyped_storage().data_ptr(), t.untyped_storage().nbytes()) for t in tensors})
"""
RANGE_BY_STRIDES = """
def byte_range(tensor):
    size = tensor.element_size()
    return tensor.storage_offset() * size, (tensor.storage_offset() + tensor.numel()) * size
"""
RANGE_BY_ENDS = """
def byte_range(tensor):
    begin = tensor.data_ptr() - tensor.untyped_storage().data_ptr()
    return begin, begin + tensor.numel() * tensor.element_size()
"""
LEAN_OUT = """
def lean(frames):
    x = torch.empty(16, 3, 32, 32)
    torch.div(frames[:, 16:48, 16:48].permute(0, 3, 1, 2), 255, out=x)
    return x.sub_(0.5).flatten(1)
"""
LEAN_TO = """
def lean(frames):
    x = frames.permute(0, 3, 1, 2)[..., 16:48, 16:48].to(torch.float32, memory_format=torch.contiguous_format)
    return x.mul_(1 / 255).add_(-0.5).view(16, 3072)
"""
LEAN_HALF_IN_PLACE = """
def lean(frames):
    x = frames[:, 16:48, 16:48].permute(0, 3, 1, 2).float()
    return ((x / 255) - 0.5).reshape(16, -1)
"""

RIGHT = [
    ("00-numbers", "numbers = torch.arange(6).numel()"),
    ("00-numbers", "numbers = np.int64(6)"),
    ("00-last-cell", "b[-1, -1] = 7"),
    ("00-last-cell", "a[5] = 7"),
    ("01-same-cell", "cell = np.int32(10)"),
    ("01-same-cell", "t = torch.zeros(5, 3); cell = (t[3, 1].data_ptr() - t.data_ptr()) // 4"),
    ("01-batch-bytes", "batch_bytes = torch.empty(32, 3, 224, 224, dtype=torch.float16).nbytes"),
    ("01-batch-bytes", "batch_bytes = np.prod([32, 3, 224, 224, 2])"),
    ("01-small", "small = a.to(torch.int8)"),
    ("01-small", "small = torch.empty(5, 3, dtype=torch.uint8).copy_(a)"),
    ("01-numpy", "watching = torch.as_tensor(m); apart = torch.from_numpy(m.copy())"),
    ("01-numpy", "watching = torch.from_numpy(m).view(2, 2); apart = watching.clone()"),
    ("02-share-storage", SHARE_BY_SET),
    ("02-share-storage", SHARE_BY_HEADER),
    ("02-middle", "middle = a.as_strided((2, 2), (2, 1), 1)"),
    ("02-middle", "middle = a[1:-1].unflatten(0, (2, 2))"),
    ("02-whole", "whole = tail.as_strided((10,), (1,), 0)"),
    ("02-whole", "whole = tail._base"),
    ("02-count", "headers, storages = np.int64(4), len({'e', 'g'})"),
    ("02-count", "headers, storages = len('efgh'), 1 + 1"),
    (
        "03-header-of-a-slice",
        "t = torch.zeros(5, 6)[1::2, 2:5]; size, stride, offset = t.shape, t.stride(), t.storage_offset()",
    ),
    ("03-header-of-a-slice", "size, stride, offset = [2, 3], [12, 1], np.int64(8)"),
    ("03-find-the-key", "first, second = cube[-1, ..., -1], cube[:, 0::2, :]"),
    ("03-find-the-key", "first, second = cube[1][:, 3], cube[:, :3:2]"),
    ("03-paint-the-frame", "board[::4] = 1; board[:, ::6] = 1"),
    (
        "03-paint-the-frame",
        "inside = torch.zeros(5, 7, dtype=torch.bool); inside[1:-1, 1:-1] = True; board[~inside] = 1",
    ),
    ("03-keep-little", "last = log[199:].clone()[0]"),
    ("03-keep-little", "last = torch.tensor(log[-1].tolist())"),
    ("04-view-or-copy", FIVE_KEYS + "'View', 'COPY', 'a view', 'a copy', 'copy'"),
    ("04-view-or-copy", FIVE_KEYS + "' view', 'copy ', 'view', 'Copy', 'the copy'"),
    ("04-cap-the-outliers", "data.clamp_(max=10)"),
    ("04-cap-the-outliers", "data[[1, 3, 5]] = torch.full((3,), 10.0)"),
    ("04-a-block", "block = m[rows][:, columns]"),
    ("04-a-block", "block = m[::3, 1::3]"),
    ("04-gather-columns", "top = scores[best, torch.arange(3)]"),
    ("04-gather-columns", "top = scores.t().gather(1, best[:, None]).squeeze(1)"),
    ("04-count-the-votes", "totals += torch.bincount(votes, minlength=3)"),
    ("04-count-the-votes", "totals.index_put_((votes,), torch.ones(6), accumulate=True)"),
    ("05-find-the-cell", "position = t.storage_offset() + 20 + 2 * t.stride(2)"),
    ("05-find-the-cell", "position = (t[1, 0, 2].data_ptr() - t.untyped_storage().data_ptr()) // t.element_size()"),
    ("05-chain", "t = torch.zeros(2, 3, 4).transpose(0, 2)[:, 1]; stride, offset = t.stride(), t.storage_offset()"),
    ("05-chain", "stride, offset = [1, 12], np.int64(4)"),
    ("05-other-diagonal", "anti = picture.view(-1)[3:13:3]"),
    ("05-other-diagonal", "anti = picture.flatten()[3::3][:4]"),
    ("05-mean-for-every-pixel", "means = mean.view(1, 3, 1, 1).expand(64, -1, 32, 32)"),
    ("05-mean-for-every-pixel", "means = mean.as_strided((64, 3, 32, 32), (0, 1, 0, 0))"),
    ("05-patches", "patches = picture.as_strided((3, 3, 2, 2), (4, 1, 4, 1))"),
    ("05-patches", "patches = picture.unfold(1, 2, 1).unfold(0, 2, 1).transpose(2, 3)"),
    ("06-which-ones", WHICH_ONES + "np.bool_(True), False, False, np.bool_(True), False"),
    (
        "06-which-ones",
        "t = torch.zeros(4, 3)\n"
        + WHICH_ONES
        + "(each.is_contiguous() for each in (t[1:3], t[:, :2], t[::2], t[1], t[:, 1]))",
    ),
    ("06-in-order", IN_ORDER_BY_PRODUCT),
    ("06-in-order", IN_ORDER_BY_EMPTY),
    ("06-who-hears", "base_after = torch.tensor([[1, 0, 0], [0, 0, 3]])"),
    ("06-who-hears", "base_after = np.array([[1, 0, 0], [0, 0, 3]])"),
    ("06-small-bill", "def two_rows(big): return torch.stack([big[:, 0], big[:, 1]])"),
    ("06-small-bill", "def two_rows(big): return big.t()[:2].contiguous()"),
    ("06-camera", "x = photo.permute(0, 3, 1, 2)"),
    ("06-camera", "x = photo.movedim(-1, 1)"),
    ("07-rows", ROWS_FLAT),
    ("07-rows", ROWS_OTHER),
    ("07-pixels-last", "pixels = batch.movedim(1, -1)"),
    ("07-pixels-last", "pixels = batch.transpose(1, 2).transpose(2, 3)"),
    ("07-which-work", WORKS + "np.bool_(True), False, True, False, np.bool_(True)"),
    ("07-which-work", WORKS + "(word == 'yes' for word in ('yes', 'no', 'yes', 'no', 'yes'))"),
    ("07-crop", "joined = crop.flatten(1)"),
    ("07-crop", "joined = x.as_strided((2, 8), (12, 1), 4)"),
    ("07-price", PRICE_VIEW_FIRST),
    ("08-centered", "def centered(x): return x.clone().sub_(x.mean())"),
    ("08-centered", "def centered(x): return torch.sub(x, x.sum() / len(x))"),
    ("08-first-column", "first = torch.tensor(scores[:, 0].tolist())"),
    ("08-first-column", "first = scores.clone()[:, 0]"),
    ("08-history", HISTORY_DETACHED),
    ("08-history", HISTORY_STACKED),
    ("08-choose", "undo, buffer, plot, network = ' CLONE ', 'copy_()', 'detach()', 'torch.deepcopy'"),
    ("09-left", "part, packed, picked, double, late = 1000 * 4, 1000 * 4, 3 * 4, 3 * 8, 1000 * 4"),
    ("09-left", "part, packed, picked, double, late = np.array([4000, 4000, 12, 24, 4000])"),
    ("09-halves", "halves = weights.half(); saved = 4 * 2"),
    ("09-halves", "halves = torch.tensor(weights.tolist()).half().storage(); saved = np.int64(8)"),
    ("09-bytes", RANGE_BY_STRIDES),
    ("09-bytes", RANGE_BY_ENDS),
    ("09-windows", "windows = torch.tensor([]).set_(signal_storage).unfold(0, 3, 1)"),
    ("09-windows", "windows = torch.empty(0).set_(signal_storage).as_strided((4, 3), (1, 1))"),
    ("10-held", BYTES_BY_STORAGE),
    ("10-held", BYTES_BY_SET),
    ("10-lean", LEAN_OUT),
    ("10-lean", LEAN_TO),
    ("10-into", "def scaled_into(x, out): return torch.add(x, x, out=out).add_(1)"),
    ("10-into", "def scaled_into(x, out): out.copy_(x).mul_(2).add_(1); return out"),
]

WRONG = [
    ("00-numbers", "numbers = 1", "how many storages there are"),
    ("00-last-cell", "b[:, 2] = 7", "2 cells are 7 now"),
    ("00-last-cell", "b[:] = 7", "6 cells are 7 now"),
    ("01-same-cell", "cell = 9", "The column is missing"),
    ("01-same-cell", "cell = 6", "strides are swapped"),
    ("01-same-cell", "cell = -10", "only the sign is wrong"),
    ("01-batch-bytes", "batch_bytes = 3 * 224 * 224 * 2", "That is one picture"),
    ("01-numpy", "watching, apart = torch.tensor(m), torch.from_numpy(m)", "0 of 2 are right; `watching` and `apart`"),
    ("02-share-storage", SHARE_BY_BASE, "ask the storages"),
    ("02-share-storage", SHARE_ALL, "`share_storage` says"),
    ("02-whole", "whole = tail.clone()", "is a copy"),
    ("02-count", "headers, storages = 5, 5", "0 of 2 are right"),
    ("03-header-of-a-slice", "size, stride, offset = (2, 3), (1, 12), 6", "the right numbers, in another order"),
    ("04-view-or-copy", FIVE_KEYS + "'copy', 'copy', 'copy', 'copy', 'copy'", "`row` and `every_other` are not yet"),
    ("04-a-block", "block = m[:2, :2]", "it should "),
    ("04-gather-columns", "top = scores[best]", "has shape (3, 3)"),
    ("04-count-the-votes", "totals += torch.bincount(votes) * 2", "did you run the cell twice"),
    ("05-find-the-cell", "position = 25", "the last one, two steps of 2, is missing"),
    ("05-chain", "stride, offset = (1, 4, 12), 4", "removes the middle dimension"),
    ("05-other-diagonal", "anti = picture.diagonal()", "it should "),
    ("05-mean-for-every-pixel", "means = mean[None]", "has shape (1, 3)"),
    ("05-mean-for-every-pixel", "means = torch.ones(64, 3, 32, 32)", "786,432 bytes"),
    (
        "06-which-ones",
        WHICH_ONES + "True, True, True, True, True",
        "`some_columns`, `every_other_row` and `one_column`",
    ),
    ("06-which-ones", WHICH_ONES + "1, 0, 0, 1, 0", "it should be True or False"),
    ("06-who-hears", "base_after = [[1, 0, 0], [0, 0, 0]]", "base[1:] is contiguous"),
    ("07-crop", "joined = x[:, 1:3].clone().flatten(1)", "is a copy"),
    ("07-price", PRICE_BY_TWO_COPIES, "3 were made"),
    ("08-centered", "def centered(x): return x.sub_(x.mean())", "changed the caller's tensor"),
    ("08-history", HISTORY_REBOUND, "a new tensor in each round"),
    ("10-lean", LEAN_HALF_IN_PLACE, "bytes were allocated"),
    ("10-into", "def scaled_into(x, out): return out.copy_(x * 2 + 1)", "8,000 bytes were allocated"),
    ("10-corners", "small_corners = [frame(0)[:2, :2].clone()] * 100", "`small_corners[1]` holds"),
]

test_a_right_answer_of_its_own_kind_is_right = right_answers(RIGHT, np=numpy)
test_a_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG, np=numpy)
